# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan as framed lines, and back (spec/plan.md). Defaults are left out, so that every item fits into one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from rtstone import framing
from rtstone.errors import UsageError
from rtstone.plan._model import Item, Plan
from rtstone.plan._validate import validate

VERSION = "1.0"
_DEFAULTS: dict[str, object] = {
    field.encode_name: field.default for field in msgspec.structs.fields(Item) if field.default is not msgspec.NODEFAULT
}


def encode(plan: Plan) -> bytes:
    """The plan's lines. Raises UsageError when a value is out of its range or an item does not fit into a line."""
    validate(plan)
    payloads: list[dict[str, object]] = [
        {"t": "plan", "v": VERSION, "seed": str(plan.seed), "repetition": plan.repetition, "items": len(plan.items)}
    ]
    for item in plan.items:
        keys = msgspec.to_builtins(item)
        payloads.append({"t": "item"} | {k: v for k, v in keys.items() if _DEFAULTS.get(k, ...) != v})
    payloads.append({"t": "go"})
    try:
        return b"".join(framing.encode(seq, msgspec.json.encode(payload)) for seq, payload in enumerate(payloads))
    except ValueError as error:
        raise UsageError(f"the plan cannot be sent: {error}") from None


class _Head(msgspec.Struct, frozen=True):
    v: str
    seed: str
    repetition: int
    items: int


def decode(lines: Iterable[bytes] | bytes) -> Plan:
    """The plan of framed lines; what does not begin with ``~`` is passed over. Raises UsageError naming the line."""
    if isinstance(lines, bytes):
        lines = lines.splitlines()
    head: _Head | None = None
    items: list[Item] = []
    expected = 0
    for number, raw in enumerate(lines, 1):
        line = framing.strip(raw)
        if not line.startswith(b"~"):
            continue
        try:
            seq, payload = framing.decode(line)
            record: dict[str, Any] = msgspec.json.decode(payload, type=dict[str, Any])
            if seq != expected:
                raise UsageError(f"plan, line {number}: sequence number {seq:x}, expected {expected:x}")
            expected += 1
            kind = record.get("t")
            if head is None:
                if kind != "plan":
                    raise UsageError(f"plan, line {number}: a plan begins with its 'plan' line")
                head = _head(record)
            elif kind == "item":
                items.append(msgspec.convert(record, Item))
            elif kind == "go":
                return _close(head, items)
        except (ValueError, msgspec.MsgspecError) as error:
            raise UsageError(f"plan, line {number}: {error}") from None
    raise UsageError("the plan has no 'go'")


def _head(record: dict[str, Any]) -> _Head:
    head = msgspec.convert(record, _Head)
    if head.v.partition(".")[0] != VERSION.partition(".")[0]:
        raise UsageError(f"the plan is of version {head.v}, this rtstone reads {VERSION}")
    return head


def _close(head: _Head, items: list[Item]) -> Plan:
    if len(items) != head.items:
        raise UsageError(f"the plan announces {head.items} items and has {len(items)}")
    plan = Plan(seed=int(head.seed), repetition=head.repetition, items=tuple(items))
    validate(plan)
    return plan
