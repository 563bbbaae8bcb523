# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The latency histogram: its geometry (spec/record-stream.md) and its contents, exact in count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter

import msgspec

_INDEX, _COUNT = itemgetter(0), itemgetter(1)
_MOST_KNOWN = 1 << 16
"""Most buckets of a geometry whose ends are cached in a list: a lookup takes a tenth of the time of computing them."""


class Geometry(msgspec.Struct, frozen=True):
    """HdrHistogram's sub-bucket geometry.

    Values below ``2**sub_bits`` have a bucket each; above, each doubling of the range is cut into
    ``2**(sub_bits - 1)`` equal buckets, so a value is known to within ``2**-(sub_bits - 1)`` of itself.
    """

    sub_bits: int
    max_bits: int
    negative_bits: int

    def index(self, magnitude: int) -> int:
        """Bucket of a magnitude (ticks, not negative)."""
        exponent = max(0, magnitude.bit_length() - self.sub_bits)
        return (exponent << (self.sub_bits - 1)) + (magnitude >> exponent)

    def lowest(self, index: int) -> int:
        """Lowest magnitude (ticks) of a bucket."""
        half = 1 << (self.sub_bits - 1)
        if index < 2 * half:
            return index
        exponent = index // half - 1
        return (index - exponent * half) << exponent

    def width(self, index: int) -> int:
        """Number of magnitudes (ticks) that share a bucket."""
        half = 1 << (self.sub_bits - 1)
        return 1 if index < 2 * half else 1 << (index // half - 1)


@lru_cache(maxsize=16)
def _known(geometry: Geometry) -> tuple[Sequence[int], Sequence[int]]:
    """The lowest and the highest magnitude of each bucket of either side; empty where there are too many to cache."""
    bits = max(geometry.max_bits, geometry.negative_bits)
    if max(0, bits - geometry.sub_bits + 2) << max(0, geometry.sub_bits - 1) > _MOST_KNOWN:
        return (), ()
    lowest = [geometry.lowest(index) for index in range(geometry.index((1 << bits) - 1) + 2 if bits else 1)]
    return lowest[:-1], [after - 1 for after in lowest[1:]]


class Bucket(msgspec.Struct, frozen=True):
    """A non-empty bucket on the signed axis: ``low <= value <= high`` ticks."""

    low: int
    high: int
    count: int


class Histogram(msgspec.Struct, frozen=True):
    """Non-empty buckets of both sides, ascending by index, as (index, count) pairs."""

    geometry: Geometry
    positive: tuple[tuple[int, int], ...] = ()
    negative: tuple[tuple[int, int], ...] = ()
    overflow: int = 0

    @property
    def top(self) -> int:
        """The least value (ticks) that lies above all buckets."""
        return 1 << self.geometry.max_bits

    @property
    def bottom(self) -> int:
        """The largest value (ticks) that lies below all buckets."""
        return -(1 << self.geometry.negative_bits)

    @property
    def count(self) -> int:
        """Samples in buckets and in overflow together."""
        return sum(self.counts()) + self.overflow

    def buckets(self) -> Iterator[Bucket]:
        """Buckets from the most negative to the largest value, overflow left out."""
        lows, highs = self.bounds()
        return map(Bucket, lows, highs, self.counts())

    def bucket(self, position: int) -> Bucket:
        """One of the buckets, counted from the most negative. Raises IndexError beyond the last."""
        below = len(self.negative)
        index, count = self.negative[below - 1 - position] if position < below else self.positive[position - below]
        low = self.geometry.lowest(index)
        high = low + self.geometry.width(index) - 1
        return Bucket(-high, -low, count) if position < below else Bucket(low, high, count)

    def from_below(self, position: int) -> Bucket:
        """One of the buckets, in the ascending order of their lowest values.
        It is `bucket`, since these buckets do not overlap."""
        return self.bucket(position)

    def counts(self) -> Iterator[int]:
        """Samples of each of the buckets, in their order."""
        return chain(map(_COUNT, reversed(self.negative)), map(_COUNT, self.positive))

    def bounds(self) -> tuple[list[int], list[int]]:
        """The lowest and the highest value of each of the buckets, in their order."""
        below, above = (
            _ends_of(self.geometry, list(map(_INDEX, side))) for side in (reversed(self.negative), self.positive)
        )
        return [-high for high in below[1]] + above[0], [-low for low in below[0]] + above[1]


def _ends_of(geometry: Geometry, indexes: Sequence[int]) -> tuple[list[int], list[int]]:
    """The lowest and the highest magnitude of each of these buckets."""
    lowest, highest = _known(geometry)
    if indexes and min(indexes) >= 0 and max(indexes) < len(lowest):
        return list(map(lowest.__getitem__, indexes)), list(map(highest.__getitem__, indexes))
    lows = list(map(geometry.lowest, indexes))
    return lows, [low + geometry.width(index) - 1 for low, index in zip(lows, indexes, strict=True)]


class Moved(Histogram, frozen=True):
    """Buckets that were moved to another clock's ticks, each with its own ends. Those of several clocks may overlap.

    `edges` ascend by their highest values; `lows` has the same buckets, ascending by their lowest. The sample of a rank
    is at most the `high` of the bucket of that rank in `edges`, and at least the `low` of that in `lows`. These bounds
    stay valid.
    """

    edges: tuple[Bucket, ...] = ()
    lows: tuple[Bucket, ...] = ()
    ends: tuple[int, int] = (0, 0)
    """bottom and top: a sample in overflow certainly lies beyond one of them."""

    @property
    def top(self) -> int:
        """The least value that lies above the buckets of some part."""
        return self.ends[1]

    @property
    def bottom(self) -> int:
        """The largest value that lies below the buckets of some part."""
        return self.ends[0]

    @property
    def count(self) -> int:
        """Samples in buckets and in overflow together."""
        return sum(bucket.count for bucket in self.edges) + self.overflow

    def buckets(self) -> Iterator[Bucket]:
        """Buckets in the ascending order of their highest values, overflow left out."""
        return iter(self.edges)

    def bucket(self, position: int) -> Bucket:
        """One of the buckets, by its highest value. Raises IndexError beyond the last."""
        return self.edges[position]

    def from_below(self, position: int) -> Bucket:
        """One of the buckets, by its lowest value. Raises IndexError beyond the last."""
        return self.lows[position]

    def bounds(self) -> tuple[list[int], list[int]]:
        """The lowest and the highest value of each of the buckets, in their order."""
        return [bucket.low for bucket in self.edges], [bucket.high for bucket in self.edges]

    def counts(self) -> Iterator[int]:
        """Samples of each of the buckets, in the order of their highest values."""
        return (bucket.count for bucket in self.edges)
