# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics by name, and a repetition's figure with the step that it is known to."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from rtstone.model import Result, Variant
from rtstone.stats import StatisticValue, figure_of, statistic
from rtstone.stats._pooling import moved
from support.runs import GEOMETRY, make_result


@pytest.mark.parametrize("name", ["min", "max", "mean", "sd", "median", "p99", "p99.99", "p5"])
def test_names_go_there_and_back(name: str) -> None:
    assert str(statistic(name)) == name


@pytest.mark.parametrize("name", ["p100", "p0", "p", "p99.", "worst", "P99", "mode", ""])
def test_what_is_no_statistic(name: str) -> None:
    with pytest.raises(ValueError, match="no statistic"):
        statistic(name)


def test_figures_of_single_samples() -> None:
    values = np.random.default_rng(1).integers(1_000, 3_000, 5_000).tolist()
    result = make_result(values=values)
    for name, expected in (
        ("mean", np.mean(values)),
        ("sd", np.std(values, ddof=1)),
        ("max", max(values)),
        ("min", min(values)),
    ):
        figure = figure_of(result, statistic(name))
        assert figure is not None
        assert figure.value == pytest.approx(expected)
    for percent in (10, 50, 99):
        figure = figure_of(result, statistic(f"p{percent}"))
        assert figure is not None
        assert figure.value == pytest.approx(np.percentile(values, percent), abs=figure.step)
        assert figure.step <= 16  # a bucket between 2048 and 4096 with 8 bits, less than 1 % of the value
    assert figure_of(result, statistic("median"), quantum_ticks=50).step == 50  # type: ignore[union-attr]


def test_figures_of_sets_are_of_one_operation() -> None:
    result = make_result(variant=Variant(pass_="batch"), values=[1_000, 1_200, 1_100, 3_000])
    figures = {name: figure_of(result, statistic(name)) for name in ("mean", "median", "max", "p99")}
    assert {name: figure.value for name, figure in figures.items() if figure} == {
        "mean": 15.75,
        "median": 11.5,
        "max": 30,
        "p99": 30,
    }


def test_no_samples_have_no_figure() -> None:
    empty = Result(item=0, measurement="m", quantity="m", variant=Variant(), status="ok")
    assert figure_of(empty, statistic("mean")) is None


INSIDE = [1_000, 1_001, 1_002, 1_003]
"""The samples of one bucket."""


@pytest.mark.parametrize("clock", ["own", "moved"])
@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([999, 999, *INSIDE, 1_004, 1_004], 40, 1_000.9),  # 3.2 of 8 samples, 1.2 of the bucket's 4: 0.3 of its width
        ([998, 999, *INSIDE, 1_004, 1_004], 26, 1_000.06),
        ([10, 999, *INSIDE, 1_004, 1_004], 75, 1_003),
        ([-5, -5, *INSIDE, 1_004, 1_004], 40, 1_000.9),
        ([-2_000, -1_004, *(-value for value in INSIDE), -999, -999], 40, -1_002.1),
    ],
)
def test_a_percentile_is_interpolated_within_its_bucket(
    values: list[int], percent: int, expected: float, clock: str
) -> None:
    result = msgspec.structs.replace(make_result(values=values), extremes=())
    if clock == "moved":
        assert result.histogram is not None
        result = msgspec.structs.replace(result, histogram=moved([(result.histogram, Fraction(1))]))
    figure = figure_of(result, statistic(f"p{percent}"), quantum_ticks=2)
    assert figure is not None
    assert (figure.value, figure.step) == pytest.approx((expected, 3))


def test_a_percentile_beyond_the_buckets_is_between_their_end_and_the_maximum() -> None:
    top = 1 << GEOMETRY.max_bits
    result = msgspec.structs.replace(make_result(values=[100, 100, top + 10, top + 30]), extremes=())
    assert figure_of(result, statistic("p75")) == StatisticValue(top + 15, 30)
    assert figure_of(msgspec.structs.replace(result, max=None), statistic("p75")) is None


def test_a_figure_needs_what_it_is_made_of() -> None:
    result = make_result(values=[3, 5, 10])
    assert figure_of(result, statistic("min"), quantum_ticks=2) == StatisticValue(3, 2)
    assert figure_of(result, statistic("max"), quantum_ticks=2) == StatisticValue(10, 2)
    assert figure_of(result, statistic("mean"), quantum_ticks=2) == StatisticValue(6, 0)
    bare = msgspec.structs.replace(result, histogram=None)
    assert figure_of(bare, statistic("min")) == StatisticValue(3, 1)
    assert figure_of(bare, statistic("max")) == StatisticValue(10, 1)
    assert figure_of(bare, statistic("median")) is None
    unknown = msgspec.structs.replace(result, min=None, max=None)
    assert figure_of(unknown, statistic("min")) is None
    assert figure_of(unknown, statistic("max")) is None
    assert figure_of(make_result(values=[3]), statistic("sd")) is None


def test_sets_have_the_step_of_one_operation() -> None:
    result = make_result(variant=Variant(pass_="batch"), values=[1_000, 1_200, 1_100])
    for name, value in (("median", 11), ("p1", 10), ("min", 10), ("max", 12)):
        assert figure_of(result, statistic(name), quantum_ticks=5) == StatisticValue(value, 0.05)
