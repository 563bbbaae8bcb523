# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of FreeRTOS in Rust fits the arm64 board: its layer for Cortex-A53 with GICv2, and the dispatch that FreeRTOS in C has.
set(kernel_architecture aarch64)
set(kernel_definitions "")
set(kernel_link_options
  -Wl,--defsym=board_irq_handler=FreeRTOS_IRQ_Handler
  -Wl,--defsym=board_sync_handler=FreeRTOS_SWI_Handler
  # Instead of the kernel's own table, whose first act is not to read the counter.
  -Wl,--defsym=_freertos_vector_table=board_vectors)
target_sources(${library} PRIVATE ${board_dir}/freertos/dispatch.c)
