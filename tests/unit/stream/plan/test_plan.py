# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans as lines: ranges, round trips, parts; the shared vectors are in test_vectors.py."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.errors import UsageError
from rtstone.stream import framing
from rtstone.stream.plan import Item, Plan, decode, encode, expected_seconds, seconds_left
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
