# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a histogram: percentiles, the share of samples above a value, and the sum of several histograms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from rtstone.model import Extreme, Histogram, Moved
from rtstone.stats._overflow import Ranked, nearest_rank
from rtstone.stats._pooling import moved


def percentile(
    histogram: Histogram,
    percent: float,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    extremes: Sequence[Extreme] = (),
) -> int | None:
    """The smallest value (ticks) that at least `percent` of the samples do not exceed, by nearest rank.

    The answer is the highest value of a bucket, so it is never too low. It is limited to the exact `minimum` and
    `maximum`, if these are known. Minimum, maximum and `extremes` (the largest samples) decide on which side samples in
    `overflow` lie; if they leave it open, the samples count as above. :func:`percentile_range` returns how far off this
    may be. If the rank lies above the buckets, the answer is `maximum` (of the first rank: `minimum`), or None if that
    is not known. None also for a histogram without samples. Raises ValueError outside 0 … 100.
    """
    return percentile_range(histogram, percent, minimum=minimum, maximum=maximum, extremes=extremes)[1]


def percentiles(
    histogram: Histogram,
    percents: Sequence[float],
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    extremes: Sequence[Extreme] = (),
) -> tuple[int | None, ...]:
    """Several percentiles at once, each as from :func:`percentile`. The samples are counted only once."""
    ranked = Ranked(histogram, minimum=minimum, maximum=maximum, extremes=extremes)
    ranks = [nearest_rank(ranked.count, percent) for percent in percents]
    return tuple(ranked.high(rank) if ranked.count else None for rank in ranks)


def percentile_range(
    histogram: Histogram,
    percent: float,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    extremes: Sequence[Extreme] = (),
) -> tuple[int | None, int | None]:
    """Values (ticks) between which a percentile of the samples certainly lies: its bucket, or more if in the overflow.

    This is not a confidence interval. It allows only for the coarse buckets. None: no such end is known.
    """
    ranked = Ranked(histogram, minimum=minimum, maximum=maximum, extremes=extremes)
    rank = nearest_rank(ranked.count, percent)
    return (ranked.low(rank), ranked.high(rank)) if ranked.count else (None, None)


def exceedance(histogram: Histogram) -> tuple[tuple[int, float], ...]:
    """The share of samples above each bucket's highest value: (ticks, share), ascending in value, falling in share.

    The last share is that of `overflow`, so it is 0 only if no sample lies beyond the buckets. Empty without samples.
    """
    count = histogram.count
    curve = []
    left = count
    for bucket in histogram.buckets():
        left -= bucket.count
        curve.append((bucket.high, left / count))
    return tuple(curve)


def fraction_above(histogram: Histogram, limit: int) -> float | None:
    """The share of samples above `limit` ticks; None without samples. A bucket that reaches above `limit` counts."""
    count = histogram.count
    if count == 0:
        return None
    return (sum(b.count for b in histogram.buckets() if b.high > limit) + histogram.overflow) / count


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """One histogram of all samples, which must be in ticks of one clock. Raises ValueError without a histogram.

    If the buckets of the histograms differ (another geometry, or moved from other clocks), each bucket keeps its ends.
    """
    given = tuple(histograms)
    if not given:
        raise ValueError("there is no histogram to merge")
    if len(given) == 1:
        return given[0]
    geometry = given[0].geometry
    if any(isinstance(one, Moved) or one.geometry != geometry for one in given):
        return moved((one, Fraction(1)) for one in given)
    return Histogram(
        geometry=geometry,
        positive=_added(one.positive for one in given),
        negative=_added(one.negative for one in given),
        overflow=sum(h.overflow for h in given),
    )


def _added(sides: Iterable[tuple[tuple[int, int], ...]]) -> tuple[tuple[int, int], ...]:
    counts: dict[int, int] = {}
    for side in sides:
        for index, n in side:
            counts[index] = counts.get(index, 0) + n
    return tuple(sorted(counts.items()))
