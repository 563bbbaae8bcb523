# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Results in, one set of figures out. Repetitions are pooled in ticks, without loss, and given in ns of one operation.

spec/glossary.md defines each figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from rtstone.model import Clock, Extreme, Histogram, Result
from rtstone.stats._histogram import merge, percentile, percentiles
from rtstone.stats._overflow import nearest_rank

SD_UNKNOWN = "standard-deviation"
"""Service of a result's note: its source did not record the sum of squares."""


def mean(count: int, total: int) -> float | None:
    """The arithmetic mean (ticks) of `count` values that add up to `total`; None without values."""
    return None if count == 0 else float(Fraction(total, count))


def sd(count: int, total: int, squares: int) -> float | None:
    """The sample standard deviation (ticks; n - 1 in the denominator) from count, sum and sum of squares.

    It computes with whole numbers until the last step, so nothing cancels, however large the sums are. None for fewer
    than two values. Raises ValueError for impossible sums.
    """
    if count < 2:
        return None
    numerator = count * squares - total * total
    if numerator < 0:
        raise ValueError("no values have this sum and this sum of squares")
    return math.sqrt(Fraction(numerator, count * (count - 1)))


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """All samples of one quantity under one variant, over its repetitions. Times are ticks of one clock."""

    repetitions: int
    count: int
    """Samples; in the batch pass, sets."""
    overflow: int = 0
    dropped: int = 0
    min: int | None = None
    max: int | None = None
    sum: int = 0
    sumsq: int = 0
    sumsq_known: bool = True
    averages: tuple[float, ...] = ()
    """Batch pass: each set's ticks for one operation."""
    operations: int = 0
    """Timed operations: the samples, or in the batch pass the operations of all sets."""
    histogram: Histogram | None = None

    @property
    def mean(self) -> float | None:
        """Mean of the samples (ticks)."""
        return mean(self.count, self.sum)

    @property
    def sd(self) -> float | None:
        """Sample standard deviation (ticks); None if the source of a result did not record the sum of squares."""
        return sd(self.count, self.sum, self.sumsq) if self.sumsq_known else None

    def percentile(self, percent: float) -> int | None:
        """Nearest-rank percentile (ticks), None without a histogram or without samples."""
        if self.histogram is None:
            return None
        return percentile(self.histogram, percent, minimum=self.min, maximum=self.max)


def pool(results: Sequence[Result]) -> Pool:
    """The results pooled into one. Counts add up, and no sample is lost. Raises ValueError without a result.

    The caller ensures that they are comparable: one quantity, one variant, one clock (see :func:`together`).
    """
    if not results:
        raise ValueError("there is no result to pool")
    histograms = [r.histogram for r in results if r.histogram is not None]
    return Pool(
        repetitions=len(results),
        count=sum(r.count for r in results),
        overflow=sum(r.overflow for r in results),
        dropped=sum(r.dropped for r in results),
        min=min((r.min for r in results if r.min is not None), default=None),
        max=max((r.max for r in results if r.max is not None), default=None),
        sum=sum(r.sum for r in results),
        sumsq=sum(r.sumsq for r in results),
        sumsq_known=not any(note.service == SD_UNKNOWN for r in results for note in r.notes),
        averages=tuple(total / r.ops for r in results for total in r.batches),
        operations=sum((len(r.batches) or r.count) * r.ops for r in results),
        histogram=merge(histograms) if histograms else None,
    )


def has_sample_beyond(count: int, percent: float) -> bool:
    """Whether at least one of `count` samples lies beyond this percentile. If not, it only repeats the maximum."""
    return round(count * (100 - percent), 6) >= 100


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a result, or of all its repetitions, in ns of one operation. None: not known."""

    repetitions: int
    count: int
    """Samples; in the batch pass, sets: then all figures are of the set averages."""
    overflow: int
    dropped: int
    min: float | None
    mean: float | None
    sd: float | None
    max: float | None
    """The maximum observed, not a bound."""
    percentiles: dict[float, float | None]
    """Percent -> percentile by nearest rank. It is a bucket's highest value, so it is never too low."""

    def shown_percentile(self, percent: float) -> float | None:
        """Return the percentile if a sample lies beyond it (:func:`tells`). Raises KeyError for one that is not in `percentiles`."""
        return self.percentiles[percent] if has_sample_beyond(self.count, percent) else None


def summary(of: Pool, clock: Clock, percents: Sequence[float] = (), *, extremes: Sequence[Extreme] = ()) -> Summary:
    """The figures of a pool that was read on `clock`. Raises ValueError for percents outside 0 … 100.

    `extremes`: the largest samples of a single result. They decide on which side samples beyond the histogram lie.
    Leave them out for several results, because there is no rule to merge them.
    """
    values = of.averages
    average = math.fsum(values) / len(values) if values else of.mean
    spread: float | None = None
    if not values:
        try:
            spread = of.sd
        except ValueError:  # another tool's record may have impossible sums
            spread = None
    elif average is not None and len(values) > 1:
        spread = math.sqrt(math.fsum((one - average) ** 2 for one in values) / (len(values) - 1))
    found: Sequence[float | None] = (None,) * len(percents)
    if values:
        ordered = sorted(values)
        found = [ordered[nearest_rank(len(ordered), percent) - 1] for percent in percents]
    elif of.histogram is not None and percents:
        found = percentiles(of.histogram, percents, minimum=of.min, maximum=of.max, extremes=extremes)
    # Without the sets' totals, one sample covers several operations.
    operations = 1.0 if values or not of.count else of.operations / of.count

    def ns(ticks: float | None) -> float | None:
        return None if ticks is None else clock.ns(ticks) / operations

    return Summary(
        repetitions=of.repetitions,
        count=of.count,
        overflow=of.overflow,
        dropped=of.dropped,
        min=ns(min(values) if values else of.min),
        mean=ns(average),
        sd=ns(spread),
        max=ns(max(values) if values else of.max),
        percentiles=dict(zip(percents, map(ns, found), strict=True)),
    )


def of_result(result: Result, clock: Clock | None, percents: Sequence[float] = ()) -> Summary | None:
    """The figures of a single result; None if it has no samples, or its clock is not known."""
    if clock is None or clock.hz <= 0 or result.count <= 0 or result.ops <= 0:
        return None
    return summary(pool([result]), clock, percents, extremes=result.extremes)


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
