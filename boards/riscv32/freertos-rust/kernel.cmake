# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of FreeRTOS in Rust fits the riscv32 board: its layer for RV32, whose one entry start.S's vectors go to.
set(kernel_architecture riscv)
set(kernel_definitions "")
set(kernel_link_options
  -Wl,--defsym=board_exception_handler=freertos_risc_v_trap_handler
  -Wl,--defsym=board_tick_handler=freertos_risc_v_trap_handler
  -Wl,--defsym=board_external_handler=freertos_risc_v_trap_handler)
