# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of rt fits the arm64-gicv3 board: its AArch64 part. start.S's vectors go to its entries, and to entry.S.
set(kernel_architecture aarch64)
set(kernel_definitions GIC_PRIORITY_BITS=5 GICD_BASE=0x08000000UL GICR_BASE=0x080a0000UL)
target_link_options(${library} PUBLIC
  -Wl,--defsym=board_irq_handler=rt_irq_handler
  -Wl,--defsym=board_nested_irq_handler=rt_irq_handler_nested)
