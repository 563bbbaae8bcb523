# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reduces results to the size of a chart: thousands of buckets in, a hundred bins or points out. No sample is lost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from rtstone import stats
from rtstone.model import Histogram, Moved, Result

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


class Grid(msgspec.Struct, frozen=True):
    """The edges of a chart's bins. All its series share one grid, so that their heights are comparable."""

    low: float
    """Lower edge of bin 0 (ns)."""
    step: float
    """Width of a bin (ns), or the logarithm of the ratio of its edges."""
    logarithmic: bool

    def bin(self, value: float) -> int:
        """The number of the bin that holds a value (ns)."""
        return math.floor((math.log(value / self.low) if self.logarithmic else value - self.low) / self.step)

    def edge(self, number: int) -> float:
        """The lower edge (ns) of a bin."""
        return self.low * math.exp(number * self.step) if self.logarithmic else self.low + number * self.step


def grid(series: Sequence[tuple[Sequence[Result], float, float]]) -> Grid | None:
    """A grid for these series (results, the ns of a tick, and the step of their clock in ns).

    None if no series has a sample in a bucket.
    """
    spans = [
        (low * to_ns, high * to_ns, quantum_ns)
        for results, to_ns, quantum_ns in series
        for low, high in filter(None, (_span(r.histogram) for r in results if r.histogram is not None))
    ]
    if not spans:
        return None
    low, high = min(span[0] for span in spans), max(span[1] for span in spans)
    tick = max(span[2] for span in spans)
    # Bins are not finer than ticks and buckets. Finer ones would show a comb that the grid makes, not the kernel.
    if is_logarithmic(low, high):
        return Grid(low, max(math.log(high / low) / _MOST_BINS, math.log1p(tick / low), 2**-7), logarithmic=True)
    return Grid(low, max(1, math.ceil((high - low) / tick / _MOST_BINS)) * tick, logarithmic=False)


def _span(histogram: Histogram) -> tuple[int, int] | None:
    """From the lowest value (ticks) in a bucket to the one after the highest; None if all buckets are empty."""
    if isinstance(histogram, Moved):
        return (histogram.lows[0].low, histogram.edges[-1].high + 1) if histogram.edges else None
    within = len(histogram.negative) + len(histogram.positive)
    return (histogram.bucket(0).low, histogram.bucket(within - 1).high + 1) if within else None


def bins(histogram: Histogram, to_ns: float, on: Grid) -> Iterator[Bin]:
    """A histogram's buckets joined to the bins of a grid; only bins with samples."""
    counts: dict[int, int] = {}
    for low, high, count in zip(*histogram.bounds(), histogram.counts(), strict=True):
        number = on.bin((low + high + 1) / 2 * to_ns)
        counts[number] = counts.get(number, 0) + count
    for number in sorted(counts):
        yield Bin(on.edge(number), on.edge(number + 1), counts[number])


def is_logarithmic(low: float, high: float) -> bool:
    """Whether values of this range are better seen on a logarithmic axis; negative ones never are."""
    return low > 0 and high / low >= 6


def ticks(low: float, high: float) -> list[float]:
    """The labelled values of a logarithmic axis from `low` to `high` (both above 0).

    These are powers of ten if there are three or more; else 1, 2 and 5 times these; else finer multiples. If even these
    are fewer than two: round values between the ends.
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
        found = [float(f"{factor}e{n}") for n in decades for factor in factors]
        inside = [value for value in found if low <= value <= high]
        if len(inside) >= (3 if factors == (1,) else 2):
            return inside
    step = 10.0 ** math.floor(math.log10(high - low)) if high > low else 0.0
    first = math.ceil(low / step) if step else 0
    return [float(f"{number * step:.6g}") for number in range(first, math.floor(high / step) + 1)] if step else [low]


def exceedance(pool: stats.Pool, to_ns: float) -> Iterator[tuple[float, float]]:
    """The share of samples above each value (ns), with as few points as a chart needs; empty without a histogram."""
    if pool.histogram is None:
        return
    curve = [(value * to_ns, share) for value, share in stats.exceedance(pool.histogram) if share > 0]
    most = pool.max
    if pool.min is not None:
        yield pool.min * to_ns, 1.0
    # Drops steps too small to see. The last and rarest points all stay.
    falling = math.log(curve[-1][1]) if curve else 0.0
    before = 0.0
    for number, (value, share) in enumerate(curve):
        if number >= len(curve) - 20 or before - math.log(share) >= -falling / _MOST_POINTS:
            before = math.log(share)
            yield value, share
    if most is not None:
        # If one bucket contains all samples, nothing is known between the least and the largest.
        yield (max(most * to_ns, curve[-1][0]), curve[-1][1]) if curve else (most * to_ns, 1.0)


def windows(results: Sequence[Result], to_ns: float) -> Iterator[Window]:
    """The windows of all repetitions in sequence. Neighbours are joined if there are more than a chart can show."""
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
