# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Requirement for a measured result (spec/record-stream.md, demand 2): its own figures must agree with each other."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence
from operator import mul
from typing import TYPE_CHECKING

from rtstone.model.histogram import Histogram
from rtstone.model.units import counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rtstone.model.run import Result

LIMIT = (1 << 53) - 1
"""Numbers of JSON lie within ± this. A number that can be larger is sent as a decimal string."""

# A block of values below _SMALL has a sum of squares below 2^63.
_BLOCK = 1 << 16
_SMALL = 1 << 23
# Largest index that is counted with a table instead of by sorting.
_MAX_TABLE = 1 << 20

Fault = tuple[str, str]
"""Short id and sentence."""


def disagreement(result: Result, *, raw: bool = False, holes: int = 0, exact: bool = True) -> Fault | None:
    """The first disagreement of a result's figures, or None. Its numbers must be in their ranges (`sense.py`).

    ``raw``: samples were requested, so they must be present; ``holes``: number of missing values.
    Not ``exact``: output of other tools, whose sums are estimates and whose bins need not end at a power of two.
    """
    for fault in _faults(result, raw, holes, exact):
        return fault
    return None


class _Totals:
    """Exact count, least, largest, sum and sum of squares of values."""

    def __init__(self, values: array[int]) -> None:
        self.count = len(values)
        self.min: int | None = None
        self.max: int | None = None
        self.sum = 0
        self.sumsq = 0
        for start in range(0, self.count, _BLOCK):
            block = values[start : start + _BLOCK]
            # Few values are no reason to load a library.
            low, high, total, squares = _of_many(block) if len(block) == _BLOCK else _of_few(block)
            self.min = low if self.min is None else min(self.min, low)
            self.max = high if self.max is None else max(self.max, high)
            self.sum += total
            self.sumsq += squares


def _of_few(block: array[int]) -> tuple[int, int, int, int]:
    values = block.tolist()
    return min(values), max(values), sum(values), sum(map(mul, values, values))


