# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What a board adds to the engine library of a port that runs without an operating system; included by that port's port.cmake.
file(GLOB board_sources CONFIGURE_DEPENDS ${rtstone_root}/boards/common/*.c)
set(board_files "")
foreach(place IN LISTS board_places) # what the first has, of the next one is left out
  file(GLOB found CONFIGURE_DEPENDS RELATIVE ${place}
    ${place}/*.c ${place}/*.S ${place}/*.ld ${place}/${RTSTONE_PORT}/*.c ${place}/${RTSTONE_PORT}/*.S)
  list(REMOVE_ITEM found ${board_files})
  list(APPEND board_files ${found})
  list(TRANSFORM found PREPEND ${place}/)
  list(APPEND board_sources ${found})
endforeach()
list(SORT board_sources)
set(board_script ${board_sources})
list(FILTER board_script INCLUDE REGEX "/board[.]ld$")
list(FILTER board_sources EXCLUDE REGEX "[.]ld$")
list(TRANSFORM board_places APPEND /include OUTPUT_VARIABLE board_includes)
if(board_is_hosted) # start-up, link and the C library are the kernel's
  list(FILTER board_sources EXCLUDE REGEX "/start[.][cS]$")
endif()
target_sources(${library} PRIVATE ${board_sources})
target_include_directories(${library} PUBLIC
  ${board_includes} ${rtstone_root}/probe ${rtstone_root}/boards/common/include)
if(NOT board_is_hosted)
  target_link_options(${library} PUBLIC -nostdlib -T ${board_script})
  set_property(TARGET ${library} PROPERTY INTERFACE_LINK_DEPENDS ${board_script})
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
