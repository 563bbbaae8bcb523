# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The progress of a session or a run, from which progress bars are drawn."""

from __future__ import annotations

import msgspec


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress, reported whenever an item begins or is answered."""

    items_done: int
    items_total: int
    """0 if the plan is not known."""
    measurement: str = ""
    """The measurement under way; empty between two measurements."""
    load: str = "none"
    seconds_left: float = 0.0
    """Upper estimate (s) from the plan's budgets. It includes the full time of the item under way."""
    repetition: int = 0
    """Number of the repetition under way, from 0."""
    repetitions: int = 1
    target: str = ""
