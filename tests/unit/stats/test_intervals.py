# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of percentiles and shares: against scipy, and how often they hold the truth on simulated data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats as reference

from rtstone.model import Extreme, Geometry, Histogram
from rtstone.stats import count_above, order_ranks, percentile_interval, proportion, samples_for
from support.runs import make_histogram

GEOMETRY = Geometry(sub_bits=11, max_bits=40, negative_bits=20)


def histogram(samples: np.ndarray) -> Histogram:
    values, counts = np.unique([GEOMETRY.index(int(v)) for v in samples], return_counts=True)
    return Histogram(geometry=GEOMETRY, positive=tuple(zip(values.tolist(), counts.tolist(), strict=True)))


@pytest.mark.parametrize("method", ["clopper-pearson", "wilson"])
@pytest.mark.parametrize(("k", "n"), [(0, 100), (3, 1000), (100, 100), (17, 40)])
def test_a_share_is_scipys(k: int, n: int, method: str) -> None:
    names = {"clopper-pearson": "exact", "wilson": "wilson"}
    expected = reference.binomtest(k, n).proportion_ci(0.95, method=names[method])  # type: ignore[arg-type]
    found = proportion(k, n, method=method)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_shares_that_cannot_be() -> None:
    assert proportion(0, 0).value is None
    with pytest.raises(ValueError, match="no share"):
        proportion(3, 2)
    with pytest.raises(ValueError, match="unknown method"):
        proportion(1, 2, method="wald")
    with pytest.raises(ValueError, match="confidence"):
        proportion(1, 2, confidence=1.0)


@pytest.mark.parametrize("percent", [1, 50, 99, 99.9])
@pytest.mark.parametrize("count", [20, 1000, 5000])
def test_the_ranks_leave_no_more_than_half_the_rest_on_either_side(percent: float, count: int) -> None:
    below, above = order_ranks(count, percent)
    chance = reference.binom(count, percent / 100)
    if below is not None:
        assert chance.cdf(below - 1) <= 0.025 < chance.cdf(below) + 1e-12
    else:
        assert chance.cdf(0) > 0.025
    if above is not None:
        assert chance.sf(above - 1) <= 0.025 < chance.sf(above - 2) + 1e-12
    else:
        assert chance.sf(count - 1) > 0.025


def test_ranks_are_scipys_up_to_a_billion_samples() -> None:
    draw = np.random.default_rng(1)
    for _ in range(2000):
        count, percent = int(10 ** draw.uniform(0, 9)), float(draw.choice([50, 90, 99, 99.9, 99.99, 99.999]))
        low, high = (int(reference.binom.ppf(tail, count, percent / 100)) for tail in (0.025, 0.975))
        assert order_ranks(count, percent) == (low if low >= 1 else None, high + 1 if high + 1 <= count else None)


@pytest.mark.parametrize(("percent", "needed"), [(50, 6), (99, 368), (99.99, 36887)])
def test_a_percentile_has_an_upper_end_from_so_many_samples_on(percent: float, needed: int) -> None:
    assert samples_for(percent) == needed
    assert order_ranks(needed, percent)[1] is not None
    assert order_ranks(needed - 1, percent)[1] is None


def test_a_percentile_that_the_samples_cannot_bear_has_no_upper_end() -> None:
    found = percentile_interval(histogram(np.arange(1000)), 99.99)
    assert found.value == 999
    assert found.high is None
    with pytest.raises(ValueError, match="between 0 and 100"):
        percentile_interval(histogram(np.arange(10)), 100)


@pytest.mark.parametrize("percent", [50, 99])
def test_percentile_intervals_hold_the_truth_as_often_as_they_say(percent: float) -> None:
    """N = 400 sets of 1000 log-normal samples; the nominal 95 % may come out as low as 92 % by chance once in 500 tries."""
    draw, truth = np.random.default_rng(11), float(reference.lognorm.ppf(percent / 100, 0.5, scale=10_000))
    held = 0
    for _ in range(400):
        found = percentile_interval(histogram(np.rint(draw.lognormal(np.log(10_000), 0.5, 1000))), percent)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.92 <= held / 400 <= 0.995


def test_exceedance_intervals_hold_the_truth_at_least_as_often_as_they_say() -> None:
    """N = 400 sets of 2000 exponential samples, 0.5 % of them above the limit."""
    draw, limit = np.random.default_rng(12), round(1_000 * np.log(200))
    truth, held = float(np.exp(-(limit + 0.5) / 1_000)), 0
    for _ in range(400):
        least, most = count_above(histogram(np.rint(draw.exponential(1_000, 2000))), limit)
        low, high = proportion(least, 2000).low, proportion(most, 2000).high
        assert low is not None
        assert high is not None
        held += low <= truth <= high
    assert held / 400 >= 0.93


def test_an_exceedance_that_was_never_seen_has_an_upper_end() -> None:
    assert count_above(histogram(np.full(3000, 50)), 100) == (0, 0)
    found = proportion(0, 3000, confidence=0.9)
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(-np.log(0.05) / 3000, rel=1e-3)


@pytest.mark.parametrize("confidence", [0.6, 0.95, 0.99])
def test_ranks_of_few_samples_are_scipys(confidence: float) -> None:
    assert order_ranks(0, 50, confidence=confidence) == (None, None)
    counts = np.arange(1, 41)
    for percent in (0.1, 1, 30, 50, 90, 99.9):
        low, high = (
            np.asarray(reference.binom.ppf(tail, counts, percent / 100), dtype=int).tolist()
            for tail in ((1 - confidence) / 2, (1 + confidence) / 2)
        )
        for i, count in enumerate(counts.tolist()):
            expected = (low[i] if low[i] >= 1 else None, high[i] + 1 if high[i] + 1 <= count else None)
            assert order_ranks(count, percent, confidence=confidence) == expected


SIX = [993, 995, 1000, 1001, 1003, 1006]
"""Six samples in one bucket, 992 … 1007."""


@pytest.mark.parametrize(
    ("percent", "known", "expected"),
    [
        (50, {}, (1007, 992, 1007)),
        (50, {"minimum": 993}, (1007, 993, 1007)),
        (50, {"maximum": 1006}, (1006, 992, 1006)),
        (50, {"extremes": tuple(Extreme(value, 0, 0) for value in SIX[2:])}, (1000, 992, 1006)),
        (10, {"minimum": 993}, (993, None, 1007)),
        (90, {"maximum": 1006}, (1006, 992, None)),
    ],
)
def test_what_is_known_exactly_narrows_a_percentile_and_its_ends(
    percent: float, known: dict[str, Any], expected: tuple[int | None, ...]
) -> None:
    found = percentile_interval(make_histogram(SIX, Geometry(6, 12, 8)), percent, **known)
    assert (found.value, found.low, found.high) == expected
    assert (found.confidence, found.count) == (0.95, 6)


@pytest.mark.parametrize("method", ["clopper-pearson", "wilson"])
def test_a_share_names_its_data(method: str) -> None:
    for k, n in ((3, 12), (0, 12), (12, 12)):
        found = proportion(k, n, confidence=0.9, method=method)
        assert (found.value, found.confidence, found.count, found.method) == (k / n, 0.9, n, method)
    assert (proportion(0, 12, method=method).low, proportion(12, 12, method=method).high) == pytest.approx((0, 1))
    none = proportion(0, 0, confidence=0.9, method=method)
    assert (none.value, none.low, none.high, none.confidence, none.count) == (None, None, None, 0.9, 0)
    with pytest.raises(ValueError, match="no share"):
        proportion(-1, 2, method=method)
