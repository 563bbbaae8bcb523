# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""rtla timerlat hist: from a timer's expiry to its handler, to the thread, and back to user space."""

from __future__ import annotations

from rtstone.archive.importers import _rtla

IMPORTER = _rtla.importer(
    "timerlat",
    "expiry to handler, thread and return to user space: rtla timerlat hist",
    {"IRQ": "timer-interrupt", "Thr": "timer-thread", "Usr": "timer-user-return"},
)
