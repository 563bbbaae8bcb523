# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The statistics against brute force on the samples themselves."""

from __future__ import annotations

import math
import statistics

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rtstone.model import Geometry, Histogram, Note, Result, Variant
from rtstone.stats import (
    exceedance,
    fraction_above,
    mean,
    merge,
    percentile,
    percentile_range,
    percentiles,
    pool,
    sd,
)
from rtstone.stats._summary import SD_UNKNOWN
from support.runs import make_histogram

GEOMETRY = Geometry(sub_bits=6, max_bits=20, negative_bits=10)

values = st.lists(st.integers(min_value=-900, max_value=2_000_000), min_size=1, max_size=200)


def histogram(samples: list[int]) -> Histogram:
    """The histogram that an engine of this geometry would send."""
    return make_histogram(samples, GEOMETRY)


def result(samples: list[int], *, ops: int = 1, batch: bool = False) -> Result:
    return Result(
        item=0,
        measurement="m",
        quantity="m",
        variant=Variant(pass_="batch" if batch else "single"),
        status="ok",
        ops=ops,
        count=len(samples),
        min=min(samples),
        max=max(samples),
        sum=sum(samples),
        sumsq=sum(v * v for v in samples),
        batches=tuple(samples) if batch else (),
        histogram=None if batch else histogram(samples),
    )


