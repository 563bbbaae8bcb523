# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The conclusions of the collector, rule by rule of `What the host demands` (spec/record-stream.md)."""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from rtstone.model import Degraded, Extreme, Figure, Losses, Note, Session
from rtstone.stream import Collector, Progress, collect, framing
from rtstone.stream.plan import Item, Plan
from support.stream_writer import StreamWriter
from support.streams import GEOMETRY, end, good_stream, histogram_run, preamble, single

SAMPLES = [-7, 0, 3, 31, 32, 33, 1000, 65_535, 1 << 20, (1 << 30) + 1]


def _one(lines: list[bytes], plan: Plan | None = None) -> Session:
    (session,) = collect(lines, plan)
    return session


def _changed(kind: str, change: Callable[[dict[str, Any]], object], *, which: int = 0) -> list[bytes]:
    """The good stream with one record changed, all CRCs right."""
    lines = []
    found = 0
    for line in good_stream():
        if line.startswith(b"~"):
            seq, payload = framing.decode(line.rstrip(b"\n"))
            keys = json.loads(payload)
            if keys["t"] == kind:
                if found == which:
                    change(keys)
                found += 1
            line = framing.encode(seq, json.dumps(keys, separators=(",", ":")).encode())
        lines.append(line)
    assert found > which
    return lines


def test_what_begin_says_of_the_definition_is_in_the_result() -> None:
    told = _changed("begin", lambda keys: keys.update(meaning=3, readings=4, entered="\x1bv"))
    first, second, third = _one(told).results
    assert (first.meaning, first.readings, first.entered) == (3, 4, framing.clean("\x1bv"))
    assert "\x1b" not in first.entered
    assert (second.meaning, second.readings, second.entered) == (0, 0, "")
    assert third.meaning == 0


def test_an_item_that_is_cut_short_keeps_the_number_of_its_definition() -> None:
    lines = _changed("begin", lambda keys: keys.update(meaning=3))
    begun = next(n for n, line in enumerate(lines) if b'"begin"' in line)
    assert _one(lines[: begun + 1]).results[0].meaning == 3


@pytest.mark.parametrize("wrong", [{"meaning": -1}, {"meaning": "1"}, {"readings": -1}, {"entered": 1}])
def test_a_definition_that_is_no_number_is_malformed(wrong: dict[str, object]) -> None:
    session = _one(_changed("begin", lambda keys: keys.update(wrong)))
    assert session.losses.malformed
    assert not session.complete


def test_good_stream_is_complete_and_exact() -> None:
    session = _one(good_stream())
    assert session.complete, session.problems
    assert (session.nonce, session.seed, session.repetition) == ("0123456789abcdef", 7, 2)
    assert session.env["cpu.model"] == "a long value " * 60
    assert session.console == ("booting ...",)
    assert session.clock(0).hz == 2_500_000_000
    first, second, third = session.results
    assert (first.status, first.quantity, first.count, first.overflow) == ("ok", "switch", len(SAMPLES), 2)
    assert (first.min, first.max, first.sum) == (min(SAMPLES), max(SAMPLES), sum(SAMPLES))
    assert first.sumsq == sum(value * value for value in SAMPLES)
    assert first.figures == (Figure("moved", "bytes", 4096),)
    assert first.histogram is not None
    assert first.histogram.count == len(SAMPLES)
    assert first.histogram.geometry == GEOMETRY
    assert first.samples == array("q", SAMPLES).tobytes()
    assert first.extremes == (Extreme(max(SAMPLES), 9, 900),)
    assert first.windows is not None
    assert first.windows.maxima == (None, max(SAMPLES))
    assert (second.status, second.batches, second.ops) == ("ok", (2_000, 2_100, 1_999), 100)
    assert second.variant.pass_ == "batch"
    assert second.notes == (Note("substituted", "ping-semaphore", "two semaphores"),)
    assert (third.status, third.reason, third.text) == ("skipped", "unsupported", "no such call")


