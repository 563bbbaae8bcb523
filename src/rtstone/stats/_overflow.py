# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds samples of a histogram by rank, including those beyond its buckets, as far as their side is known."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

import msgspec

from rtstone.model import Extreme, Histogram, Moved


class Sides(msgspec.Struct, frozen=True):
    """How many of the samples in overflow lie below the buckets: at least, and at most. The others lie above them."""

    least: int
    most: int


def overflow_sides(
    histogram: Histogram, minimum: int | None = None, maximum: int | None = None, extremes: Sequence[Extreme] = ()
) -> Sides:
    """On which side the overflow lies, from the exact minimum, maximum and largest samples (ticks), as far as known.

    A histogram counts the samples beyond both of its ends in one number. If neither the minimum nor the maximum lies
    within the buckets, both sides have some, and the extremes give the least number of samples above.
    """
    overflow, top, bottom = histogram.overflow, histogram.top, histogram.bottom
    if overflow == 0 or (minimum is not None and minimum > bottom):
        return Sides(0, 0)
    if maximum is not None and maximum < top:
        return Sides(overflow, overflow)
    above = max(sum(extreme.value >= top for extreme in extremes), int(maximum is not None))
    if extremes and min(extreme.value for extreme in extremes) < top:
        return Sides(overflow - above, overflow - above)  # the K largest reach into the buckets: none above is missing
    return Sides(int(minimum is not None), max(0, overflow - above))


class Ranked:
    """The samples of a histogram in ascending order, each known to within its bucket. Ranks count from 1."""

    def __init__(
        self,
        histogram: Histogram,
        *,
        minimum: int | None = None,
        maximum: int | None = None,
        extremes: Sequence[Extreme] = (),
    ) -> None:
        self._histogram = histogram
        self._seen = tuple(accumulate(histogram.counts()))
        self.count = (self._seen[-1] if self._seen else 0) + histogram.overflow
        self._seen_from_below = self._seen
        if isinstance(histogram, Moved):
            self._seen_from_below = tuple(accumulate(bucket.count for bucket in histogram.lows))
        self._sides = overflow_sides(histogram, minimum, maximum, extremes)
        self._minimum, self._maximum = minimum, maximum
        self._largest = sorted((extreme.value for extreme in extremes), reverse=True)

    def high(self, rank: int) -> int | None:
        """Upper bound (ticks) of the sample of this rank; None: it is not known."""
        from_top = self.count - rank
        if from_top < len(self._largest):
            return self._largest[from_top]
        found = self._within(rank - self._sides.least, self._seen)
        if rank == 1 and self._minimum is not None:
            return self._minimum
        if found is None:
            below = rank <= self._sides.least
            return self._histogram.bottom if below else self._maximum
        high = self._histogram.bucket(found).high
        if self._maximum is not None:
            high = min(high, self._maximum)
        return high if self._minimum is None else max(high, self._minimum)

    def low(self, rank: int) -> int | None:
        """Lower bound (ticks) of the sample of this rank; None: it is not known."""
        from_top = self.count - rank
        if from_top < len(self._largest):
            return self._largest[from_top]
        if rank == self.count and self._maximum is not None:
            return self._maximum
        found = self._within(rank - self._sides.most, self._seen_from_below)
        if found is None:
            return self._minimum if rank <= self._sides.most else self._histogram.top
        low = self._histogram.from_below(found).low
        return low if self._minimum is None else max(low, self._minimum)

    def before(self, position: int) -> int:
        """Number of samples in the buckets before the one at this position."""
        return self._seen[position - 1] if position else 0

    @staticmethod
    def _within(rank: int, seen: Sequence[int]) -> int | None:
        """Position of the bucket with this rank, among the samples in buckets; None: no bucket has it."""
        if rank < 1 or not seen or rank > seen[-1]:
            return None
        return bisect_left(seen, rank)


def nearest_rank(count: int, percent: float) -> int:
    """The rank of a percentile among `count` samples, from 1. Raises ValueError outside 0 … 100."""
    if not 0 <= percent <= 100:
        raise ValueError(f"a percentile lies between 0 and 100, not at {percent}")
    # 99.9 is no binary fraction: without the rounding 99.9 % of 1000 would be the 1000th sample, not the 999th.
    return max(1, math.ceil(round(count * percent / 100, 6)))
