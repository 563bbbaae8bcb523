# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Samples beyond the buckets count on the side where they lie, as far as minimum, maximum and extremes show it.

Where they do not show it, both ends are given.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.model import Extreme, Geometry, Histogram
from rtstone.stats import Sides, count_above, overflow_sides, percentile, percentile_range
from rtstone.stats._overflow import nearest_rank
from support.runs import make_histogram

GEOMETRY = Geometry(sub_bits=6, max_bits=12, negative_bits=8)
values = st.lists(st.integers(min_value=-3_000, max_value=20_000), min_size=1, max_size=120)


def histogram(samples: list[int]) -> Histogram:
    """The histogram that an engine of this geometry would send."""
    return make_histogram(samples, GEOMETRY)


def extremes(samples: list[int], most: int = 8) -> tuple[Extreme, ...]:
    return tuple(Extreme(v, 0, 0) for v in sorted(samples, reverse=True)[:most])


@given(values, st.booleans(), st.booleans(), st.booleans())
def test_the_sides_are_never_wrong(samples: list[int], least: bool, most: bool, top: bool) -> None:
    found = overflow_sides(
        histogram(samples),
        min(samples) if least else None,
        max(samples) if most else None,
        extremes(samples) if top else (),
    )
    assert found.least <= sum(v <= -(1 << 8) for v in samples) <= found.most


@given(values, st.sampled_from([1, 10, 50, 90, 99, 99.9]), st.booleans(), st.booleans(), st.booleans())
def test_a_percentile_lies_in_its_range(samples: list[int], percent: float, least: bool, most: bool, top: bool) -> None:
    exact = sorted(samples)[nearest_rank(len(samples), percent) - 1]
    low, high = percentile_range(
        histogram(samples),
        percent,
        minimum=min(samples) if least else None,
        maximum=max(samples) if most else None,
        extremes=extremes(samples) if top else (),
    )
    assert low is None or low <= exact
    assert high is None or exact <= high


@given(values, st.integers(min_value=-3_500, max_value=21_000), st.booleans(), st.booleans(), st.booleans())
def test_the_number_above_a_limit_lies_in_its_range(
    samples: list[int], limit: int, least: bool, most: bool, top: bool
) -> None:
    low, high = count_above(
        histogram(samples),
        limit,
        minimum=min(samples) if least else None,
        maximum=max(samples) if most else None,
        extremes=extremes(samples) if top else (),
    )
    assert low <= sum(v > limit for v in samples) <= high


def test_overflow_below_does_not_raise_the_tail() -> None:
    samples = [-5_000] * 20 + [100] * 80
    assert percentile(histogram(samples), 99, minimum=-5_000, maximum=100) == 100
    assert percentile(histogram(samples), 10, minimum=-5_000, maximum=100) == -(1 << 8)
    assert percentile_range(histogram(samples), 10, minimum=-5_000, maximum=100) == (-5_000, -(1 << 8))


def test_overflow_on_both_sides_is_divided_by_the_extremes() -> None:
    samples = [-5_000] * 3 + [100] * 80 + [9_000] * 2
    assert overflow_sides(histogram(samples), -5_000, 9_000) == Sides(1, 4)
    assert overflow_sides(histogram(samples), -5_000, 9_000, extremes(samples)) == Sides(3, 3)


def test_extremes_tell_the_tail_exactly() -> None:
    samples = [*range(1_000, 2_000), 3_001, 3_003, 3_007]
    found = percentile_range(histogram(samples), 99.9, maximum=3_007, extremes=extremes(samples))
    assert found == (3_003, 3_003)


BELOW, WITHIN, ABOVE = [-5_000] * 3, [100] * 7, [9_000] * 2


@pytest.mark.parametrize(
    ("samples", "limit", "known", "expected"),
    [
        (WITHIN + ABOVE, 200, {}, (0, 2)),  # the overflow may lie below
        (WITHIN + ABOVE, 200, {"minimum": 100}, (2, 2)),
        (WITHIN + ABOVE, 4_095, {"minimum": 100, "maximum": 9_000}, (2, 2)),
        (WITHIN + ABOVE, 4_096, {"minimum": 100, "maximum": 9_000}, (1, 2)),  # 4096 is the first above the buckets
        (WITHIN + ABOVE, 8_999, {"maximum": 9_000}, (1, 2)),
        (WITHIN + ABOVE, 9_000, {"maximum": 9_000}, (0, 0)),
        (WITHIN + ABOVE, 5_000, {"extremes": extremes(ABOVE)}, (2, 2)),
        (WITHIN + ABOVE, 9_000, {"extremes": extremes(ABOVE)}, (0, 0)),
        (WITHIN + ABOVE, 50, {"extremes": extremes(ABOVE)}, (9, 9)),
        (BELOW + WITHIN, -256, {"minimum": -5_000, "maximum": 100}, (7, 7)),  # -256 is the last below them
        (BELOW + WITHIN, -257, {"minimum": -5_000, "maximum": 100}, (7, 10)),
        (BELOW + WITHIN + ABOVE, 50, {"minimum": -5_000, "maximum": 9_000}, (8, 11)),
        (BELOW + WITHIN + ABOVE, 50, {"minimum": -5_000, "maximum": 9_000, "extremes": extremes(ABOVE)}, (9, 11)),
        (WITHIN, 99, {}, (7, 7)),
        (WITHIN, 100, {}, (0, 7)),  # one bucket: 100 and 101
        (WITHIN, 101, {}, (0, 0)),
    ],
)
def test_the_number_above_a_limit_is_as_close_as_what_is_known(
    samples: list[int], limit: int, known: dict[str, Any], expected: tuple[int, int]
) -> None:
    assert count_above(histogram(samples), limit, **known) == expected


@pytest.mark.parametrize(
    ("rank", "top", "expected"),
    [
        (1, 8, (-5_000, -5_000)),
        (3, 8, (-5_000, -256)),
        (4, 8, (100, 101)),  # the extremes leave three below
        (10, 8, (100, 100)),
        (11, 8, (9_000, 9_000)),
        (4, 0, (-5_000, 101)),  # one to four below
        (9, 0, (100, 9_000)),
        (12, 0, (9_000, 9_000)),
    ],
)
def test_extremes_decide_where_a_rank_lies(rank: int, top: int, expected: tuple[int, int]) -> None:
    samples = BELOW + WITHIN + ABOVE
    found = percentile_range(
        histogram(samples), 100 * rank / 12, minimum=-5_000, maximum=9_000, extremes=extremes(samples, top)
    )
    assert found == expected
