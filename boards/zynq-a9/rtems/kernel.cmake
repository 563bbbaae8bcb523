# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of RTEMS fits the zynq-a9 board: the board support package for the same machine.
set(rtems_bsp arm-rtems6/xilinx_zynq_a9_qemu)
# The vector goes on to RTEMS' own entry.
target_link_options(${library} PUBLIC -Wl,--defsym=board_irq_handler=_ARMV4_Exception_interrupt)
# Names by which rtstone explain knows the kernel's vectors and its switch from one task to another.
target_link_options(${library} PUBLIC -Wl,--defsym=board_kernel_vectors=bsp_start_vector_table_begin -Wl,--defsym=board_kernel_switch=_CPU_Context_switch)
