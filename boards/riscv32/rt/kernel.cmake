# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of rt fits the riscv32 board: its RISC-V part; start.S's vectors go to its entries and to those of dispatch.c.
set(kernel_architecture riscv)
set(kernel_definitions MSIP_BASE=0x2000000UL)
target_link_options(${library} PUBLIC
  -Wl,--defsym=board_exception_handler=rt_trap_handler
  -Wl,--defsym=board_software_handler=rt_msi_handler
  -Wl,--defsym=board_tick_handler=board_rt_tick
  -Wl,--defsym=rt_main_sp=board_stack_top)
