# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Which layer of FreeRTOS fits the zynq-a9 board: its own for the Cortex-A9.
set(kernel_layer_include ${RTSTONE_KERNEL_SOURCE}/portable/GCC/ARM_CA9)
set(kernel_layer ${kernel_layer_include}/port.c ${kernel_layer_include}/portASM.S)
set(kernel_definitions "")
# start.S is the same for every kernel: its vectors go to the kernel's own entries.
target_link_options(${library} PUBLIC
  -Wl,--defsym=board_irq_handler=FreeRTOS_IRQ_Handler
  -Wl,--defsym=board_svc_handler=FreeRTOS_SWI_Handler)
