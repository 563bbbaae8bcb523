# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The values that a session and its results take from the records, and the records that are refused at their place."""

from __future__ import annotations

from array import array
from typing import Any

import msgspec
import pytest

from rtstone.model import (
    Calibration,
    Check,
    Clock,
    Degraded,
    Event,
    Extreme,
    Figure,
    Geometry,
    Histogram,
    LoadFigure,
    Losses,
    Note,
    Result,
    Session,
    Variant,
    Windows,
)
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan
from support.stream_writer import StreamWriter
from support.streams import end, good_stream

Record = tuple[str, dict[str, Any]]


def _sent(name: str) -> str:
    return f"{name}\t\x1b"


def _stored(name: str) -> str:
    return f"{name}\t\\x1b"


def _beside(item: int) -> list[Record]:
    """One record of each type that may come before begin or after end."""
    return [
        ("note", {"item": item, "kind": _sent("k"), "service": _sent("s"), "text": _sent("t")}),
        ("check", {"item": item, "name": _sent("c"), "value": "2", "low": "-1", "high": "3"}),
        ("figure", {"item": item, "name": _sent("f"), "unit": _sent("u"), "value": "-4"}),
        ("load", {"item": item, "name": _sent("l"), "key": _sent("k"), "value": "5"}),
        ("event", {"item": item, "kind": _sent("e"), "at": "-6", "value": "7"}),
        ("event", {"item": item, "kind": "step", "at": "8", "value": "-9", "ticks": "10", "task": _sent("w"), "pid": 11, "priority": 12}),
    ]  # fmt: skip


BESIDE: dict[str, Any] = {
    "notes": (Note(_stored("k"), _stored("s"), _stored("t")),),
    "checks": (Check(_stored("c"), 2, -1, 3),),
    "figures": (Figure(_stored("f"), _stored("u"), -4),),
    "load": (LoadFigure(_stored("l"), _stored("k"), 5),),
}
EVENT = Event(_stored("e"), -6, 7)
STEP = Event("step", 8, -9, ticks=10, task=_stored("w"), pid=11, priority=12)


