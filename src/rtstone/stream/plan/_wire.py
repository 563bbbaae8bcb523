# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan as framed lines, and back (spec/plan.md). Defaults are left out; an item too long for a line goes in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from rtstone.errors import UsageError
from rtstone.stream import framing
from rtstone.stream.plan._model import Item, Plan
from rtstone.stream.plan._validate import validate

VERSION = "1.3"
# "~", eight digits of seq, two spaces, eight of CRC, LF.
_ROOM = framing.MAX_LINE - 20
_DEFAULTS: dict[str, object] = {
    field.encode_name: field.default for field in msgspec.structs.fields(Item) if field.default is not msgspec.NODEFAULT
}


def encode(plan: Plan) -> bytes:
    """The plan's lines. Raises UsageError when a value is out of its range."""
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


class _Head(msgspec.Struct, frozen=True):
    v: str
    seed: str
    repetition: int
    items: int
    loads_required: int = 0


def decode(lines: Iterable[bytes] | bytes) -> Plan:
    """The plan of framed lines; what does not begin with ``~`` is passed over. Raises UsageError naming the line."""
    if isinstance(lines, bytes):
        lines = lines.splitlines()
    return _assembled(_records(lines))


def decode_echo(stream: bytes) -> Plan:
    """The plan as an engine understood it, from the record stream of its session. Raises UsageError where that has none."""

    def told() -> Iterator[tuple[int, dict[str, Any]]]:
        number = 0
        for number, raw in enumerate(stream.splitlines(), 1):
            line = framing.strip(raw)
            if not line.startswith(b"~"):
                continue
            try:
                record = msgspec.json.decode(framing.decode(line)[1], type=dict[str, Any])
            except (ValueError, msgspec.MsgspecError):
                continue  # a line that was lost: if it was the plan's, its item is missing, and that is told
            if record.get("t") in {"plan", "item"}:
                yield number, record
            elif record.get("t") == "begin":
                break
        yield number, {"t": "go"}

    return _assembled(told())


def _assembled(records: Iterable[tuple[int, dict[str, Any]]]) -> Plan:
    head: _Head | None = None
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
    """Line number and keys of each record."""
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
    """What came of an item so far, with its next part."""
    if not part:
        return record
    if record.get("item") != part.get("item"):
        raise UsageError(f"plan: the last part of item {part.get('item')} is missing")
    twice = part.keys() & record.keys() - {"t", "item", "more"}
    if twice:
        raise UsageError(f"plan: item {part.get('item')} has '{min(twice)}' twice")
    return part | record


def _head(record: dict[str, Any]) -> _Head:
    head = msgspec.convert(record, _Head)
    if not head.seed.isascii() or not head.seed.isdigit():
        raise UsageError(f"the plan's seed '{head.seed}' is not a number")
    if head.loads_required not in (0, 1):
        raise UsageError(f"the plan's loads_required {head.loads_required} is neither 0 nor 1")
    if head.v.partition(".")[0] != VERSION.partition(".")[0]:
        raise UsageError(f"the plan is of version {head.v}, this rtstone reads {VERSION}")
    return head


def _close(head: _Head, items: list[Item]) -> Plan:
    if len(items) != head.items:
        raise UsageError(f"the plan announces {head.items} items and has {len(items)}")
    plan = Plan(
        seed=int(head.seed), repetition=head.repetition, items=tuple(items), loads_required=head.loads_required == 1
    )
    validate(plan)
    return plan