WRONG_FIGURES: dict[str, tuple[str, Callable[[dict[str, Any]], object], str]] = {
    "count": ("end", lambda keys: keys.update(count="11"), "count"),
    "overflow": ("end", lambda keys: keys.update(overflow="1"), "count"),
    "min": ("end", lambda keys: keys.update(min=-6), "range"),
    "max": ("end", lambda keys: keys.update(max=(1 << 30) + 2), "range"),
    "min above max": ("end", lambda keys: keys.update(min=5, max=4), "range"),
    "no min": ("end", lambda keys: keys.pop("min"), "range"),
    "sum": ("end", lambda keys: keys.update(sum=str(sum(SAMPLES) + 1)), "values"),
    "sum out of reach": ("end", lambda keys: keys.update(sum=str(1 << 40)), "sum"),
    "sumsq": ("end", lambda keys: keys.update(sumsq=str(sum(v * v for v in SAMPLES) + 1)), "values"),
    "sumsq out of reach": ("end", lambda keys: keys.update(sumsq="1"), "sumsq"),
    "a sample": ("samples", lambda keys: keys["v"].__setitem__(2, 4), "values"),
    "a sample less": ("samples", lambda keys: keys["v"].pop(), "values"),
    "a bucket's count": ("hist", lambda keys: keys["b"].__setitem__(1, 2), "count"),
    "a bucket's index": ("hist", lambda keys: keys["b"].__setitem__(2, 4), "values"),
    "a bucket's index on top": ("hist", lambda keys: keys["b"].__setitem__(-2, 260), "values"),
    "an extreme": ("extreme", lambda keys: keys.update(value=1 << 31), "range"),
    "an extreme that is not the max": ("extreme", lambda keys: keys.update(value=7), "range"),
    "an extreme's number": ("extreme", lambda keys: keys.update(index="10"), "range"),
    "a window": ("window", lambda keys: keys.update(v=[None, 1 << 31]), "range"),
    "a check": ("check", lambda keys: keys.update(value="19"), "check"),
    "the engine's own verdict": ("end", lambda keys: keys.update(status="invalid"), "check"),
}


@pytest.mark.parametrize("wrong", WRONG_FIGURES)
def test_figures_that_disagree_make_the_result_invalid(wrong: str) -> None:
    kind, change, reason = WRONG_FIGURES[wrong]
    session = _one(_changed(kind, change))
    assert session.complete, session.problems
    assert [result.status for result in session.results] == ["invalid", "ok", "skipped"]
    assert session.results[0].reason == reason
    assert session.results[0].text


def test_batch_totals_are_held_against_end() -> None:
    session = _one(_changed("batch", lambda keys: keys["v"].__setitem__(0, 2_001)))
    assert [result.status for result in session.results] == ["ok", "invalid", "skipped"]


def test_dropped_samples_are_said() -> None:
    def drop(keys: dict[str, Any]) -> None:
        keys["v"] = keys["v"][:8]

    lines = _changed("samples", drop)
    end = next(i for i, line in enumerate(lines) if b'"t":"end"' in line)
    seq, payload = framing.decode(lines[end].rstrip(b"\n"))
    lines[end] = framing.encode(seq, payload.replace(b'"dropped":"0"', b'"dropped":"2"'))
    result = _one(lines).results[0]
    assert (result.status, result.dropped) == ("ok", 2)
    assert "2 samples" in result.text


MALFORMED: dict[str, tuple[str, Callable[[dict[str, Any]], object]]] = {
    "an item that is not under way": ("end", lambda keys: keys.update(item=5)),
    "an item of the plan before the first": ("item", lambda keys: keys.update(item=-1)),
    "a clock without frequency": ("clock", lambda keys: keys.update(hz="0")),
    "a big number that travels as a number": ("end", lambda keys: keys.update(count=10)),
    "a number beyond 2^53": ("end", lambda keys: keys.update(max=1 << 53)),
    "a bucket without a count": ("hist", lambda keys: keys["b"].pop()),
    "an empty bucket": ("hist", lambda keys: keys["b"].__setitem__(1, 0)),
    "buckets that do not ascend": ("hist", lambda keys: keys["b"].__setitem__(2, 0)),
    "a bucket that the geometry does not have": ("hist", lambda keys: keys["b"].__setitem__(-2, 1 << 20)),
    "a clock that was never told": ("begin", lambda keys: keys.update(clock=3)),
    "a side that there is not": ("hist", lambda keys: keys.update(side="0")),
    "an unknown pass": ("begin", lambda keys: keys.update({"pass": "twice"})),
    "windows out of order": ("window", lambda keys: keys.update(first=1)),
    "the plan twice": ("calibration", lambda keys: keys.update(t="plan", seed="1", repetition=0, items=1)),
}


