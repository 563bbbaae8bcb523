# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The papers' tables: every published figure is there as printed, and ours are what the record holds."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rtstone.model import Degraded, Result, Run
from rtstone.show.tables import Cell, TableView, study_view, views
from rtstone.studies import reference, studies, study
from support.measured import noted, run_for, samples_of, skipped


def table(run: Run, study_id: str, number: str, kind: str = "paper") -> TableView:
    found = study_view([run], study(study_id)).tables
    return next(view for view in found if (view.number, view.kind) == (number, kind))


def cell(view: TableView, line: str, column: str, group: str = "") -> Cell:
    """The cell of a line's label and a column's title."""
    titles = [c.title for c in view.columns]
    for one in view.lines:
        if one.cells[0].text == line and (not group or one.group == group):
            return one.cells[titles.index(column)]
    raise AssertionError(f"no line {line!r}")


def notes(view: TableView, of: Cell) -> list[str]:
    return [view.notes[mark - 1] for mark in of.marks]


@pytest.mark.parametrize(
    ("study_id", "number", "layout"),
    [
        ("sscl", "1", "{min}/{max}/{avg}"),
        ("sscl", "2", "{min}/{max}/{avg}"),
        ("slac", "1", "{max} ({avg} ± {sd})"),
        ("spring8", "2", "{value}"),
        ("spring8", "3", "{mean} (SD={sd})"),
    ],
)
def test_every_published_cell_is_there_as_printed(study_id: str, number: str, layout: str) -> None:
    view = table(run_for(study_id), study_id, number)
    cells: dict[tuple[str, str, str], dict[str, str]] = {}
    for f in reference.load(study_id):
        if f.table == number:
            cells.setdefault((f.row, f.platform, f.condition), {})[f.statistic] = f.value
    expected = sorted("*" if set(c.values()) == {"*"} else layout.format(**c) for c in cells.values())
    shown = sorted(c.text for line in view.lines for c in line.cells if c.state == "published")
    assert shown == expected


def test_ours_are_the_set_averages_of_the_record() -> None:
    run = run_for("sscl")
    view = table(run, "sscl", "1")
    first = next(r for r in run.results() if r.measurement == "task-create-delete" and r.variant.load == "none")
    averages = [total / first.ops / 1000 for total in first.batches]
    got = [float(part) for part in cell(view, "Create/Delete Task", "this machine (idle)").text.split("/")]
    assert got == pytest.approx([min(averages), max(averages), sum(averages) / len(averages)], rel=0.005)
    loaded = [float(part) for part in cell(view, "Create/Delete Task", "this machine (cpu load)").text.split("/")]
    assert min(loaded) > max(got)


def test_table_2_is_of_single_samples() -> None:
    run = run_for("sscl", loads=["none"])
    got = cell(table(run, "sscl", "2"), "Interrupt Task Response", "this machine (idle)")
    item = next(r.item for r in run.results() if r.quantity == "interrupt-task-response")
    base = 1000 + 100 * item
    assert [float(part) for part in got.text.split("/")] == pytest.approx(
        [base / 1000, (base + 99) / 1000, (base + 49.5) / 1000], rel=0.005
    )


def test_slac_has_a_line_of_ours_under_each_condition() -> None:
    view = table(run_for("slac"), "slac", "1")
    assert [line.group for line in view.lines] == ["Idle System"] * 5 + ["Loaded System"] * 5
    assert cell(view, "this machine", "Context Switching").state == "value"
    assert cell(view, "this machine (cpu load)", "Context Switching", "Loaded System").state == "value"


def test_spring8_has_both_classes_and_both_kinds_of_task() -> None:
    view = table(run_for("spring8"), "spring8", "3")
    ours = [line for line in view.lines if line.cells[2].state == "value"]
    labels = [line.cells[0].text for line in ours if line.cells[0].text]
    assert labels == [
        "this machine (RT-class)",
        "this machine (time-sharing)",
        "this machine (threads, RT-class)",
        "this machine (threads, time-sharing)",
    ]
    assert [line.cells[1].text for line in ours] == ["No load", "CPU load"] * 4
    assert all("SD=" in line.cells[2].text for line in ours)


def test_what_this_version_does_not_measure_is_a_dash_that_says_so() -> None:
    view = table(run_for("spring8"), "spring8", "figure1")
    (row,) = (line for line in view.lines if line.cells[0].text == "data transfer speed")
    assert (row.cells[-1].text, row.cells[-1].state) == ("–", "absent")
    assert "stands for all of its bars" in notes(view, row.cells[-1])[0]
    published = next(cell for cell in row.cells if cell.state == "published")
    assert published.text == "in words"
    assert "typical 1.2 Mbytes/sec" in notes(view, published)[0]


