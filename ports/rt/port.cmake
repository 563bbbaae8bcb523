# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the port to rt adds to its engine library: the kernel, and the board.
include(${rtstone_root}/boards/firmware/board.cmake)

if(NOT EXISTS ${RTSTONE_KERNEL_SOURCE}/src/rt.c)
  message(FATAL_ERROR "RTSTONE_KERNEL_SOURCE must name the folder of rt; boards/rt-source/README.md says how to get it")
endif()
include(${board_dir}/rt/kernel.cmake) # sets kernel_architecture, kernel_definitions
file(STRINGS ${RTSTONE_KERNEL_SOURCE}/Cargo.toml version REGEX "^version = " LIMIT_COUNT 1)
string(REGEX REPLACE "^version = \"(.*)\"$" "\\1" version "${version}")

set(kernel_includes ${RTSTONE_KERNEL_SOURCE}/include ${RTSTONE_KERNEL_SOURCE}/arch/${kernel_architecture}/include)
set(kernel_entry ${RTSTONE_KERNEL_SOURCE}/arch/${kernel_architecture}/syscall.S)
set(kernel_patch "")
include(${port_dir}/${kernel_architecture}/kernel.cmake OPTIONAL) # may change these three
if(kernel_patch) # said wherever the kernel is named
  string(APPEND version ", entry mended")
  list(APPEND kernel_definitions RTS_RT_PATCH="${kernel_patch}")
endif()
set(kernel_sources
  src/rt.c src/sem.c src/queue.c src/list.c src/mutex.c src/cond.c src/pool.c src/sleep.c src/event.c
  arch/${kernel_architecture}/${kernel_architecture}.c)
list(TRANSFORM kernel_sources PREPEND ${RTSTONE_KERNEL_SOURCE}/)
add_library(rt_kernel OBJECT ${kernel_sources} ${kernel_entry})
target_include_directories(rt_kernel PRIVATE ${kernel_includes} ${rtstone_root}/boards/common/libc)
# Not our code: its warnings are not ours.
set_target_properties(rt_kernel PROPERTIES C_STANDARD 17)
target_compile_options(rt_kernel PRIVATE -ffreestanding -w -include ${port_dir}/rt_config.h)
target_compile_definitions(rt_kernel PRIVATE ${kernel_definitions})

file(GLOB architecture_sources CONFIGURE_DEPENDS ${port_dir}/${kernel_architecture}/*.c ${port_dir}/${kernel_architecture}/*.S)
target_sources(${library} PRIVATE $<TARGET_OBJECTS:rt_kernel> ${architecture_sources})
target_include_directories(${library} SYSTEM PUBLIC ${kernel_includes})
target_compile_options(${library} PUBLIC -include ${port_dir}/rt_config.h)
target_compile_definitions(${library} PUBLIC ${kernel_definitions} RTS_RT_VERSION="${version}")
