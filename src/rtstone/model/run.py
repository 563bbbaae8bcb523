# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a run as frozen structures: the one form that archive, tables, report and JSON share.

Values are raw ticks of the named clock; nothing is subtracted, nothing is rounded. The reader converts them to time
with :meth:`Clock.ns`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.model.histogram import Histogram
from rtstone.model.variant import Variant

Status = Literal["ok", "skipped", "invalid", "failed", "incomplete"]
"""Of a result: measured; not measured; measured but not to be trusted; failed while measuring;
cut short by a loss in the stream."""

RunStatus = Literal["complete", "incomplete", "interrupted"]

LINK = "board.link"
"""Fact of a run on a virtual board:
something outside the board took part in the run, so the run is not deterministic."""

RunTime = Literal["time", "instruction-time", "emulated-time"]


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """A clock of the target. ``virtual`` clocks count instructions, not silicon's time (instruction-time)."""

    id: int
    name: str
    hz: int
    source: str = ""
    uncertainty_ppb: int = 0
    resolution_ticks: int | None = None

    def ns(self, ticks: float) -> float:
        """Ticks as nanoseconds."""
        return ticks * 1e9 / self.hz

    @property
    def quantum_ns(self) -> float:
        """The clock's step (ns): one tick."""
        return self.ns(1)


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of the instrument itself (ticks). It is shown next to the results and never subtracted."""

    name: str
    clock: int
    count: int
    total: int
    min: int
    median: int
    max: int


class Degraded(msgspec.Struct, frozen=True):
    """Something that the target could not provide, with the command that fixes it."""

    reason: str
    text: str
    remedy: str = ""


class Note(msgspec.Struct, frozen=True):
    """A remark that belongs to a table's cell: a substitute, an approximation."""

    kind: str
    service: str
    text: str


class Check(msgspec.Struct, frozen=True):
    """Something counted that must lie in [low, high]."""

    name: str
    value: int
    low: int
    high: int

    @property
    def holds(self) -> bool:
        """Whether the count lies where it must."""
        return self.low <= self.value <= self.high


class Figure(msgspec.Struct, frozen=True):
    """A quantity that the measurement counted beside its ticks, over all its samples (bytes moved, CPU time of one end)."""

    name: str
    unit: str
    value: int


class LoadFigure(msgspec.Struct, frozen=True):
    """One figure of a load, stated or achieved; the key names its unit."""

    load: str
    key: str
    value: int


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened in mid-measurement, ``at`` ticks after ``begin``."""

    kind: str
    at: int
    value: int
    ticks: int = 0
    """How long it had lasted by then; 0: not recorded."""
    task: str = ""
    """Task that had the CPU from then on;
    empty: not recorded, and then `pid` and `priority` are not recorded either."""
    pid: int = 0
    """The kernel's number of the task."""
    priority: int = 0
    """The task's priority: 1 to 99 as in POSIX, 100: a deadline task; 0: not real-time."""


class Extreme(msgspec.Struct, frozen=True):
    """One of the K largest samples (ticks), its number, and when it came (ticks after ``begin``)."""

    value: int
    index: int
    at: int


