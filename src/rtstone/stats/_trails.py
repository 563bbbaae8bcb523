# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How many of the samples above `--trace-over` have a trail, and above which time there would have been room for all."""

from __future__ import annotations

from typing import NamedTuple

from rtstone.model import Result
from rtstone.stats._histogram import percentile


class Trails(NamedTuple):
    """Of one item."""

    late: int
    """Samples above the limit."""
    kept: int
    fits: int | None
    """Above so many ticks there are as many samples as trails were kept; None: each has one, or it is not known."""


def trails(result: Result) -> Trails:
    """Counted from the ends that the trails have in the record, and by the distribution of all samples."""
    ends = [event.kind for event in result.events if event.kind.startswith("sample ")]
    kept = sum(not kind.endswith(" dropped") for kind in ends)
    late = next((figure.value for figure in result.figures if figure.name == "samples-over-limit"), len(ends))
    if kept == late or result.histogram is None:
        return Trails(late, kept, None)
    share = 100 * (result.count - kept) / result.count
    return Trails(late, kept, percentile(result.histogram, share, minimum=result.min, maximum=result.max))