@given(values, st.sampled_from([0, 1, 25, 50, 90, 99, 99.9, 100]))
@example([1 << 20, (1 << 20) + 1], 0)
@example([1 << 20, (1 << 20) + 1], 99)
def test_percentile_is_the_nearest_rank_to_within_a_bucket(samples: list[int], percent: float) -> None:
    rank = max(1, math.ceil(round(len(samples) * percent / 100, 6)))
    exact = sorted(samples)[rank - 1]
    got = percentile(histogram(samples), percent, minimum=min(samples), maximum=max(samples))
    assert got is not None
    if abs(exact) < 1 << 20:
        assert exact <= got <= exact + max(1, abs(exact) // 32)
    else:
        assert got == (min(samples) if rank == 1 else max(samples))  # beyond the buckets only these two are known


def test_percentile_of_99_9_in_a_thousand_is_the_999th() -> None:
    assert percentile(histogram([1] * 999 + [50]), 99.9) == 1
    assert percentile(histogram([1] * 998 + [50] * 2), 99.9) == 50


def test_percentile_without_samples_or_beyond_its_scale() -> None:
    assert percentile(Histogram(geometry=GEOMETRY), 50) is None
    assert percentile(histogram([1 << 21]), 50) is None  # in overflow, and no maximum known
    with pytest.raises(ValueError, match="between 0 and 100"):
        percentile(histogram([1]), 101)


@given(values)
def test_exceedance_falls_and_counts_every_sample(samples: list[int]) -> None:
    curve = exceedance(histogram(samples))
    shares = [share for _, share in curve]
    assert shares == sorted(shares, reverse=True)
    for value, share in curve:
        assert share == pytest.approx(sum(v > value for v in samples) / len(samples))


def test_fraction_above_counts_overflow() -> None:
    assert fraction_above(histogram([1, 2, 3, 1 << 21]), 2) == 0.5
    assert fraction_above(Histogram(geometry=GEOMETRY), 2) is None


@given(st.lists(values, min_size=1, max_size=5))
def test_merging_loses_nothing(lists: list[list[int]]) -> None:
    assert merge(histogram(s) for s in lists) == histogram([v for s in lists for v in s])


def test_nothing_does_not_merge() -> None:
    with pytest.raises(ValueError, match="no histogram"):
        merge([])


@given(st.lists(st.integers(min_value=-(10**12), max_value=10**12), min_size=2, max_size=50))
def test_mean_and_sd_agree_with_the_library(samples: list[int]) -> None:
    total, squares = sum(samples), sum(v * v for v in samples)
    assert mean(len(samples), total) == pytest.approx(statistics.fmean(samples))
    assert sd(len(samples), total, squares) == pytest.approx(statistics.stdev(samples))


def test_sd_does_not_cancel_where_floats_would() -> None:
    samples = [10**15, 10**15 + 1, 10**15 + 2]
    assert sd(3, sum(samples), sum(v * v for v in samples)) == 1.0


def test_too_few_values_have_no_figure() -> None:
    assert mean(0, 0) is None
    assert sd(1, 5, 25) is None
    with pytest.raises(ValueError, match="no values have"):
        sd(2, 10, 1)


@given(st.lists(values, min_size=1, max_size=4))
def test_a_pool_is_as_if_measured_in_one_go(lists: list[list[int]]) -> None:
    together = [v for s in lists for v in s]
    whole, pooled = pool([result(together)]), pool([result(s) for s in lists])
    assert pooled.repetitions == len(lists)
    for field in ("count", "min", "max", "sum", "sumsq", "histogram", "mean", "sd", "operations"):
        assert getattr(pooled, field) == getattr(whole, field)
    assert pooled.percentile(50) == whole.percentile(50)


def test_a_pool_of_batches_keeps_every_set() -> None:
    pooled = pool([result([1000, 1200], ops=100, batch=True), result([500], ops=50, batch=True)])
    assert pooled.averages == (10.0, 12.0, 10.0)
    assert pooled.operations == 250
    assert pooled.percentile(50) is None
    with pytest.raises(ValueError, match="no result"):
        pool([])


def test_a_pool_adds_up_what_its_results_lost_and_keeps_their_ends() -> None:
    parts = [result([700, 2_000_000]), msgspec.structs.replace(result([800]), dropped=3), result([1 << 20, 5])]
    pooled = pool(parts)
    assert (pooled.overflow, pooled.dropped, pooled.min, pooled.max) == (0, 3, 5, 2_000_000)
    lossy = [msgspec.structs.replace(one, overflow=2) for one in parts]
    assert pool(lossy).overflow == 6
    one = pool(parts[:1])
    assert (one.percentile(0), one.percentile(50), one.percentile(100)) == (700, 700, 2_000_000)
    empty = pool([msgspec.structs.replace(parts[0], min=None, max=None, histogram=None)])
    assert (empty.min, empty.max, empty.histogram, empty.percentile(50)) == (None, None, None, None)


def test_a_deviation_is_known_only_of_results_that_all_recorded_it() -> None:
    known = result([1, 2, 3])
    noted = msgspec.structs.replace(known, notes=(Note("substituted", SD_UNKNOWN, "none"),))
    other = msgspec.structs.replace(known, notes=(Note("substituted", "semaphore", "two"),))
    for parts, sure in (([known, other], True), ([known, noted], False), ([noted, known], False)):
        pooled = pool(parts)
        assert (pooled.sumsq_known, pooled.sd is not None) == (sure, sure)


def test_figures_of_unlike_histograms_by_hand() -> None:
    found = histogram([3, 3, 700, 1 << 21])
    assert exceedance(found) == ((3, 0.5), (703, 0.25))
    assert [fraction_above(found, limit) for limit in (2, 3, 702, 703)] == [1, 0.5, 0.5, 0.25]
    assert exceedance(Histogram(geometry=GEOMETRY)) == ()
    assert percentiles(found, (0, 50, 75, 100), minimum=3, maximum=1 << 21) == (3, 3, 703, 1 << 21)
    assert percentiles(Histogram(geometry=GEOMETRY), (50, 99)) == (None, None)
    assert percentile_range(found, 75, minimum=3) == (688, 703)
    assert percentile_range(found, 75) == (3, 703)  # the sample in overflow may lie below
    assert percentile_range(Histogram(geometry=GEOMETRY), 75) == (None, None)
    for impossible in (-0.1, 100.1):
        with pytest.raises(ValueError, match="between 0 and 100"):
            percentiles(found, (50, impossible))
