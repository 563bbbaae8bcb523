# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of RTEMS fits the zynq-a9 board: the board support package for the same machine.
set(rtems_bsp arm-rtems6/xilinx_zynq_a9_qemu)
# The vector goes on to RTEMS' own entry.
target_link_options(${library} PUBLIC -Wl,--defsym=board_irq_handler=_ARMV4_Exception_interrupt)
