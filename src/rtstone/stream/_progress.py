# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How far a session or a run has come: what progress bars are drawn from."""

from __future__ import annotations

import msgspec


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Told whenever an item begins or is answered."""

    items_done: int
    items_total: int
    """0 when the plan is not known."""
    measurement: str = ""
    """The one under way; empty between two."""
    load: str = "none"
    seconds_left: float = 0.0
    """Upper estimate from the plan's budgets, the item under way counted whole."""
    repetition: int = 0
    """Of the sessions, from 0."""
    repetitions: int = 1
    target: str = ""