def test_every_key_of_every_record_is_in_the_session() -> None:
    asked = {"measurement": "edge-response", "raw": 1, "load": "cpu", "intensity": 3, "sched": "ts", "cache": "flushed"}
    asked |= {"timer": "fast", "period_ns": 500, "window": "bus", "trace_over_ns": 9}
    begin = {"measurement": "edge-response", "pass": "single", "clock": 8, "load": "cpu", "at": "1", "ops": 9}
    begin |= {"sub_bits": 2, "max_bits": 4, "negative_bits": 3, "priority": 95, "cpu": 3, "meaning": 6, "readings": 7}
    records: list[Record] = [
        ("hello", {"v": "1.2", "engine": _sent("e"), "port": _sent("p"), "nonce": _sent("n")}),
        ("env", {"key": _sent("k"), "value": _sent("v")}),
        ("plan", {"seed": "18446744073709551615", "repetition": 3, "items": 3}),
        ("item", {"item": 4, **asked}),
        ("item", {"item": 2, "measurement": "yield"}),
        ("item", {"item": 9, "measurement": "ping-semaphore", "pass": "batch"}),
        ("degraded", {"reason": _sent("r"), "text": _sent("t"), "remedy": _sent("m")}),
        ("clock", {"id": 8, "name": _sent("c"), "hz": str(10**18), "source": _sent("s"), "uncertainty_ppb": 5, "resolution_ticks": 2}),
        ("clock", {"id": 1, "name": "slow", "hz": "1"}),
        ("calibration", {"name": _sent("a"), "clock": 8, "count": 2, "total": "-7", "min": -4, "median": -3, "max": -1}),
        *_beside(4),
        ("begin", {"item": 4, **begin, "entered": _sent("h")}),
        ("series", {"item": 4, "index": 1, "name": "none"}),
        ("series", {"item": 4, "index": 0, "name": _sent("q")}),
        ("samples", {"item": 4, "series": 0, "first": 0, "v": [3, -2]}),
        ("samples", {"item": 4, "series": 0, "first": 2, "v": [20, -9]}),
        ("hist", {"item": 4, "series": 0, "side": "+", "b": [3, 1]}),
        ("hist", {"item": 4, "series": 0, "side": "-", "b": [2, 1]}),
        ("extreme", {"item": 4, "series": 0, "value": 20, "index": "2", "at": "-5"}),
        ("extreme", {"item": 4, "series": 0, "value": 3, "index": "0", "at": "1"}),
        ("window", {"item": 4, "series": 0, "first": 0, "width": "50", "v": [None, 3]}),
        ("window", {"item": 4, "series": 0, "first": 2, "width": "50", "v": [20]}),
        ("end", end(4, [3, -2, 20, -9], overflow=2) | {"stop": "budget", "elapsed": "77"}),
        ("end", end(4, [], overflow=0) | {"series": 1}),
        *_beside(2),
        ("skip", {"item": 2, "measurement": "yield", "reason": "denied", "service": "yield", "text": _sent("t")}),
        ("begin", {"item": 9, "measurement": "ping-semaphore", "pass": "batch", "clock": 1, "ops": 100}),
        ("batch", {"item": 9, "first": 0, "v": [5, 7]}),
        ("batch", {"item": 9, "first": 2, "v": [6]}),
        ("end", end(9, [5, 7, 6], overflow=0)),
    ]  # fmt: skip
    writer = StreamWriter()
    lines = [*(writer.record(kind, **keys) for kind, keys in records), writer.bye(2, 1)]
    variant = Variant(
        load="cpu", intensity=3, sched="ts", cache="flushed", timer="fast", period_ns=500, window="bus", trace_over_ns=9
    )
    first = Result(
        item=4, measurement="edge-response", quantity=_stored("q"), variant=variant, status="ok", stop="budget", clock=8, cpu=3,
        priority=95, meaning=6, readings=7, entered=_stored("h"), count=4, overflow=2, min=-9, max=20, sum=12, sumsq=494, elapsed=77,
        histogram=Histogram(Geometry(2, 4, 3), ((3, 1),), ((2, 1),), 2), extremes=(Extreme(20, 2, -5), Extreme(3, 0, 1)),
        windows=Windows(50, (None, 3, 20)), events=(EVENT, STEP), samples=array("q", [3, -2, 20, -9]).tobytes(), **BESIDE,
    )  # fmt: skip
    nothing = msgspec.structs.replace(
        first, quantity="none", stop="count", count=0, overflow=0, min=None, max=None, sum=0, sumsq=0, elapsed=5000,
        histogram=Histogram(Geometry(2, 4, 3), (), (), 0), extremes=(), windows=None, events=(EVENT,), samples=None,
    )  # fmt: skip
    skipped = Result(
        item=2, measurement="yield", quantity="yield", variant=Variant(period_ns=1_000_000), status="skipped", reason="denied",
        text=_stored("t"), events=(EVENT, STEP), **BESIDE,
    )  # fmt: skip
    batch = Result(
        item=9, measurement="ping-semaphore", quantity="ping-semaphore", variant=Variant(pass_="batch", period_ns=1_000_000), status="ok",
        stop="count", clock=1, ops=100, count=3, min=5, max=7, sum=18, sumsq=110, elapsed=5000, batches=(5, 7, 6),
    )  # fmt: skip
    (session,) = collect(lines)
    assert session == Session(
        nonce=_stored("n"),
        engine=_stored("e"),
        port=_stored("p"),
        stream_version="1.2",
        repetition=3,
        seed=18446744073709551615,
        env={_stored("k"): _stored("v")},
        clocks=(
            Clock(id=8, name=_stored("c"), hz=10**18, source=_stored("s"), uncertainty_ppb=5, resolution_ticks=2),
            Clock(id=1, name="slow", hz=1),
        ),
        calibrations=(Calibration(name=_stored("a"), clock=8, count=2, total=-7, min=-4, median=-3, max=-1),),
        degraded=(Degraded(_stored("r"), _stored("t"), _stored("m")),),
        results=(first, nothing, skipped, batch),
        losses=Losses(),
        complete=True,
        lines=writer.records,
        records=writer.records,
    )


def test_a_stream_without_records_is_an_empty_session() -> None:
    (session,) = collect([b"noise\n", b"~broken\n"])
    assert session == Session(
        nonce="", engine="", port="", stream_version="", repetition=0, seed=0, env={}, clocks=(), calibrations=(), degraded=(), results=(),
        losses=Losses(bad_lines=1, no_bye=True), complete=False, problems=session.problems, console=("noise",), lines=2, console_lines=1,
    )  # fmt: skip
    assert len(session.problems) == 3


