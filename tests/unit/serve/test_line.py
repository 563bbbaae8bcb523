# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A machine's line on the home page: its sparkline, and its place in the order of attention."""

from __future__ import annotations

import itertools

import pytest

from rtstone.archive import GateVerdict, MainFigure, Recent
from rtstone.show.site._line import attention, sparkline


def _figure(late_ns: float | None, most_ns: float = 90_000.0, under: str = "idle") -> MainFigure:
    return MainFigure(quantity="thread-wake-up", under=under, count=5_000, p999_ns=late_ns, max_ns=most_ns)


def _runs(*late_us: float | None, verdict: str = "complete") -> list[Recent]:
    return [
        Recent(
            id=f"r{at}",
            started=f"2026-11-{1 + at:02d}T02:30:00Z",
            verdict=verdict,
            main=(_figure(None if value is None else value * 1e3),),
        )
        for at, value in enumerate(late_us)
    ]


def _heights(of: object) -> list[float]:
    assert isinstance(of, dict)
    return [float(point.split(",")[1]) for point in str(of["line"]).split()]


def test_it_rises_and_falls_with_the_figures() -> None:
    made = sparkline(_runs(50, 60, 60, 200, 40), _figure(1.0))
    assert made is not None
    heights = _heights(made)
    assert heights[1] == heights[2]
    assert heights[3] == min(heights)
    assert heights[4] == max(heights)
    assert all(0 < height < made["height"] for height in heights)
    assert made["span"] == "40.0 µs to 200 µs"
    assert made["title"].startswith(
        "p99.9 of thread-wake-up, idle: 40.0 µs to 200 µs in 5 runs, 2026-11-01 to 2026-11-05"
    )


def test_noise_of_a_few_percent_looks_flat_and_a_wide_range_is_logarithmic() -> None:
    flat = sparkline(_runs(100, 101, 99, 100), _figure(1.0))
    assert flat is not None
    assert max(_heights(flat)) - min(_heights(flat)) < 0.15 * flat["height"]
    wide = sparkline(_runs(10, 100, 1_000), _figure(1.0))
    assert wide is not None
    steps = [b - a for a, b in itertools.pairwise(_heights(wide))]
    assert steps[0] == pytest.approx(steps[1], abs=0.2)
    assert wide["title"].endswith(", logarithmic")


def test_where_a_run_has_no_percentile_all_show_their_maximum() -> None:
    made = sparkline(_runs(50, None, 60), _figure(1.0))
    assert made is not None
    assert made["title"].startswith("maximum of ")


def test_other_circumstances_and_single_runs_are_not_drawn() -> None:
    assert sparkline(_runs(50, 60), _figure(1.0, under="cpu load")) is None
    assert sparkline(_runs(50), _figure(1.0)) is None


def test_a_run_that_is_not_complete_has_a_dot_of_its_colour() -> None:
    runs = [*_runs(50, 60), *_runs(70, verdict="doubtful"), *_runs(80)]
    made = sparkline(runs, _figure(1.0))
    assert made is not None
    assert [dot["level"] for dot in made["dots"]] == ["doubtful", "complete"]


def test_a_failed_gate_comes_before_an_incomplete_run_and_a_doubt_comes_last() -> None:
    gates = {
        name: GateVerdict(outcome=name, file="g.toml", at="2026-11-30T03:00:00Z")
        for name in ("pass", "exceeded", "regressed", "inconclusive")
    }
    order = [
        attention("complete", gates["exceeded"]),
        attention("incomplete", gates["pass"]),
        attention("complete", gates["inconclusive"]),
        attention("doubtful", gates["pass"]),
        attention("complete", None),
    ]
    assert order == sorted(set(order)) == [0, 1, 2, 3, 4]
    assert attention("doubtful", gates["regressed"]) == 0
    assert attention("", None) == 1
