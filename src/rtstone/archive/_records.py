# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What the archive answers when asked for lists: one line a run, one line a result."""

from __future__ import annotations

import msgspec


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a list."""

    id: str
    started: str
    """UTC, ISO 8601."""
    ended: str
    target: str
    label: str
    kernel: str
    studies: tuple[str, ...]
    profile: str
    status: str
    degraded: bool
    results: int
    measured: int
    group: str
    tool: str
    machine: str
    """Which machine (`Run.machine`); empty where nothing tells."""
    machine_name: str
    short: str = ""
    """The first digits of the id's random part, by which the run may be called; empty where it has none."""


class ResultRow(msgspec.Struct, frozen=True, kw_only=True):
    """A result in a list. Times are nanoseconds for one operation, None where nothing was measured."""

    run: str
    started: str
    machine: str
    target: str
    kernel: str
    measurement: str
    quantity: str
    pass_: str = msgspec.field(name="pass")
    load: str
    sched: str
    cache: str
    timer: str
    variant: str
    """All that tells it apart and is not the usual; empty in what was saved before version 0002 of the tables."""
    meaning: int
    status: str
    count: int
    min_ns: float | None
    mean_ns: float | None
    p50_ns: float | None
    p99_ns: float | None
    max_ns: float | None


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """What a pruning takes, or took."""

    runs: int = 0
    """There were before."""
    removed: int = 0
    """Of these."""
    raw_logs: int = 0
    """That go, those of removed runs among them."""
    raw_bytes: int = 0
    """As they lie in the archive."""
    stay: int = 0
    """Runs that the times are for, but that stay: under way, or without a time of their own."""