@pytest.mark.parametrize("which", [0, 1])
def test_a_series_without_its_end_has_what_came_before(which: int) -> None:
    lines = good_stream()
    at = [n for n, line in enumerate(lines) if b'"t":"end"' in line][which]
    whole, cut = collect(lines)[0].results[which], collect(lines[:at])[0].results[which]
    nothing: dict[str, Any] = dict.fromkeys(("count", "overflow", "dropped", "sum", "sumsq", "elapsed"), 0)
    nothing |= {"min": None, "max": None}
    if whole.histogram is not None:
        nothing["histogram"] = msgspec.structs.replace(whole.histogram, overflow=0)
    assert cut.text
    assert cut == msgspec.structs.replace(
        whole, status="incomplete", reason="unanswered", text=cut.text, stop="", **nothing
    )


def _lines(writer: StreamWriter, *records: Record) -> list[bytes]:
    opening: list[Record] = [("hello", {"v": "1.2"}), ("clock", {"id": 0, "name": "c", "hz": "1000"})]
    return [writer.record(kind, **keys) for kind, keys in (*opening, *records)]


def _session(*records: Record, plan: Plan | None = None) -> Session:
    """A session of these records, without a plan's echo and without bye."""
    (session,) = collect(_lines(StreamWriter(), *records), plan)
    return session


BATCH: dict[str, Any] = {"item": 0, "measurement": "yield", "pass": "batch", "clock": 0}
BEGIN: Record = ("begin", BATCH)
SINGLE: Record = ("begin", BATCH | {"pass": "single", "sub_bits": 2, "max_bits": 4, "negative_bits": 0})
ITEM: Record = ("item", {"item": 0, "measurement": "yield", "pass": "batch"})
SETS: Record = ("batch", {"item": 0, "first": 0, "v": [5, 7]})
END: Record = ("end", end(0, [5, 7], overflow=0))
SKIP: Record = ("skip", {"item": 0, "measurement": "yield", "reason": "unsupported"})


def _end(**keys: object) -> Record:
    return ("end", END[1] | keys)


def _samples(first: int, *values: int) -> Record:
    return ("samples", {"item": 0, "series": 0, "first": first, "v": list(values)})


def _hist(*flat: int, side: str = "+") -> Record:
    return ("hist", {"item": 0, "series": 0, "side": side, "b": list(flat)})


def _windows(first: int, width: str, *maxima: int | None) -> Record:
    return ("window", {"item": 0, "series": 0, "first": first, "width": width, "v": list(maxima)})


def _series(index: int, name: str) -> Record:
    return ("series", {"item": 0, "index": index, "name": name})


BYE: Record = ("bye", {"items": 0, "measured": 0, "skipped": 0, "status": "ok", "records": "3"})
CLOCK: dict[str, Any] = {"id": 1, "name": "d", "hz": "1"}


@pytest.mark.parametrize(
    ("before", "refused"),
    [
        ([], ("clock", CLOCK | {"id": 0})),
        ([], ("clock", CLOCK | {"hz": "0"})),
        ([], ("clock", CLOCK | {"hz": str(10**18 + 1)})),
        ([], ("begin", BATCH | {"clock": 1})),
        ([], ("begin", SINGLE[1] | {"sub_bits": 0})),
        ([], ("end", END[1])),
        ([], SETS),
        ([ITEM], ITEM),
        ([BEGIN], BEGIN),
        ([SKIP], BEGIN),
        ([SKIP], SKIP),
        ([BEGIN, END], SKIP),
        ([BEGIN, END], END),
        ([BEGIN, ("begin", BATCH | {"item": 1})], SETS),
        ([BEGIN], ("batch", SETS[1] | {"item": 1})),
        ([BEGIN, SETS], SETS),
        ([BEGIN, _series(1, "a"), _end(series=0)], _end(series=0)),
        ([BEGIN, _series(0, "a")], _series(0, "b")),
        ([BEGIN, _series(0, "a")], _series(1, "a")),
        ([SINGLE], SETS),
        ([SINGLE, _samples(0, 1), _samples(2, 3), _samples(5, 6)], _samples(5, 6)),
        ([SINGLE], _samples(0, 1 << 63)),
        ([SINGLE], _samples(0, -(1 << 63) - 1)),
        ([SINGLE], _hist(1)),
        ([SINGLE], _hist(1, 1, 1, 1)),
        ([SINGLE], _hist(1, 0)),
        ([SINGLE], _hist(8, 1)),
        ([SINGLE], _hist(0, 1, side="-")),
        ([SINGLE, _hist(3, 1)], _hist(3, 1)),
        ([SINGLE], _windows(0, "0", 1)),
        ([SINGLE], _windows(1, "5", 1)),
        ([SINGLE, _windows(0, "5", 1)], _windows(0, "5", 1)),
        ([SINGLE, _windows(0, "5", 1)], _windows(1, "6", 1)),
        ([("plan", {"seed": "1", "repetition": 0, "items": 0})], ("plan", {"seed": "1", "repetition": 0, "items": 0})),
        ([BYE], ("env", {"key": "k", "value": "v"})),
    ],
)
def test_records_that_are_refused_at_their_place(before: list[Record], refused: Record) -> None:
    session = _session(*before)
    assert session.losses.malformed == 0
    after = _session(*before, refused)
    assert (after.losses.malformed, after.lines) == (1, session.lines + 1)
    assert any(problem.startswith(f"line {after.lines}: ") for problem in after.problems)


