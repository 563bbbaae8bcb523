# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The APS tables: statistics in columns of their own, a line for each bottom half and trigger, the residual of the total."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from rtstone.model import Figure, Histogram, Result, Run
from rtstone.show.tables import Line, TableView, study_view
from rtstone.studies import reference, study
from support.measured import GEOMETRY, run_for, skipped

LOADED, PUBLIC, IDLE = "Private network; ours: under load", "Public network", "Ours: idle"
TYPICAL_NS = {
    "interrupt-service-response": 10_000,
    "top-to-bottom-half": 20_000,
    "bottom-half-to-user-isr": 40_000,
    "context-switch-delay": 15_000,
    "interrupt-task-response": 130_000,
    "residual": 85_000,
}


def steady(result: Result) -> Result:
    """Ninety-nine samples of the quantity's typical time and one a hundred times that."""
    typical = TYPICAL_NS.get(result.quantity)
    if typical is None or result.count == 0:
        return result
    values = [typical] * 99 + [typical * 100]
    counted = Counter(GEOMETRY.index(value) for value in values)
    return replace(
        result,
        count=100,
        min=min(values),
        max=max(values),
        sum=sum(values),
        histogram=Histogram(geometry=GEOMETRY, positive=tuple(sorted(counted.items()))),
    )


def table(run: Run, number: str) -> TableView:
    found = study_view([run], study("aps")).tables
    return next(view for view in found if (view.number, view.kind) == (number, "paper"))


def line(view: TableView, label: str, group: str) -> Line:
    return next(one for one in view.lines if (one.cells[0].text, one.group) == (label, group))


def texts(one: Line) -> list[str]:
    return [cell.text for cell in one.cells[1:]]


@pytest.mark.parametrize("number", ["1", "2", "3", "4", "5"])
def test_every_published_figure_is_there_as_printed(number: str) -> None:
    view = table(run_for("aps"), number)
    figures = [f for f in reference.load("aps") if f.table == number]
    assert [column.title for column in view.columns[1:5]] == ["Minimum", "Median", "Maximum", ">100 µs (%)"]
    shown = sorted(c.text for one in view.lines for c in one.cells[1:5] if c.state == "published")
    assert shown == sorted(f.value for f in figures)
    groups = {f.condition for f in figures}
    assert {one.group for one in view.lines} == {LOADED, IDLE} | ({PUBLIC} if "public network" in groups else set())


def test_ours_are_the_records_own() -> None:
    view = table(run_for("aps", change=steady), "2")
    assert texts(line(view, "this machine", IDLE)) == ["20.0", "20.0", "2000", "1.000"]
    assert texts(line(view, "this machine (cpu load)", LOADED)) == ["20.0", "20.0", "2000", "1.000"]


def test_a_load_of_bursts_has_its_shares_counted_apart() -> None:
    """Of 100 samples 40 in bursts, 10 of these above the limit; of the other 60 three."""

    def change(result: Result) -> Result:
        told = {"in-bursts": 40, "in-bursts-above-100us": 10, "between-bursts": 60, "between-bursts-above-100us": 3}
        parts = tuple(Figure(f"{result.quantity}-{name}", "samples", value) for name, value in told.items())
        return replace(steady(result), figures=parts) if result.variant.load != "none" else steady(result)

    view = table(run_for("aps", change=change), "2")
    assert [column.title for column in view.columns[4:]] == [">100 µs (%)", "in bursts", "between"]
    assert texts(line(view, "this machine (cpu load)", LOADED))[3:] == ["1.000", "25.000", "5.000"]
    assert texts(line(view, "this machine", IDLE))[3:] == ["1.000", "–", "–"]


def test_all_that_is_above_the_limit_is_counted() -> None:
    view = table(run_for("aps", change=steady), "5")
    assert texts(line(view, "this machine", IDLE))[:4] == ["130", "130", "13000", "100.000"]


def test_each_bottom_half_and_trigger_has_a_line() -> None:
    view = table(run_for("aps", loads=("none",)), "2")
    ours = [one.cells[0].text for one in view.lines if one.group == IDLE]
    assert ours == [
        "this machine",
        "this machine (tasklet)",
        "this machine (work queue)",
        "this machine (raised by software)",
        "this machine (user level ISR)",
        "this machine (user level ISR, raised by software)",
    ]


def test_the_residual_is_of_each_interrupt_and_none_of_an_unstamped_way() -> None:
    view = table(run_for("aps", change=steady), "5")
    assert view.columns[-1].title == "In no stage"
    for label in ("this machine", "this machine (tasklet)", "this machine (user level ISR)"):
        assert texts(line(view, label, IDLE))[-1] == "85.0/85.1/8500"
    unstamped = line(view, "this machine (tasklet, not stamped on its way)", IDLE)
    assert texts(unstamped)[:2] == ["130", "130"]
    assert texts(unstamped)[-1] == "–"
    assert any("no clock was read" in view.notes[mark - 1] for mark in unstamped.cells[-1].marks)


def test_what_the_kernel_stamps_stands_in_three_tables_and_its_residual_adds_up() -> None:
    run = run_for("aps", loads=("none",), given=("live",))
    label = "this machine (stamped by the kernel)"
    there = {number for number in "12345" if any(o.cells[0].text == label for o in table(run, number).lines)}
    assert there == {"1", "4", "5"}
    assert texts(line(table(run, "5"), label, IDLE))[-1].count("/") == 2
    views = study_view([run], study("aps")).tables
    ways = [view for view in views if any(one.cells[0].text == "expiry → handler" for one in view.lines)]
    assert [view.number for view in ways] == ["1"]


@pytest.mark.parametrize(
    ("platform", "group", "residual"),
    [
        ("Linux 2.4.30", LOADED, "10"),  # 35 - (12 + 11 + 2)
        ("Linux 2.6.13 preemptive", LOADED, "7"),  # 34 - (13 + 10 + 4)
        ("Linux 2.6.13 preemptive with user level ISR", LOADED, "-4"),  # 132 - (21 + 12 + 99 + 4)
        ("vxWorks 5.5 net task has higher priority", LOADED, "0"),  # 20 - (9 + 11)
        ("vxWorks 5.5 net task has lower priority", PUBLIC, "0"),
        ("RTEMS 4.6", LOADED, ""),
    ],
)
def test_the_papers_residual(platform: str, group: str, residual: str) -> None:
    assert texts(line(table(run_for("aps"), "5"), platform, group))[-1] == residual


def test_a_chain_that_is_missing_leaves_the_unstamped_total() -> None:
    def change(result: Result) -> Result:
        return skipped(result) if result.measurement == "interrupt-stages" else steady(result)

    run = run_for("aps", change=change)
    assert texts(line(table(run, "2"), "this machine", IDLE))[:2] == ["*", "*"]
    view = table(run, "5")
    assert texts(line(view, "this machine", IDLE))[-1] == "–"
    assert texts(line(view, "this machine (not stamped on its way)", IDLE))[1] == "130"
