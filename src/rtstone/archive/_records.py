# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The rows of the archive's lists: one row a run, one row a result."""

from __future__ import annotations

from typing import Literal

import msgspec


class MainFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A run's main quantity under one load, in nanoseconds for one operation, pooled over all repetitions."""

    quantity: str
    under: str
    """The circumstances in words: `idle`, `cpu load`."""
    count: int
    """Samples, or sets of operations."""
    p999_ns: float | None
    """None for sets, and for too few samples to give a share of 0.1 %."""
    max_ns: float
    measurement: str = ""
    """Empty, as is `period_ns`, for a run that 0.3.0 saved."""
    period_ns: int | None = None
    """Period of the measurement (ns); 0 without a period."""


class GateRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a check that did not pass, as `rtstone check` prints it."""

    outcome: str
    quantity: str
    load: str
    requirement: str
    observed: str
    interval: str
    samples: str
    why: str


class GateVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The last verdict of `rtstone check` on a run."""

    outcome: Literal["pass", "exceeded", "regressed", "inconclusive"]
    file: str
    """Name of the check file, without its folder."""
    at: str
    """UTC, ISO 8601."""
    summary: str = ""
    """The number of rows with each outcome; empty if 0.3.0 recorded the verdict."""
    rows: tuple[GateRow, ...] = ()
    """The worst rows that did not pass, at most 20."""
    unshown: int = 0
    """Number of other rows that did not pass."""

    def replaces(self, earlier: GateVerdict) -> bool:
        """Whether it takes the place of an earlier one on the same run: one of the same file, or none that is worse."""
        return self.file == earlier.file or _SEVERITY[self.outcome] >= _SEVERITY[earlier.outcome]


_SEVERITY = {"pass": 0, "inconclusive": 1, "exceeded": 2, "regressed": 2}


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
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
    """The machine's id (`Run.machine`); empty if it is not known."""
    machine_name: str
    short: str = ""
    """The first digits of the id's random part, which can name the run; empty if the id has no such part."""
    verdict: Literal["", "complete", "doubtful", "incomplete"] = ""
    """The level of `rtstone.model.verdict`; empty: not judged, since the run could not be read when the archive was
    upgraded."""
    doubts: tuple[str, ...] = ()
    """The doubts, the most serious first."""
    main: tuple[MainFigure, ...] = ()
    """The figures of its main quantity, idle first; empty if nothing was measured."""
    gate: GateVerdict | None = None
    """None: no check has judged it."""


class ResultRow(msgspec.Struct, frozen=True, kw_only=True):
    """A result in a list. Times are nanoseconds for one operation, None if nothing was measured."""

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
    """The circumstances that differ from the usual. For runs saved before version 0002 of the tables, only pass, load,
    class, cache and timer."""
    meaning: int
    status: str
    count: int
    min_ns: float | None
    mean_ns: float | None
    p50_ns: float | None
    p99_ns: float | None
    max_ns: float | None


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of runs and logs that a pruning deletes, or deleted."""

    runs: int = 0
    """Runs in the archive before."""
    removed: int = 0
    """Runs to delete."""
    raw_logs: int = 0
    """Raw logs to delete, including those of deleted runs."""
    raw_bytes: int = 0
    """Size (bytes) of these logs in the archive."""
    stay: int = 0
    """Runs that stay although the times may apply: they are under way, or have no start time."""
    removed_ids: tuple[str, ...] = ()
    """Ids of the runs to delete, the oldest first."""
    raw_ids: tuple[str, ...] = ()
    """Ids of the other runs whose raw logs are to be deleted, the oldest first."""
