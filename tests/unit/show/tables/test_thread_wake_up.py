# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a thread stands in for an interrupt's handler, no table calls its wake-up by the paper's name for the handler's response."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rtstone.model import Result, Run
from rtstone.show.tables import TableView, study_view
from rtstone.studies import study
from support.measured import noted, run_for

NAMES = {"interrupt-service-response": "thread-wake-up", "top-to-bottom-half": "second-thread-wake-up"}
PAPERS = {
    "sscl": ("2", "Interrupt Service Response"),
    "slac": ("1", "Interrupt Latency"),
    "spring8": ("2", "Interrupt response time"),
    "aps": ("1", "Interrupt Latency"),
    "rhealstone": ("1", "Interrupt latency"),
}
BY = ("interrupt-response", "interrupt-stages")


def by_thread(result: Result) -> Result:
    """The result as an engine reports it today."""
    told = replace(result, entered="thread") if result.measurement in BY else result
    return replace(told, quantity=NAMES.get(told.quantity, told.quantity)) if told.entered else told


def as_before(result: Result) -> Result:
    """The result as an old engine reported it, which only added a note."""
    return noted(result, "timer", "a thread stands in for the handler") if result.measurement in BY else result


def tables(name: str, *runs: Run) -> list[TableView]:
    return [view for view in study_view(list(runs), study(name)).tables if view.kind != "spread"]


@pytest.mark.parametrize("change", [by_thread, as_before])
@pytest.mark.parametrize("name", PAPERS)
def test_a_threads_figures_stand_in_no_row_of_a_handler(name: str, change: object) -> None:
    assert callable(change)
    handler = tables(name, run_for(name, change=lambda r: replace(r, entered="handler")))
    thread = tables(name, run_for(name, change=change))
    number, row = PAPERS[name]
    for views, wanted in ((handler, False), (thread, True)):
        text = [
            [cell.text for cell in line.cells]
            for view in views
            if view.number == number and view.kind == "paper"
            for line in view.lines
        ]
        told = [line for line in text if "thread wake-up after a timer" in line[0].lower()]
        assert bool(told) is wanted, text
        assert not told or any(any(c.isdigit() for c in cell) for line in told for cell in line[1:])
        ours = [line[-1] for line in text if line[0] == row]
        assert all(any(c.isdigit() for c in cell) is not wanted for cell in ours), text


@pytest.mark.parametrize(
    ("meaning", "timer", "quantity", "armed"),
    [
        (2, "default", "context-switch-delay", True),  # a saved run
        (0, "nanosleep", "context-switch-delay", True),
        (2, "timerfd", "context-switch-delay", False),
        (3, "default", "context-switch-delay", False),
        (3, "nanosleep", "arm-and-switch-delay", True),
    ],
)
def test_a_delay_in_which_a_timer_was_armed_stands_in_no_papers_row(
    meaning: int, timer: str, quantity: str, armed: bool
) -> None:
    def change(result: Result) -> Result:
        told = by_thread(result)
        if told.quantity == "context-switch-delay" and told.measurement == "interrupt-response":
            told = replace(told, quantity=quantity, meaning=meaning)
        return replace(told, variant=replace(told.variant, timer=timer))

    view = next(v for v in tables("slac", run_for("slac", change=change)) if (v.number, v.kind) == ("1", "paper"))
    lines = [line.cells[0].text for line in view.lines if line.cells[0].text.startswith("this machine")]
    assert lines
    assert any("timer armed, then context switch" in line for line in lines) is armed, lines


def test_a_board_and_a_machine_stand_in_rows_of_their_own() -> None:
    board = run_for("sscl", change=lambda r: replace(r, entered="handler"), target="board:arm64/freertos", run_id="b")
    (view,) = (
        v for v in tables("sscl", board, run_for("sscl", change=by_thread)) if (v.number, v.kind) == ("2", "paper")
    )
    rows = {line.cells[0].text: line.cells for line in view.lines}
    column = {c.title: n for n, c in enumerate(view.columns)}
    service, wake_up = rows["Interrupt Service Response"], rows["Thread wake-up after a timer"]
    on_board, here = column["board:arm64/freertos (idle)"], column["this machine (idle)"]
    assert service[on_board].state == wake_up[here].state == "value"
    assert (service[here].text, wake_up[on_board].text) == ("–", "")
    assert any("no handler" in view.notes[mark - 1] for mark in service[here].marks)
    assert [line.cells[0].text for line in view.lines][:2] == [
        "Interrupt Service Response",
        "Thread wake-up after a timer",
    ]


def test_the_vector_stands_beside_the_handler_and_a_port_that_has_it_alone_says_so() -> None:
    run = run_for("sscl", change=lambda r: replace(r, entered="handler"))
    session = run.sessions[0]
    vectors = [
        replace(r, quantity="interrupt-vector-response")
        for r in session.results
        if r.quantity == "interrupt-service-response"
    ]
    both = replace(run, sessions=(replace(session, results=(*session.results, *vectors)),))
    (paper,) = (t for t in tables("sscl", both) if (t.number, t.kind) == ("2", "paper"))
    named = {line.cells[0].text: [cell.text for cell in line.cells[1:]] for line in paper.lines}
    ours = named["Interrupt response at the vector"]
    assert ours[-1] == named["Interrupt Service Response"][-1]
    assert "Interrupt response at the vector" not in str(tables("sscl", run))

    alone = run_for("sscl", change=lambda r: replace(r, entered="vector") if r.measurement in BY else r)
    (paper,) = (t for t in tables("sscl", alone) if (t.number, t.kind) == ("2", "paper"))
    assert any("stamped at the vector" in note for note in paper.notes)
    cost = "a reading costs 25.0 ns (not subtracted; the stamp at the vector is only one read of a register)"
    assert cost in paper.footers[1]
    (throughput,) = (t for t in tables("sscl", alone) if (t.number, t.kind) == ("1", "paper"))
    assert "a reading costs 25.0 ns (not subtracted); idle" in throughput.footers[1]


@pytest.mark.parametrize("study", ["slac", "aps", "spring8"])
def test_where_platforms_are_lines_the_vector_has_a_line_beside_the_handlers(study: str) -> None:
    run = run_for(study, change=lambda r: replace(r, entered="handler"))
    session = run.sessions[0]
    handlers = [r for r in session.results if r.quantity == "interrupt-service-response"]
    vectors = [replace(r, quantity="interrupt-vector-response") for r in handlers]
    both = replace(run, sessions=(replace(session, results=(*session.results, *vectors)),))
    ours = [
        (line.cells[0].text, [c.text for c in line.cells[1:] if c.state == "value"])
        for view in tables(study, both)
        if view.kind == "paper"
        for line in view.lines
        if line.cells[0].text.startswith("this machine")
    ]
    beside = [figures for name, figures in ours if "at the vector" in name]
    assert beside
    assert all(beside)
    assert not [v for v in tables(study, run) if "at the vector" in str(v.lines)]
    alone = run_for(study, change=lambda r: replace(r, entered="vector") if r.measurement in BY else r)
    assert any("stamped at the vector" in note for view in tables(study, alone) for note in view.notes)


def test_what_a_run_says_of_its_network_chooses_the_papers_condition() -> None:
    run = replace(run_for("aps"), host={"network": "public"})
    private, public = (
        {line.group: line.cells[0].text for line in view.lines if line.cells[0].text.startswith("this machine")}
        for view in (tables("aps", run_for("aps"))[0], tables("aps", run)[0])
    )
    assert "Public network" in public, public
    assert "Public network" not in private
    assert any(group.startswith("Private network") for group in private)
    assert not any(group.startswith("Private network") for group in public)
