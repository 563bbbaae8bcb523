# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Derived quantities: rates from set averages, MB/s and per cent from figures, and their agreement with another way to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from rtstone.errors import InfrastructureError
from rtstone.model import Figure, Result, Run
from rtstone.show.tables import Cell, TableView, comma_separated, study_view
from rtstone.studies import Request, Study, load_file, make_plan
from support.measured import run_for, session_of, skipped

STUDY = """
schema = "rtstone.study"
version = "1.0"
id = "rates"
title = "Rates"
authors = "N. N."
report = "no report"
year = 2026
abstract = "Rows of several units."
loads = ["none"]
[counts]
stated = false
[[table]]
number = "1"
title = "Rates"
unit = ""
cell = "{value}"
statistics = "one figure"
pass = "batch"
published_clock = "not stated"
most = 5
[[table.row]]
label = "Get/Release"
measurement = "semaphore-get-release"
published = false
formula = "1e9 / mean_ns"
unit = "rounds/s"
[[table.row]]
label = "Speed"
measurement = "queue-fill"
published = false
formula = "bytes / time_ns * 1e3"
unit = "MB/s"
[table.row.agrees]
formula = "other_bytes / time_ns * 1e3"
within = 0.5
text = "the other end's count"
[[condition]]
check = "one-cpu"
paper = "One processor"
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    file = tmp_path / "rates.toml"
    file.write_text(STUDY, encoding="utf-8")
    return load_file(file)


def measured(study: Study, *figures: Figure, repetitions: int = 1) -> Run:
    plans = [make_plan(Request(studies=(study,), profile="quick"), r) for r in range(repetitions)]

    def counted(result: Result) -> Result:
        return replace(result, figures=figures)

    sessions = tuple(session_of(plan, counted) for plan in plans)
    return replace(run_for("sscl"), studies=("rates",), sessions=sessions)


def shown(run: Run, study: Study) -> TableView:
    return study_view([run], study).tables[0]


def cells(view: TableView) -> dict[str, Cell]:
    return {line.cells[0].text: line.cells[-1] for line in view.lines}


def test_only_the_papers_loads_are_measured_and_no_item_asks_for_more_than_the_table_allows(study: Study) -> None:
    plan = make_plan(Request(studies=(study,), profile="standard", loads=("none", "cpu")))
    assert {item.load for item in plan.items} == {"none"}
    assert {item.count for item in plan.items} == {5}
    assert {i.load for i in make_plan(Request(studies=(study,), loads=("cpu",))).items} == {"cpu"}


def test_a_rate_is_of_all_operations_and_a_speed_of_the_figures(study: Study) -> None:
    run = measured(study, Figure("bytes", "bytes", 4_000_000), Figure("other-bytes", "bytes", 4_000_000))
    ping, fill = run.results()
    found = cells(shown(run, study))
    each_ns = sum(ping.batches) / (ping.ops * len(ping.batches))
    assert found["Get/Release"].text == f"{round(1e9 / each_ns):,} rounds/s".replace(",", " ")
    assert found["Get/Release"].state == "value"
    speed = 4_000_000 / fill.sum * 1e3
    assert found["Speed"].text == f"{round(speed):,} MB/s".replace(",", " ")
    assert not shown(run, study).notes


def test_repetitions_add_up_on_both_sides_of_the_division(study: Study) -> None:
    figures = (Figure("bytes", "bytes", 4_000_000), Figure("other_bytes", "bytes", 4_000_000))
    once, thrice = measured(study, *figures), measured(study, *figures, repetitions=3)
    assert cells(shown(once, study))["Speed"].text == cells(shown(thrice, study))["Speed"].text


def test_what_does_not_agree_says_so_with_both_values(study: Study) -> None:
    run = measured(study, Figure("bytes", "bytes", 4_000_000), Figure("other_bytes", "bytes", 3_000_000))
    view = shown(run, study)
    cell = cells(view)["Speed"]
    (note,) = (view.notes[mark - 1] for mark in cell.marks)
    assert note.startswith("does not agree with the other end's count: ")
    assert "more than 0.5 MB/s apart" in note


def test_a_figure_that_is_missing_is_a_dash_with_its_reason(study: Study) -> None:
    view = shown(measured(study), study)
    cell = cells(view)["Speed"]
    assert (cell.text, cell.state) == ("–", "absent")
    assert [view.notes[mark - 1] for mark in cell.marks] == ["no figure: the record has no bytes"]


def test_a_skip_and_a_fault_are_marked_as_ever(study: Study) -> None:
    figures = (Figure("bytes", "bytes", 1), Figure("other_bytes", "bytes", 1))
    run = measured(study, *figures)
    ping, fill = run.results()
    broken = (skipped(ping), replace(fill, status="invalid", text="a check failed"))
    found = cells(shown(replace(run, sessions=(replace(run.sessions[0], results=broken),)), study))
    assert found["Get/Release"].text == "*"
    assert found["Speed"].state == "invalid"
    assert found["Speed"].text.endswith(" MB/s !")


def test_units_are_in_csv_too(study: Study) -> None:
    run = measured(study, Figure("bytes", "bytes", 4_000_000), Figure("other_bytes", "bytes", 4_000_000))
    assert "MB/s" in comma_separated([study_view([run], study)])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('formula = "1e9 / mean_ns"\n', "", "row 'Get/Release': its cell asks for a value"),
        ("1e9 / mean_ns", "f(mean_ns)", "only numbers, names"),
        ('cell = "{value}"', 'cell = "{avg}"', "its table's cell must be {value}"),
        (
            "[[condition]]",
            '[[table.variant]]\nmeasurement = "queue-drain"\n[[condition]]',
            "a variant with a measurement of its own needs one row, or rows of one measurement's figures",
        ),
    ],
)
def test_a_study_that_could_not_be_shown_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    file = tmp_path / "rates.toml"
    file.write_text(STUDY.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InfrastructureError) as refused:
        load_file(file)
    assert told in str(refused.value)
