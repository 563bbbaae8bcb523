# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the time goes: a line a stage that adds up, every sample accounted for, and the cost of the tracing."""

from __future__ import annotations

import msgspec
import pytest

from rtstone.model import Event, Figure, Result, Run, Variant, stage_chain
from rtstone.show.tables import TableView, study_view
from rtstone.studies import study
from support.measured import skipped
from support.runs import make_result, make_run

STAGES = ("expiry-to-handler", "handler-to-waking", "waking-to-switch", "switch-to-user")
OTHERS = ("interrupt-task-response", "context-switch-delay", "untraced-task-response", "split-task-response")


@pytest.mark.parametrize(
    ("names", "chain"),
    [
        (("interrupt-task-response", *STAGES, "context-switch-delay"), STAGES),
        (STAGES, STAGES),
        (("a-to-b", "c-to-d"), ()),
        (("a-to-b", "c-to-d", "b-to-c"), ("a-to-b", "b-to-c")),
        (("memory-to-memory",), ()),
        (("semaphore-ping", "queue-fill"), ()),
        ((), ()),
    ],
)
def test_stages_are_told_by_their_names(names: tuple[str, ...], chain: tuple[str, ...]) -> None:
    assert stage_chain(names) == chain


def split_run(**figures: int) -> Run:
    """A run of which every stage takes so many ticks: 1000, 200, 3000 and 800; with the programs off the whole is 4600."""
    told = {"samples-split": 90, "unsplit-late": 10, "events-lost": 0} | {
        k.replace("_", "-"): v for k, v in figures.items()
    }
    typical = dict(zip((*STAGES, *OTHERS), (1000, 200, 3000, 800, 5000, 3800, 4600, 5000), strict=True))
    results: list[Result] = []
    for quantity, ticks in typical.items():
        made = make_result(
            quantity,
            measurement="interrupt-split",
            variant=Variant(period_ns=250_000),
            values=[ticks] * (90 if quantity in (*STAGES, "split-task-response") else 100),
        )
        results.append(
            msgspec.structs.replace(
                made, figures=tuple(Figure(k, "ns" if "time" in k else "runs", v) for k, v in told.items())
            )
        )
    return make_run(results=tuple(results), studies=("slac",))


def where_the_time_goes(run: Run) -> TableView:
    (found,) = (view for view in study_view([run], study("slac")).tables if "where the time goes" in view.title)
    return found


def test_a_line_a_stage_and_shares_that_add_up() -> None:
    view = where_the_time_goes(split_run())
    texts = [[cell.text for cell in line.cells] for line in view.lines]
    assert [line[0] for line in texts] == [
        *(stage.replace("-to-", " → ") for stage in STAGES),
        "all four",
        "all four, with the programs off",
    ]
    assert [line[-1] for line in texts] == ["20.0 %", "4.0 %", "60.0 %", "16.0 %", "", ""]
    assert texts[0][2:5] == ["90", "1.00", "1.00"]
    assert texts[4][2] == "100"


def test_samples_without_stages_lost_events_and_the_probe_effect_are_told() -> None:
    told = "\n".join(where_the_time_goes(split_run(unsplit_unmatched=3)).footers)
    assert "90 of 100 samples have all stages" in told
    assert "10 came while the task still ran" in told
    assert "3 were not reported by the kernel" in told
    assert "events lost: 0" in told
    assert "with the BPF programs is 5.00 µs, without them 4.60 µs (100 samples" in told
    assert "probe effect is 0.400 µs" in told
    assert "times a second" not in told


def test_the_cost_is_that_of_the_whole_system() -> None:
    run = split_run(programs_runs=20_000, programs_time=2_000_000, programs_timed_for=1_000_000_000)
    # Figures belong to the item: each of its series carries them, and one alone is read.
    told = "\n".join(where_the_time_goes(run).footers)
    assert "20 000 times a second, 100 ns each" in told
    assert "0.20 % of one CPU" in told


def test_the_papers_lines_are_filled_by_the_stamps() -> None:
    paper = study_view([split_run()], study("slac")).tables[0]
    ours = {line.cells[0].text: [c.text for c in line.cells[1:]] for line in paper.lines}
    assert ours["this machine (stamped by the kernel)"] == ["1.00 (1.00 ± 0.00)", "3.80 (3.80 ± 0.00)"]


def test_all_rows_of_a_stamped_column_are_of_the_same_samples() -> None:
    """Ten of a hundred samples are of a task that had not yet slept: its response was short, and no handler's is known."""
    run = split_run(unsplit_late=4, unsplit_awake=6)
    awake = next(r for r in run.results() if r.quantity == "interrupt-task-response")
    short = make_result(
        awake.quantity, measurement=awake.measurement, variant=awake.variant, values=[100] * 10 + [5000] * 90
    )
    results = tuple(msgspec.structs.replace(short, figures=r.figures) if r is awake else r for r in run.results())
    view = study_view([make_run(results=results, studies=("sscl",))], study("sscl")).tables
    paper = next(one for one in view if (one.number, one.kind) == ("2", "paper"))
    column = [c.title for c in paper.columns].index("this machine (idle, stamped by the kernel)")
    rows = {line.cells[0].text: line.cells[column] for line in paper.lines}
    assert rows["Interrupt Service Response"].text == "1.00/1.00/1.00"
    assert rows["Interrupt Task Response"].text == "5.00/5.00/5.00"
    marks = {rows[f"Interrupt {what} Response"].marks for what in ("Service", "Task")}
    assert len(marks) == 1
    said = " ".join(paper.notes[mark - 1] for mark in marks.pop())
    assert (
        "of 90 samples, the same in all rows; of 100 that were taken 4 came while the task still ran; 6 woke the task"
        in said
    )


def test_trails_are_shown_by_their_samples_and_the_rest_is_counted() -> None:
    run = split_run()
    kinds = ("switch kworker/1:1H", "interrupt 24", "timer", "switch rtstone-engine")
    events = [Event(kind, 1_000 * n + 100 * i, n) for n in range(1, 9) for i, kind in enumerate(kinds)]
    events.append(Event("broken", 5, 3))
    traced = [msgspec.structs.replace(r.variant, trace_over_ns=100_000) for r in run.results()]
    results = tuple(
        msgspec.structs.replace(r, events=tuple(events), variant=variant)
        for r, variant in zip(run.results(), traced, strict=True)
    )
    told = where_the_time_goes(make_run(results=results, studies=("slac",))).footers
    trails = [text for text in told if "before sample" in text]
    assert len(trails) == 5
    assert trails[0].endswith(
        "before sample 1: −300 ns switch kworker/1:1H, −200 ns interrupt 24, −100 ns timer, then switch rtstone-engine"
    )
    assert any("an event trail was saved for samples above 100 µs" in text for text in told)
    assert any("in the record: 3 more trails" in text for text in told)
    assert not any("broken" in text for text in told)


def test_what_was_skipped_says_why_and_has_no_stages() -> None:
    result = skipped(make_result("interrupt-split", variant=Variant(period_ns=250_000)))
    view = study_view([make_run(results=(result,), studies=("slac",))], study("slac"))
    assert not [table for table in view.tables if "where the time goes" in table.title]
    starred = [c for line in view.tables[0].lines for c in line.cells if c.state == "skipped"]
    assert len(starred) == 2
    assert all(cell.marks for cell in starred)
