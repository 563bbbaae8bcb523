# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the POSIX port adds to its engine library: the system's room, and the proof that the rest keeps to POSIX.1-2008.
find_package(Threads REQUIRED)
target_compile_definitions(${library} PUBLIC _POSIX_C_SOURCE=200809L)
target_link_libraries(${library} PUBLIC Threads::Threads rt)
target_include_directories(${library} PRIVATE ${port_dir})

# What only a POSIX system has measured: no other port has these.
file(GLOB posix_measurements CONFIGURE_DEPENDS ${port_dir}/measurements/*.c)
target_compile_definitions(${library} PRIVATE RTS_PORT_MEASUREMENTS="posix_measurements.def")
target_include_directories(${library} PRIVATE ${port_dir}/measurements ${rtstone_root}/engine/measurements)
target_sources(${library} PRIVATE ${posix_measurements})

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  rtstone_add_linux(${library})
  include(${rtstone_root}/ioc/load/load.cmake) # adds to ${library}
else()
  message(FATAL_ERROR "ports/posix: no room for ${CMAKE_SYSTEM_NAME}; linux/README.md says what one holds")
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set_source_files_properties(${port_dir}/describe.c PROPERTIES COMPILE_DEFINITIONS
  "RTS_POSIX_BUILD_FLAGS=\"${CMAKE_BUILD_TYPE}: ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}\"")
