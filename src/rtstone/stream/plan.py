# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan of an engine's measurements, as structures and as the lines that carry it (spec/plan.md)."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from rtstone.errors import UsageError
from rtstone.model.units import counted
from rtstone.stream import framing

ItemNumber = Annotated[int, msgspec.Meta(ge=0, le=65535)]


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement to make. The fields are those of spec/plan.md."""

    item: ItemNumber
    measurement: str
    pass_: Literal["batch", "single"] = msgspec.field(name="pass", default="single")
    count: int = 1000
    sets: int = 20
    budget_ms: int = 0
    warmup: int = 16
    load: str = "none"
    intensity: int = 1
    sched: Literal["rt", "ts"] = "rt"
    cache: Literal["warm", "flushed"] = "warm"
    cpu: int = -1
    period_ns: int = 1_000_000
    phase_ns: int = 0
    timer: str = "default"
    window: str = "default"
    trace_over_ns: int = 0
    raw: int = 0
    spare: int = 0
    """1: the item may also use its share of the time that earlier items left of their budgets."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """All items of one session."""

    seed: int
    repetition: int
    items: tuple[Item, ...]
    loads_required: bool = False
    """True: if a load cannot be started, the engine refuses the plan before it measures anything. False: it skips the
    load's items."""
    peer: str = ""
    """Another host for network measurements. The plan's lines do not contain this and the next two fields; targets that
    start an engine pass them separately."""
    load_command: str = ""
    """The command that the load `command` runs."""
    clock: str = ""
    """The clock that times durations; empty: the best clock of the engine."""


# Estimated time (s) of an operation without a period and without a budget, far more than any kernel needs.
_OPERATION_S = 1e-4
# Estimated time slice (s). Among CPU-bound programs of its class, each operation may wait for the time slice of every
# one of them.
_SLICE_S = 1e-2


def expected_seconds(item: Item) -> float:
    """Upper estimate (s) of an item's time: the number of operations times the longer of the period and 100 µs,
    but at most the item's budget, if it has one and takes no `spare`.

    In the time-sharing class under a load, an operation counts as a time slice (10 ms) of every program, its own
    included.
    """
    waits = item.sched == "ts" and item.load != "none"
    operation = _SLICE_S * (1 + item.intensity) if waits else _OPERATION_S
    if item.pass_ == "batch":
        work = item.sets * item.count * operation
    else:
        work = item.count * max(operation, item.period_ns * 1e-9)
    return min(work, item.budget_ms / 1e3) if item.budget_ms and not item.spare else work


def seconds_left(items: Collection[Item], answered: Container[int] = (), elapsed_s: float = 0.0) -> float:
    """Upper estimate (s) of a session's remaining time. `answered`: the finished items; `elapsed_s`: the time (s) since
    the first item began.

    Items with `spare` may use the time that others leave of their budgets, so the sum of all budgets is a limit too.
    """
    work = sum(expected_seconds(item) for item in items if item.item not in answered)
    if any(item.spare for item in items) and all(item.budget_ms for item in items):
        return min(work, max(0.0, sum(item.budget_ms for item in items) / 1e3 - elapsed_s))
    return work


_U32 = (1 << 32) - 1
_RANGES = {
    "item": (0, 65535),
    "count": (1, _U32),
    "sets": (1, _U32),
    "budget_ms": (0, _U32),
    "warmup": (0, _U32),
    "intensity": (0, _U32),
    "cpu": (-1, (1 << 31) - 1),
    "period_ns": (1, _U32),
    "phase_ns": (0, _U32),
    "trace_over_ns": (0, _U32),
    "raw": (0, 1),
    "spare": (0, 1),
}
_WORDS = {"pass_": ("batch", "single"), "sched": ("rt", "ts"), "cache": ("warm", "flushed")}
_NAMES = ("measurement", "load", "timer", "window")
# No escapes and no spaces, since freestanding C reads the names. An engine has room for 31 characters.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:+-]{0,30}\Z")


def validate(plan: Plan) -> None:
    """Raises UsageError for the first value that spec/plan.md does not allow."""
    if not 0 <= plan.seed < 1 << 64:
        raise UsageError(f"seed: {plan.seed} is not within 0 … 2^64 - 1")
    if not 0 <= plan.repetition <= _U32:
        raise UsageError(f"repetition: {plan.repetition} is not within 0 … {_U32}")
    if not plan.items:
        raise UsageError("the plan has no items: there is nothing to measure")
    if len(plan.items) > _RANGES["item"][1] + 1:
        raise UsageError(f"a plan has at most {_RANGES['item'][1] + 1} items, this one {len(plan.items)}")
    seen: set[int] = set()
    for item in plan.items:
        _validate_item(item)
        if item.item in seen:
            raise UsageError(f"item {item.item} is in the plan twice")
        seen.add(item.item)


