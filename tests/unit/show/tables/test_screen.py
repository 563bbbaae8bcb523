# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The first screen keeps its size, its bars agree with the figures, no note is shown twice, no table is too wide."""

from __future__ import annotations

import re

import msgspec
import pytest

from rtstone.model import Note, Run, Variant
from rtstone.show.tables import (
    _screen,
    doubts,
    markdown,
    measured_study,
    numbered_once,
    plain,
    run_notes,
    screen_of,
    study_lines,
    views,
)
from rtstone.show.tables._quantities import quantities
from rtstone.show.tables._screen import _shortened
from rtstone.studies import study
from support.runs import make_result, make_run, make_session, skipped

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
@pytest.mark.parametrize("width", [60, 80, 100, 132])
def test_it_keeps_its_size_whatever_there_is(width: int, chart: bool) -> None:
    for runs in ([_run("none")], [_run("none", "cpu", "disk")], [_run("none"), _run("cpu")]):
        lines = plain(screen_of(runs, None, width, chart=chart)).splitlines()
        assert len(lines) <= 40
        assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_quantity_of_several_runs_is_named_in_full(width: int) -> None:
    text = plain(screen_of([_run("none"), _run("cpu")], None, width))
    assert "Interrupt Task Response" in " ".join(text.replace("µs", "").split())


def _first(*runs: Run, width: int = 100) -> str:
    return " ".join(plain(screen_of(runs, None, width)).split())


@pytest.mark.parametrize("chart", [False, True])
def test_a_run_that_watched_a_program_is_not_called_idle(chart: bool) -> None:
    watched = msgspec.structs.replace(_run("none"), target="attached:comm x", studies=())
    for runs in ([watched], [watched, msgspec.structs.replace(watched, id="r2")]):
        text = plain(screen_of(runs, measured_study(runs), 100, chart=chart))
        assert "own load" in text
        assert "idle" not in text
    assert "own load" not in plain(screen_of([_run("none")], None, 100, chart=chart))


def test_it_begins_with_a_sentence_of_the_runs_own_figures() -> None:
    text = _first(_run("none", "cpu"))
    worst = "worst 900 µs of 1001"
    assert text.startswith("Interrupt Task Response: 99.9 % within ")
    assert re.match(
        rf"Interrupt Task Response: 99\.9 % within [0-9.]+ µs, {worst} \(idle\); .*{worst} \(cpu load\)\. ", text
    )
    few = make_run(
        results=(make_result("queue-fill", measurement="queue-fill", values=[20, 30, 40]),), studies=("sscl",)
    )
    assert _first(few).startswith("Queue Fill: half within 30.0 ns, worst 40.0 ns of 3 (idle). ")


def test_of_several_runs_it_says_which_is_faster_or_that_none_is_shown_to_be() -> None:
    text = _first(_run("none"), msgspec.structs.replace(_run("none"), id="other", label="other"))
    assert text.startswith("Interrupt Task Response: ")
    assert " against " in text.partition("µs p50")[0]
    assert "other against this machine, idle: insufficient data" in text
    loads = _first(_run("none", "cpu"), msgspec.structs.replace(_run("none", "cpu"), id="other", label="other"))
    assert "other against this machine, idle, cpu load: insufficient data" in loads
    assert "more quantities of these runs: rtstone show --tables" not in text  # all three are columns at this width
    assert "1 more quantity of these runs: rtstone show --tables" in _first(
        _run("none"), msgspec.structs.replace(_run("none"), id="other", label="other"), width=80
    )


@pytest.mark.parametrize("width", [80, 100])
def test_every_load_has_its_heading(width: int) -> None:
    lines = plain(screen_of([_run("none", "cpu")], None, width)).splitlines()
    (heads,) = (line for line in lines if line.startswith("µs"))
    assert heads.split()[1:] == ["idle", "cpu", "load"]
    crowded = plain(screen_of([_run("none", "cpu", "disk", "network", "memory")], None, width))
    for load in ("cpu load", "disk load", "network load", "memory load"):
        assert load in crowded, crowded


def test_names_are_cut_after_their_brackets_and_none_reads_as_another() -> None:
    labels = [("Queue Fill (System V queues)", 18), ("Queue Fill", 18), ("Alternate Queues Fill/Drain", 18)]
    assert _shortened(labels) == ["Queue Fill (Syste…", "Queue Fill", "Alternate Queues …"]
    alike = [("Interrupt Response (by the kernel)", 22), ("Interrupt Response (by the task)", 22)]
    assert len(set(_shortened(alike))) == 2


NAMES = (
    "Interrupt Task Response (stamped at the vector)",
    "Interrupt Task Response (stamped by the task)",
    "Interrupt Task Response (standing in for a task)",
    "Interrupt Task Response",
)


