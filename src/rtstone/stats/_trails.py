# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts samples above `--trace-over` that have an event trail, and finds a limit at which all would have one."""

from __future__ import annotations

from typing import NamedTuple

from rtstone.model import Result
from rtstone.stats._histogram import percentile


class Trails(NamedTuple):
    """The event trails of one item."""

    late: int
    """Samples above the limit."""
    kept: int
    fits: int | None
    """The limit (ticks) above which there is one sample for each saved trail. None: every late sample has a trail, or
    the limit is not known."""


def trails(result: Result) -> Trails:
    """Counts the trails by their end events in the record. Finds the limit from the distribution of all samples."""
    ends = [event.kind for event in result.events if event.kind.startswith("sample ")]
    kept = sum(not kind.endswith(" dropped") for kind in ends)
    late = next((figure.value for figure in result.figures if figure.name == "samples-over-limit"), len(ends))
    if kept == late or result.histogram is None:
        return Trails(late, kept, None)
    share = 100 * (result.count - kept) / result.count
    return Trails(late, kept, percentile(result.histogram, share, minimum=result.min, maximum=result.max))