def test_a_doubtful_unit_keeps_its_doubt() -> None:
    view = table(run_for("spring8"), "spring8", "2")
    heads = [line.cells[0] for line in view.lines if line.cells[1].state == "published"]
    assert len(heads) == 3
    assert all(any("msec" in text for text in notes(view, head)) for head in heads)


def only(measurement: str, result: Result, changed: Result) -> Result:
    return changed if result.measurement == measurement else result


def test_a_skipped_cell_is_an_asterisk_with_its_reason() -> None:
    run = run_for("sscl", change=lambda r: only("queue-fill", r, skipped(r, "no queues here")))
    got = cell(table(run, "sscl", "1"), "Queue Fill", "this machine (idle)")
    assert (got.text, got.state) == ("*", "skipped")
    assert notes(table(run, "sscl", "1"), got) == ["no queues here"]


def test_a_skip_of_several_series_marks_each_of_their_rows() -> None:
    run = run_for("sscl", change=lambda r: only("interrupt-response", r, skipped(r, "no timer here", "denied")))
    view = table(run, "sscl", "2")
    for row in ("Interrupt Service Response", "Interrupt Task Response"):
        got = cell(view, row, "this machine (idle)")
        assert got.text == "*"
        assert notes(view, got) == ["denied: no timer here"]


@pytest.mark.parametrize("status", ["invalid", "failed", "incomplete"])
def test_a_doubtful_figure_never_stands_without_its_mark(status: str) -> None:
    def break_it(result: Result) -> Result:
        return only("queue-fill", result, replace(result, status=status, reason="check", text="switches is 3"))

    run = run_for("sscl", change=break_it)
    for kind in ("paper", "distribution"):
        view = table(run, "sscl", "1", kind)
        line = next(one for one in view.lines if one.cells[0].text == "Queue Fill")
        figures = [c for c, column in zip(line.cells, view.columns, strict=True) if column.kind == "ours" and c.text]
        assert figures
        assert all(c.state in {"invalid", "absent"} and (c.text.endswith("!") or c.state == "absent") for c in figures)
        assert any(f"{status}: switches is 3" in notes(view, c) for c in figures)


def test_what_was_not_in_the_plan_is_a_dash() -> None:
    run = run_for("sscl")
    fewer = tuple(r for r in run.sessions[0].results if r.measurement != "queue-fill")
    run = replace(run, sessions=(replace(run.sessions[0], results=fewer),))
    got = cell(table(run, "sscl", "1"), "Queue Fill", "this machine (idle)")
    assert (got.text, got.state) == ("–", "absent")


def test_a_substitute_is_noted_at_its_cell_and_in_both_tables() -> None:
    run = run_for("sscl", change=lambda r: only("block-free", r, noted(r, "blocks", "free stands in")))
    for kind in ("paper", "distribution"):
        view = table(run, "sscl", "1", kind)
        line = next(one for one in view.lines if one.cells[0].text == "Deallocate Memory")
        assert any("free stands in" in notes(view, c) for c in line.cells)


def test_a_degraded_run_is_marked_in_every_table_with_its_remedy() -> None:
    lack = Degraded("no-realtime", "SCHED_FIFO is refused", "sudo setcap x")
    for view in study_view([run_for("spring8", degraded=(lack,))], study("spring8")).tables:
        assert "degraded: SCHED_FIFO is refused. Remedy: sudo setcap x" in view.notes
        marked = [c.marks for c in view.columns] + [c.marks for line in view.lines for c in line.cells]
        assert any(marked)


def test_repetitions_are_pooled_and_a_bad_one_is_left_out_and_told() -> None:
    run = run_for("sscl", repetitions=3)
    view = table(run, "sscl", "1", "distribution")
    assert cell(view, "Queue Fill", "n").text == "300"
    first = run.sessions[0]
    broken = tuple(
        replace(r, status="invalid", text="broken") if r.measurement == "queue-fill" else r for r in first.results
    )
    run = replace(run, sessions=(replace(first, results=broken), *run.sessions[1:]))
    got = cell(table(run, "sscl", "1", "distribution"), "Queue Fill", "n")
    assert got.text == "200 !"
    assert notes(table(run, "sscl", "1", "distribution"), got) == ["1 of 3 repetitions left out; invalid: broken"]


