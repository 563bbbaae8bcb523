# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of virtual boards: their unit, unlike boards, runs that failed, the spread over repetitions."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from rtstone.model import Run
from rtstone.model.labels import unit_of_time
from rtstone.show.tables import TableView, comma_separated, markdown, plain, screen_of, study_lines, study_view
from rtstone.studies import study
from support.measured import run_for


def board(name: str, *, platform: str = "p", identity: str = "", repetitions: int = 1, rate: int = 62_500_000) -> Run:
    host = {"board.id": name.partition("/")[0], "board.platform": platform, "board.identity": identity or name}
    run = run_for("sscl", target=f"board:{name}", repetitions=repetitions, host=host, run_id=f"{name}-{identity}")
    return replace(run, time="instruction-time", instructions_per_second=rate)


def _notes(view: TableView, title: str) -> list[str]:
    """The notes at the headings that begin so."""
    marks = {mark for c in view.columns if c.title.startswith(title) for mark in c.marks}
    return [view.notes[mark - 1] for mark in sorted(marks)]


@pytest.mark.parametrize("number", ["1", "2"])
def test_every_column_names_its_unit_and_rate(number: str) -> None:
    runs = [board("arm64/bare"), run_for("sscl")]
    for view in (v for v in study_view(runs, study("sscl")).tables if v.number == number and v.kind == "paper"):
        (note,) = _notes(view, "board:arm64/bare")
        assert note.startswith("instruction-time at 62.5 M instructions/s, 16.0 ns an instruction")
        assert _notes(view, "this machine") == []
        assert any("instruction-time at 62.5 M instructions/s" in footer for footer in view.footers)


def test_a_rate_that_was_not_told() -> None:
    assert unit_of_time(board("x/y", rate=0)) == "instruction-time at a rate that was not told"
    assert unit_of_time(run_for("sscl")) == ""


def test_one_boards_kernels_are_compared_without_a_mark() -> None:
    view = study_view([board("arm64/bare"), board("arm64/freertos")], study("sscl")).tables[0]
    assert not any("not comparable" in note for note in view.notes)


def _configured(name: str, **facts: str) -> Run:
    run = board(name)
    told = {
        "sched.slices": "none",
        "sched.tick_hz": "1000",
        **{key.replace("__", "."): value for key, value in facts.items()},
    }
    return replace(run, sessions=tuple(replace(s, env={**s.env, **told}) for s in run.sessions))


def test_a_kernel_that_is_configured_otherwise_says_in_what() -> None:
    runs = [_configured("arm64/freertos"), _configured("arm64/rt", sched__slices="one tick"), board("arm64/bare")]
    view = study_view(runs, study("sscl")).tables[0]
    said = [note for note in view.notes if note.startswith("configured differently")]
    assert said == [
        "configured differently from a kernel beside it: time slices: none",
        "configured differently from a kernel beside it: time slices: one tick",
    ]
    same = study_view([_configured("arm64/freertos"), _configured("arm64/rt")], study("sscl")).tables[0]
    assert not any("configured" in note for note in same.notes)
    elsewhere = study_view(
        [_configured("arm64/freertos"), _configured("x/rt", sched__slices="one tick")], study("sscl")
    ).tables[0]
    assert not any("configured" in note for note in elsewhere.notes)


def test_unlike_boards_are_marked_at_every_column() -> None:
    runs = [board("arm64/bare"), board("mps2-an385/bare", platform="q")]
    for view in study_view(runs, study("sscl")).tables:
        assert sum("not comparable with other platforms' figures" in note for note in view.notes) == 2
    alone = study_view(runs[:1], study("sscl")).tables[0]
    assert not any("not comparable" in note for note in alone.notes)


def test_unlike_boards_are_the_first_note_of_the_first_screen_and_no_doubt() -> None:
    def notes(*runs: Run) -> list[str]:
        lines = ["".join(span.text for span in line) for line in screen_of(runs, study("sscl"))]
        assert not [text for text in lines if text.startswith("Doubtful")]
        return [text for text in lines if text.startswith("Note")]

    said = "Note: boards of several platforms, not comparable with each other; instruction-time at 62.5 M"
    (note,) = notes(board("arm64/bare"), board("arm64-gicv3/bare", platform="q"))
    assert note.startswith(said)
    (note,) = notes(board("arm64/bare"), board("arm64/freertos"))
    assert note.startswith("Note: instruction-time")


def test_another_image_of_one_kernel_is_marked() -> None:
    runs = [board("arm64/bare", identity="1"), board("arm64/bare", identity="2")]
    view = study_view(runs, study("sscl")).tables[0]
    assert sum("not comparable with the same target's other image" in note for note in view.notes) == 2


def test_a_run_that_failed_keeps_its_place() -> None:
    failed = replace(board("arm64/none"), sessions=(), status="incomplete", error="it could not be built")
    views = study_view([failed, board("arm64/bare")], study("sscl")).tables
    for view in (v for v in views if v.kind == "paper"):
        assert "the run failed: it could not be built" in _notes(view, "board:arm64/none (failed)")
        place = next(i for i, c in enumerate(view.columns) if c.title == "board:arm64/none (failed)")
        assert {line.cells[place].state for line in view.lines} == {"absent"}
    assert "(failed)" in plain(study_lines(study_view([failed], study("slac"))))


def _spread(runs: list[Run]) -> list[TableView]:
    return [view for view in study_view(runs, study("sscl")).tables if view.kind == "spread"]


def test_spread_over_repetitions() -> None:
    (view,) = _spread([board("arm64/bare", repetitions=4), board("arm64/freertos", repetitions=4)])
    assert [c.title for c in view.columns][2:4] == ["on", "repetitions"]
    assert "maximum observed" not in view.title
    rows = [[cell.text for cell in line.cells] for line in view.lines]
    assert len(rows) == 2 * 2 * 2  # responses, loads, kernels
    assert [row[2] for row in rows] == ["board:arm64/bare", "board:arm64/freertos"] * 4
    for row in rows:
        assert row[3] == "4"
        for text in row[4:]:
            whole, least, largest = (float(n) for n in re.fullmatch(r"(\S+) \((\S+) … (\S+)\)", text).groups())  # type: ignore[union-attr]
            assert least <= whole <= largest
        assert re.fullmatch(r"(\S+) \(\S+ … \1\)", row[6])  # the maximum of all is the largest of any


def test_no_spread_without_repetitions() -> None:
    assert _spread([board("arm64/bare")]) == []


def test_the_spread_is_exported_too() -> None:
    views = [study_view([board("arm64/bare", repetitions=2)], study("sscl"))]
    assert "over repetitions" in markdown(views)
    assert any(line.startswith("sscl,2,spread,") for line in comma_separated(views).splitlines())
