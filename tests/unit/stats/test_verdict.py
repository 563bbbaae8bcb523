# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The verdict on two populations: its words, its refusals, its rate of errors and the differences that it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats as reference

from rtstone.stats import family_alpha, verdict


def test_the_four_words() -> None:
    slow, fast = [120.0, 121, 122, 119], [100.0, 101, 99, 100]
    assert verdict(fast, slow).finding == "regressed"
    assert verdict(slow, fast).finding == "improved"
    assert verdict(fast, slow, lower_is_better=False).finding == "improved"
    assert verdict(fast, fast).finding == "no difference shown"
    assert verdict(fast[:2], slow).finding == "insufficient data"
    assert verdict(fast, slow, threshold=0.3).finding == "no difference shown"


def test_the_interval_of_the_change_holds_it() -> None:
    found = verdict([100.0, 101, 99, 100], [110.0, 111, 109, 110])
    assert found.relative
    assert found.change == pytest.approx(0.1, abs=1e-3)
    assert found.low is not None
    assert found.high is not None
    assert found.detectable is not None
    assert found.low < 0.1 < found.high
    assert 0 < found.detectable < 0.1


def test_where_nothing_varies_one_step_is_no_difference_and_two_are() -> None:
    assert verdict([5, 5, 5], [6, 6, 6], resolution=1).finding == "no difference shown"
    assert verdict([5, 5, 5], [7, 7, 7], resolution=1).finding == "regressed"
    assert verdict([5, 5, 5], [5, 5, 5]).detectable == pytest.approx(0)


def test_figures_below_0_are_compared_as_they_are() -> None:
    found = verdict([-3.0, -2, -3, -2], [40.0, 41, 42, 41])
    assert (found.finding, found.relative) == ("regressed", False)
    assert found.change == pytest.approx(43.5)


def test_arguments_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="alpha"):
        verdict([1, 2, 3], [1, 2, 3], alpha=0)


@pytest.mark.parametrize("count", [3, 5, 10])
def test_false_alarms_are_no_more_than_alpha(count: int) -> None:
    """N = 1000 pairs of like populations, log-normal with a spread of 10 %; alpha 5 %: 6.4 % is two standard errors above."""
    draw, wrong = np.random.default_rng(count), 0
    for _ in range(1000):
        first, second = np.exp(draw.normal(0, 0.1, (2, count))).tolist()
        wrong += verdict(first, second, alpha=0.05).finding in ("improved", "regressed")
    assert wrong / 1000 <= 0.064


def test_what_is_large_enough_is_found() -> None:
    """N = 300: 5 % more with a spread of 1 %, 5 against 5, alpha 1 % shared by ten rows."""
    draw, found = np.random.default_rng(1), 0
    for _ in range(300):
        first, second = np.exp(draw.normal(0, 0.01, 5)), 1.05 * np.exp(draw.normal(0, 0.01, 5))
        found += verdict(first.tolist(), second.tolist(), alpha=family_alpha(0.01, 10)).finding == "regressed"
    assert found / 300 >= 0.7


FIRST, SECOND = [100.0, 104, 98, 103, 97], [111.0, 108, 118, 109, 113]


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("paired", [True, False])
def test_the_figures_of_a_verdict_are_scipys(paired: bool, relative: bool) -> None:
    """The interval is widened by the resolution on either side, and so is what is detectable."""
    first, second = (FIRST, SECOND) if relative else ([x - 105 for x in FIRST], [x - 105 for x in SECOND])
    found = verdict(first, second, alpha=0.02, threshold=0.01, resolution=2, paired=paired)
    x, y = (np.log(first), np.log(second)) if relative else (np.array(first), np.array(second))
    expected = reference.ttest_rel(y, x) if paired else reference.ttest_ind(y, x, equal_var=False)
    ends, shift = expected.confidence_interval(0.98), y.mean() - x.mean()
    step = np.log1p(2 / np.mean(first)) if relative else 2
    least = np.sum(reference.t.ppf([0.99, 0.8], expected.df)) * shift / expected.statistic + step
    figures = np.array([shift, ends.low - step, ends.high + step, least + (np.log1p(0.01) if relative else 0)])
    assert (found.change, found.low, found.high, found.detectable) == pytest.approx(
        tuple(np.expm1(figures) if relative else figures)
    )
    ranks = reference.mannwhitneyu(second, first, method="exact").pvalue
    assert (found.p, found.p_ranks) == pytest.approx((expected.pvalue, ranks))
    assert (found.first, found.second, found.alpha, found.relative) == (5, 5, 0.02, relative)
    assert verdict(first, second, ranks=False).p_ranks is None


@pytest.mark.parametrize(
    ("first", "second", "fewest", "enough"),
    [(2, 3, 3, False), (3, 2, 3, False), (3, 3, 3, True), (3, 3, 4, False), (2, 2, 1, True), (1, 2, 1, False)],
)
def test_too_few_repetitions_have_no_figures(first: int, second: int, fewest: int, enough: bool) -> None:
    found = verdict(FIRST[:first], SECOND[:second], min_repetitions=fewest)
    assert (found.finding != "insufficient data") == (found.change is not None) == (found.p is not None) == enough
    assert (found.first, found.second) == (first, second)


@pytest.mark.parametrize(
    ("second", "options", "finding"),
    [
        (6.0, {"threshold": 0.2}, "no difference shown"),  # exactly the threshold
        (6.0, {"threshold": 0.199}, "regressed"),
        (5 / 1.2, {"threshold": 0.2}, "no difference shown"),
        (5 / 1.2, {"threshold": 0.199}, "improved"),
        (5 / 1.2, {"threshold": 0.199, "lower_is_better": False}, "regressed"),
        (0.0, {"threshold": 9}, "improved"),  # a figure of 0 makes the change absolute, and has no threshold
        (0.0, {"resolution": 5}, "no difference shown"),
        (0.0, {"resolution": 4.9}, "improved"),
    ],
)
def test_a_change_counts_from_the_threshold_on(second: float, options: dict[str, Any], finding: str) -> None:
    assert verdict([5.0] * 3, [second] * 3, **options).finding == finding


@pytest.mark.parametrize("options", [{"alpha": 1}, {"alpha": -0.1}, {"threshold": -0.1}, {"resolution": -1}])
def test_impossible_arguments_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="alpha lies between"):
        verdict(FIRST, SECOND, **options)  # type: ignore[arg-type]


def test_alpha_is_shared_by_all_rows() -> None:
    assert (family_alpha(0.01, 0), family_alpha(0.01, 1), family_alpha(0.01, 4)) == (0.01, 0.01, 0.0025)