def test_each_target_has_its_columns_and_names_tell_twins_apart() -> None:
    runs = [
        replace(run_for("sscl", target="board:arm64/freertos", run_id="a" * 20), time="instruction-time"),
        replace(run_for("sscl", target="board:arm64/bare", run_id="b" * 20), time="instruction-time"),
    ]
    view = study_view(runs, study("sscl")).tables[0]
    ours = [c for c in view.columns if c.kind == "ours"]
    assert [c.title for c in ours] == [
        "board:arm64/freertos (idle)",
        "board:arm64/freertos (cpu load)",
        "board:arm64/bare (idle)",
        "board:arm64/bare (cpu load)",
    ]
    assert all("instruction-time" in view.notes[c.marks[0] - 1] for c in ours)
    twins = [run_for("slac", run_id="20260101T000000-aaaa"), run_for("slac", run_id="20260102T000000-bbbb")]
    lines = study_view(twins, study("slac")).tables[0].lines
    names = {line.cells[0].text for line in lines if line.cells[0].text.startswith("this machine")}
    assert len(names) == 4


def test_other_circumstances_have_columns_of_their_own() -> None:
    def flushed(result: Result) -> Result:
        return replace(result, variant=replace(result.variant, cache="flushed", sched="ts"))

    view = table(run_for("sscl", loads=["none"], change=flushed), "sscl", "1")
    assert view.columns[-1].title == "this machine (idle, time-sharing class, caches flushed)"


def test_another_period_than_the_studys_is_told() -> None:
    def slow(result: Result) -> Result:
        return replace(result, variant=replace(result.variant, period_ns=1_000_000))

    view = table(run_for("slac", change=slow), "slac", "1")
    assert "period 1000 µs instead of the study's 250 µs" in view.notes


def test_percentiles_without_enough_samples_are_dashes() -> None:
    view = table(run_for("slac"), "slac", "1", "distribution")
    titles = [c.title for c in view.columns]
    line = view.lines[0]
    assert line.cells[titles.index("n")].text == "100"
    assert line.cells[titles.index("p99.9")].state == "absent"
    assert line.cells[titles.index("p99")].state == "value"


def test_the_clock_behind_the_figures_is_told() -> None:
    view = table(run_for("sscl"), "sscl", "2")
    assert view.footers[0].startswith("published: clock quantum 6.25 µs")
    assert (
        "clock tsc at 1 GHz, quantum 1.00 ns, resolution 2.00 ns, a reading costs 25.0 ns (not subtracted)"
        in view.footers[1]
    )
    assert "idle: n = 100" in view.footers[1]


def test_what_a_batch_holds_beside_its_operations_is_told() -> None:
    def refilled(result: Result) -> Result:
        return replace(result, readings=125 if result.quantity == "queue-fill" else 1)

    run = run_for("sscl", change=refilled)
    (session,) = run.sessions
    account = replace(session.calibrations[0], name="ping-account", count=64_000, total=320_000, min=5, median=5, max=6)
    run = replace(run, sessions=(replace(session, calibrations=(*session.calibrations, account)),))
    footer = table(run, "sscl", "1").footers[1]
    assert "a reading costs 25.0 ns (not subtracted), a ping's accounts 5.00 ns a round (neither)" in footer
    assert "operations, up to 125 clock readings in each" in footer


def test_runs_without_a_study_show_what_they_measured() -> None:
    run = replace(run_for("slac"), studies=())
    (view,) = views([run])
    assert view.sheet is None
    labels = {line.cells[0].text for table in view.tables for line in table.lines} - {""}
    assert labels == {"interrupt-service-response", "interrupt-task-response", "context-switch-delay"}


def test_the_builder_of_these_runs_gives_what_it_says() -> None:
    result = run_for("slac", loads=["none"]).results()[0]
    assert result.min == 1000 + 100 * result.item
    assert result.count == 100
    assert samples_of.__doc__


def test_a_table_without_a_column_of_figures_is_not_shown() -> None:
    assert [table.number for table in study("slac").tables] == ["1", "layer"]
    assert {view.number for view in study_view([run_for("slac")], study("slac")).tables} == {"1"}
    live = study_view([run_for("slac", given=("live",))], study("slac"))
    assert {view.number for view in live.tables} == {"1", "layer"}


def test_each_note_is_that_of_a_cell_or_a_column() -> None:
    board = replace(run_for("sscl"), time="instruction-time")
    for runs in ([board], [run_for("slac"), board], []):
        for one in studies():
            for view in study_view(runs, one).tables:
                marks = {mark for column in view.columns for mark in column.marks}
                marks |= {mark for line in view.lines for cell in line.cells for mark in cell.marks}
                assert marks == {*range(1, len(view.notes) + 1)}, view.title


def test_a_note_of_a_later_column_stays_at_its_figure() -> None:
    view = table(run_for("slac"), "aps", "2")
    marked = [cell for line in view.lines for cell in line.cells if cell.text == "0.000"]
    assert [notes(view, cell)[0][:13] for cell in marked] == ["printed 0.000"]
