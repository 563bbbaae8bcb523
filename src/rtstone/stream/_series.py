# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Gathers one series of an item: buckets, extremes, windows, raw samples, and its `end`."""

from __future__ import annotations

import sys
from array import array

from rtstone.model import Extreme, Geometry, Histogram, Windows
from rtstone.stream import _records as records
from rtstone.stream._parse import Malformed


class SeriesBuilder:
    """What the stream says of one series, as it comes."""

    def __init__(self, index: int, name: str) -> None:
        self.index = index
        self.name = name
        self.end: records.End | None = None
        self.values = array("q")
        """Raw samples (single pass) or the sets' totals (batch pass)."""
        self.holes = 0
        """Values that are missing by their number."""
        self.buckets: dict[str, list[tuple[int, int]]] = {"+": [], "-": []}
        self.extremes: list[Extreme] = []
        self.window_width = 0
        self.maxima: list[int | None] = []

    def add_values(self, first: int, values: list[int]) -> None:
        """Raw samples or sets' totals, ``first`` being the number of the first of them."""
        missing = first - len(self.values) - self.holes
        if missing < 0:
            raise Malformed(f"value {first} comes a second time")
        try:
            self.values += array("q", values)
        except OverflowError:
            raise Malformed("a value lies beyond 64 bits") from None
        self.holes += missing

    def add_buckets(self, side: str, flat: list[int], limit: int) -> None:
        """Index and count by turns; ``limit`` is the first index that this side has no bucket for."""
        if len(flat) % 2:
            raise Malformed("a bucket has no count")
        pairs = list(zip(flat[::2], flat[1::2], strict=True))
        known = self.buckets[side]
        last = known[-1][0] if known else -1
        for index, count in pairs:
            if index <= last:
                raise Malformed(f"bucket {index} follows bucket {last}")
            if index >= limit:
                raise Malformed(f"the histogram has no bucket {index}")
            if count == 0:
                raise Malformed(f"bucket {index} is empty")
            last = index
        known.extend(pairs)

    def add_windows(self, first: int, width: int, values: list[int | None]) -> None:
        """Maxima of windows ``first`` and on."""
        if width == 0 or (self.window_width and width != self.window_width):
            raise Malformed(f"windows of {width} ticks among windows of {self.window_width}")
        if first != len(self.maxima):
            raise Malformed(f"window {first} follows window {len(self.maxima) - 1}")
        self.window_width = width
        self.maxima.extend(values)

    def histogram(self, geometry: Geometry | None) -> Histogram | None:
        """The buckets as a histogram; None in a batch pass."""
        if geometry is None:
            return None
        return Histogram(
            geometry,
            tuple(self.buckets["+"]),
            tuple(self.buckets["-"]),
            int(self.end.overflow) if self.end else 0,
        )

    def windows(self) -> Windows | None:
        """The time plot, if the stream had one."""
        return Windows(self.window_width, tuple(self.maxima)) if self.maxima else None

    def little_endian(self) -> bytes:
        """The values as int64, little-endian."""
        values = self.values
        if sys.byteorder == "big":
            values = values[:]
            values.byteswap()
        return values.tobytes()
