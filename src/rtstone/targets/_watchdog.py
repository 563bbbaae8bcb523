# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a target may be silent before it counts as dead."""

from __future__ import annotations

from rtstone.stream.plan import Item, Plan, expected_seconds

MARGIN_S = 30.0
"""Allowance (s) for set-up, calibration, a loaded machine, and an engine that rests between slices."""


def silence_limit_s(plan: Plan) -> float:
    """Longest silence (s) of a healthy engine: twice the longest item, and a margin, since an engine prints nothing
    while it measures."""
    return max(map(item_limit_s, plan.items), default=MARGIN_S)


def item_limit_s(item: Item) -> float:
    """How long (s) an item may take before its engine counts as dead: twice its expected time, and a margin."""
    return MARGIN_S + 2 * expected_seconds(item)