@pytest.mark.parametrize("wrong", MALFORMED)
def test_records_that_are_not_allowed_make_the_session_incomplete(wrong: str) -> None:
    session = _one(_changed(*MALFORMED[wrong]))
    assert not session.complete
    assert session.losses.malformed >= 1
    assert any(problem.startswith("line ") for problem in session.problems)


def test_a_lost_record_is_named_and_taints_its_result_only() -> None:
    lines = good_stream()
    at = next(i for i, line in enumerate(lines) if b'"t":"extreme"' in line)
    session = _one(lines[:at] + lines[at + 1 :])
    assert (session.losses.gaps, session.losses.missing_records) == (1, 1)
    assert session.problems[0] == f"line {at + 1}: 1 record is missing after {at - 2:x}"
    assert [result.status for result in session.results] == ["incomplete", "ok", "skipped"]


def test_every_single_loss_makes_the_session_incomplete() -> None:
    lines = good_stream()
    for at in range(1, len(lines)):
        for session in collect(lines[:at] + lines[at + 1 :]):
            assert not session.complete


def test_every_cut_makes_the_session_incomplete() -> None:
    lines = good_stream()
    for at in range(2, len(lines)):
        session = _one(lines[:at])
        assert not session.complete
        assert session.losses.no_bye


def test_items_that_are_not_answered_are_results_too() -> None:
    lines = good_stream()
    at = next(i for i, line in enumerate(lines) if b'"t":"batch"' in line)
    session = _one(lines[:at])
    assert session.losses.unanswered_items == 2
    assert [(result.status, result.reason) for result in session.results] == [
        ("ok", ""),
        ("incomplete", "unanswered"),
        ("incomplete", "unanswered"),
    ]


def test_a_result_whose_question_was_lost_is_of_unknown_circumstances() -> None:
    lines = good_stream()
    (lost,) = [n for n, line in enumerate(lines) if b'"t":"item"' in line and b'"item":1' in line]
    session = collect([*lines[:lost], *lines[lost + 1 :]])[0]
    others = [r.status for r in session.results if r.item != 1]
    (result,) = (r for r in session.results if r.item == 1)
    assert (result.status, result.reason) == ("incomplete", "variant-unknown")
    assert others == ["ok", "skipped"]
    assert collect(lines)[0].results[1].status == "ok"


def test_the_plan_that_was_asked_for_must_be_answered() -> None:
    asked = Plan(
        seed=7, repetition=2, items=(Item(item=0, measurement="task-switch", raw=1), Item(item=9, measurement="yield"))
    )
    session = _one(good_stream(), asked)
    assert session.losses.unanswered_items == 1
    assert any("item 9 (yield)" in problem for problem in session.problems)
    assert any("item 1 that the plan does not have" in problem for problem in session.problems)


@pytest.mark.parametrize(
    "asked",
    [
        Plan(seed=8, repetition=2, items=(Item(item=0, measurement="task-switch"),)),
        Plan(seed=7, repetition=3, items=(Item(item=0, measurement="task-switch"),)),
        Plan(seed=7, repetition=2, items=(Item(item=0, measurement="task-preemption"),)),
        Plan(seed=7, repetition=2, items=(Item(item=0, measurement="task-switch", load="cpu"),)),
    ],
)
def test_an_engine_that_ran_another_plan_is_found_out(asked: Plan) -> None:
    writer = StreamWriter()
    lines = [
        *preamble(writer, {"item": 0, "measurement": "task-switch"}),
        *single(writer, 0, SAMPLES),
        writer.bye(1),
    ]
    assert _one(lines).complete
    assert not _one(lines, asked).complete


def test_reset_starts_a_second_session() -> None:
    lines = good_stream()
    first, second = collect(lines[:15] + lines[1:])
    assert (first.complete, second.complete) == (False, True)
    assert first.losses.no_bye
    assert any("reset" in problem for problem in first.problems)


