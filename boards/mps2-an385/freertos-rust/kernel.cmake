# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of FreeRTOS in Rust fits the mps2-an385 board. The kernel masks interrupts from 0xbf on, so that only those from there on may call it.
set(kernel_architecture arm)
set(kernel_definitions BOARD_TIMER_LEVEL=0xc0 BOARD_TRAFFIC_LEVEL=0xd0)
set(kernel_link_options
  -Wl,--defsym=SVC_Handler=vPortSVCHandler
  -Wl,--defsym=PendSV_Handler=xPortPendSVHandler
  -Wl,--defsym=SysTick_Handler=xPortSysTickHandler
  # Messages are copied by the same function as under every other kernel, not by one of the compiler's library.
  -Wl,--defsym=__aeabi_memcpy=memcpy -Wl,--defsym=__aeabi_memcpy4=memcpy -Wl,--defsym=__aeabi_memcpy8=memcpy)
