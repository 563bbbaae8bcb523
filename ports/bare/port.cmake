# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the bare port adds to its engine library: the board.
include(${rtstone_root}/boards/firmware/board.cmake)
