# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a target may be silent before it counts as dead."""

from __future__ import annotations

from rtstone.stream.plan import Plan, expected_seconds

MARGIN_S = 30.0
"""Set-up, calibration, a loaded machine, an engine that rests between slices."""


def silence_limit_s(plan: Plan) -> float:
    """Longest silence (s) of a healthy engine: an engine says nothing while it measures, so the longest item, twice, and a margin."""
    return MARGIN_S + 2 * max((expected_seconds(item) for item in plan.items), default=0.0)
