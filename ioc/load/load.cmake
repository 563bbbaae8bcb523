# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Adds the load of an IOC's clients to the engine ${library}. What the system ${ioc_system} (linux, unless set) answers is in files of its name, and
# the list of loads is ${ioc_loads}.
set(load ${rtstone_root}/ioc/load)
if(NOT ioc_system)
  set(ioc_system linux)
  set(ioc_loads ioc_loads.def)
endif()
file(GLOB load_sources CONFIGURE_DEPENDS ${load}/*.c)
list(FILTER load_sources EXCLUDE REGEX "_[a-z]+[.]c$")
file(GLOB own_sources CONFIGURE_DEPENDS ${load}/*_${ioc_system}.c)
target_sources(${library} PRIVATE ${load_sources} ${own_sources})
set_source_files_properties(${load}/place_linux.c PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)
target_include_directories(${library} PRIVATE ${load} ${load}/../include)
target_compile_definitions(${library} PRIVATE RTS_PORT_LOADS="${ioc_loads}")
