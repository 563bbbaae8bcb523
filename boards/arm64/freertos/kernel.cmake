# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Which layer of FreeRTOS fits the arm64 board: its own for AArch64, as a guest at EL1.
set(kernel_layer_include ${RTSTONE_KERNEL_SOURCE}/portable/GCC/ARM_AARCH64)
set(kernel_layer ${kernel_layer_include}/port.c ${kernel_layer_include}/portASM.S)
set(kernel_definitions GUEST QEMU)
# start.S is the same for every kernel: its vectors go to the kernel's own entries.
target_link_options(${library} PUBLIC
  -Wl,--defsym=board_irq_handler=FreeRTOS_IRQ_Handler
  -Wl,--defsym=board_sync_handler=FreeRTOS_SWI_Handler
  -Wl,--defsym=_freertos_vector_table=board_vectors)
