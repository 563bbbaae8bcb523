# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the port on EPICS adds to its engine library: libCom, and the system beneath it. Built by ioc/CMakeLists.txt, which has found libCom.
target_link_libraries(${library} PUBLIC epics Com)
target_include_directories(${library} PRIVATE ${port_dir})
target_compile_definitions(${library} PRIVATE RTS_EPICS_BUILD_FLAGS="${CMAKE_BUILD_TYPE}")
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  get_target_property(files ${library} SOURCES)
  list(FILTER files EXCLUDE REGEX "ports/epics/elsewhere[.]c$")
  set_property(TARGET ${library} PROPERTY SOURCES ${files} ${port_dir}/linux/place.c)
  set_source_files_properties(${port_dir}/linux/place.c PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)
endif()
