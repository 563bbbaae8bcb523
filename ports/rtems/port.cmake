# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the RTEMS port adds to its engine library: the board support package that the user has installed, and the board. Start-up, the C library and
# the link are RTEMS' own.
set(board_is_hosted TRUE)
include(${rtstone_root}/boards/firmware/board.cmake)
list(GET board_places -1 rtems_board) # the board, or its base
include(${rtems_board}/rtems/kernel.cmake) # sets rtems_bsp: below the prefix, the folder of its libraries

set(rtems_libraries ${RTSTONE_KERNEL_SOURCE}/${rtems_bsp}/lib)
if(NOT EXISTS ${rtems_libraries}/librtemscpu.a)
  message(FATAL_ERROR "RTSTONE_KERNEL_SOURCE must name the folder of an installed RTEMS with ${rtems_bsp}; see ports/rtems/README.md")
endif()

# How the kernel was compiled is in its debug information, if it has any.
execute_process(COMMAND ${CMAKE_READELF} -p .debug_str ${rtems_libraries}/librtemscpu.a OUTPUT_VARIABLE said ERROR_QUIET)
string(REGEX MATCHALL "GNU C1[^\n;]*" compilers "${said}")
list(TRANSFORM compilers REPLACE " -f[^ ]*=[^ ]*" "") # folders
list(REMOVE_DUPLICATES compilers)
list(JOIN compilers " and " compilers)
if(compilers STREQUAL "")
  set(compilers "the library does not tell by what: it holds no debug information")
endif()

target_include_directories(${library} SYSTEM PUBLIC ${rtems_libraries}/include)
target_compile_definitions(${library} PUBLIC RTS_RTEMS_COMPILER="${compilers}" RTS_RTEMS_BSP="${rtems_bsp}")
target_link_options(${library} PUBLIC -B${rtems_libraries} -qrtems)
set_target_properties(${library} PROPERTIES RTSTONE_UNFILLED_SECTIONS ".work;.nocachenoload")
