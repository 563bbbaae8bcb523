# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of two populations: against scipy, by hand, and by how often their intervals hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats as reference

from rtstone.stats import (
    Shift,
    holm,
    mann_whitney,
    minimum_detectable_shift,
    normal_reach,
    one_sample_interval,
    p_mean_above,
    p_mean_below,
    p_normal,
    p_share_above,
    p_share_below,
    p_shift_above,
    paired_shift,
    ratio_of_means,
    shift_of_runs,
    welch_shift,
)

sides = st.lists(st.floats(min_value=-1e6, max_value=1e6), min_size=2, max_size=12)


def drawn(seed: int, first: int = 6, second: int = 9) -> tuple[list[float], list[float]]:
    draw = np.random.default_rng(seed)
    return draw.normal(10, 1, first).tolist(), draw.normal(11, 3, second).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_welch_is_scipys(seed: int) -> None:
    first, second = drawn(seed)
    expected = reference.ttest_ind(second, first, equal_var=False)
    found = welch_shift(first, second)
    assert (found.difference / found.error, found.p, found.df) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.df)
    )
    interval = expected.confidence_interval(0.9)
    assert found.interval(0.9) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize("seed", range(5))
def test_mann_whitney_is_scipys(seed: int) -> None:
    first, second = drawn(seed)
    expected = reference.mannwhitneyu(second, first, method="exact")
    found = mann_whitney(first, second)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_ranks_with_ties_are_corrected() -> None:
    first, second = [1.0, 1, 2, 3, 3], [3.0, 3, 4, 4, 5]
    expected = reference.mannwhitneyu(second, first, method="asymptotic")
    assert mann_whitney(first, second).p == pytest.approx(expected.pvalue)
    assert mann_whitney([1.0, 1], [1.0, 1, 1]).p == 1


def test_populations_that_do_not_vary() -> None:
    assert welch_shift([3, 3, 3], [3, 3]).p == 1
    assert welch_shift([3, 3, 3], [4, 4, 4]).p == 0
    with pytest.raises(ValueError, match="two figures"):
        welch_shift([1], [1, 2])


def test_one_run_against_several_is_a_prediction_interval() -> None:
    first = drawn(3)[0]
    found = shift_of_runs(first, [12.5])
    n, mean, sd = len(first), np.mean(first), np.std(first, ddof=1)
    t = (12.5 - mean) / (sd * math.sqrt(1 + 1 / n))
    assert found.p == pytest.approx(2 * reference.t.sf(abs(t), n - 1))
    assert p_shift_above(found, 0) == pytest.approx(reference.t.sf(t, n - 1))


def test_ratios_hold_the_truth_as_often_as_they_say() -> None:
    """N = 500 pairs of 8 figures, the second 5 % larger, varying by 4 %, at 95 %."""
    draw, held = np.random.default_rng(5), 0
    for _ in range(500):
        first = np.exp(draw.normal(0, 0.04, 8)).tolist()
        second = np.exp(draw.normal(math.log(1.05), 0.04, 8)).tolist()
        found = ratio_of_means(first, second)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 1.05 <= found.high
    assert held / 500 >= 0.92


def test_what_is_said_to_be_detectable_is_detected_four_times_in_five() -> None:
    """N = 1000: a shift of the size reported for the true spread, in 6 against 6 figures, at 5 %."""
    draw = np.random.default_rng(6)
    shift = welch_shift([-1, 1] * 3, [-1, 1] * 3)  # sd of each side: sqrt(6/5)
    size = minimum_detectable_shift(shift, alpha=0.05) / math.sqrt(6 / 5)
    found = sum(
        welch_shift(draw.normal(0, 1, 6).tolist(), draw.normal(size, 1, 6).tolist()).p < 0.05 for _ in range(1000)
    )
    assert 0.76 <= found / 1000 <= 0.88


def test_one_sided_p_is_scipys() -> None:
    figures = drawn(8)[0]
    expected = reference.ttest_1samp(figures, 9.5, alternative="greater").pvalue
    assert p_mean_above(figures, 9.5) == pytest.approx(expected)
    assert p_mean_below(figures, 9.5) == pytest.approx(1 - expected)
    assert (p_mean_above([2, 2, 2], 1), p_mean_above([2, 2, 2], 2)) == (0, 1)
    for k in (0, 3, 40):
        assert p_share_above(k, 40, 0.1) == pytest.approx(reference.binomtest(k, 40, 0.1, "greater").pvalue)
        assert p_share_below(k, 40, 0.1) == pytest.approx(reference.binomtest(k, 40, 0.1, "less").pvalue)
    interval = reference.t.interval(0.95, 5, np.mean(figures), reference.sem(figures))
    found = one_sample_interval(figures)
    assert (found.low, found.high) == pytest.approx(interval)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([]) == ()
    assert holm([0.5, 0.9]) == (1.0, 1.0)


@pytest.mark.parametrize(("first", "second"), [([10.0, 12], [11.0, 15]), ([10.0, 12, 9], [11.0, 15, 8])])
def test_pairs_are_scipys(first: list[float], second: list[float]) -> None:
    expected, found = reference.ttest_rel(second, first), paired_shift(first, second)
    assert (found.difference / found.error, found.p, found.df) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.df)
    )
    for one, other in ((first[:1], second[:1]), (first[:-1], second), (first, second[:-1])):
        with pytest.raises(ValueError, match="two at least"):
            paired_shift(one, other)


