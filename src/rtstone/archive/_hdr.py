# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Histograms in the interchange form of HdrHistogram (V2, compressed, base64), for readers other than rtstone.

It is the poorer copy; the document keeps the exact one. What V2 cannot hold: negative values (their magnitudes get a
histogram of their own), values in overflow (left out), and our geometry where its own is finer (a bucket is then put
at the highest value that it may stand for, as HdrHistogram itself reports quantiles).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.model import Geometry, Histogram

# Decimal digits of precision -> log2 of the sub-buckets that HdrHistogram then makes.
_SUB_BITS = {1: 5, 2: 8, 3: 11, 4: 15, 5: 18}
# hdrhistogram refuses to decode more counters than 4 MB of them.
_MOST_COUNTERS = 4 * 1024 * 1024 // 8


def encode(histogram: Histogram) -> tuple[str | None, str | None]:
    """The positive and the negative side (by magnitude, ticks); None for a side that is empty or too large for V2."""
    geometry = histogram.geometry
    return (
        _side(geometry, geometry.max_bits, histogram.positive),
        _side(geometry, geometry.negative_bits, histogram.negative),
    )


def _side(geometry: Geometry, bits: int, buckets: Sequence[tuple[int, int]]) -> str | None:
    digits = next((d for d, sub_bits in _SUB_BITS.items() if sub_bits >= geometry.sub_bits), None)
    # V2's counters and values are signed 64-bit.
    if not buckets or digits is None or not 2 <= bits <= 62:
        return None
    counters = (max(0, bits - _SUB_BITS[digits]) + 2) << (_SUB_BITS[digits] - 1)
    if counters > _MOST_COUNTERS or any(not 0 <= count < 2**63 for _, count in buckets):
        return None
    from hdrh.histogram import HdrHistogram

    encoder = HdrHistogram(1, (1 << bits) - 1, digits)
    for index, count in buckets:
        highest = geometry.lowest(index) + geometry.width(index) - 1
        if not encoder.record_value(highest, count):
            return None
    encoded: bytes = encoder.encode()
    return encoded.decode("ascii")
