# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The verdict on two populations: its words, its refusals, its rate of errors and the differences that it finds."""

from __future__ import annotations

import numpy as np
import pytest

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
