# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""One number of one result: which statistic (`mean`, `p99.9` …), its value for one repetition, and its resolution."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Literal

import msgspec

from rtstone.model import Histogram, Moved, Result
from rtstone.stats._overflow import Ranked, nearest_rank
from rtstone.stats._summary import mean, sd

Kind = Literal["min", "max", "mean", "sd", "percentile"]

_WORDS: dict[str, Kind] = {"min": "min", "max": "max", "mean": "mean", "avg": "mean", "sd": "sd"}
_PERCENTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,9})?)", re.ASCII)


class Statistic(msgspec.Struct, frozen=True):
    """A statistic of the samples. Only a percentile uses `percent` (above 0, below 100)."""

    kind: Kind
    percent: float = 0.0

    def __str__(self) -> str:
        """The name as users write it: `p99.9`, `median`, `max`."""
        if self.kind != "percentile":
            return self.kind
        return "median" if self.percent == 50 else f"p{self.percent:.9f}".rstrip("0").rstrip(".")


def statistic(text: str) -> Statistic:
    """The statistic of that name: min, max, mean (avg), sd, median, p50 … p99.999. Raises ValueError for others."""
    if text == "median":
        return Statistic("percentile", 50)
    if text in _WORDS:
        return Statistic(_WORDS[text])
    match = _PERCENTILE.fullmatch(text)
    if match is None or float(match[1]) == 0:
        raise ValueError(f"'{text}' is no statistic; there are: min, max, mean, sd, median, p1 … p99.999")
    return Statistic("percentile", float(match[1]))


class StatisticValue(msgspec.Struct, frozen=True):
    """A statistic of one repetition (ticks of one operation), and the step below which two such figures cannot differ."""

    value: float
    step: float


def figure_of(result: Result, wanted: Statistic, *, quantum_ticks: float = 1) -> StatisticValue | None:
    """A statistic of one result, as one element of a population of repetitions; None if the result cannot give it.

    In the batch pass it is a statistic of the set averages. A percentile is interpolated within its bucket, so it moves
    with the samples and not by whole buckets. Its step is the bucket's width, or the clock's quantum (`quantum_ticks`)
    if that is larger. A mean has no step: the quantum averages out.
    """
    if result.count == 0:
        return None
    ops = max(1, result.ops)
    quantum = quantum_ticks / ops
    if wanted.kind == "mean":
        return _figure(mean(result.count, result.sum), ops, 0.0)
    if wanted.kind == "sd":
        return _figure(sd(result.count, result.sum, result.sumsq), ops, 0.0)
    if wanted.kind in ("min", "max"):
        return _figure(result.min if wanted.kind == "min" else result.max, ops, quantum)
    if result.batches:
        return StatisticValue(_of_averages(sorted(result.batches), wanted.percent) / ops, quantum)
    if result.histogram is None:
        return None
    ranked = Ranked(result.histogram, minimum=result.min, maximum=result.max, extremes=result.extremes)
    rank = nearest_rank(ranked.count, wanted.percent)
    low, high = ranked.low(rank), ranked.high(rank)
    if low is None or high is None:
        return None
    value = _interpolated(result.histogram, ranked, wanted.percent, low, high)
    return StatisticValue(value, max(quantum, float(high - low)))


def _figure(value: float | None, ops: int, step: float) -> StatisticValue | None:
    return None if value is None else StatisticValue(value / ops, step)


def _of_averages(totals: list[int], percent: float) -> float:
    """A percentile of totals by nearest rank; the median of an even number is the mean of the middle two."""
    rank = nearest_rank(len(totals), percent)
    if percent == 50 and len(totals) % 2 == 0:
        return (totals[rank - 1] + totals[rank]) / 2
    return totals[rank - 1]


def _interpolated(histogram: Histogram, ranked: Ranked, percent: float, low: int, high: int) -> float:
    """The percentile's place in its bucket, if the bucket's samples are spread evenly over it."""
    below = inside = 0
    if 0 <= low < high and not isinstance(histogram, Moved):
        # Positive buckets are compared by number, not by their ends: there are thousands of them.
        first, last = histogram.geometry.index(low), histogram.geometry.index(high)
        begin = bisect_left(histogram.positive, (first, 0))
        end = bisect_left(histogram.positive, (last + 1, 0))
        below, upto = (ranked.before(len(histogram.negative) + position) for position in (begin, end))
        inside = upto - below
    elif high > low:
        for bucket in histogram.buckets():
            if bucket.high < low:
                below += bucket.count
            elif bucket.low <= high:
                inside += bucket.count
    if not inside:
        return (low + high) / 2
    share = (ranked.count * percent / 100 - below) / inside
    return low + (high - low) * min(1.0, max(0.0, share))
