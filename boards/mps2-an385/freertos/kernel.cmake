# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Which layer of FreeRTOS fits the mps2-an385 board: its own for Cortex-M3.
set(kernel_layer_include ${RTSTONE_KERNEL_SOURCE}/portable/GCC/ARM_CM3)
set(kernel_layer ${kernel_layer_include}/port.c)
set(kernel_definitions "")
