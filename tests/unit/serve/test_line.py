# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A machine's line on the home page: its sparkline, and its place in the order of attention."""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import FleetMachine, GateVerdict, MainFigure, Recent, open_archive, open_fleet
from rtstone.show import site
from rtstone.show.site._line import attention, line, sparkline
from support.repeated import repeated


def _figure(late_ns: float | None, most_ns: float = 90_000.0, under: str = "idle", **more: object) -> MainFigure:
    made = MainFigure(quantity="thread-wake-up", under=under, count=5_000, p999_ns=late_ns, max_ns=most_ns)
    return msgspec.structs.replace(made, **more)


def _runs(*late_us: float | None, verdict: str = "complete", target: str = "local") -> list[Recent]:
    return [
        Recent(
            id=f"r{at}",
            started=f"2026-11-{1 + at:02d}T02:30:00Z",
            verdict=verdict,
            target=target,
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
    assert sparkline(_runs(50, 60), _figure(1.0, measurement="cyclic")) is None
    assert sparkline(_runs(50, 60), _figure(1.0, period_ns=1_000_000)) is None


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


def _fleet(tmp_path: Path, *targets: str) -> FleetMachine:
    """A board with a run of each of these targets, in this order."""
    archive = open_archive(str(tmp_path / "a.sqlite"))
    for number, target in enumerate(targets):
        run = repeated(f"r-{number}", quantity="thread-wake-up", count=2_000, label="", seed=number, target=target)
        archive.save(msgspec.structs.replace(run, started=f"2026-11-0{1 + number}T02:30:00Z"))
    (machine,) = open_fleet(str(tmp_path / "a.sqlite")).machines(5)
    return machine


def test_each_kernel_of_a_board_has_its_name_and_a_sparkline_of_its_own_runs(tmp_path: Path) -> None:
    machine = _fleet(tmp_path, *["board:x/one", "board:x/two", "board:x/one"] * 2)
    made = line(machine)
    assert [one["name"] for one in made["kernels"]] == ["board:x/one", "board:x/two"]
    assert [one["spark"]["title"].split(" in ")[1].split(",")[0] for one in made["kernels"]] == ["4 runs", "2 runs"]
    page = site.machines_page([machine])
    assert "2 targets; 6 runs since" in page
    assert page.count("<strong>board:x/") == 2
    assert page.count('<svg class="spark"') == 2


def test_one_kernel_has_no_name_and_of_many_the_rest_is_counted(tmp_path: Path) -> None:
    machine = _fleet(tmp_path, "board:x/one")
    assert [one["name"] for one in line(machine)["kernels"]] == [""]
    many = [one for number in range(10) for one in _runs(50, target=f"board:x/{number}")]
    made = line(msgspec.structs.replace(machine, recent=tuple(many)))
    assert (len(made["kernels"]), made["unshown"]) == (8, 2)
    assert made["kernels"][0]["name"] == "board:x/9"
    assert "and 2 more targets" in site.machines_page([msgspec.structs.replace(machine, recent=tuple(many))])
    assert line(msgspec.structs.replace(machine, recent=()))["kernels"] == []
    assert "1 run since" in site.machines_page([msgspec.structs.replace(machine, recent=())])


def test_a_saved_figure_has_its_measurement_and_period_and_an_older_one_is_still_read(tmp_path: Path) -> None:
    (figure,) = _fleet(tmp_path, "local").recent[0].main
    assert (figure.measurement, figure.period_ns) == ("thread-wake-up", 0)
    old = b'{"quantity":"q","under":"idle","count":1,"p999_ns":null,"max_ns":1.0}'
    assert msgspec.json.decode(old, type=MainFigure).period_ns is None
