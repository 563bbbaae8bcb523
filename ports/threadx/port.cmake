# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the ThreadX port adds to its engine library: the kernel as the library that the user has installed, and the board.
include(${rtstone_root}/boards/firmware/board.cmake)

set(kernel_library ${RTSTONE_KERNEL_SOURCE}/lib/libthreadx.a)
if(NOT EXISTS ${kernel_library})
  message(FATAL_ERROR "RTSTONE_KERNEL_SOURCE must name the folder of an installed ThreadX; ports/threadx/README.md says what lies there")
endif()
include(${board_dir}/threadx/kernel.cmake) # sets kernel_architecture

# How the library was compiled is in its debug information, if it has any.
execute_process(COMMAND ${CMAKE_READELF} -p .debug_str ${kernel_library} OUTPUT_VARIABLE said ERROR_QUIET)
string(REGEX MATCHALL "(GNU C|clang version|Arm Clang)[^\n;]*" compilers "${said}")
list(REMOVE_DUPLICATES compilers)
list(JOIN compilers " and " compilers)
if(compilers STREQUAL "")
  set(compilers "the library does not tell by what: it holds no debug information")
endif()

file(GLOB architecture_sources CONFIGURE_DEPENDS ${port_dir}/${kernel_architecture}/*.c)
target_sources(${library} PRIVATE ${architecture_sources})
target_include_directories(${library} SYSTEM PUBLIC ${RTSTONE_KERNEL_SOURCE}/include)
target_compile_definitions(${library} PUBLIC
  RTS_THREADX_COMPILER="${compilers}"
  $<$<NOT:$<BOOL:${RTSTONE_KERNEL_ASSERTS}>>:TX_DISABLE_ERROR_CHECKING>)
if(EXISTS ${RTSTONE_KERNEL_SOURCE}/include/tx_user.h)
  target_compile_definitions(${library} PUBLIC TX_INCLUDE_USER_DEFINE_FILE)
endif()
target_link_libraries(${library} PUBLIC ${kernel_library})
# The library's start calls the port, which stands before it.
target_link_options(${library} PUBLIC -Wl,--undefined=_tx_initialize_low_level)
