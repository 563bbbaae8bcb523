# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Results made small enough for a chart: thousands of buckets in, a hundred bins or points out, every sample still counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import msgspec

from rtstone import stats
from rtstone.model import Result

_MOST_BINS = 110
_MOST_POINTS = 240
_MOST_WINDOWS = 240


class Bin(msgspec.Struct, frozen=True):
    """A bar of a histogram: samples from low to high (ns)."""

    low: float
    high: float
    count: int


class Window(msgspec.Struct, frozen=True):
    """The largest sample (ns) of a stretch of time that began at `at` (s)."""

    at: float
    largest: float


def bins(results: Sequence[Result], to_ns: float) -> Iterator[Bin]:
    """The histogram, its buckets put together to what a chart can show: equal widths, or equal ratios on a logarithmic axis."""
    buckets: dict[tuple[int, int], int] = {}
    for result in results:
        for bucket in result.histogram.buckets() if result.histogram else ():
            buckets[bucket.low, bucket.high] = buckets.get((bucket.low, bucket.high), 0) + bucket.count
    if not buckets:
        return
    low, high = min(b[0] for b in buckets), max(b[1] for b in buckets) + 1
    place, edge = _grid(low, high)
    counts: dict[int, int] = {}
    for (first, last), n in buckets.items():
        position = place((first + last + 1) / 2)
        counts[position] = counts.get(position, 0) + n
    for position in sorted(counts):
        yield Bin(edge(position) * to_ns, edge(position + 1) * to_ns, counts[position])


def _grid(low: int, high: int) -> tuple[Callable[[float], int], Callable[[int], float]]:
    """For values from low to high (ticks): the number of a value's bin, and the lower edge of a bin."""
    if not is_logarithmic(low, high):
        width = max(1, math.ceil((high - low) / _MOST_BINS))
        return lambda value: math.floor((value - low) / width), lambda position: low + position * width
    # Not finer than the buckets at the lower end: the teeth of a comb would be the grid's, not the kernel's.
    step = max(math.log(high / low) / _MOST_BINS, math.log1p(1 / low), 2**-7)
    return lambda value: math.floor(math.log(value / low) / step), lambda position: low * math.exp(position * step)


def is_logarithmic(low: float, high: float) -> bool:
    """Whether values of this range are better seen on a logarithmic axis; negative ones never are."""
    return low > 0 and high / low >= 6


def exceedance(results: Sequence[Result], to_ns: float) -> Iterator[tuple[float, float]]:
    histograms = [r.histogram for r in results if r.histogram is not None]
    if not histograms:
        return
    curve = [(value * to_ns, share) for value, share in stats.exceedance(stats.merge(histograms)) if share > 0]
    least = min((r.min for r in results if r.min is not None), default=None)
    most = max((r.max for r in results if r.max is not None), default=None)
    if least is not None:
        yield least * to_ns, 1.0
    # Thinned by steps that the eye cannot part; the last, rarest ones all stay.
    falling = math.log(curve[-1][1]) if curve else 0.0
    before = 0.0
    for number, (value, share) in enumerate(curve):
        if number >= len(curve) - 20 or before - math.log(share) >= -falling / _MOST_POINTS:
            before = math.log(share)
            yield value, share
    if most is not None and curve:
        yield max(most * to_ns, curve[-1][0]), curve[-1][1]


def windows(results: Sequence[Result], to_ns: float) -> Iterator[Window]:
    """Repetitions one after the other; neighbouring windows put together where there are more than a chart can show."""
    begin = 0.0
    for result in results:
        windows = result.windows
        if windows is None or not windows.maxima:
            continue
        together = max(1, math.ceil(len(windows.maxima) * len(results) / _MOST_WINDOWS))
        for first in range(0, len(windows.maxima), together):
            seen = [m for m in windows.maxima[first : first + together] if m is not None]
            if seen:
                yield Window(begin + first * windows.width * to_ns / 1e9, max(seen) * to_ns)
        begin += max(result.elapsed, windows.width * len(windows.maxima)) * to_ns / 1e9