def _validate_item(item: Item) -> None:
    where = f"item {item.item} ({item.measurement})"
    for key, (low, high) in _RANGES.items():
        value = getattr(item, key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise UsageError(f"{where}: {key} is a whole number, not {value!r}")
        if not low <= value <= high:
            raise UsageError(f"{where}: {key} {value} is not within {low} … {high}")
    for key, words in _WORDS.items():
        if getattr(item, key) not in words:
            raise UsageError(f"{where}: {key.rstrip('_')} {getattr(item, key)!r} is neither {' nor '.join(words)}")
    for key in _NAMES:
        if not _NAME.match(str(getattr(item, key))):
            raise UsageError(
                f"{where}: {key} {getattr(item, key)!r} is not a name (at most 31 letters, digits, . _ / : + -)"
            )


VERSION = "1.3"
# "~", eight digits of seq, two spaces, eight of CRC, LF.
_ROOM = framing.MAX_LINE - 20
_DEFAULTS: dict[str, object] = {
    field.encode_name: field.default for field in msgspec.structs.fields(Item) if field.default is not msgspec.NODEFAULT
}


def encode(plan: Plan) -> bytes:
    """The plan as framed lines. Raises UsageError when a value is out of its range."""
    validate(plan)
    head: dict[str, object] = {
        "t": "plan",
        "v": VERSION,
        "seed": str(plan.seed),
        "repetition": plan.repetition,
        "items": len(plan.items),
    }
    payloads: list[dict[str, object]] = [head | ({"loads_required": 1} if plan.loads_required else {})]
    for item in plan.items:
        payloads.extend(_parts(item))
    payloads.append({"t": "go"})
    return b"".join(framing.encode(seq, msgspec.json.encode(payload)) for seq, payload in enumerate(payloads))


def _parts(item: Item) -> Iterator[dict[str, object]]:
    head: dict[str, object] = {"t": "item", "item": item.item}
    part = dict(head)
    for key, value in msgspec.to_builtins(item).items():
        if key in head or _DEFAULTS.get(key, ...) == value:
            continue
        if len(msgspec.json.encode(part | {key: value, "more": 1})) > _ROOM:
            yield part | {"more": 1}
            part = dict(head)
        part[key] = value
    yield part


class _PlanHead(msgspec.Struct, frozen=True):
    v: str
    seed: str
    repetition: int
    items: int
    loads_required: int = 0


def decode(lines: Iterable[bytes] | bytes) -> Plan:
    """The plan in framed lines. Skips lines that do not begin with ``~``. Raises UsageError naming the line."""
    if isinstance(lines, bytes):
        lines = lines.splitlines()
    return _assembled(_records(lines))


def decode_echo(stream: bytes) -> Plan:
    """The plan as an engine echoed it, from the record stream of its session. Raises UsageError if the stream has no
    whole plan."""

    def echoed() -> Iterator[tuple[int, dict[str, Any]]]:
        number = 0
        for number, raw in enumerate(stream.splitlines(), 1):
            line = framing.strip(raw)
            if not line.startswith(b"~"):
                continue
            try:
                record = msgspec.json.decode(framing.decode(line)[1], type=dict[str, Any])
            except (ValueError, msgspec.MsgspecError):
                continue  # a damaged line: if it was the plan's, its item is missing, which is an error later
            if record.get("t") in {"plan", "item"}:
                yield number, record
            elif record.get("t") == "begin":
                break
        yield number, {"t": "go"}

    return _assembled(echoed())


def _assembled(records: Iterable[tuple[int, dict[str, Any]]]) -> Plan:
    head: _PlanHead | None = None
    items: list[Item] = []
    part: dict[str, Any] = {}
    for number, record in records:
        try:
            kind = record.get("t")
            if head is None:
                if kind != "plan":
                    raise UsageError(f"plan, line {number}: a plan begins with its 'plan' line")
                head = _head(record)
            elif kind == "item":
                part = _united(part, record)
                if part.pop("more", 0) == 1:
                    continue
                items.append(msgspec.convert(part, Item))
                part = {}
            elif part:
                raise UsageError(f"plan, line {number}: the last part of item {part['item']} is missing")
            elif kind == "go":
                return _close(head, items)
        except (ValueError, msgspec.MsgspecError) as error:
            raise UsageError(f"plan, line {number}: {error}") from None
    raise UsageError("the plan has no 'go'")


def _records(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The line number and the keys of each record. Checks that the sequence numbers have no gap."""
    expected = 0
    for number, raw in enumerate(lines, 1):
        line = framing.strip(raw)
        if not line.startswith(b"~"):
            continue
        try:
            seq, payload = framing.decode(line)
            record = msgspec.json.decode(payload, type=dict[str, Any])
        except (ValueError, msgspec.MsgspecError) as error:
            raise UsageError(f"plan, line {number}: {error}") from None
        if seq != expected:
            raise UsageError(f"plan, line {number}: sequence number {seq:x}, expected {expected:x}")
        expected += 1
        yield number, record


def _united(part: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Joins the parts of an item so far with its next part."""
    if not part:
        return record
    if record.get("item") != part.get("item"):
        raise UsageError(f"plan: the last part of item {part.get('item')} is missing")
    twice = part.keys() & record.keys() - {"t", "item", "more"}
    if twice:
        raise UsageError(f"plan: item {part.get('item')} has '{min(twice)}' twice")
    return part | record


def _head(record: dict[str, Any]) -> _PlanHead:
    head = msgspec.convert(record, _PlanHead)
    if not head.seed.isascii() or not head.seed.isdigit():
        raise UsageError(f"the plan's seed '{head.seed}' is not a number")
    if head.loads_required not in (0, 1):
        raise UsageError(f"the plan's loads_required {head.loads_required} is neither 0 nor 1")
    if head.v.partition(".")[0] != VERSION.partition(".")[0]:
        raise UsageError(f"the plan is of version {head.v}, this rtstone reads {VERSION}")
    return head


def _close(head: _PlanHead, items: list[Item]) -> Plan:
    if len(items) != head.items:
        raise UsageError(f"the plan announces {counted(head.items, 'item')} and has {len(items)}")
    plan = Plan(
        seed=int(head.seed), repetition=head.repetition, items=tuple(items), loads_required=head.loads_required == 1
    )
    validate(plan)
    return plan
