# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Histograms in HdrHistogram's own form say the same as ours, to within a bucket, or nothing at all."""

from __future__ import annotations

import msgspec
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from rtstone import stats
from rtstone.archive import _hdr
from rtstone.model import Geometry, Histogram
from support.runs import GEOMETRY, make_histogram, make_values


def test_counts_and_percentiles_agree() -> None:
    histogram = make_histogram(make_values(20_000))
    positive, negative = _hdr.encode(histogram)
    assert negative is None
    decoded = HdrHistogram.decode(positive)
    assert decoded.get_total_count() == 20_000
    for percent in (1, 50, 90, 99, 99.9, 100):
        # Both name the highest value of the bucket; theirs is as wide as ours, for the geometry is the same.
        assert decoded.get_value_at_percentile(percent) == stats.percentile(histogram, percent)


@given(st.lists(st.integers(-(2**19), 2**39), max_size=60), st.integers(2, 11))
def test_every_sample_is_on_its_side(values: list[int], sub_bits: int) -> None:
    histogram = make_histogram(values, Geometry(sub_bits, 40, 20))
    for encoded, count in zip(
        _hdr.encode(histogram), (sum(v >= 0 for v in values), sum(v < 0 for v in values)), strict=True
    ):
        assert (encoded is None) == (count == 0)
        if encoded is not None:
            assert HdrHistogram.decode(encoded).get_total_count() == count


@pytest.mark.parametrize(
    "geometry",
    [
        msgspec.structs.replace(GEOMETRY, sub_bits=19),  # finer than five digits
        msgspec.structs.replace(GEOMETRY, max_bits=63),  # beyond a signed 64-bit value
        msgspec.structs.replace(GEOMETRY, sub_bits=18, max_bits=60),  # more counters than a reader takes
    ],
)
def test_what_v2_cannot_hold_is_left_out(geometry: Geometry) -> None:
    assert _hdr.encode(Histogram(geometry, ((5, 1),))) == (None, None)


def test_count_beyond_64_bits_is_left_out() -> None:
    assert _hdr.encode(Histogram(GEOMETRY, ((5, 2**63),))) == (None, None)