def _of_many(block: array[int]) -> tuple[int, int, int, int]:
    import numpy as np

    numbers = np.frombuffer(block, dtype=np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if max(-low, high) >= _SMALL:
        return _of_few(block)
    return low, high, int(numbers.sum()), int(np.dot(numbers, numbers))


def _samples(result: Result) -> array[int]:
    """The raw samples, which are always little-endian."""
    values = array("q", result.samples or b"")
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _faults(result: Result, raw: bool, holes: int, exact: bool) -> Iterator[Fault]:
    count = result.count
    if (result.min is None or result.max is None) != (count == 0) or (result.min is None) != (result.max is None):
        yield "range", f"min and max go with a count that is not 0, the count is {count}"
        return
    yield from _moments(result, count)
    histogram = result.histogram
    batch = result.variant.pass_ == "batch"
    if (histogram is not None or result.samples is not None) if batch else result.batches:
        yield "values", f"a {result.variant.pass_} pass has {'a histogram or samples' if batch else 'sets'}"
        return
    if batch:
        values = array("q", result.batches)
        if holes or len(values) != count:
            yield "values", f"{len(values)} sets arrived, end counts {count}"
        yield from _exact(result, values)
        return
    if histogram is not None:
        yield from _buckets(histogram, result, count, exact)
    yield from _singles(result, count)
    if raw or result.samples:
        values = _samples(result)
        dropped = result.dropped
        if holes > dropped or len(values) + dropped != count:
            missing = f" and {dropped} were dropped" if dropped else ""
            yield "values", f"{len(values)} raw samples arrived{missing}, end counts {count}"
        if not dropped:
            yield from _exact(result, values)
            if histogram is not None:
                yield from _same_buckets(values, histogram)


def _moments(result: Result, count: int) -> Iterator[Fault]:
    total, squares = result.sum, result.sumsq
    if result.min is None or result.max is None:
        if total or squares:
            yield "sum", "nothing was counted, yet the sums are not 0"
        return
    if result.min > result.max:
        yield "range", f"min {result.min} is larger than max {result.max}"
    if not result.min * count <= total <= result.max * count:
        yield "sum", f"{counted(count, 'value')} of {result.min} … {result.max} cannot have the sum {total}"
    largest = max(result.min * result.min, result.max * result.max)
    if squares > largest * count or squares * count < total * total:
        yield (
            "sumsq",
            f"{counted(count, 'value')} of {result.min} … {result.max} with the sum {total} cannot have the sum of squares {squares}",
        )


def _exact(result: Result, values: array[int]) -> Iterator[Fault]:
    seen = _Totals(values)
    if seen.min is not None and seen.max is not None and max(-seen.min, seen.max) > LIMIT:
        yield "values", "a value lies beyond ±(2^53 - 1)"
    for name, ours, theirs in (
        ("min", seen.min, result.min),
        ("max", seen.max, result.max),
        ("sum", seen.sum, result.sum),
        ("sumsq", seen.sumsq, result.sumsq),
    ):
        if ours != theirs:
            yield "values", f"{name} of the values that arrived is {ours}, end says {theirs}"


def _buckets(histogram: Histogram, result: Result, count: int, exact: bool) -> Iterator[Fault]:
    held = histogram.count
    if held != count:
        yield "count", f"buckets and overflow hold {counted(held, 'sample')}, end counts {count}"
    if result.min is None or result.max is None or not exact:
        return
    lows, highs = histogram.bounds()
    if lows and (max(lows) > result.max or min(highs) < result.min):
        low, high = next((a, b) for a, b in zip(lows, highs, strict=True) if a > result.max or b < result.min)
        yield "range", f"there are samples in {low} … {high}, beyond min {result.min} and max {result.max}"
        return
    yield from _ends(histogram, lows, highs, result.min, result.max)
    if histogram.overflow == 0:
        low_sum, high_sum = (sum(map(mul, histogram.counts(), ends)) for ends in (lows, highs))
        if not low_sum <= result.sum <= high_sum:
            yield "sum", f"the buckets allow sums of {low_sum} … {high_sum}, end says {result.sum}"


def _ends(histogram: Histogram, lows: Sequence[int], highs: Sequence[int], low: int, high: int) -> Iterator[Fault]:
    """Checks min and max, which are samples too: they lie in the outermost buckets, or overflow counts them."""
    geometry = histogram.geometry
    beyond = low <= -(1 << geometry.negative_bits) or high >= 1 << geometry.max_bits
    if beyond != (histogram.overflow > 0):
        yield "range", f"overflow is {histogram.overflow}, with min {low} and max {high}"
    elif not beyond and lows and not lows[0] <= low <= highs[0]:
        yield "range", f"min is {low}, the lowest samples are in {lows[0]} … {highs[0]}"
    elif not beyond and lows and not lows[-1] <= high <= highs[-1]:
        yield "range", f"max is {high}, the highest samples are in {lows[-1]} … {highs[-1]}"


def _singles(result: Result, count: int) -> Iterator[Fault]:
    maxima = result.windows.maxima if result.windows is not None else ()
    if result.min is None or result.max is None:
        if result.extremes or any(value is not None for value in maxima):
            yield "range", "nothing was counted, yet there are samples"
        return
    for extreme in result.extremes:
        if not result.min <= extreme.value <= result.max:
            yield "range", f"the extreme {extreme.value} is beyond min {result.min} and max {result.max}"
        if extreme.index >= count:
            yield "range", f"the extreme {extreme.value} is sample {extreme.index} of {count}"
    if result.extremes and max(extreme.value for extreme in result.extremes) != result.max:
        yield "range", f"the largest extreme is not the max {result.max}"
    for value in maxima:
        if value is not None and not result.min <= value <= result.max:
            yield "range", f"a window's largest sample {value} is beyond min {result.min} and max {result.max}"


def _same_buckets(samples: array[int], histogram: Histogram) -> Iterator[Fault]:
    """Checks that raw samples fill the same buckets. Only done where the samples are in the record."""
    import numpy as np

    geometry = histogram.geometry
    values = np.frombuffer(samples, dtype=np.int64)
    magnitudes = np.abs(values)
    # frexp's exponent is the bit length; exact, since magnitudes are below 2^53.
    exponents = np.maximum(0, np.frexp(magnitudes.astype(np.float64))[1] - geometry.sub_bits).astype(np.int64)
    indexes = (exponents << (geometry.sub_bits - 1)) + (magnitudes >> exponents)
    overflow = 0
    for sign, bits, recorded in (
        (values >= 0, geometry.max_bits, histogram.positive),
        (values < 0, geometry.negative_bits, histogram.negative),
    ):
        inside = sign & (magnitudes < (1 << min(bits, 62)))
        overflow += int(np.count_nonzero(sign)) - int(np.count_nonzero(inside))
        found, counts = _count(indexes[inside])
        if tuple(zip(found.tolist(), counts.tolist(), strict=True)) != recorded:
            yield "values", "the raw samples do not fill the buckets that the histogram says"
            return
    if overflow != histogram.overflow:
        yield "values", f"{overflow} raw samples lie beyond the histogram, overflow says {histogram.overflow}"


def _count(indexes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The distinct indexes, ascending, and the count of each."""
    import numpy as np

    if len(indexes) and int(indexes.max()) > _MAX_TABLE:
        return np.unique(indexes, return_counts=True)
    table = np.bincount(indexes)
    found = np.flatnonzero(table)
    return found, table[found]