class Windows(msgspec.Struct, frozen=True):
    """Largest sample in each window of ``width`` ticks; None where no sample ended."""

    width: int
    maxima: tuple[int | None, ...]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity, measured once: a series of an item of the plan. Ticks are of ``clock``."""

    item: int
    measurement: str
    quantity: str
    variant: Variant
    status: Status
    reason: str = ""
    """Short id of why it was skipped, is invalid or incomplete; empty when ok."""
    text: str = ""
    """The reason as a sentence."""
    stop: str = ""
    clock: int = 0
    cpu: int = -1
    priority: int = 0
    ops: int = 1
    """Operations in a set (batch pass), else 1."""
    meaning: int = 0
    """Definition version of the measurement: raised when a window or a definition changes.
    0: not recorded, as before stream 1.2."""
    readings: int = 0
    """Clock readings that a set of the batch pass contains; 0: not recorded."""
    entered: str = ""
    """Where an interrupt's handler was stamped: ``vector``, ``handler`` or ``thread``;
    empty: not recorded, or no interrupt."""
    count: int = 0
    overflow: int = 0
    dropped: int = 0
    min: int | None = None
    max: int | None = None
    sum: int = 0
    sumsq: int = 0
    elapsed: int = 0
    batches: tuple[int, ...] = ()
    """Batch pass: total ticks of each set."""
    histogram: Histogram | None = None
    extremes: tuple[Extreme, ...] = ()
    windows: Windows | None = None
    notes: tuple[Note, ...] = ()
    checks: tuple[Check, ...] = ()
    figures: tuple[Figure, ...] = ()
    load: tuple[LoadFigure, ...] = ()
    events: tuple[Event, ...] = ()
    """Events that name a task (steps of an event trail) are only in the item's first quantity,
    because there are thousands."""
    samples: bytes | None = None
    """Raw samples on request: int64, little-endian, in order."""


class Losses(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of what the stream lost; all zero in a complete session."""

    gaps: int = 0
    missing_records: int = 0
    bad_lines: int = 0
    """Lines with ``~`` whose CRC is wrong, or that do not have the form of a record."""
    malformed: int = 0
    """Complete records whose form or place in the stream differs from the specification."""
    duplicates: int = 0
    refused: int = 0
    """Records of a stream version that this rtstone does not read."""
    unanswered_items: int = 0
    no_bye: bool = False

    @property
    def none(self) -> bool:
        """True when nothing was lost."""
        return self == Losses()


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of an engine: from ``hello`` to ``bye``, or to the point where the stream was cut."""

    nonce: str
    engine: str
    port: str
    stream_version: str
    repetition: int
    seed: int
    env: dict[str, str]
    clocks: tuple[Clock, ...]
    calibrations: tuple[Calibration, ...]
    degraded: tuple[Degraded, ...]
    results: tuple[Result, ...]
    losses: Losses
    complete: bool
    refusal: str = ""
    """Why the engine measured nothing at all; empty when it did."""
    problems: tuple[str, ...] = ()
    """One sentence for each thing that makes the session incomplete, naming the line."""
    console: tuple[str, ...] = ()
    """Lines that were not records; the last few thousand of them."""
    unknown: tuple[str, ...] = ()
    """Payloads of record types that this version does not know; the first few thousand of them."""
    lines: int = 0
    """All lines of the session: the sum of `records`, `unknown_records`, `console_lines` and the lost lines (bad lines,
    malformed, duplicate, refused)."""
    records: int = 0
    """Records that were used."""
    unknown_records: int = 0
    console_lines: int = 0

    def clock(self, clock_id: int) -> Clock:
        """The clock with that id; KeyError when the session does not have it."""
        for clock in self.clocks:
            if clock.id == clock_id:
                return clock
        raise KeyError(clock_id)


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One target, measured by one command: as archived and as printed by ``--json``."""

    schema: Literal["rtstone.run"] = "rtstone.run"
    version: str = "1.1"
    id: str
    group: str = ""
    """Runs that one command made together (several targets) share it."""
    alternated: bool = False
    """Its sessions were interleaved with those of the group's other run,
    in alternating order: a drift affects both runs of a round."""
    started: str
    """UTC, ISO 8601."""
    ended: str
    target: str
    label: str = ""
    """Title of the run's column; empty: the target's own description."""
    studies: tuple[str, ...]
    profile: str
    seed: int
    tool: str
    """Version of rtstone."""
    host: dict[str, str]
    """Facts of the host, outside what a virtual board's runs compare byte by byte."""
    sessions: tuple[Session, ...]
    status: RunStatus
    degraded: tuple[Degraded, ...] = ()
    """Degradations of the sessions and of the host."""
    warnings: tuple[str, ...] = ()
    error: str = ""
    """Error that ended the run early; empty: no error."""
    planned: int = 0
    """Number of sessions that the command requested; 0: not recorded."""
    resumes: str = ""
    """Id of the interrupted run whose complete sessions come first in this one;
    empty: all sessions are this run's own."""
    time: RunTime = "time"
    """What the clocks count: a machine's time; instructions of an emulated CPU, which all take equally long; or the
    time that an emulator takes, which is no machine's time and varies from run to run."""
    instructions_per_second: int = 0
    """For instruction-time: how many instructions make a second; 0: not recorded."""

    @property
    def deterministic(self) -> bool:
        """Whether another run of the same seeds has the same bytes:
        the clock counts instructions, and nothing outside took part."""
        return self.time == "instruction-time" and LINK not in self.host

    @property
    def attached(self) -> bool:
        """Whether the run watched the user's own program, which is then the load."""
        return self.target.startswith("attached:")

    @property
    def tells_host(self) -> bool:
        """Whether `host` describes the measured machine: the tool ran on it, or read its facts over ssh."""
        return self.target == "local" or self.target.startswith(("ssh:", "attached:"))

    @property
    def machine(self) -> str:
        """Identity of the measured machine, the same text for each of its runs; empty where it is unknown (older runs,
        imported ones).

        A machine's own id, as its engine reports it. A virtual board is its emulator with its flags, the same on every
        host; where its host affects its figures, the text is `board on host`.
        """
        platform = self.host.get("board.platform", "")
        if platform:
            board = f"board:{self.host.get('board.id', '')}/{platform}"
            host = self.host.get("host.machine.id", "")
            return board if self.deterministic or not host else f"{board} on {host}"
        if self.target.partition(":")[0] == "simulated":
            return "simulated"
        identifiers = dict.fromkeys(session.env.get("machine.id", "") for session in self.sessions)
        return " + ".join(filter(None, identifiers))

    @property
    def machine_name(self) -> str:
        """The machine's name for people: its host name, or `board <id>`. It need not be unique. Empty where it is
        unknown."""
        if "board.platform" in self.host:
            return f"board {self.host.get('board.id', '')}"
        names = dict.fromkeys(session.env.get("machine.name", "") for session in self.sessions)
        return " + ".join(filter(None, names)) or ("simulated" if self.machine == "simulated" else "")

    def results(self) -> tuple[Result, ...]:
        """All results, session by session."""
        return tuple(result for session in self.sessions for result in session.results)

    def kernel(self) -> str:
        """Name and release of the measured kernel, as the target reports them;
        the target's port where it reports neither."""
        for session in self.sessions:
            name = session.env.get("kernel.name") or session.env.get("kernel.sysname", "")
            name = "" if name == "none" else name  # bare metal: its release is its name
            return " ".join(filter(None, (name, session.env.get("kernel.release", "")))) or session.port
        return ""
