# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What tools/trace-sample does: a board's run under a plugin of the emulator, and what ran in each measured interrupt."""
