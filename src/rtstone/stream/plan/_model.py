# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan as structures (spec/plan.md): what an engine is asked to measure."""

from __future__ import annotations

from typing import Literal

import msgspec


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement to be made; field by field as in spec/plan.md."""

    item: int
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
    """1: it may also take its share of what the items before it left of their budgets."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """All items of one session."""

    seed: int
    repetition: int
    items: tuple[Item, ...]
    loads_required: bool = False
    """A load that cannot be started refuses the plan, before anything is measured; else its items are skipped."""
    peer: str = ""
    """Another host for network measurements. This and the next do not travel: only an engine that is started on this machine has them."""
    load_command: str = ""
    """What the load `command` runs."""
