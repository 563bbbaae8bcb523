# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine that rtstone runs on: its settings, its disturbances, the quality of its clocks, and features that cannot
be timed."""
