# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The structures of a check file, field by field as in its TOML, and of its result: rows and a report."""

from __future__ import annotations

from typing import Literal

import msgspec

Outcome = Literal["pass", "exceeded", "regressed", "inconclusive"]

ATTACHED = "attach"
"""The measurement of runs that `rtstone attach` makes. No engine lists it."""


class _CheckFileTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a check file. An unknown key is an error."""


class Selection(_CheckFileTable, frozen=True, kw_only=True):
    """The keys of a `[[bound]]` or `[[baseline]]` table that select results of a run."""

    study: str = ""
    """The study that the measurement comes from; the measurement must be part of it."""
    measurement: str = ""
    """May be left out if only one measurement yields the quantity."""
    quantity: str = ""
    """May be left out if the measurement yields only one."""
    load: str | tuple[str, ...] = "none"
    """Each load becomes a row of its own."""
    intensity: int = 1
    pass_: Literal["batch", "single"] = msgspec.field(name="pass", default="single")
    sched: Literal["rt", "ts"] = "rt"
    cache: Literal["warm", "flushed"] = "warm"
    timer: str = "default"
    period_ns: int | None = msgspec.field(name="period-ns", default=None)
    """If this key, or one of the next two, is left out, all results must have the same value of it."""
    window: str | None = None
    trace_over_ns: int | None = msgspec.field(name="trace-over-ns", default=None)

    @property
    def loads(self) -> tuple[str, ...]:
        """The loads as a tuple, even if there is only one."""
        return (self.load,) if isinstance(self.load, str) else self.load


class BoundEntry(Selection, frozen=True, kw_only=True):
    """A `[[bound]]` table of a check file: the requirements on one quantity."""

    require: tuple[str, ...]
    unlike: tuple[str, ...] = ()
    """Short names (`machine`) of the differences that runs judged together may have."""


class BaselineEntry(Selection, frozen=True, kw_only=True):
    """A `[[baseline]]` table of a check file: one quantity that must not be worse than in the named runs."""

    runs: tuple[str, ...] = ()
    """Runs of the archive, as commands name them: an id or its beginning, last~N, a label, LABEL~N."""
    labels: tuple[str, ...] = ()
    """All complete runs of the archive with these labels."""
    files: tuple[str, ...] = ()
    """Runs as JSON files; paths are relative to the check file."""
    statistics: tuple[str, ...] = ("median",)
    allow: str = "0%"
    """A change up to this size is not a regression."""
    detect: str = ""
    """A row that could not have shown a change of this size is inconclusive. Empty: it passes, and reports which
    change it could have shown."""
    between_runs: Literal["measured", "ignored"] = msgspec.field(name="between-runs", default="measured")
    """`ignored`: the repetitions are the population, as if runs did not differ from each other."""
    judged: int = 3
    """With fewer judged runs, an apparent regression is inconclusive: a single stray run looks the same."""
    unlike: tuple[str, ...] = ()
    """Short names (`cpu.model`) of the differences that the runs may have."""


class MeasureEntry(_CheckFileTable, frozen=True, kw_only=True):
    """The `[measure]` table of a check file: how `rtstone check --measure` measures."""

    target: str = "local"
    profile: str = "quick"
    repetitions: int = 5
    count: int | None = None
    sets: int | None = None
    period: str | None = None
    cpu: int = -1
    label: str = ""


class CheckFile(_CheckFileTable, frozen=True, kw_only=True):
    """A complete check file."""

    schema: Literal["rtstone.check"]
    version: str
    time: Literal["time", "instruction-time", "emulated-time"] = "time"
    """The kind of time of the bounds: a machine's, or that of an emulator that counts instructions or does not."""
    false_alarms: float = msgspec.field(name="false-alarms", default=0.01)
    """Probability that the file fails although nothing is wrong, for all its rows together."""
    confidence: float = 0.95
    """Confidence with which a row's data must show that its bound holds."""
    measure: MeasureEntry | None = None
    bounds: tuple[BoundEntry, ...] = msgspec.field(name="bound", default=())
    baselines: tuple[BaselineEntry, ...] = msgspec.field(name="baseline", default=())


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement with its outcome, and the figures that it was judged by. Figures are in `unit`."""

    kind: Literal["bound", "baseline"]
    line: int
    """Line in the check file."""
    target: str
    measurement: str
    quantity: str
    load: str
    requirement: str
    outcome: Outcome
    reason: str
    """One clause; never empty."""
    unit: Literal["ns", "share", "count", "change"] = "ns"
    """`change` is relative: 0.05 is 5 % more than the baseline."""
    observed: float | None = None
    low: float | None = None
    high: float | None = None
    """Ends of the observed figure's interval, each at the file's confidence; None: the data set no such end."""
    limit: float | None = None
    samples: int = 0
    repetitions: int = 0
    p: float | None = None
    """Probability of such data if the bound holds; None for figures that are only counted or observed (max, loss)."""
    p_adjusted: float | None = None
    """p, adjusted for all rows of the file (Holm). At most `false_alarms`: the bound is exceeded."""
    p_held: float | None = None
    """For a bound: probability of such data if the bound does not hold. At most 1 - `confidence`: the row can pass."""
    detectable: float | None = None
    """For a baseline: the smallest worsening that such data show in four of five cases."""
    suspect: bool = False
    """For a baseline: too few runs are judged to report a regression, whatever p is."""
    notes: tuple[str, ...] = ()

    @property
    def attached(self) -> bool:
        """Whether its figure is of the user's own program, which is then the load."""
        return self.measurement == ATTACHED


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check, with one row for each requirement. `rtstone check --json` prints it."""

    schema: Literal["rtstone.check-result"] = "rtstone.check-result"
    version: str = "1.1"
    file: str
    runs: tuple[str, ...]
    outcome: Outcome
    """The worst outcome of the rows; from the worst: exceeded, regressed, inconclusive, pass."""
    summary: str
    time: Literal["time", "instruction-time", "emulated-time"] = "time"
    """The kind of time of the bounds and figures."""
    false_alarms: float
    confidence: float
    degraded: tuple[str, ...] = ()
    rows: tuple[Row, ...]
