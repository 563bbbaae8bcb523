# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Which layer of FreeRTOS fits the mcf5208evb board: ours, beside this file; the kernel's ColdFire layer yields through a controller that the emulator lacks.
set(kernel_layer_include ${board_dir}/freertos)
set(kernel_layer "")
set(kernel_definitions "")
