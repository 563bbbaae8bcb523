# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans as lines: ranges, round trips, parts; the shared vectors are in ../test_vectors.py."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.errors import UsageError
from rtstone.stream import framing
from rtstone.stream.plan import Item, Plan, decode, decode_echo, encode, expected_seconds, seconds_left, validate
from support.plans import plans


@given(plans)
def test_round_trip(plan: Plan) -> None:
    lines = encode(plan)
    assert all(len(line) <= framing.MAX_LINE for line in lines.splitlines(keepends=True))
    assert decode(lines) == plan


@given(plans, st.integers(0, 10_000), st.integers(0, 7))
def test_no_flipped_bit_is_believed(plan: Plan, where: int, bit: int) -> None:
    """A turned bit is refused, or leaves the plan as it was (in the `~` of a line it turns it into console text)."""
    spoiled = bytearray(encode(plan))
    spoiled[where % len(spoiled)] ^= 1 << bit
    try:
        understood = decode(bytes(spoiled))
    except UsageError:
        return
    assert understood == plan


@given(st.binary(max_size=600))
def test_garbage_is_refused_with_one_line(data: bytes) -> None:
    with pytest.raises(UsageError):
        decode(data)


def test_defaults_are_left_out() -> None:
    lines = encode(Plan(seed=1, repetition=0, items=(Item(item=0, measurement="task-switch"),)))
    assert framing.decode(lines.splitlines()[1])[1] == b'{"t":"item","item":0,"measurement":"task-switch"}'


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": 0}, "count 0 is not within 1"),
        ({"count": -5}, "count -5"),
        ({"count": 1 << 32}, "count 4294967296"),
        ({"sets": 0}, "sets 0"),
        ({"period_ns": 0}, "period_ns 0"),
        ({"cpu": -2}, "cpu -2"),
        ({"raw": 2}, "raw 2"),
        ({"item": 65536}, "item 65536"),
        ({"budget_ms": -1}, "budget_ms -1"),
        ({"count": 1.5}, "whole number"),
        ({"count": True}, "whole number"),
        ({"pass_": "both"}, "pass 'both' is neither batch nor single"),
        ({"sched": "fifo"}, "sched 'fifo'"),
        ({"cache": "cold"}, "cache 'cold'"),
        ({"measurement": ""}, "not a name"),
        ({"measurement": "x" * 32}, "not a name"),
        ({"load": 'a"b'}, "not a name"),
        ({"timer": "a b"}, "not a name"),
    ],
)
def test_values_out_of_range_are_refused(change: dict[str, object], words: str) -> None:
    item = msgspec.structs.replace(Item(item=0, measurement="task-switch"), **change)
    with pytest.raises(UsageError, match=words) as caught:
        encode(Plan(seed=1, repetition=0, items=(item,)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Plan(seed=-1, repetition=0, items=(Item(item=0, measurement="a"),)), "seed"),
        (Plan(seed=1 << 64, repetition=0, items=(Item(item=0, measurement="a"),)), "seed"),
        (Plan(seed=1, repetition=-1, items=(Item(item=0, measurement="a"),)), "repetition"),
        (Plan(seed=1, repetition=0, items=()), "no items"),
        (Plan(seed=1, repetition=0, items=(Item(item=0, measurement="a"),) * 2), "twice"),
    ],
)
def test_plans_that_cannot_be_are_refused(plan: Plan, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        encode(plan)


def test_expected_seconds() -> None:
    assert expected_seconds(Item(item=0, measurement="a", count=2000, period_ns=250_000)) == pytest.approx(0.5)
    assert expected_seconds(
        Item(item=0, measurement="a", count=2000, period_ns=250_000, budget_ms=100)
    ) == pytest.approx(0.1)
    spare = Item(item=0, measurement="a", count=2000, period_ns=250_000, budget_ms=100, spare=1)
    assert expected_seconds(spare) == pytest.approx(0.5)
    assert expected_seconds(Item(item=0, measurement="a", pass_="batch", count=10, sets=10)) == pytest.approx(0.01)
    pair = (spare, msgspec.structs.replace(spare, item=1))
    assert seconds_left(pair) == pytest.approx(0.2)  # together no longer than their budgets
    assert seconds_left(pair, {0}, 0.01) == pytest.approx(0.19)  # what the first left is the other's
    assert seconds_left(pair, {0}, 9.0) == 0.0
    waiting = Item(item=0, measurement="a", sched="ts", load="cpu", intensity=3, count=100)
    assert expected_seconds(waiting) == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("keys", "seconds"),
    [
        ({"count": 100, "period_ns": 1}, 0.01),
        ({"count": 100, "period_ns": 100_000}, 0.01),
        ({"count": 100, "period_ns": 200_000}, 0.02),
        ({"count": 100, "period_ns": 200_000, "budget_ms": 30}, 0.02),
        ({"count": 100, "period_ns": 200_000, "budget_ms": 20, "spare": 1}, 0.02),
        ({"pass_": "batch", "count": 20, "sets": 50, "period_ns": 4_000_000_000}, 0.1),
        ({"pass_": "batch", "count": 20, "sets": 50, "budget_ms": 1}, 0.001),
        ({"pass_": "batch", "count": 20, "sets": 50, "sched": "ts", "load": "cpu", "intensity": 1}, 20.0),
        ({"count": 100, "period_ns": 1, "sched": "ts", "intensity": 3}, 0.01),
        ({"count": 100, "period_ns": 1, "load": "cpu", "intensity": 3}, 0.01),
        ({"count": 100, "period_ns": 1, "sched": "ts", "load": "cpu", "intensity": 0}, 1.0),
    ],
)
def test_the_seconds_of_an_item(keys: dict[str, Any], seconds: float) -> None:
    item = Item(item=3, measurement="a", **keys)
    assert expected_seconds(item) == pytest.approx(seconds)
    assert seconds_left([item]) == pytest.approx(seconds)
    assert seconds_left([item], {3}) == 0


