# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The zynq-a9-link board carries this kernel; link.c brings its network device up, all else is zynq-a9's.
