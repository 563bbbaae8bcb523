# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Which layer of FreeRTOS fits the riscv32 board: its own for RISC-V with the machine timer as tick.
set(kernel_layer ${RTSTONE_KERNEL_SOURCE}/portable/GCC/RISC-V/port.c ${RTSTONE_KERNEL_SOURCE}/portable/GCC/RISC-V/portASM.S)
set(kernel_layer_include ${RTSTONE_KERNEL_SOURCE}/portable/GCC/RISC-V
  ${RTSTONE_KERNEL_SOURCE}/portable/GCC/RISC-V/chip_specific_extensions/RISCV_MTIME_CLINT_no_extensions)
set(kernel_definitions "")
# start.S is the same for every kernel: its vectors go to the kernel's own entries, and these to dispatch.c.
target_link_options(${library} PUBLIC
  -Wl,--defsym=board_exception_handler=freertos_risc_v_exception_handler
  -Wl,--defsym=board_tick_handler=freertos_risc_v_mtimer_interrupt_handler
  -Wl,--defsym=board_external_handler=freertos_risc_v_interrupt_handler
  -Wl,--defsym=board_second_timer_handler=freertos_risc_v_interrupt_handler
  -Wl,--defsym=freertos_risc_v_application_interrupt_handler=board_freertos_interrupt
  -Wl,--defsym=freertos_risc_v_application_exception_handler=board_freertos_exception)
