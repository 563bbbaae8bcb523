# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Which layer of FreeRTOS fits the arm64-gicv3 board: its own for AArch64 with GICv3, as a guest at EL1; entries and dispatch as on arm64.
include(${board_base}/freertos/kernel.cmake)
set(kernel_layer_include ${RTSTONE_KERNEL_SOURCE}/portable/GCC/ARM_AARCH64_SRE)
set(kernel_layer ${kernel_layer_include}/port.c ${kernel_layer_include}/portASM.S)
