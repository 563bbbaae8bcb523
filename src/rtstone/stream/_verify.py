# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What the host demands of a series (spec/record-stream.md, demand 2): its own figures must agree with each other."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rtstone.model import Bucket, Histogram
from rtstone.stream import _records as records
from rtstone.stream._series import SeriesBuilder, Totals

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Largest index that is counted by a table rather than by sorting.
_MAX_TABLE = 1 << 20

Fault = tuple[str, str]
"""Short id and sentence."""


def verify(series: SeriesBuilder, end: records.End, histogram: Histogram | None, *, raw: bool) -> Fault | None:
    """The first disagreement, or None. ``histogram`` is None in a batch pass, whose totals all travel."""
    for fault in _faults(series, end, histogram, raw):
        return fault
    return None


def _faults(series: SeriesBuilder, end: records.End, histogram: Histogram | None, raw: bool) -> Iterator[Fault]:
    count = int(end.count)
    if (end.min is None or end.max is None) != (count == 0) or (end.min is None) != (end.max is None):
        yield "range", f"min and max go with a count that is not 0, the count is {count}"
        return
    yield from _moments(end, count)
    if histogram is None:
        if series.holes or len(series.values) != count:
            yield "values", f"{len(series.values)} sets arrived, end counts {count}"
        yield from _exact(series, end)
        return
    yield from _buckets(histogram, end, count)
    yield from _singles(series, end, count)
    if raw or len(series.values):
        dropped = int(end.dropped)
        if series.holes > dropped or len(series.values) + dropped != count:
            missing = f" and {dropped} were dropped" if dropped else ""
            yield "values", f"{len(series.values)} raw samples arrived{missing}, end counts {count}"
        if not dropped:
            yield from _exact(series, end)
            yield from _same_buckets(series, histogram)


def _moments(end: records.End, count: int) -> Iterator[Fault]:
    total, squares = int(end.sum), int(end.sumsq)
    if end.min is None or end.max is None:
        if total or squares:
            yield "sum", "nothing was counted, yet the sums are not 0"
        return
    if end.min > end.max:
        yield "range", f"min {end.min} is larger than max {end.max}"
    if not end.min * count <= total <= end.max * count:
        yield "sum", f"{count} values of {end.min} … {end.max} cannot have the sum {total}"
    largest = max(end.min * end.min, end.max * end.max)
    if squares > largest * count or squares * count < total * total:
        yield (
            "sumsq",
            f"{count} values of {end.min} … {end.max} with the sum {total} cannot have the sum of squares {squares}",
        )


def _exact(series: SeriesBuilder, end: records.End) -> Iterator[Fault]:
    seen = Totals(series.values)
    if seen.min is not None and seen.max is not None and max(-seen.min, seen.max) > records.LIMIT:
        yield "values", "a value lies beyond ±(2^53 - 1)"
    for name, ours, theirs in (
        ("min", seen.min, end.min),
        ("max", seen.max, end.max),
        ("sum", seen.sum, int(end.sum)),
        ("sumsq", seen.sumsq, int(end.sumsq)),
    ):
        if ours != theirs:
            yield "values", f"{name} of the values that arrived is {ours}, end says {theirs}"


def _buckets(histogram: Histogram, end: records.End, count: int) -> Iterator[Fault]:
    if histogram.count != count:
        yield "count", f"buckets and overflow hold {histogram.count} samples, end counts {count}"
    if end.min is None or end.max is None:
        return
    low_sum = high_sum = 0
    buckets = tuple(histogram.buckets())
    for bucket in buckets:
        if bucket.low > end.max or bucket.high < end.min:
            yield "range", f"there are samples in {bucket.low} … {bucket.high}, beyond min {end.min} and max {end.max}"
            return
        low_sum += bucket.count * bucket.low
        high_sum += bucket.count * bucket.high
    yield from _ends(histogram, buckets, end.min, end.max)
    if histogram.overflow == 0 and not low_sum <= int(end.sum) <= high_sum:
        yield "sum", f"the buckets allow sums of {low_sum} … {high_sum}, end says {end.sum}"


