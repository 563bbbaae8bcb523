# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What the archive answers when asked for lists: one line a run, one line a result."""

from __future__ import annotations

from typing import Literal

import msgspec


class MainFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A run's main quantity under one load, in nanoseconds for one operation, all repetitions together."""

    quantity: str
    under: str
    """The circumstances in words: `idle`, `cpu load`."""
    count: int
    """Samples, or sets of operations."""
    p999_ns: float | None
    """None of fewer samples than a share of 0.1 % needs, and of sets."""
    max_ns: float


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """The last verdict of `rtstone check` on a run."""

    outcome: Literal["pass", "exceeded", "regressed", "inconclusive"]
    file: str
    """Name of the check file, without its folder."""
    at: str
    """UTC, ISO 8601."""


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
    verdict: Literal["", "complete", "doubtful", "incomplete"] = ""
    """The level of `rtstone.model.verdict`; empty: not judged, as the run could not be read when the archive was upgraded."""
    doubts: tuple[str, ...] = ()
    """The gravest first."""
    main: tuple[MainFigure, ...] = ()
    """The figures of its main quantity, idle first; empty where nothing was measured."""
    gate: Gate | None = None
    """None: no check has judged it."""


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
    """All that tells it apart and is not the usual; of runs saved before version 0002 of the tables, pass, load, class, cache and timer."""
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
