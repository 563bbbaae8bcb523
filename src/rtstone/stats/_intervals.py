# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Intervals from a histogram for its population: percentiles by order statistics, shares by the binomial law.

Both treat samples as independent. Samples of one run seldom are: a bad phase of the machine affects many of them. If
this matters, use :func:`rtstone.stats.block_bootstrap`, or repetitions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rtstone.model import Extreme, Histogram
from rtstone.stats._estimate import CONFIDENCE, IntervalEstimate, share
from rtstone.stats._histogram import percentile
from rtstone.stats._overflow import Ranked, overflow_sides
from rtstone.stats._special import special

METHODS = ("clopper-pearson", "wilson")


def percentile_interval(
    histogram: Histogram,
    percent: float,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    extremes: Sequence[Extreme] = (),
    confidence: float = CONFIDENCE,
) -> IntervalEstimate:
    """A percentile (ticks), with the order statistics that enclose the population's percentile, whatever its
    distribution.

    The ranks follow the binomial law (David & Nagaraja, Order Statistics, 7.1). Each side gets half of the error that
    the confidence leaves. Each end is widened to its bucket. An end is missing if too few samples lie beyond the
    percentile: the upper end of a p99.99 at 95 % needs 36,887 samples. Raises ValueError for a percentile that is not
    between 0 and 100, or a confidence that is not between 0 and 1.
    """
    if not 0 < percent < 100:
        raise ValueError(f"only percentiles between 0 and 100 have an interval, not {percent}")
    value = percentile(histogram, percent, minimum=minimum, maximum=maximum, extremes=extremes)
    ranked = Ranked(histogram, minimum=minimum, maximum=maximum, extremes=extremes)
    below, above = order_ranks(histogram.count, percent, confidence=confidence)
    return IntervalEstimate(
        value=value,
        low=ranked.low(below) if below is not None else None,
        high=ranked.high(above) if above is not None else None,
        confidence=confidence,
        count=histogram.count,
        method="order statistics",
    )


def order_ranks(count: int, percent: float, *, confidence: float = CONFIDENCE) -> tuple[int | None, int | None]:
    """Ranks (from 1) of the two samples that enclose a percentile of the population; None: there is no such sample."""
    tail, p = (1 - share(confidence)) / 2, percent / 100
    if count == 0:
        return None, None
    # P(low-th sample > quantile) = P(fewer than low samples below it) <= tail, and the mirror image of it.
    low = _binomial_quantile(tail, count, p)
    high = _binomial_quantile(1 - tail, count, p) + 1
    return (low if low >= 1 else None), (high if high <= count else None)


def _binomial_quantile(probability: float, count: int, p: float) -> int:
    """The least k with P(at most k of `count`) >= `probability`. scipy.stats has it too, but takes a second to load."""

    def at_most(k: int) -> float:
        return float(special().betaincc(k + 1, count - k, p)) if k < count else 1.0

    k = min(count, max(0, math.ceil(float(special().bdtrik(probability, count, p)))))
    while at_most(k) < probability:
        k += 1
    while k and at_most(k - 1) >= probability:
        k -= 1
    return k


def samples_for(percent: float, *, confidence: float = CONFIDENCE) -> int:
    """The number of samples that a percentile's interval needs for an upper end.

    With that confidence, the largest of so many lies beyond the percentile.
    """
    return math.ceil(math.log((1 - share(confidence)) / 2) / math.log(percent / 100))


def proportion(
    successes: int, count: int, *, confidence: float = CONFIDENCE, method: str = "clopper-pearson"
) -> IntervalEstimate:
    """A share of independent trials with its interval: `clopper-pearson` (exact: never covers too little) or `wilson` (shorter).

    Without a success the upper end is the share that the number of trials excludes (at 95 %: 3.7 / count). Raises
    ValueError for impossible counts and for an unknown method.
    """
    if not 0 <= successes <= count:
        raise ValueError(f"{successes} of {count} is no share")
    if method not in METHODS:
        raise ValueError(f"unknown method '{method}'; there are: {', '.join(METHODS)}")
    if count == 0:
        return IntervalEstimate(value=None, low=None, high=None, confidence=share(confidence), count=0, method=method)
    if method == "clopper-pearson":
        tail = (1 - share(confidence)) / 2
        low = float(special().betaincinv(successes, count - successes + 1, tail)) if successes else 0.0
        high = float(special().betaincinv(successes + 1, count - successes, 1 - tail)) if successes < count else 1.0
        return IntervalEstimate(
            value=successes / count, low=low, high=high, confidence=confidence, count=count, method=method
        )
    from scipy.stats import binomtest

    found = binomtest(successes, count).proportion_ci(share(confidence), method="wilson")
    return IntervalEstimate(
        value=successes / count,
        low=float(found.low),
        high=float(found.high),
        confidence=confidence,
        count=count,
        method=method,
    )


def count_above(
    histogram: Histogram,
    limit: int,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    extremes: Sequence[Extreme] = (),
) -> tuple[int, int]:
    """How many samples lie above `limit` ticks: at least, and at most."""
    if maximum is not None and maximum <= limit:
        return 0, 0
    if extremes and min(extreme.value for extreme in extremes) <= limit:
        exact = sum(extreme.value > limit for extreme in extremes)
        return exact, exact
    sides = overflow_sides(histogram, minimum, maximum, extremes)
    beyond_top = limit >= histogram.top
    beyond_bottom = limit < histogram.bottom
    least = sum(b.count for b in histogram.buckets() if b.low > limit)
    most = sum(b.count for b in histogram.buckets() if b.high > limit)
    least += 0 if beyond_top else histogram.overflow - sides.most
    most += histogram.overflow - sides.least
    least = max(least, sum(extreme.value > limit for extreme in extremes), int(maximum is not None))
    return least, most + (sides.least if beyond_bottom else 0)
