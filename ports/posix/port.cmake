# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the POSIX port adds to its engine library: the system's own folder, and the proof that the rest keeps to POSIX.1-2008.
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
  file(GLOB system_sources CONFIGURE_DEPENDS ${port_dir}/linux/*.c ${port_dir}/linux/loads/*.c ${port_dir}/linux/measurements/*.c)
  target_compile_definitions(${library} PRIVATE RTS_PORT_LOADS="linux_loads.def")
  target_include_directories(${library} PRIVATE ${port_dir}/linux/loads)
  target_compile_definitions(${library} PRIVATE RTS_POSIX_LINUX)
  include(${port_dir}/linux/bpf/bpf.cmake) # may add to system_sources
else()
  message(FATAL_ERROR "ports/posix: no folder for ${CMAKE_SYSTEM_NAME}; ports/posix/README.md says what it must hold")
endif()
target_sources(${library} PRIVATE ${system_sources})
# Only these files see more than POSIX.
set_source_files_properties(${system_sources} PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set_source_files_properties(${port_dir}/describe.c PROPERTIES COMPILE_DEFINITIONS
  "RTS_POSIX_BUILD_FLAGS=\"${CMAKE_BUILD_TYPE}: ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}\"")
