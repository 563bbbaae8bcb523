# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The first screen keeps its size, its bars tell the figures, and no note stands twice; no table is wider than it may be."""

from __future__ import annotations

import re

import msgspec
import pytest

from rtstone.model import Note, Run, Variant
from rtstone.show.tables import markdown, measured_study, numbered_once, plain, screen_of, study_lines, views
from rtstone.show.tables._screen import doubts
from support.runs import make_result, make_run

NOTES = tuple(f"the substitute number {number}, {'said at length, ' * 9}at the end" for number in range(6))


def _run(*loads: str) -> Run:
    results = []
    for item, (quantity, values) in enumerate(
        (
            ("interrupt-task-response", [*range(3_000, 5_000, 2), 900_000]),
            ("semaphore-ping", [*range(200, 1_300), 4_000]),
            ("queue-fill", [*range(20, 1_100)]),
        )
    ):
        for load in loads:
            measurement = "interrupt-response" if quantity.startswith("interrupt") else quantity
            made = make_result(quantity, measurement=measurement, item=item, values=values, variant=Variant(load=load))
            notes = tuple(Note("substituted", "x", text) for text in NOTES[item : item + 3])
            results.append(msgspec.structs.replace(made, notes=notes))
    return make_run(results=tuple(results), studies=("sscl", "slac"))


@pytest.mark.parametrize("chart", [False, True])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_it_keeps_its_size_whatever_there_is(width: int, chart: bool) -> None:
    for runs in ([_run("none")], [_run("none", "cpu", "disk")], [_run("none"), _run("cpu")]):
        lines = plain(screen_of(runs, None, width, chart=chart)).splitlines()
        assert len(lines) <= 40
        assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_quantity_of_several_runs_is_named_in_full(width: int) -> None:
    text = plain(screen_of([_run("none"), _run("cpu")], None, width))
    assert "Interrupt Task Response" in " ".join(text.replace("µs", "").split())


def test_a_bar_reaches_to_median_percentile_and_maximum_and_the_best_published_figure_is_marked() -> None:
    text = plain(screen_of([_run("none", "cpu")], None, chart=True))
    (task,) = (line for line in text.splitlines() if line.startswith("Interrupt Task Resp"))
    (fill,) = (line for line in text.splitlines() if line.startswith("Queue Fill"))
    assert re.search(r"█+▓*░+", task)
    assert task.count("┃") == fill.count("┃") == 1
    assert task.count("█") > fill.count("█")
    # 3 to 5 µs, and one sample of 900: the maximum alone is far out.
    assert len(re.findall("[█▓░┃]", task)) > len(re.findall("[█▓┃]", task)) > task.count("█")
    assert "░" not in plain(screen_of([_run("none")], None, chart=False))


def test_notes_of_a_cell_stand_below_it_and_those_without_room_are_counted() -> None:
    lines = plain(screen_of([_run("none", "cpu")], None)).splitlines()
    marked = [line for line in lines if line.startswith("Queue Fill")]
    assert re.search("[¹²³⁴⁵⁶⁷⁸⁹]", marked[0])
    told = [line for line in lines if re.match("[¹²³⁴⁵⁶⁷⁸⁹⁰]+ the substitute", line)]
    left = re.search("([0-9]+) more notes", "\n".join(lines))
    assert len(set(told)) == len(told)
    assert len(told) + int(left[1] if left else 0) == 5


def test_a_studys_notes_are_numbered_once_for_all_its_tables() -> None:
    (view,) = views([_run("none", "cpu")], ["sscl"])
    assert len({note for table in view.tables for note in table.notes}) < sum(len(table.notes) for table in view.tables)
    once, notes = numbered_once(view)
    assert len(set(notes)) == len(notes)
    for before, after in zip(view.tables, once.tables, strict=True):
        cells = zip(before.lines, after.lines, strict=True)
        for old, new in ((o, n) for b, a in cells for o, n in zip(b.cells, a.cells, strict=True)):
            assert {before.notes[mark - 1] for mark in old.marks} == {notes[mark - 1] for mark in new.marks}
    papers = msgspec.structs.replace(view, tables=tuple(t for t in view.tables if t.kind == "paper"))
    assert numbered_once(papers)[1] == notes[: len(numbered_once(papers)[1])], (
        "show and show --full have the same numbers"
    )
    view = msgspec.structs.replace(view, sheet=None)  # which gives notes as its evidence
    for text in (plain(study_lines(view, 10_000)), markdown([view])):
        for note in notes:
            assert " ".join(text.replace("\\", "").split()).count(note) == 1, note


@pytest.mark.parametrize("width", [60, 80, 100, 132])
def test_no_table_and_no_sheet_is_wider_than_the_terminal(width: int) -> None:
    runs = [msgspec.structs.replace(_run("none", "cpu"), id=f"r{i}", label=f"board/kernel-{i}") for i in range(6)]
    for view in (*views(runs), *views(runs, ["aps", "infn", "spring8", "rhealstone"])):
        wide = [line for line in plain(study_lines(view, width)).splitlines() if len(line) > width]
        assert not wide
    by_itself = msgspec.structs.replace(_run("none"), studies=())
    lines = plain(screen_of([by_itself], measured_study([by_itself]), width)).splitlines()
    assert max(map(len, lines)) <= width


def test_what_makes_figures_doubtful_comes_first_by_the_names_of_the_field() -> None:
    run = _run("none")
    env = {"machine.virtualisation": "KVMKVMKVM, container docker"}
    sessions = tuple(msgspec.structs.replace(s, env=s.env | env) for s in run.sessions)
    host = {"cpu.measured.steal_percent": "0.7", "cpu.measured.others_percent": "4.2"}
    told = doubts(msgspec.structs.replace(run, sessions=sessions, host=host, degraded=()))
    assert told == ("steal time 0.7 %", "not idle: 4.2 % used by others", "virtual machine (KVM, container docker)")
    quiet = {"cpu.measured.steal_percent": "0.5", "cpu.measured.others_percent": "3.0"}
    assert doubts(msgspec.structs.replace(run, host=quiet, degraded=())) == ()