@pytest.mark.parametrize(
    ("spares", "budgets", "elapsed_s", "seconds"),
    [
        ((1, 1), (100, 200), 0.0, 0.3),
        ((1, 0), (100, 200), 0.0, 0.3),
        ((0, 1), (100, 200), 0.1, 0.2),
        ((1, 1), (100, 0), 0.0, 20.0),
        ((0, 0), (100, 200), 9.0, 0.3),
    ],
)
def test_the_seconds_of_items_that_share(
    spares: tuple[int, int], budgets: tuple[int, int], elapsed_s: float, seconds: float
) -> None:
    items = [
        Item(item=n, measurement="a", count=10_000, spare=spare, budget_ms=budget)
        for n, (spare, budget) in enumerate(zip(spares, budgets, strict=True))
    ]
    assert seconds_left(items, elapsed_s=elapsed_s) == pytest.approx(seconds)


def _framed(*records: dict[str, Any], first: int = 0) -> bytes:
    return b"".join(framing.encode(seq, json.dumps(record).encode()) for seq, record in enumerate(records, first))


HEAD: dict[str, Any] = {"t": "plan", "v": "1.3", "seed": "7", "repetition": 2, "items": 1}
ITEM: dict[str, Any] = {"t": "item", "item": 5, "measurement": "a"}
GO: dict[str, Any] = {"t": "go"}
PLAN = Plan(seed=7, repetition=2, items=(Item(item=5, measurement="a"),))


def test_the_lines_of_a_plan() -> None:
    long = Item(
        item=5,
        measurement="m" * 31,
        pass_="batch",
        load="l" * 31,
        timer="t" * 31,
        window="w" * 31,
        cache="flushed",
        sched="ts",
        phase_ns=1,
        trace_over_ns=2,
    )
    lines = encode(Plan(seed=7, repetition=2, items=(long,), loads_required=True)).splitlines(keepends=True)
    first, *parts, last = (json.loads(framing.decode(line[:-1])[1]) for line in lines)
    assert (first, last) == (HEAD | {"loads_required": 1}, GO)
    assert [part.get("more", 0) for part in parts] == [1, 0]
    assert all(part.items() >= {"t": "item", "item": 5}.items() for part in parts)
    assert msgspec.convert(parts[0] | parts[1], Item) == long
    assert len(lines[1]) > 200  # a part is filled before the next one begins


