# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Steps in a series: their places, their certainty, and the scales that the search compares."""

from __future__ import annotations

import numpy as np
import pytest

from rtstone.stats import changes, resemble
from rtstone.stats._changes import _beyond_a_line, _in_random_order, _share_at_least, _upwards


@pytest.mark.parametrize(
    ("figures", "places"),
    [
        ([0] * 6 + [1] * 6, (6,)),
        ([0] * 5 + [1] * 6, ()),  # eleven
        ([0] * 20 + [1] * 3, (20,)),
        ([0] * 21 + [1] * 2, ()),  # two are no level
        ([1] * 3 + [0] * 20, (3,)),
        ([0] * 15 + [5] * 15 + [1] * 15, (15, 30)),
    ],
)
def test_steps_are_found_where_they_are(figures: list[int], places: tuple[int, ...]) -> None:
    for sign in (1, -1):
        assert tuple(one.at for one in changes([sign * figure for figure in figures])) == places


def test_a_step_counts_by_its_probability() -> None:
    """The clearest of 3999 orders, by the test against a line, which has half of the error."""
    (one,) = changes([0] * 20 + [1] * 20)
    assert one.p == 2 / 4_000
    assert changes([0] * 20 + [1] * 20, alpha=2 / 4_000) == (one,)
    assert changes([0] * 20 + [1] * 20, alpha=1 / 4_000) == ()
    # In a short series a line fits nearly as well. The test of either direction has a quarter of the error.
    short = np.random.default_rng(18).standard_normal(18) + np.repeat([0, 6], 9)
    for sign in (1, -1):
        (one,) = changes((sign * short).tolist())
        assert (one.at, one.p) == (9, 4 / 4_000)


@pytest.mark.parametrize(("seen", "share"), [(0, 1), (1, 1), (2, 0.75), (2 + 1e-10, 0.75), (2.1, 0.5), (9, 0.25)])
def test_the_share_by_chance_counts_the_series_itself(seen: float, share: float) -> None:
    assert _share_at_least(np.array([1.0, 2.0, 3.0]), seen) == share


@pytest.mark.parametrize("size", [12, 25])
def test_every_cut_is_scaled_by_its_spread_in_random_order(size: int) -> None:
    scores = np.random.default_rng(size).standard_normal(size)
    scores = (scores - scores.mean()) / scores.std(ddof=1)
    orders = _in_random_order(scores)
    assert (np.sort(orders, axis=1) == np.sort(scores)).all()
    assert len(np.unique(orders, axis=0)) > 3_900
    for measure in (_upwards, _beyond_a_line):
        found = measure(orders)
        assert found.shape == (len(orders), size - 5)  # three on either side
        assert np.sqrt((found**2).mean(axis=0)) == pytest.approx(np.ones(size - 5), abs=0.06)


def test_cuts_by_hand() -> None:
    """Of 1 … 6 only one cut has three on either side: (5 - 2) / sqrt(1/3 + 1/3). A line is no step."""
    rising = np.arange(1.0, 7)[None, :]
    assert _upwards(rising) == pytest.approx(np.array([[3 / np.sqrt(2 / 3)]]))
    assert _beyond_a_line(rising) == pytest.approx(np.zeros((1, 1)), abs=1e-12)
    assert _beyond_a_line(np.arange(20.0)[None, :]) == pytest.approx(np.zeros((1, 15)), abs=1e-9)


def test_neighbours_resemble_each_other_in_one_random_series_of_a_hundred() -> None:
    draw = np.random.default_rng(3)
    assert 0.003 <= np.mean([resemble(draw.standard_normal(60).tolist()) for _ in range(2_000)]) <= 0.02


def test_a_step_that_is_known_is_no_resemblance() -> None:
    figures = np.random.default_rng(4).standard_normal(40)
    figures[25:] += 9
    assert resemble(figures.tolist())
    assert not resemble(figures.tolist(), (25,))
    rising = list(range(12))
    assert resemble(rising)
    assert not resemble(rising[:11])
