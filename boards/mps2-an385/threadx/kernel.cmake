# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What of ThreadX fits the mps2-an385 board: its Cortex-M part, whose PendSV handler is the one of the vector table.
set(kernel_architecture arm)
