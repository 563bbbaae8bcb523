# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What a board adds to the engine library of a port that runs without an operating system; included by that port's port.cmake.
file(GLOB board_sources CONFIGURE_DEPENDS
  ${rtstone_root}/boards/common/*.c
  ${board_dir}/*.c ${board_dir}/*.S
  ${board_dir}/${RTSTONE_PORT}/*.c ${board_dir}/${RTSTONE_PORT}/*.S)
if(board_is_hosted) # start-up, link and the C library are the kernel's
  list(FILTER board_sources EXCLUDE REGEX "/start[.][cS]$")
endif()
target_sources(${library} PRIVATE ${board_sources})
target_include_directories(${library} PUBLIC
  ${board_dir}/include ${rtstone_root}/probe ${rtstone_root}/boards/common/include)
if(NOT board_is_hosted)
  target_link_options(${library} PUBLIC -nostdlib -T ${board_dir}/board.ld)
  set_property(TARGET ${library} PROPERTY INTERFACE_LINK_DEPENDS ${board_dir}/board.ld)
  target_sources(${library} PRIVATE ${rtstone_root}/boards/common/libc/memory.c)
  target_include_directories(${library} PUBLIC ${rtstone_root}/boards/common/libc)
  target_compile_options(${library} PUBLIC -ffreestanding)
  # A loop that clears or copies must not become a call of the function that it is the body of.
  set_source_files_properties(${rtstone_root}/boards/common/libc/memory.c PROPERTIES
    COMPILE_OPTIONS -fno-tree-loop-distribute-patterns)
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set_source_files_properties(${rtstone_root}/boards/common/hooks.c PROPERTIES COMPILE_DEFINITIONS
  "RTS_BOARD_BUILD_FLAGS=\"${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}\"")
