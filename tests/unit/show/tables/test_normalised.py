# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines that divide by the first column, as the paper's Figure 1 does."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from rtstone.errors import UsageError
from rtstone.model import Run
from rtstone.show.tables import study_view, views
from rtstone.show.tables._added_rows import _gain
from rtstone.studies import study
from support.measured import run_for

SPRING8 = study("spring8")


def _run(label: str, slower: int) -> Run:
    run = run_for("spring8")
    sessions = tuple(
        replace(
            session,
            results=tuple(
                replace(r, batches=tuple(t * slower for t in r.batches), sum=r.sum * slower) if r.batches else r
                for r in session.results
            ),
        )
        for session in run.sessions
    )
    return replace(run, label=label, id=label, sessions=sessions)


def _normalised(*runs: Run) -> dict[str, list[str]]:
    (view,) = (t for t in study_view(list(runs), SPRING8).tables if t.number == "figure1")
    return {
        line.cells[0].text: [cell.text for cell in line.cells if cell.state in {"value", "absent"}]
        for line in view.lines
        if line.group.startswith("Normalised: first")
    }


def test_the_first_run_is_one_and_the_others_are_parts_of_it() -> None:
    lines = _normalised(_run("first", 1), _run("second", 4))
    assert len(lines) == 12
    assert set(map(tuple, lines.values())) == {("1.00", "1.00", "0.25", "0.25")}


def test_one_run_has_nothing_to_be_divided_by() -> None:
    assert _normalised(_run("first", 1)) == {}


def test_what_may_not_be_believed_is_a_dash_and_never_a_divisor() -> None:
    good, bad = _run("first", 1), _run("second", 1)
    (faulty,) = bad.sessions
    results = tuple(replace(r, status="invalid") if r.measurement == "transfer-read-d8" else r for r in faulty.results)
    bad = replace(bad, sessions=(replace(faulty, results=results),))
    assert _normalised(good, bad)["D8 READ"] == ["1.00", "1.00", "–", "–"]
    assert "D8 READ" not in _normalised(replace(bad, label="first"), replace(good, label="second"))


def test_any_row_may_be_one_in_each_column() -> None:
    runs = [replace(_run("first", 1), studies=("spring8",)), replace(_run("second", 4), studies=("spring8",))]
    (view,) = (t for v in views(runs, (), "D16 WRITE") for t in v.tables if t.number == "figure1")
    lines = {
        line.cells[0].text: [cell.text for cell in line.cells if cell.state == "value"]
        for line in view.lines
        if line.group == "Normalised: D16 WRITE is 1"
    }
    assert len(lines) == 12
    assert set(lines["D16 WRITE"]) == {"1.00"}
    # What is slower in all its rows is the same when divided by one of them; a row that is not the divisor is not 1.
    assert all(cells[:2] == cells[2:] for cells in lines.values())
    assert lines["D8 READ"][0] != "1.00"
    with pytest.raises(UsageError, match="unknown row to normalise by 'D9'"):
        views(runs, (), "D9")


def test_table_1_tells_of_this_machine_what_its_record_holds() -> None:
    run = _run("first", 1)
    facts = {"cpu.model": "K6-2", "cpu.mhz": "333.4", "machine.memory": "65536 kB"}
    run = replace(run, sessions=tuple(replace(s, env=facts) for s in run.sessions))
    (view,) = (t for t in study_view([run], SPRING8).tables if t.number == "1")
    told = {line.cells[0].text: line.cells[-1].text for line in view.lines}
    assert told["CPU"] == "K6-2"
    assert (told["Clock"], told["Memory"], told["Bus"], told["Maker"]) == ("333 MHz", "64 MB", "shared memory", "–")


def test_a_gain_has_its_interval_and_too_few_transfers_none() -> None:
    told = _gain([100.0, 101.0, 99.0, 100.0], [200.0, 202.0, 198.0, 200.0])
    value, low, high = map(float, re.findall(r"[+-][0-9.]+", told.text))
    assert low < value < high
    assert value == pytest.approx(100, abs=0.1)  # half the time is twice the speed
    assert low == pytest.approx(97.2, abs=0.5)
    assert high == pytest.approx(102.9, abs=0.5)
    assert _gain([100.0, 101.0], [200.0, 202.0, 198.0]).state == "absent"


def test_the_windows_of_a_link_stand_beside_each_other() -> None:
    (view,) = (t for t in study_view([run_for("infn")], study("infn")).tables if t.number == "windows")
    gains = [line.cells[0].text for line in view.lines if line.group.startswith("Gain over 8 kB")]
    assert gains == ["16 kB", "24 kB", "32 kB", "40 kB", "48 kB", "56 kB"]
