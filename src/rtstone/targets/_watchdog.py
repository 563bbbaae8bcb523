# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a target may be silent before it counts as dead."""

from __future__ import annotations

from rtstone.stream.plan import Item, Plan, expected_seconds

MARGIN_S = 30.0
"""Set-up, calibration, a loaded machine, an engine that rests between slices."""


def silence_limit_s(plan: Plan) -> float:
    """Longest silence (s) of a healthy engine: an engine says nothing while it measures, so the longest item, twice, and a margin."""
    return max(map(item_limit_s, plan.items), default=MARGIN_S)


def item_limit_s(item: Item) -> float:
    """How long (s) an item may take before its engine counts as dead: twice what it should, and a margin."""
    return MARGIN_S + 2 * expected_seconds(item)
