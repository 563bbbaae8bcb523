# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics by name, and a repetition's figure with the step that it is known to."""

from __future__ import annotations

import numpy as np
import pytest

from rtstone.model import Result, Variant
from rtstone.stats import figure_of, statistic
from support.runs import make_result


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
