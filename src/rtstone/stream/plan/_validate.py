# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Refuses a plan whose values are out of the ranges of spec/plan.md, with the line that its author needs."""

from __future__ import annotations

import re

from rtstone.errors import UsageError
from rtstone.stream.plan._model import Item, Plan

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
# No escapes, no spaces: freestanding C reads it. 31 characters are what an engine has room for.
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