def _ends(histogram: Histogram, buckets: Sequence[Bucket], low: int, high: int) -> Iterator[Fault]:
    """min and max are samples too: the outermost buckets hold them, or they are what overflow counts."""
    geometry = histogram.geometry
    beyond = low <= -(1 << geometry.negative_bits) or high >= 1 << geometry.max_bits
    if beyond != (histogram.overflow > 0):
        yield "range", f"overflow is {histogram.overflow}, with min {low} and max {high}"
    elif not beyond and buckets and not buckets[0].low <= low <= buckets[0].high:
        yield "range", f"min is {low}, the lowest samples are in {buckets[0].low} … {buckets[0].high}"
    elif not beyond and buckets and not buckets[-1].low <= high <= buckets[-1].high:
        yield "range", f"max is {high}, the highest samples are in {buckets[-1].low} … {buckets[-1].high}"


def _singles(series: SeriesBuilder, end: records.End, count: int) -> Iterator[Fault]:
    if end.min is None or end.max is None:
        if series.extremes or any(value is not None for value in series.maxima):
            yield "range", "nothing was counted, yet there are samples"
        return
    for extreme in series.extremes:
        if not end.min <= extreme.value <= end.max:
            yield "range", f"the extreme {extreme.value} is beyond min {end.min} and max {end.max}"
        if int(extreme.index) >= count:
            yield "range", f"the extreme {extreme.value} is sample {extreme.index} of {count}"
    if series.extremes and max(extreme.value for extreme in series.extremes) != end.max:
        yield "range", f"the largest extreme is not the max {end.max}"
    for value in series.maxima:
        if value is not None and not end.min <= value <= end.max:
            yield "range", f"a window's largest sample {value} is beyond min {end.min} and max {end.max}"


def _same_buckets(series: SeriesBuilder, histogram: Histogram) -> Iterator[Fault]:
    """Raw samples, put into buckets here, must fill the same ones. Only done where the samples came with them."""
    import numpy as np

    geometry = histogram.geometry
    values = np.frombuffer(series.values, dtype=np.int64)
    magnitudes = np.abs(values)
    # frexp's exponent is the bit length; exact, since magnitudes are below 2^53.
    exponents = np.maximum(0, np.frexp(magnitudes.astype(np.float64))[1] - geometry.sub_bits).astype(np.int64)
    indexes = (exponents << (geometry.sub_bits - 1)) + (magnitudes >> exponents)
    overflow = 0
    for sign, bits, told in (
        (values >= 0, geometry.max_bits, histogram.positive),
        (values < 0, geometry.negative_bits, histogram.negative),
    ):
        inside = sign & (magnitudes < (1 << min(bits, 62)))
        overflow += int(np.count_nonzero(sign)) - int(np.count_nonzero(inside))
        found, counts = _count(indexes[inside])
        if tuple(zip(found.tolist(), counts.tolist(), strict=True)) != told:
            yield "values", "the raw samples do not fill the buckets that the histogram says"
            return
    if overflow != histogram.overflow:
        yield "values", f"{overflow} raw samples lie beyond the histogram, overflow says {histogram.overflow}"


def _count(indexes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Which indexes there are, ascending, and how often each."""
    import numpy as np

    if len(indexes) and int(indexes.max()) > _MAX_TABLE:
        return np.unique(indexes, return_counts=True)
    table = np.bincount(indexes)
    found = np.flatnonzero(table)
    return found, table[found]


def little_endian(series: SeriesBuilder) -> bytes:
    """Raw samples as int64, little-endian."""
    if sys.byteorder == "big":
        swapped = series.values[:]
        swapped.byteswap()
        return swapped.tobytes()
    return series.values.tobytes()
