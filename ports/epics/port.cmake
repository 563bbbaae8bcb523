# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the port on EPICS adds to its engine library: libCom, and the system beneath it. Built by ioc/CMakeLists.txt, which has found libCom.
target_link_libraries(${library} PUBLIC epics Com)
target_include_directories(${library} PRIVATE ${port_dir})
target_compile_definitions(${library} PRIVATE RTS_EPICS_BUILD_FLAGS="${CMAKE_BUILD_TYPE}")
get_target_property(files ${library} SOURCES)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  list(FILTER files EXCLUDE REGEX "ports/epics/elsewhere[.]c$")
  set_property(TARGET ${library} PROPERTY SOURCES ${files})
  rtstone_add_linux(${library})
  include(${rtstone_root}/ioc/load/load.cmake) # adds to ${library}
  target_compile_definitions(${library} PRIVATE RTS_PORT_MEASUREMENTS="epics_measurements.def")
  set_source_files_properties(${port_dir}/linux.c PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)
else()
  list(FILTER files EXCLUDE REGEX "ports/epics/linux[.]c$")
  set_property(TARGET ${library} PROPERTY SOURCES ${files})
endif()
