# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the FreeRTOS port adds to its engine library: the kernel, and the board.
include(${rtstone_root}/boards/firmware/board.cmake)

if(NOT EXISTS ${RTSTONE_KERNEL_SOURCE}/tasks.c)
  message(FATAL_ERROR "RTSTONE_KERNEL_SOURCE must name the folder FreeRTOS-Kernel; boards/freertos-source/README.md says how to get it")
endif()
include(${board_dir}/freertos/kernel.cmake) # sets kernel_layer, kernel_definitions, may add to ${library}

add_library(freertos_kernel OBJECT
  ${RTSTONE_KERNEL_SOURCE}/tasks.c ${RTSTONE_KERNEL_SOURCE}/queue.c ${RTSTONE_KERNEL_SOURCE}/list.c
  ${RTSTONE_KERNEL_SOURCE}/portable/MemMang/heap_4.c ${kernel_layer})
list(TRANSFORM board_places APPEND /freertos OUTPUT_VARIABLE configuration)
set(kernel_includes
  ${RTSTONE_KERNEL_SOURCE}/include ${kernel_layer_include} ${configuration} ${port_dir}/include)
target_include_directories(freertos_kernel PRIVATE ${kernel_includes}
  ${rtstone_root}/boards/common/libc ${rtstone_root}/boards/common/include ${board_includes})
# Not our code: its warnings are not ours.
target_compile_options(freertos_kernel PRIVATE -ffreestanding -w)
set(kernel_definitions ${kernel_definitions} RTSTONE_KERNEL_ASSERTS=$<BOOL:${RTSTONE_KERNEL_ASSERTS}>)
target_compile_definitions(freertos_kernel PRIVATE ${kernel_definitions})

target_sources(${library} PRIVATE $<TARGET_OBJECTS:freertos_kernel>)
target_include_directories(${library} SYSTEM PUBLIC ${kernel_includes})
target_compile_definitions(${library} PUBLIC ${kernel_definitions})