@pytest.mark.parametrize(("first", "second"), [([3.0, 5], [9.0]), ([9.0], [3.0, 5])])
def test_the_spread_of_two_figures_counts_for_a_single_one(first: list[float], second: list[float]) -> None:
    """sd sqrt(2), times sqrt(1 + 1/2)."""
    found = shift_of_runs(first, second)
    assert (abs(found.difference), found.error, found.df) == pytest.approx((5, math.sqrt(3), 1))
    assert found.difference == sum(second) / len(second) - sum(first) / len(first)


@pytest.mark.parametrize(("first", "second"), [([], [1.0, 2]), ([1.0, 2], []), ([1.0], [2.0])])
def test_no_spread_is_no_shift(first: list[float], second: list[float]) -> None:
    with pytest.raises(ValueError, match="at least two figures"):
        shift_of_runs(first, second)


def test_without_a_spread_a_shift_is_certain() -> None:
    sure, none = Shift(difference=2, error=0, df=3), Shift(difference=0, error=0, df=3)
    assert (sure.p, none.p, sure.interval()) == (0, 1, (2, 2))
    assert (p_shift_above(sure, 1), p_shift_above(sure, 2), p_shift_above(sure, 3)) == (0, 1, 1)
    one = Shift(difference=2, error=1, df=3)
    assert p_shift_above(one, 0.5) == pytest.approx(reference.t.sf(1.5, 3))
    assert welch_shift([3, 3, 3], [3, 3]).df == 3


def test_reaches_are_scipys() -> None:
    assert normal_reach(0.9) == pytest.approx(reference.norm.ppf(0.95))
    shift = Shift(difference=1, error=2, df=5)
    expected = 2 * (reference.t.ppf(0.975, 5) + reference.t.ppf(0.9, 5))
    assert minimum_detectable_shift(shift, alpha=0.05, power=0.9) == pytest.approx(expected)
    for confidence in (0, 1):
        with pytest.raises(ValueError, match="confidence"):
            normal_reach(confidence)


@pytest.mark.parametrize(("distance", "error", "expected"), [(2, 0, (0, 1)), (0, 0, (1, 1)), (-2, 0, (1, 0))])
def test_a_distance_without_error_is_certain(distance: float, error: float, expected: tuple[float, float]) -> None:
    assert p_normal(distance, error) == expected
    assert p_normal(3, 2) == pytest.approx((reference.norm.sf(1.5), reference.norm.cdf(1.5)))


@pytest.mark.parametrize(
    ("successes", "count", "share", "above", "below"),
    [
        (0, 0, 0.1, 1, 1),
        (0, 1, 0.1, 1, 0.9),
        (1, 1, 0.1, 0.1, 1),
        (1, 2, 0.1, 0.19, 0.99),
        (2, 2, 0.1, 0.01, 1),
        (3, 5, 1, 1, 0),
        (3, 5, 0, 0, 1),
    ],
)
def test_p_of_a_share_by_hand(successes: int, count: int, share: float, above: float, below: float) -> None:
    assert p_share_above(successes, count, share) == pytest.approx(above)
    assert p_share_below(successes, count, share) == pytest.approx(below)


@pytest.mark.parametrize("share", [-0.01, 1.01])
def test_no_share_is_not_tested(share: float) -> None:
    for tested in (p_share_above, p_share_below):
        with pytest.raises(ValueError, match="between 0 and 1"):
            tested(1, 2, share)


def test_two_figures_have_a_mean_and_an_interval() -> None:
    found = one_sample_interval([1.0, 3.0], confidence=0.9)
    reach = reference.t.ppf(0.95, 1)
    assert (found.value, found.low, found.high) == pytest.approx((2, 2 - reach, 2 + reach))
    assert (found.confidence, found.count) == (0.9, 2)
    assert p_mean_above([1.0, 3.0], 1) == pytest.approx(0.25)  # t of 1 with one degree of freedom
    for refused in (one_sample_interval, lambda figures: p_mean_above(figures, 0)):
        with pytest.raises(ValueError, match="at least two figures"):
            refused([1.0])


def test_a_ratio_is_scipys_of_logarithms() -> None:
    first, second = drawn(4)
    expected = reference.ttest_ind(np.log(second), np.log(first), equal_var=False).confidence_interval(0.9)
    found = ratio_of_means(first, second, confidence=0.9)
    ratio = reference.gmean(second) / reference.gmean(first)
    assert (found.value, found.low, found.high) == pytest.approx((ratio, np.exp(expected.low), np.exp(expected.high)))
    assert (found.confidence, found.count) == (0.9, 15)
    with pytest.raises(ValueError, match="above 0"):
        ratio_of_means([0.0, 1], [1.0, 2])


def test_ranks_of_many_or_of_equal_figures() -> None:
    draw = np.random.default_rng(7)
    for count, method in ((50, "exact"), (51, "asymptotic")):
        first, second = draw.normal(0, 1, count).tolist(), draw.normal(0.3, 1, 5).tolist()
        expected = reference.mannwhitneyu(second, first, method=method)  # type: ignore[call-overload]
        assert mann_whitney(first, second).p == pytest.approx(expected.pvalue, rel=1e-9)
    assert mann_whitney([1.0, 1], [1.0, 1, 1]).statistic == 3
    for one, other in (([], [1.0]), ([1.0], [])):
        with pytest.raises(ValueError, match="both sides"):
            mann_whitney(one, other)
