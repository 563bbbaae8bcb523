# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Adds the load of an IOC's clients to the engine ${library}, and what the system beneath it answers (place_linux.c).
set(load ${rtstone_root}/ioc/load)
file(GLOB load_sources CONFIGURE_DEPENDS ${load}/*.c)
target_sources(${library} PRIVATE ${load_sources})
set_source_files_properties(${load}/place_linux.c PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)
target_include_directories(${library} PRIVATE ${load} ${load}/../include)
target_compile_definitions(${library} PRIVATE RTS_PORT_LOADS="ioc_loads.def")
