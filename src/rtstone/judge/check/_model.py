# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A check file as structures, field by field what its TOML holds, and what became of it: rows and a report."""

from __future__ import annotations

from typing import Literal

import msgspec

Outcome = Literal["pass", "exceeded", "regressed", "inconclusive"]


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misspelt key is an error, not a silence."""


class Selection(_Strict, frozen=True, kw_only=True):
    """Which results of a run are meant."""

    study: str = ""
    """Only to say where the measurement comes from: it must be part of that study."""
    measurement: str = ""
    """May be left out where the quantity tells it."""
    quantity: str = ""
    """May be left out where the measurement yields one only."""
    load: str | tuple[str, ...] = "none"
    """Each load is a row of its own."""
    intensity: int = 1
    pass_: Literal["batch", "single"] = msgspec.field(name="pass", default="single")
    sched: Literal["rt", "ts"] = "rt"
    cache: Literal["warm", "flushed"] = "warm"
    timer: str = "default"
    period_ns: int | None = msgspec.field(name="period-ns", default=None)
    """Of this and the next two: where it is left out, all results must agree in it."""
    window: str | None = None
    trace_over_ns: int | None = msgspec.field(name="trace-over-ns", default=None)

    @property
    def loads(self) -> tuple[str, ...]:
        """The loads, as a tuple also where there is one."""
        return (self.load,) if isinstance(self.load, str) else self.load


class BoundEntry(Selection, frozen=True, kw_only=True):
    """Requirements on one quantity: `[[bound]]`."""

    require: tuple[str, ...]
    unlike: tuple[str, ...] = ()
    """What may differ between runs that are judged together, by short names (`machine`)."""


class BaselineEntry(Selection, frozen=True, kw_only=True):
    """One quantity that must be no worse than it was: `[[baseline]]`."""

    runs: tuple[str, ...] = ()
    """Of the archive: ids, their beginnings, last~N."""
    labels: tuple[str, ...] = ()
    """All complete runs of the archive with these labels."""
    files: tuple[str, ...] = ()
    """Runs as JSON, beside the check file."""
    statistics: tuple[str, ...] = ("median",)
    allow: str = "0%"
    """A change up to this is no regression."""
    detect: str = ""
    """A row that could not have shown a change of this size is inconclusive; empty: it passes, and says what it could have shown."""
    between_runs: Literal["measured", "ignored"] = msgspec.field(name="between-runs", default="measured")
    """ignored: repetitions are the population, as though a run of tomorrow were like one of today."""
    judged: int = 3
    """With fewer runs that are judged, what looks like a regression is inconclusive: a stray run looks the same."""
    unlike: tuple[str, ...] = ()
    """What may differ between the runs, by short names (`cpu.model`)."""


class MeasureEntry(_Strict, frozen=True, kw_only=True):
    """How `--measure` measures: `[measure]`."""

    target: str = "local"
    profile: str = "quick"
    repetitions: int = 5
    count: int | None = None
    sets: int | None = None
    period: str | None = None
    cpu: int = -1
    label: str = ""


class CheckFile(_Strict, frozen=True, kw_only=True):
    """The whole file."""

    schema: Literal["rtstone.check"]
    version: str
    time: Literal["time", "instruction-time", "emulated-time"] = "time"
    """What the bounds are meant in: a machine's time, or that of an emulator, which counts instructions or does not."""
    false_alarms: float = msgspec.field(name="false-alarms", default=0.01)
    """Chance that the file fails though nothing is wrong, all its rows together."""
    confidence: float = 0.95
    """With which a row's data must show that its bound holds."""
    measure: MeasureEntry | None = None
    bounds: tuple[BoundEntry, ...] = msgspec.field(name="bound", default=())
    baselines: tuple[BaselineEntry, ...] = msgspec.field(name="baseline", default=())


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement and what became of it. Figures are in `unit`."""

    kind: Literal["bound", "baseline"]
    line: int
    """Of the check file."""
    target: str
    measurement: str
    quantity: str
    load: str
    requirement: str
    outcome: Outcome
    reason: str
    """One clause; never empty."""
    unit: Literal["ns", "share", "count", "change"] = "ns"
    """change: relative, 0.05 is 5 % more than the baseline."""
    observed: float | None = None
    low: float | None = None
    high: float | None = None
    """Ends of the observed figure's interval, each at the file's confidence; None where the data set no such end."""
    limit: float | None = None
    samples: int = 0
    repetitions: int = 0
    p: float | None = None
    """How likely data like this is where the bound holds; None for what is simply counted or observed (max, loss)."""
    p_adjusted: float | None = None
    """The same for all rows of the file at once (Holm)."""
    detectable: float | None = None
    """Of a baseline: the smallest worsening that data like this shows, four times in five."""
    suspect: bool = False
    """Of a baseline: too few runs are judged for it to be called a regression, whatever p says."""
    notes: tuple[str, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What `rtstone check --json` prints."""

    schema: Literal["rtstone.check-result"] = "rtstone.check-result"
    version: str = "1.0"
    file: str
    runs: tuple[str, ...]
    outcome: Outcome
    """The worst of the rows: exceeded before regressed before inconclusive before pass."""
    summary: str
    time: Literal["time", "instruction-time", "emulated-time"] = "time"
    """Of what the bounds and figures are."""
    false_alarms: float
    confidence: float
    degraded: tuple[str, ...] = ()
    rows: tuple[Row, ...]
