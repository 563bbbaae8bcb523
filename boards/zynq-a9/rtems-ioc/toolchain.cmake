# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The compiler of RTEMS' own API, with its flags.
set(CMAKE_C_COMPILER $ENV{RTEMS_PREFIX}/bin/arm-rtems6-gcc)
include(${CMAKE_CURRENT_LIST_DIR}/../rtems/toolchain.cmake)
