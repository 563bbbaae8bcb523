# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of rt fits the mps2-an385 board: its Cortex-M part, whose handlers are those of the vector table.
set(kernel_architecture arm)
set(kernel_definitions
  rt_svcall_handler=SVC_Handler rt_pendsv_handler=PendSV_Handler rt_tick_advance=SysTick_Handler)
