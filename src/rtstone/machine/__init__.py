# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine that rtstone runs on: its settings, what disturbs, what its clocks are worth, what cannot be timed."""
