# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans, accepted and refused."""

from __future__ import annotations

from typing import Any

from vectors.collection import Vectors
from vectors.session import compact, frame


def plan_lines(*payloads: dict[str, Any] | str, start: int = 0) -> list[bytes]:
    return [frame(start + n, p if isinstance(p, str) else compact(p)) for n, p in enumerate(payloads)]


HEAD: dict[str, Any] = {"t": "plan", "v": "1.0", "seed": "7", "repetition": 0, "items": 1}
ITEM: dict[str, Any] = {"t": "item", "item": 0, "measurement": "task-switch"}
GO: dict[str, Any] = {"t": "go"}


def one(item: dict[str, Any] | str = ITEM, head: dict[str, Any] | str = HEAD) -> bytes:
    return b"".join(plan_lines(head, item, GO))


def accepted_plans(v: Vectors) -> None:
    full = {
        "pass": "batch",
        "count": 500,
        "sets": 5,
        "budget_ms": 250,
        "warmup": 0,
        "load": "cpu",
        "intensity": 2,
        "sched": "ts",
    }
    rest = {"cache": "flushed", "cpu": 1, "period_ns": 250000, "phase_ns": 17, "timer": "timerfd", "raw": 1}
    v.plan("minimal", "one item, all defaults", one(), 1)
    v.plan(
        "full",
        "every key, in two parts",
        b"".join(plan_lines(HEAD, ITEM | full | {"more": 1}, {"t": "item", "item": 0} | rest, GO)),
        1,
        engine_only=True,
    )
    v.plan(
        "one-line",
        "many keys in one line",
        one(ITEM | {"count": 5, "load": "cpu", "cpu": 0, "raw": 1, "timer": "nanosleep"}),
        1,
    )
    two = plan_lines(HEAD | {"items": 2}, ITEM | {"item": 65535}, ITEM | {"item": 3}, GO)
    v.plan("two-items", "numbers need not begin with 0 nor ascend", b"".join(two), 2)
    v.plan("loads-required", "its loads must start", one(head=HEAD | {"v": "1.2", "loads_required": 1}), 1)
    v.plan("loads-not-required", "its loads need not start", one(head=HEAD | {"v": "1.2", "loads_required": 0}), 1)
    own = ITEM | {"load": "cpu:2+disk:0", "intensity": 3, "trace_over_ns": 100000}
    v.plan("spare", "it may take what others leave", one(ITEM | {"budget_ms": 5, "spare": 1}, HEAD | {"v": "1.3"}), 1)
    v.plan("own-intensity", "loads with intensities of their own, and a trail", one(own, HEAD | {"v": "1.3"}), 1)
    v.plan("crlf", "CR LF", one().replace(b"\n", b"\r\n"), 1)
    v.plan(
        "noise",
        "lines that do not begin with ~ are passed over",
        b"\nlogin: root\n" + one().replace(b"\n", b"\n# remark\n"),
        1,
    )
    v.plan("spaces", "spaces between tokens", one('{ "t" : "item", "item" : 0 , "measurement": "task-switch" }'), 1)
    v.plan(
        "unknown-key",
        "a key of a newer minor version",
        one(ITEM | {"colour": "blue", "depth": -99999999999999999999}),
        1,
    )
    v.plan(
        "unknown-record",
        "a record of a newer minor version",
        b"".join(plan_lines(HEAD, {"t": "comment", "text": "x"}, ITEM, GO)),
        1,
    )
    v.plan("newer-minor", "version 1.9", one(head=HEAD | {"v": "1.9"}), 1)
    largest = {"count": 2**32 - 1, "intensity": 0, "cpu": 2**31 - 1, "measurement": "m" * 31}
    large = HEAD | {"seed": str(2**64 - 1), "repetition": 2**32 - 1}
    v.plan(
        "limits",
        "largest values",
        one(ITEM | largest, large),
        1,
    )
    v.plan("after-go", "what comes after go is not read", one() + b"~0 spoilt\n", 1)
    v.plan("no-last-lf", "the last line has no LF", one()[:-1], 1)