def test_reset_whose_hello_is_lost() -> None:
    lines = good_stream()
    first, second = collect(lines[:15] + lines[2:])
    assert not first.complete
    assert not second.complete
    assert second.nonce == ""
    assert [result.status for result in second.results] == ["ok", "ok", "skipped"]


def test_sessions_one_after_the_other_are_complete() -> None:
    assert [session.complete for session in collect(good_stream() * 3)] == [True] * 3


def test_version() -> None:
    refused = _one(_changed("hello", lambda keys: keys.update(v="2.0")))
    assert (refused.complete, refused.results, refused.env) == (False, (), {})
    assert "version 2.0" in refused.problems[0]
    assert refused.losses.refused == refused.lines - 2
    assert _one(_changed("hello", lambda keys: keys.update(v="1.9"))).complete


def test_unknown_records_and_keys_are_kept() -> None:
    def unknown(keys: dict[str, Any]) -> None:
        keys.update(t="weather", sky="blue")

    session = _one(_changed("calibration", unknown))
    assert session.complete
    assert session.unknown_records == 1
    assert '"sky":"blue"' in session.unknown[0]


def test_sequence_wraps_without_a_gap() -> None:
    collector = Collector()
    writer = StreamWriter(seq=0xFFFFFFFE)
    for _ in range(4):
        collector.feed(writer.record("env", key="k", value="v"))
    (session,) = collector.finish()
    assert session.losses.gaps == 1  # before the first one, not at the wrap
    assert session.records == 4


def test_console_is_bounded_and_counted() -> None:
    session = _one([b"noise %d \x1b[31m\x00" % n for n in range(10_000)] + good_stream())
    assert session.console_lines == 10_001
    assert len(session.console) == 4_000
    assert session.console[-2] == "noise 9999 \\x1b[31m\\x00"
    assert session.complete
    assert "5904 more" in _one([b"a" * 10_000]).console[0]


def test_problems_are_bounded_and_counted() -> None:
    session = _one([b"~broken"] * 10_000)
    assert session.losses.bad_lines == 10_000
    assert len(session.problems) == 501
    assert session.problems[-1].startswith("and 9502 more")  # bad lines, no hello, no bye


def test_interrupted_items_are_incomplete() -> None:
    session = _one(_changed("end", lambda keys: keys.update(stop="interrupted")))
    assert (session.results[0].status, session.results[0].reason) == ("incomplete", "interrupted")


def test_refusal_is_told() -> None:
    writer = StreamWriter()
    lines = [
        writer.record("hello", v="1.0", engine="1", port="p", nonce="0" * 16),
        *writer.text("refused", "text", "no clock " * 40),
        writer.bye(0, status="failed"),
    ]
    session = _one(lines)
    assert session.refusal == "no clock " * 40
    assert not session.complete


def test_progress() -> None:
    told: list[Progress] = []
    plan = Plan(
        seed=7,
        repetition=2,
        items=(
            Item(item=0, measurement="task-switch", budget_ms=500),
            Item(item=1, measurement="ping-semaphore", pass_="batch", budget_ms=250),
            Item(item=2, measurement="suspend-resume", count=1),
        ),
    )
    collect(good_stream(), plan, told.append)
    assert [(p.items_done, p.items_total, p.measurement) for p in told] == [
        (0, 3, "task-switch"),
        (1, 3, ""),
        (1, 3, "ping-semaphore"),
        (2, 3, ""),
        (3, 3, ""),
    ]
    assert [round(p.seconds_left, 3) for p in told] == [0.751, 0.251, 0.251, 0.001, 0.0]


def test_a_histogram_of_many_samples_is_as_cheap_as_one_of_few() -> None:
    """The stream of a histogram run grows with its buckets, not with its samples."""
    writer = StreamWriter()
    count = 200_000_000
    lines = preamble(writer, {"item": 0, "measurement": "task-switch"})
    lines += histogram_run(writer, [5, count - 1, 9, 1], 5, 9)
    lines.append(writer.bye(1))
    (session,) = collect(lines)
    assert session.complete
    assert session.results[0].status == "ok"
    assert session.results[0].count == count


def test_empty_input_has_no_session() -> None:
    assert collect([]) == ()


