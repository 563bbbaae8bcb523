# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Puts the repetitions of one measurement together: as many results in, one set of figures out, nothing lost."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone.model import Histogram, Result
from rtstone.stats._histogram import merge, percentile
from rtstone.stats._sums import mean, sd


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """All samples of one quantity under one variant, over its repetitions. Times are ticks of one clock."""

    repetitions: int
    count: int
    """Samples; in the batch pass the sets."""
    overflow: int = 0
    dropped: int = 0
    min: int | None = None
    max: int | None = None
    sum: int = 0
    sumsq: int = 0
    averages: tuple[float, ...] = ()
    """Batch pass: each set's ticks for one operation."""
    operations: int = 0
    """Timed operations: the samples, or in the batch pass the sets' operations together."""
    histogram: Histogram | None = None

    @property
    def mean(self) -> float | None:
        """Mean of the samples (ticks)."""
        return mean(self.count, self.sum)

    @property
    def sd(self) -> float | None:
        """Sample standard deviation (ticks)."""
        return sd(self.count, self.sum, self.sumsq)

    def percentile(self, percent: float) -> int | None:
        """Nearest-rank percentile (ticks), None without a histogram or without samples."""
        if self.histogram is None:
            return None
        return percentile(self.histogram, percent, minimum=self.min, maximum=self.max)


def pool(results: Sequence[Result]) -> Pool:
    """The results as one. Counts add up: what goes in comes out. Raises ValueError for no result.

    The caller answers for likeness: one quantity, one variant, one clock (:func:`together` puts results on one).
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
        averages=tuple(total / r.ops for r in results for total in r.batches),
        operations=sum(len(r.batches) * r.ops if r.batches else r.count for r in results),
        histogram=merge(histograms) if histograms else None,
    )
