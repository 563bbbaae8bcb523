# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the port to FreeRTOS in Rust adds to its engine library: the kernel as a library, what it has in common with FreeRTOS in C, the board.
include(${rtstone_root}/boards/firmware/board.cmake)

if(NOT EXISTS ${RTSTONE_KERNEL_SOURCE}/libkernel.a)
  message(FATAL_ERROR "RTSTONE_KERNEL_SOURCE must name the folder that has libkernel.a; ports/freertos-rust/README.md says how it is made")
endif()
include(${board_dir}/freertos-rust/kernel.cmake) # sets kernel_architecture, kernel_definitions, kernel_link_options
file(READ ${RTSTONE_KERNEL_SOURCE}/compiler compiler)
string(STRIP "${compiler}" compiler)

file(GLOB architecture_sources CONFIGURE_DEPENDS ${port_dir}/${kernel_architecture}/*.c)
set(common_sources blocks.c control.c queue.c services.c sync.c)
list(TRANSFORM common_sources PREPEND ${rtstone_root}/ports/freertos/)
target_sources(${library} PRIVATE ${common_sources} ${architecture_sources})
target_compile_definitions(${library} PUBLIC ${kernel_definitions} RTS_RUST_COMPILER="${compiler}")
target_link_libraries(${library} PUBLIC ${RTSTONE_KERNEL_SOURCE}/libkernel.a)
# The library brings what other programs need of its parts: start-up code, vectors.
target_link_options(${library} PUBLIC -Wl,--gc-sections ${kernel_link_options})
