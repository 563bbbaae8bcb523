# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The zynq-a9 board carries this kernel; all that fits it is in the folder rtems.