@pytest.mark.parametrize(
    "records",
    [
        [("begin", SINGLE[1] | {"sub_bits": 1}), _hist(0, 1)],
        [SINGLE, _hist(0, 1), _hist(1, 1, 7, 2)],
        [("begin", SINGLE[1] | {"negative_bits": 3}), _hist(5, 1, side="-"), _hist(0, 1)],
        [SINGLE, _samples(1, 1), _samples(3, (1 << 63) - 1, -(1 << 63)), _samples(5, 2)],
        [SINGLE, _windows(0, "5"), _windows(0, "5", 1, None), _windows(2, "5", 3)],
        [BEGIN, SKIP],
        [BEGIN, _series(0, "a"), _series(1, "b"), _end(series=1), _end(series=0)],
        [BEGIN, END, ("begin", BATCH | {"item": 1})],
        [("note", {"item": 0, "kind": "failed"}), BEGIN, END, ("load", {"item": 0, "name": "l", "key": "k", "value": "1"})],
        [("clock", CLOCK | {"hz": str(10**18)}), ("begin", BATCH | {"clock": 1})],
    ],
)  # fmt: skip
def test_records_that_are_allowed_at_their_place(records: list[Record]) -> None:
    session = _session(*records)
    assert (session.losses.malformed, session.records) == (0, 2 + len(records))


ASKED = Plan(seed=9, repetition=4, items=(Item(item=0, measurement="yield", load="cpu", pass_="batch"),))
VARIANT = Variant(pass_="batch", load="cpu", period_ns=1_000_000)
UNANSWERED, INTERRUPTED, SKIPPED = (
    ("incomplete", "unanswered"),
    ("incomplete", "interrupted"),
    ("skipped", "unsupported"),
)


@pytest.mark.parametrize(
    ("records", "plan", "expected"),
    [
        ([], ASKED, ("yield", VARIANT, UNANSWERED, 0, None)),
        ([("note", {"item": 0, "kind": "k"})], None, ("", Variant(), UNANSWERED, 0, None)),
        ([("note", {"item": 0, "kind": "k"})], ASKED, ("yield", VARIANT, UNANSWERED, 0, None)),
        ([("begin", BATCH | {"load": "l", "meaning": 5})], None, ("yield", Variant(pass_="batch", load="l"), UNANSWERED, 5, None)),
        ([("begin", BATCH | {"measurement": "other"})], ASKED, ("other", VARIANT, UNANSWERED, 0, None)),
        ([SKIP], None, ("yield", Variant(), SKIPPED, 0, "")),
        ([("skip", SKIP[1] | {"service": "threads"})], None, ("yield", Variant(), SKIPPED, 0, "threads")),
        ([("skip", SKIP[1] | {"service": "threads", "text": "why"})], ASKED, ("yield", VARIANT, SKIPPED, 0, "why")),
        ([("skip", SKIP[1] | {"measurement": "", "reason": "interrupted"})], ASKED, ("yield", VARIANT, INTERRUPTED, 0, "")),
        ([("begin", BATCH | {"meaning": 5}), ("skip", SKIP[1] | {"measurement": "b"})], ASKED, ("b", VARIANT, SKIPPED, 5, "")),
        ([BEGIN, ("skip", SKIP[1] | {"measurement": ""})], None, ("yield", Variant(pass_="batch"), SKIPPED, 0, "")),
    ],
)  # fmt: skip
def test_items_without_figures(records: list[Record], plan: Plan | None, expected: tuple[Any, ...]) -> None:
    (result,) = _session(*records, plan=plan).results
    measurement, variant, verdict, meaning, text = expected
    assert (result.measurement, result.quantity, result.variant) == (measurement, measurement, variant)
    assert ((result.status, result.reason), result.meaning) == (verdict, meaning)
    assert result.text if text is None else result.text == text
    assert (result.count, result.batches, result.min) == (0, (), None)