def test_large_raw_dumps_agree_with_numpys_help() -> None:
    """More than one block of values, some too large for sums in 64 bits."""
    values = [n * 7919 % 100_003 - 50 for n in range(70_000)] + [1 << 40] * 70_000
    writer = StreamWriter()
    lines = [
        *preamble(writer, {"item": 0, "measurement": "task-switch", "raw": 1}),
        *single(writer, 0, values, raw=True),
        writer.bye(1),
    ]
    result = _one(lines).results[0]
    assert (result.status, result.text) == ("ok", "")
    assert result.sumsq == sum(value * value for value in values)


def test_collector_needs_no_numpy_at_import() -> None:
    script = "import sys, rtstone.stream, rtstone.targets, rtstone.measure; sys.exit('numpy' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], check=False, env={"PYTHONPATH": ":".join(sys.path)}).returncode
        == 0
    )


def test_a_series_that_was_not_announced_bears_the_measurements_name() -> None:
    writer = StreamWriter()
    lines = preamble(writer, {"item": 0, "measurement": "ping-semaphore", "pass": "batch"})
    lines.append(writer.record("begin", item=0, measurement="ping-semaphore", pass_="batch", clock=0, ops=10))
    lines.extend(writer.values("batch", [5, 6], item=0))
    lines.append(writer.record("end", **end(0, [5, 6], overflow=0)))
    lines.append(writer.bye(1))
    session = _one(lines)
    assert session.complete, session.problems
    assert (session.results[0].quantity, session.results[0].status) == ("ping-semaphore", "ok")


def _spoiled(line: bytes) -> bytes:
    return line.replace(b'"t"', b'"T"', 1)


def _reframed(payload: bytes) -> Callable[[bytes], bytes]:
    return lambda line: framing.encode(framing.decode(line[:-1])[0], payload)