@pytest.mark.parametrize("width", [6, 12, 18, 28, 60])
def test_names_that_differ_look_different_though_marks_take_room_from_some(width: int) -> None:
    """A name cut two characters earlier is no other name to a reader: the part that differs is shown."""
    for less in (0, 2):
        rooms = [width - (less if i % 2 else 0) for i in range(len(NAMES))]
        made = _shortened(list(zip(NAMES, rooms, strict=True)))
        assert all(len(name) <= room for name, room in zip(made, rooms, strict=True))
        ends = [name.rstrip("…") for name in made]
        assert not any(a != b and a.startswith(b) and b != NAMES[-1] for a in ends for b in ends)
        assert len(set(made)) == len(NAMES)


def test_rows_of_a_screen_of_80_columns_have_different_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two names with one end, one of which leaves room for a mark."""
    names = ("Interrupt Task Response (stamped at the vector)", "Interrupt Task Response (stamped at a vector)")
    found, rates = quantities([study("sscl")])
    named = [msgspec.structs.replace(q, label=name) for q, name in zip(found, names, strict=False)]
    monkeypatch.setattr(_screen, "quantities", lambda _: (named, rates))
    results = []
    for item, q in enumerate(named):
        for load in ("none", "cpu"):
            need, under = q.single, Variant(load=load)
            values = [*range(20, 1_100)]
            made = make_result(need.quantity, measurement=need.measurement, item=item, values=values, variant=under)
            results.append(msgspec.structs.replace(made, notes=(Note("substituted", "x", "text"),) * item))
    run = make_run(results=tuple(results), studies=("sscl",))
    lines = plain(screen_of([run], None, 80)).splitlines()
    rows = [
        line.partition("  ")[0].rstrip("¹²,")
        for line in lines
        if line.startswith("Interrupt Task Resp") and "0.559" in line
    ]
    assert all("…" in row for row in rows)
    assert [row.split()[-2:] for row in rows] == [["the", "vector)"], ["a", "vector)"]]


def test_a_boards_figures_are_not_shown_beside_those_of_silicon() -> None:
    run = _run("none")
    assert "best published" in _first(run)
    assert "avg " in _first(run)
    board = msgspec.structs.replace(run, time="instruction-time")
    assert "best published" not in _first(board)
    drawn = plain(screen_of([board], None, 132, chart=True))
    assert "┃" not in drawn
    assert "bars: █ to p50, ▓ to p99.9, ░ to the maximum\n" in drawn + "\n"


def test_a_bar_reaches_to_median_percentile_and_maximum_and_the_best_published_figure_is_marked() -> None:
    text = plain(screen_of([_run("none", "cpu")], None, 132, chart=True))
    (task,) = (line for line in text.splitlines() if line.startswith("Interrupt Task Resp") and "█" in line)
    (fill,) = (line for line in text.splitlines() if line.startswith("Queue Fill"))
    assert re.search(r"█+▓*░+", task)
    assert task.count("┃") == fill.count("┃") == 1
    assert task.count("█") > fill.count("█")
    # 3 to 5 µs, and one sample of 900: the maximum alone is far out.
    assert len(re.findall("[█▓░┃]", task)) > len(re.findall("[█▓┃]", task)) > task.count("█")
    assert "bars: █ to p50, ▓ to p99.9, ░ to the maximum, ┃ best published" in text
    assert "░" not in plain(screen_of([_run("none")], None, 132, chart=False))


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
    busy = msgspec.structs.replace(run, sessions=sessions, host=host, degraded=())
    assert doubts(busy) == ("steal time 0.7 %", "not idle: 4.2 % used by others")
    # What holds for every run of this machine is no doubt about this one.
    assert run_notes(busy) == ("virtual machine (KVM, container docker)",)
    quiet = {"cpu.measured.steal_percent": "0.5", "cpu.measured.others_percent": "3.0"}
    assert doubts(msgspec.structs.replace(run, host=quiet, degraded=())) == ()


def test_with_an_earlier_run_it_says_what_changed_since() -> None:
    def measured(run_id: str, kernel: str, typical: int) -> Run:
        results = (make_result("thread-wake-up", measurement="interrupt-response", count=1500, typical=typical),)
        sessions = tuple(make_session(results, repetition=n, seed=n) for n in range(3))
        sessions = tuple(msgspec.structs.replace(s, env=s.env | {"kernel.release": kernel}) for s in sessions)
        return make_run(run_id, sessions=sessions, studies=("slac",), started="2026-11-24T02:30:00Z")

    earlier, now = measured("20261124T023000-" + "a" * 20, "6.1.0-17", 2_000), measured("r2", "6.1.0-18", 8_000)
    text = " ".join(plain(screen_of([now], None, 100, earlier=earlier)).split())
    since = re.search(
        r"Since run aaaaaaaa of 2026-11-24: 99\.9 % within [0-9.]+ µs → 99\.9 % within ([0-9.]+) µs, longer within these runs \(idle\);",
        text,
    )
    assert since
    assert f": 99.9 % within {since[1]} µs, worst" in text  # the sentence and this line have one figure
    assert "kernel.release 6.1.0-17 → 6.1.0-18" in text
    assert "Since" not in plain(screen_of([now], None, 100))
    latency = msgspec.structs.replace(now.sessions[0], env=now.sessions[0].env | {"changed.cpu_dma_latency_us": "0"})
    told = msgspec.structs.replace(now, sessions=(latency, *now.sessions[1:]))
    assert ", cpu_dma_latency_us – → 0" in " ".join(plain(screen_of([told], None, 100, earlier=earlier)).split())
    same = " ".join(plain(screen_of([msgspec.structs.replace(earlier, id="r3")], None, 100, earlier=earlier)).split())
    assert "nothing on record changed." in same
    assert "longer" not in same
    results = [msgspec.structs.replace(s.results[0], variant=Variant(timer="nanosleep")) for s in earlier.sessions]
    sessions = [msgspec.structs.replace(s, results=(r,)) for s, r in zip(earlier.sessions, results, strict=True)]
    otherwise = msgspec.structs.replace(earlier, id="r4", sessions=tuple(sessions))
    asked = " ".join(plain(screen_of([otherwise], None, 100, earlier=earlier)).split())
    assert ": changed: timer default → nanosleep." in asked
    once = msgspec.structs.replace(now, sessions=now.sessions[:1])
    assert ", not judged (idle);" in " ".join(plain(screen_of([once], None, 100, earlier=earlier)).split())


def test_nothing_is_left_out_without_a_count() -> None:
    runs = [
        msgspec.structs.replace(
            _run("none", "cpu"), id=f"r{n}", label=f"kernel-{n}", error="" if n % 2 else f"hung {n}"
        )
        for n in range(30)
    ]
    lines = plain(screen_of(runs, None, 100)).splitlines()
    assert len(lines) <= 40
    text = "\n".join(lines)
    assert "and 24 more runs" in text
    assert "Doubtful: 13 more runs: rtstone show --tables" in text
    rows = [line for line in lines if re.match(r"kernel-[0-9]+ (idle|cpu load) ", line)]
    (left,) = re.findall(r"… ([0-9]+) more lines", text)
    assert (len(rows) + int(left), len(rows) > 4) == (60, True)


def test_of_several_runs_the_rates_are_counted_and_no_run_is_missing() -> None:
    batch = make_result("fork", variant=Variant(pass_="batch"))
    ping = make_result("semaphore-ping", item=1, count=300)
    runs = [
        make_run(name, results=results, studies=("infn", "sscl"), label=name)
        for name, results in (("both", (batch, ping)), ("ping", (ping,)), ("rate", (batch,)))
    ]
    text = plain(screen_of(runs, None, 100))
    assert re.search(r"^both idle ", text, re.MULTILINE)
    assert re.search(r"^ping idle ", text, re.MULTILINE)
    assert "rate: none of these quantities" in text
    assert "… 1 rate: rtstone show --tables" in text


def test_a_run_that_has_none_of_the_columns_has_a_line_too() -> None:
    three = [
        make_result(name, item=i, count=300)
        for i, name in enumerate(("task-create-delete", "semaphore-ping", "queue-fill"))
    ]
    runs = [
        make_run("many", results=tuple(three), studies=("sscl",), label="many"),
        make_run("other", results=(make_result("block-free", count=300),), studies=("sscl",), label="other"),
    ]
    text = plain(screen_of(runs, None, 100))
    assert "other: none of these quantities" in text
    assert "1 more quantity of these runs: rtstone show --tables" in text


def test_a_run_of_sets_alone_has_its_line() -> None:
    sets = make_result("semaphore-ping", variant=Variant(pass_="batch"))
    runs = [
        make_run("one", results=(make_result("semaphore-ping", count=300),), studies=("sscl",), label="one"),
        make_run("sets", results=(sets,), studies=("sscl",), label="sets"),
    ]
    assert re.search(r"^sets idle +1\.9", plain(screen_of(runs, None, 100)), re.MULTILINE)


def test_a_load_under_which_nothing_was_measured_is_named_with_its_reason() -> None:
    lack = "no kernel: there is one thread"
    under = {load: Variant(load=load) for load in ("none", "cpu", "traffic")}
    results = [
        make_result("a", measurement="irq", variant=under["none"]),
        msgspec.structs.replace(skipped("semaphore", item=1, text="no semaphores"), variant=under["cpu"]),
        msgspec.structs.replace(skipped("a", item=2, text=lack), measurement="irq", variant=under["cpu"]),
        make_result("a", measurement="irq", variant=under["traffic"], item=3),
        msgspec.structs.replace(skipped("semaphore", item=4, text="no semaphores"), variant=under["traffic"]),
    ]
    assert run_notes(make_run(results=tuple(results))) == (f"nothing measured under the load cpu: {lack}",)
    assert run_notes(make_run(results=tuple(results[2:3]))) == ()
