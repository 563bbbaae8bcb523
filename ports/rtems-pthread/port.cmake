# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the port to RTEMS' pthreads adds to its engine library: all but the objects of the port to RTEMS' own API.
include(${rtstone_root}/ports/rtems/port.cmake)
set(common_sources blocks.c describe.c services.c sleep.c)
list(TRANSFORM common_sources PREPEND ${rtstone_root}/ports/rtems/)
target_sources(${library} PRIVATE ${common_sources} ${board_dir}/rtems/rtems.c)