HARM: dict[str, tuple[Callable[[bytes], bytes], Losses]] = {
    "the CRC": (_spoiled, Losses(bad_lines=1, gaps=1, missing_records=1)),
    "not JSON": (_reframed(b'{"t":"load",}'), Losses(bad_lines=1, gaps=1, missing_records=1)),
    "an unknown type, not JSON": (_reframed(b'{"t":"x",}'), Losses(bad_lines=1, gaps=1, missing_records=1)),
    "no type": (_reframed(b'{"item":0,"t":"x"}'), Losses(bad_lines=1, gaps=1, missing_records=1)),
    "a type that is a number": (_reframed(b'{"t":1}'), Losses(bad_lines=1, gaps=1, missing_records=1)),
    "nothing": (_reframed(b"{}"), Losses(bad_lines=1, gaps=1, missing_records=1)),
    "a key too few": (_reframed(b'{"t":"extreme","item":0}'), Losses(malformed=1)),
    "its place": (_reframed(b'{"t":"window","item":1,"series":0,"first":0,"width":"1","v":[]}'), Losses(malformed=1)),
    "other bytes of one number": (
        lambda line: line + framing.encode(framing.decode(line[:-1])[0], b'{"t":"x"}'),
        Losses(gaps=1),
    ),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_harmed_line_is_named_counted_and_taints_its_result_only(harm: str) -> None:
    change, losses = HARM[harm]
    lines = good_stream()
    at = next(n for n, line in enumerate(lines) if b'"t":"extreme"' in line)
    session = _one([*lines[:at], *change(lines[at]).splitlines(keepends=True), *lines[at + 1 :]])
    assert session.losses == losses
    assert [result.status for result in session.results] == ["incomplete", "ok", "skipped"]
    assert [result.reason for result in session.results] == ["records-lost", "", "unsupported"]
    # bye counts the malformed record too, and one record more or less where a gap is.
    named = at + (2 if harm.startswith("other") else 1)
    assert session.problems[0].startswith(f"line {named}: ")
    assert len(session.problems) == losses.bad_lines + losses.malformed + 2 * losses.gaps


@pytest.mark.parametrize("payload", [b'{ "t" : "weather" }', b'{"t":"weather","more":0}', b'{ "t":"we\\u00e4"}'])
def test_types_are_read_however_they_are_spaced(payload: bytes) -> None:
    session = _one([framing.encode(0, payload), framing.encode(1, b'{ "t": "env", "key": "k", "value": "v" }')])
    assert (session.unknown, session.env, session.records) == ((payload.decode(),), {"k": "v"}, 1)


def test_a_repeated_line_is_ignored() -> None:
    lines = good_stream()
    at = next(n for n, line in enumerate(lines) if b'"t":"batch"' in line)
    session = _one([*lines[: at + 1], lines[at], *lines[at + 1 :]])
    assert (session.losses, session.results) == (Losses(duplicates=1), _one(lines).results)
    assert len(session.problems) == 1
    assert session.problems[0].startswith(f"line {at + 2}: ")


@pytest.mark.parametrize(
    ("kind", "keys", "words"),
    [
        ("bye", {"records": "1"}, ("1", str(len(good_stream()) - 1))),
        ("bye", {"status": "interrupted\x1b"}, (r"interrupted\x1b",)),
        ("bye", {"measured": 3}, ("3", "2", "1")),
        ("bye", {"skipped": 0}, ("2", "0", "1")),
        ("plan", {"items": 4}, ("4", "3")),
        ("plan", {"t": "weather"}, ()),
    ],
)
def test_each_fault_of_the_frame_is_one_problem(kind: str, keys: dict[str, object], words: tuple[str, ...]) -> None:
    session = _one(_changed(kind, lambda found: found.update(keys)))
    assert (session.complete, session.losses) == (False, Losses())
    (problem,) = session.problems
    assert all(word in problem for word in words)


def test_a_stream_without_hello_is_incomplete() -> None:
    writer = StreamWriter()
    session = _one([writer.record("plan", seed="1", repetition=0, items=0), writer.bye(0)])
    assert (session.complete, session.losses, len(session.problems)) == (False, Losses(), 1)


def test_a_refusal_is_the_only_problem_beside_the_status() -> None:
    writer = StreamWriter()
    lines = [writer.record("hello", v="1.0"), writer.record("refused", text="no\x1b"), writer.bye(0, status="failed")]
    session = _one(lines)
    assert (session.refusal, session.losses, len(session.problems)) == ("no\\x1b", Losses(), 2)
    writer = StreamWriter()
    assert _one([writer.record("hello", v="1.0"), writer.record("refused", text=""), writer.bye(0)]).refusal


GOOD_ITEMS = (
    Item(item=0, measurement="task-switch", raw=1),
    Item(item=1, measurement="ping-semaphore", pass_="batch"),
    Item(item=2, measurement="suspend-resume"),
)


@pytest.mark.parametrize(
    ("keys", "same"),
    [
        ({"measurement": "other"}, False),
        ({"pass_": "batch"}, False),
        ({"load": "cpu"}, False),
        ({"intensity": 2}, False),
        ({"sched": "ts"}, False),
        ({"cache": "flushed"}, False),
        ({"period_ns": 5}, False),
        ({"count": 5, "sets": 5, "budget_ms": 5, "warmup": 5, "cpu": 5, "phase_ns": 5, "timer": "t", "raw": 0}, True),
    ],
)
def test_what_an_engine_may_change_of_an_item(keys: dict[str, object], same: bool) -> None:
    asked = Plan(seed=7, repetition=2, items=(msgspec.structs.replace(GOOD_ITEMS[0], **keys), *GOOD_ITEMS[1:]))
    session = _one(good_stream(), asked)
    assert (session.complete, len(session.problems)) == (same, 0 if same else 1)


_HALF = 1 << 31


@pytest.mark.parametrize(
    ("numbers", "losses"),
    [
        ([0, 1], [(0, 0)]),
        ([0, 2, 5], [(2, 3)]),
        ([3, 4], [(1, 3)]),
        ([0xFFFFFFFE, 0xFFFFFFFF, 0, 1], [(1, 0xFFFFFFFE)]),
        ([0, _HALF], [(1, _HALF - 1)]),
        ([0, _HALF + 1, _HALF + 2], [(0, 0), (1, _HALF + 1)]),
        ([0, 1, 2, 0, 1], [(0, 0), (1, 0)]),
        ([0, 4, 2, 3, 5], [(1, 3), (2, 3)]),
    ],
)
def test_the_gaps_between_numbers(numbers: list[int], losses: list[tuple[int, int]]) -> None:
    lines = [framing.encode(seq, b'{"t":"env","key":"k%d","value":""}' % n) for n, seq in enumerate(numbers)]
    sessions = collect(lines)
    assert [(session.losses.gaps, session.losses.missing_records) for session in sessions] == losses
    assert sum(session.records for session in sessions) == len(numbers)


@pytest.mark.parametrize(
    ("version", "read"), [("1.0", True), ("1.10", True), ("2.0", False), ("1", False), ("1.", False), ("1.x", False),
                          ("1.\u00b2", False), ("01.0", False), ("", False), ("11.0", False)],
)  # fmt: skip
def test_versions_that_are_read(version: str, read: bool) -> None:
    harmed = _changed("hello", lambda keys: keys.update(v=version))
    session, after = collect([*harmed, *good_stream()[1:]], Plan(seed=7, repetition=2, items=GOOD_ITEMS))
    assert (session.complete, bool(session.results), session.stream_version) == (read, read, framing.clean(version))
    assert session.losses == Losses(refused=0 if read else len(harmed) - 2)
    assert after.complete


def test_unknown_records_are_bounded_and_counted() -> None:
    session = _one([framing.encode(seq, b'{"t":"x"}') for seq in range(4_010)])
    assert (session.unknown_records, len(session.unknown)) == (4_010, 4_000)


def test_what_is_so_far_is_the_stream_cut_there() -> None:
    writer = StreamWriter()
    lines = [b"~broken", *good_stream()[:20], writer.record("hello", v="1.0")]
    lines += [writer.record("degraded", reason="r", text=""), b"~broken", writer.bye(0, status="failed"), b"end"]
    collector = Collector()
    assert collector.so_far() == ()
    for number, line in enumerate(lines, 1):
        collector.feed(line)
        assert collector.so_far() == collect(lines[:number])
        assert collector.degraded == ((Degraded("r", ""),) if number > len(lines) - 4 else ())
    assert collector.finish() == collect(lines)
    assert collector.finish() == ()


def test_progress_without_a_plan_over_two_sessions() -> None:
    told: list[Progress] = []
    collector = Collector(on_progress=told.append)
    for line in _changed("begin", lambda keys: keys.update(measurement="a\x1b", load="b\x1b")) + good_stream():
        collector.feed(line)
    assert collector.items_ended == 6
    assert [(p.items_done, p.items_total) for p in told] == [(0, 3), (1, 3), (1, 3), (2, 3), (3, 3)] * 2
    assert [(p.measurement, p.load) for p in told[:3]] == [
        (r"a\x1b", r"b\x1b"),
        ("", "none"),
        ("ping-semaphore", "none"),
    ]
    counted = Collector()
    for line in good_stream():
        counted.feed(line)
    assert counted.items_ended == 3


def test_time_that_has_passed_lowers_what_spare_items_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0, 100.0, 100.3, 100.4, 100.6, 100.7])
    monkeypatch.setattr("rtstone.stream._collector.time", SimpleNamespace(monotonic=lambda: next(times)))
    told: list[Progress] = []
    items = tuple(msgspec.structs.replace(item, count=10**6, budget_ms=500, spare=1) for item in GOOD_ITEMS)
    collect(good_stream(), Plan(seed=7, repetition=2, items=items), told.append)
    assert [round(p.seconds_left, 3) for p in told] == [1.5, 1.2, 1.1, 0.9, 0.0]


def test_two_malformed_records_are_two_problems_and_bye_counts_both() -> None:
    lines = good_stream()
    for at in [n for n, line in enumerate(lines) if b'"t":"hist"' in line]:
        lines[at] = _reframed(b'{"t":"hist"}')(lines[at])
    session = _one(lines)
    assert (session.losses, len(session.problems)) == (Losses(malformed=2), 2)
    assert all("hist" in problem for problem in session.problems)


def test_two_repeated_lines_are_two_problems() -> None:
    lines = good_stream()
    session = _one([*lines[:3], lines[2], lines[2], *lines[3:]])
    assert (session.losses, len(session.problems)) == (Losses(duplicates=2), 2)