@pytest.mark.parametrize(
    ("lines", "plan"),
    [
        (_framed(HEAD, ITEM, GO), PLAN),
        (_framed(HEAD, ITEM, GO).replace(b"\n", b"\r\n"), PLAN),
        (b"noise\n\n" + _framed(HEAD, ITEM, GO) + b"~broken\n", PLAN),
        (_framed(HEAD | {"v": "1.9", "new": 1}, {"t": "new"}, ITEM | {"new": 1}, GO), PLAN),
        (_framed(HEAD | {"loads_required": 1}, ITEM, GO), msgspec.structs.replace(PLAN, loads_required=True)),
        (_framed(HEAD, ITEM | {"more": 0}, GO), PLAN),
        (_framed(HEAD, ITEM | {"more": 1}, {"t": "item", "item": 5, "count": 9, "more": 1}, {"t": "item", "item": 5, "load": "cpu"}, GO),
         msgspec.structs.replace(PLAN, items=(Item(item=5, measurement="a", count=9, load="cpu"),))),
        (_framed(HEAD | {"items": 2}, ITEM | {"more": 1}, {"t": "item", "item": 5}, ITEM | {"item": 6}, GO),
         msgspec.structs.replace(PLAN, items=(*PLAN.items, Item(item=6, measurement="a")))),
    ],
)  # fmt: skip
def test_lines_that_are_a_plan(lines: bytes, plan: Plan) -> None:
    assert decode(lines) == plan
    assert decode(lines.splitlines(keepends=True)) == plan


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        (b"", None),
        (_framed(HEAD, ITEM), None),
        (_framed(ITEM, GO), 1),
        (b"noise\n" + _framed(GO), 2),
        (_framed(HEAD, ITEM, GO, first=1), 1),
        (_framed(HEAD, ITEM) + _framed(GO), 3),
        (_framed(HEAD) + b"~broken\n", 2),
        (_framed(HEAD) + framing.encode(1, b'{"t":"item",}'), 2),
        (_framed(HEAD, {"t": "item", "item": 5}, GO), 2),
        (_framed(HEAD, ITEM | {"count": "9"}, GO), 2),
        (_framed({"t": "plan", "v": "1.3"}, ITEM, GO), 1),
        (_framed(HEAD | {"v": "2.3"}, ITEM, GO), None),
        (_framed(HEAD | {"seed": ""}, ITEM, GO), None),
        (_framed(HEAD | {"seed": "-7"}, ITEM, GO), None),
        (_framed(HEAD | {"seed": "\u0667"}, ITEM, GO), None),
        (_framed(HEAD | {"seed": str(1 << 64)}, ITEM, GO), None),
        (_framed(HEAD | {"loads_required": 2}, ITEM, GO), None),
        (_framed(HEAD | {"loads_required": -1}, ITEM, GO), None),
        (_framed(HEAD | {"items": 2}, ITEM, GO), None),
        (_framed(HEAD | {"items": 0}, ITEM, GO), None),
        (_framed(HEAD | {"items": 2}, ITEM, ITEM, GO), None),
        (_framed(HEAD, ITEM | {"count": 0}, GO), None),
        (_framed(HEAD, ITEM | {"more": 1}, GO), 3),
        (_framed(HEAD, ITEM | {"more": 1}, {"t": "item", "item": 6}, GO), None),
        (_framed(HEAD, ITEM | {"more": 1}, {"t": "item", "item": 5, "measurement": "a"}, GO), None),
    ],
)  # fmt: skip
def test_lines_that_are_no_plan(lines: bytes, number: int | None) -> None:
    with pytest.raises(UsageError) as caught:
        decode(lines)
    assert "\n" not in str(caught.value)
    assert number is None or f"line {number}: " in str(caught.value)


BEGIN: dict[str, Any] = {"t": "begin", "item": 5}


@pytest.mark.parametrize(
    ("stream", "plan"),
    [
        (_framed({"t": "hello"}, HEAD, ITEM, BEGIN), PLAN),
        (_framed({"t": "hello"}, HEAD, ITEM), PLAN),
        (_framed({"t": "hello"}, HEAD, ITEM, BEGIN, ITEM | {"item": 6}), PLAN),
        (b"noise\r\n~broken\r\n" + _framed(HEAD, {"t": "env"}, ITEM | {"more": 1}, {"t": "item", "item": 5}).replace(b"\n", b"\r\n"), PLAN),
        (_framed(HEAD) + framing.encode(1, b"{x}") + _framed(ITEM, first=2), PLAN),
        (b"", None),
        (_framed({"t": "hello"}, BEGIN, HEAD, ITEM), None),
        (_framed(HEAD, BEGIN, ITEM), None),
        (_framed(HEAD | {"items": 2}, ITEM, BEGIN), None),
        (_framed(HEAD, ITEM | {"more": 1}, BEGIN), None),
        (_framed(ITEM, HEAD, BEGIN), None),
    ],
)  # fmt: skip
def test_the_plan_of_an_echo(stream: bytes, plan: Plan | None) -> None:
    if plan is not None:
        assert decode_echo(stream) == plan
        return
    with pytest.raises(UsageError) as caught:
        decode_echo(stream)
    assert "\n" not in str(caught.value)


def test_a_fault_of_an_echo_names_its_line() -> None:
    with pytest.raises(UsageError, match="line 3: "):
        decode_echo(b"noise\n" + _framed(HEAD, ITEM | {"count": "9"}, BEGIN))


def test_the_largest_plan() -> None:
    items = tuple(Item(item=n, measurement="a") for n in range(65536))
    validate(Plan(seed=(1 << 64) - 1, repetition=(1 << 32) - 1, items=items))
    with pytest.raises(UsageError):
        validate(Plan(seed=0, repetition=1 << 32, items=items[:1]))