def test_a_skipped_item_keeps_the_series_that_have_ended() -> None:
    session = _session(ITEM, BEGIN, _series(1, "late"), _series(0, "early"), SETS, _end(), SKIP)
    assert [(result.quantity, result.status) for result in session.results] == [("early", "ok"), ("yield", "skipped")]
    assert session.losses.unanswered_items == 0


def test_a_session_without_an_echo_has_the_plans_numbers() -> None:
    session = _session(plan=ASKED)
    assert (session.seed, session.repetition) == (9, 4)
    assert (_session().seed, _session().repetition) == (0, 0)


CHECK: Record = ("check", {"item": 0, "name": "switches", "value": "19", "low": "20", "high": "21"})


def _note(kind: str, text: str) -> Record:
    return ("note", {"item": 0, "kind": kind, "text": text})


@pytest.mark.parametrize(
    ("asked", "beside", "ending", "expected"),
    [
        (True, [], {}, ("ok", "", ("",))),
        (True, [], {"status": "failed", "stop": "interrupted"}, ("failed", "failed", ())),
        (True, [_note("failed", "a"), _note("failed", ""), _note("k", "b")], {"status": "failed"}, ("failed", "failed", ("a",))),
        (True, [_note("invalid", "a"), _note("environment", "b")], {"status": "invalid"}, ("invalid", "check", ("b",))),
        (True, [_note("failed", "a"), _note("invalid", "b")], {"status": "invalid"}, ("invalid", "check", ("b",))),
        (True, [CHECK], {"stop": "interrupted"}, ("incomplete", "interrupted", ())),
        (True, [CHECK], {"status": "failed"}, ("failed", "failed", ())),
        (True, [CHECK, _note("invalid", "a")], {"status": "invalid"}, ("invalid", "check", ("switches", "19", "20", "21"))),
        (True, [("check", CHECK[1] | {"value": "21"})], {}, ("ok", "", ("",))),
        (True, [], {"status": "invalid"}, ("invalid", "check", ())),
        (False, [], {}, ("incomplete", "variant-unknown", ())),
        (False, [], {"sumsq": "73"}, ("invalid", "values", ("73", "74"))),
        (True, [], {"count": "3", "sum": "17", "sumsq": "99"}, ("invalid", "values", ("2", "3"))),
        (True, [], {"dropped": "1"}, ("ok", "", ("1",))),
        (True, [], {"count": str(1 << 64)}, ("invalid", "sense", (str(1 << 64),))),
        (False, [], {"count": str(1 << 64)}, ("invalid", "sense", (str(1 << 64),))),
    ],
)  # fmt: skip
def test_which_verdict_comes_first(
    asked: bool, beside: list[Record], ending: dict[str, object], expected: tuple[str, str, tuple[str, ...]]
) -> None:
    session = _session(*([ITEM] if asked else []), BEGIN, *beside, SETS, _end(**ending))
    (result,) = session.results
    assert (result.status, result.reason) == expected[:2]
    assert bool(result.text) == (expected[2] != ("",))
    assert all(word in result.text for word in expected[2])


def test_a_lost_record_comes_before_the_engines_verdict() -> None:
    lines = _lines(
        StreamWriter(),
        ITEM,
        BEGIN,
        SETS,
        ("load", {"item": 0, "name": "l", "key": "k", "value": "1"}),
        _end(status="failed"),
    )
    (session,) = collect([*lines[:-2], lines[-1]])
    assert [(result.status, result.reason) for result in session.results] == [("incomplete", "records-lost")]