def refused_plans(v: Vectors) -> None:
    begun = ITEM | {"more": 1}

    def item(name: str, what: str, change: dict[str, Any] | str, engine_only: bool = False) -> None:
        v.plan(name, what, one(change if isinstance(change, str) else ITEM | change), 0, engine_only)

    v.plan("wrong-crc", "one character is changed", one().replace(b"task-switch", b"task-swatch"), 0)
    v.plan(
        "too-long",
        "a line of 257 bytes",
        one(ITEM | {"padding": "x" * (257 - len(plan_lines(HEAD, ITEM | {"padding": ""})[1]))}),
        0,
    )
    v.plan(
        "lost-line",
        "an unknown record is missing by its number",
        b"".join([*plan_lines(HEAD), *plan_lines(ITEM, GO, start=2)]),
        0,
    )
    v.plan(
        "repeated-line",
        "a line comes twice",
        b"".join(plan_lines(HEAD, ITEM)[i] for i in (0, 1, 1)) + plan_lines(GO, start=2)[0],
        0,
    )
    v.plan("not-from-0", "seq begins with 1", b"".join(plan_lines(HEAD, ITEM, GO, start=1)), 0)
    v.plan("newer-major", "version 2.0", one(head=HEAD | {"v": "2.0"}), 0)
    for name, version in (
        ("version-number", 1),
        ("version-word", "one"),
        ("version-dot", "1."),
        ("version-major-only", "1"),
    ):
        v.plan(
            name,
            "v is not a version",
            one(head=HEAD | {"v": version}),
            0,
            engine_only=name in ("version-dot", "version-major-only"),
        )
    for key in ("v", "seed", "repetition", "items"):
        v.plan(f"no-{key}", f"the plan line lacks {key}", one(head={k: x for k, x in HEAD.items() if k != key}), 0)
    v.plan("loads-required-2", "loads_required is 2", one(head=HEAD | {"loads_required": 2}), 0)
    v.plan("loads-required-word", "loads_required is a string", one(head=HEAD | {"loads_required": "1"}), 0)
    v.plan("spare-2", "spare is 2", one(ITEM | {"spare": 2}), 0)
    v.plan("seed-number", "seed is a number, not a string", one(head=HEAD | {"seed": 7}), 0)
    v.plan("seed-too-large", "seed is 2^64", one(head=HEAD | {"seed": str(2**64)}), 0)
    v.plan("repetition-negative", "repetition is -1", one(head=HEAD | {"repetition": -1}), 0)
    v.plan("items-0", "no item is announced", b"".join(plan_lines(HEAD | {"items": 0}, GO)), 0)
    v.plan("items-too-many", "65537 items are announced", one(head=HEAD | {"items": 65537}), 0)
    v.plan("fewer-items", "two are announced, one comes", one(head=HEAD | {"items": 2}), 0)
    v.plan("more-items", "one is announced, two come", b"".join(plan_lines(HEAD, ITEM, ITEM | {"item": 1}, GO)), 0)
    v.plan("repeated-number", "two items of one number", b"".join(plan_lines(HEAD | {"items": 2}, ITEM, ITEM, GO)), 0)
    v.plan("no-go", "ends without go", b"".join(plan_lines(HEAD, ITEM)), 0)
    v.plan("no-plan-line", "an item without a plan line", b"".join(plan_lines(ITEM, GO)), 0)
    v.plan("plan-twice", "two plan lines", b"".join(plan_lines(HEAD, HEAD, ITEM, GO)), 0, engine_only=True)
    v.plan("only-noise", "no record at all", b"login: root\n\n", 0)
    v.plan(
        "part-missing", "an item says more and go follows", b"".join(plan_lines(HEAD, begun, GO)), 0, engine_only=True
    )
    v.plan(
        "part-of-another",
        "an item says more and another follows",
        b"".join(plan_lines(HEAD, begun, {"t": "item", "item": 1}, GO)),
        0,
    )
    v.plan(
        "t-not-first",
        "t is not the first key",
        one('{"item":0,"t":"item","measurement":"task-switch"}'),
        0,
        engine_only=True,
    )
    item("no-item-number", "an item without number", '{"t":"item","measurement":"task-switch"}')
    item("no-measurement", "an item without measurement", '{"t":"item","item":0}')
    for key, values in {
        "item": (-1, 65536, "0"), "count": (0, -1, 2**32, "5"), "sets": (0, 2**32), "budget_ms": (-1, 2**32),
        "warmup": (-1,), "intensity": (-1,), "cpu": (-2, 2**31), "period_ns": (0, 2**32), "phase_ns": (-1,), "raw": (2, "1"),
        "pass": ("both", 1), "sched": ("fifo",), "cache": ("cold",), "load": (1, "l" * 32), "timer": (0, ""),
        "measurement": (5, "", "m" * 32),
    }.items():  # fmt: skip
        for n, value in enumerate(values):
            item(f"{key.replace('_', '-')}-{n}", f"{key} is {value!r}", {key: value})
    item("fraction", "a count of 1.5", {"count": 1.5})
    item(
        "exponent", "a count of 1e3", '{"t":"item","item":0,"measurement":"task-switch","count":1e3}', engine_only=True
    )
    item("leading-zero", "a count of 010", '{"t":"item","item":0,"measurement":"task-switch","count":010}')
    item("escape", "an escape in a string", '{"t":"item","item":0,"measurement":"task\\u002dswitch"}', engine_only=True)
    for name, value in (("true", "true"), ("null", "null"), ("array", "[1]"), ("object", '{"a":1}')):
        item(
            f"unknown-key-{name}",
            f"{name} as a value",
            '{"t":"item","item":0,"measurement":"x","other":' + value + "}",
            engine_only=True,
        )
    item(
        "key-twice",
        "count is given twice",
        '{"t":"item","item":0,"measurement":"task-switch","count":5,"count":5}',
        engine_only=True,
    )
    item("trailing-comma", "a comma after the last value", '{"t":"item","item":0,"measurement":"task-switch",}')
    item("no-colon", "a colon is missing", '{"t":"item","item" 0,"measurement":"task-switch"}')
    item("two-objects", "two objects in a line", '{"t":"item","item":0},{"measurement":"task-switch"}')