@pytest.mark.parametrize(
    ("dropped", "count", "status"), [("3", "6", "ok"), ("2", "5", "invalid"), ("3", "7", "invalid"), ("4", "7", "ok")]
)
def test_missing_samples_are_held_against_the_dropped_ones(dropped: str, count: str, status: str) -> None:
    keys: dict[str, Any] = {"item": 0, "measurement": "yield", "raw": 1}
    ones = int(count) - 1  # samples of 1 tick, and one of 6
    ending = end(0, [1, 6], overflow=0) | {
        "count": count,
        "dropped": dropped,
        "sum": str(ones + 6),
        "sumsq": str(ones + 36),
    }
    buckets = _hist(1, ones, 5, 1)
    session = _session(("item", keys), SINGLE, _samples(0, 1), _samples(2, 3), _samples(5, 6), buckets, ("end", ending))
    (result,) = session.results
    assert (result.status, result.dropped, session.losses.malformed) == (status, int(dropped), 0), result.text


@pytest.mark.parametrize(
    ("asked", "variant"),
    [
        ({"load": "cpu"}, Variant(pass_="batch", load="cpu", period_ns=1_000_000)),
        ({"load": "cpu+cpu"}, Variant(pass_="batch")),
    ],
)
def test_a_result_without_sense_has_no_figures(asked: dict[str, Any], variant: Variant) -> None:
    load: Record = ("load", {"item": 0, "name": "l", "key": "k", "value": "1"})
    ending = _end(elapsed=str(1 << 64))
    (result,) = _session(("item", ITEM[1] | asked), BEGIN, _series(0, "q"), load, SETS, ending).results
    assert result.text
    assert result == Result(
        item=0, measurement="yield", quantity="q", variant=variant, status="invalid", reason="sense", text=result.text
    )


def _parts(*parts: Record) -> list[Record]:
    return [*((kind, keys | {"more": 1}) for kind, keys in parts[:-1]), parts[-1]]


def test_the_parts_of_a_record_are_joined() -> None:
    session = _session(
        *_parts(("item", {"item": 0, "measurement": "yield"}), ("item", {"item": 0, "load": "cpu", "pass": "batch"})),
        *_parts(*(("env", {"key": "k", "value": value}) for value in "abc")),
        *_parts(
            ("degraded", {"reason": "r", "text": "a"}),
            ("degraded", {"reason": "r", "text": "b", "remedy": "c"}),
            ("degraded", {"reason": "r", "remedy": "d"}),
        ),
        SKIP,
    )
    assert session.losses.malformed == session.losses.bad_lines == 0
    assert session.env == {"k": "abc"}
    assert session.degraded == (Degraded("r", "ab", "cd"),)
    assert session.results[0].variant == VARIANT


def test_a_joined_text_is_bounded() -> None:
    parts = _parts(*(("env", {"key": "k", "value": "x" * 190}) for _ in range(400)))
    assert _session(*parts).env == {"k": "x" * 65536}


@pytest.mark.parametrize(
    ("last", "notes", "malformed"),
    [
        (("note", {"item": 0, "kind": "k", "text": "b"}), [("k", "ab")], 0),
        (("note", {"item": 0, "kind": "other", "text": "b"}), [("other", "b")], 0),
        (("note", {"item": 0, "kind": "k", "service": "s", "text": "b"}), [("k", "b")], 0),
        (("note", {"item": 0, "kind": "k", "text": 1}), [], 1),
        (("env", {"key": "k", "value": "b"}), [], 0),
    ],
)
def test_parts_of_different_records_are_not_joined(last: Record, notes: list[tuple[str, str]], malformed: int) -> None:
    first: Record = ("note", {"item": 0, "kind": "k", "service": "z", "text": "a", "more": 1})
    session = _session(BEGIN, first, last, SETS, END)
    joined = notes == [("k", "ab")]
    (result,) = session.results
    assert [(note.kind, note.text) for note in result.notes] == notes
    assert session.losses.malformed == malformed
    assert result.reason == ("variant-unknown" if joined else "records-lost")
    assert len(session.problems) == len(_session(BEGIN, SETS, END).problems) + (not joined)


def test_parts_around_a_loss_are_not_joined() -> None:
    lines = _lines(StreamWriter(), *_parts(*(("env", {"key": "k", "value": value}) for value in "abc")))
    assert collect([*lines[:-2], lines[-1]])[0].env == {"k": "c"}


def test_a_session_that_ends_within_a_record_has_a_problem_more() -> None:
    whole = _session(("env", {"key": "k", "value": "a"}))
    cut = _session(("env", {"key": "k", "value": "a", "more": 1}))
    assert (whole.env, cut.env) == ({"k": "a"}, {})
    assert len(cut.problems) == len(whole.problems) + 1
