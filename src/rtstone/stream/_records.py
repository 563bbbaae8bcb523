# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The records of spec/record-stream.md as types. Every payload is checked against its type before it is used."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from rtstone.model.sense import BITS, LIMIT, SUB_BITS
from rtstone.stream.plan import ItemNumber

Int = Annotated[int, Meta(ge=-LIMIT, le=LIMIT)]
Natural = Annotated[int, Meta(ge=0, le=LIMIT)]
Big = Annotated[str, Meta(pattern=r"^(0|-?[1-9][0-9]{0,59})\Z")]
BigNatural = Annotated[str, Meta(pattern=r"^(0|[1-9][0-9]{0,59})\Z")]
Index = Annotated[int, Meta(ge=0, le=255)]
"""The index of a series."""


class HelloRecord(Struct, frozen=True):
    """The start of a session: version of the stream, engine, port, and a nonce that shows resets."""

    v: str
    engine: str = ""
    port: str = ""
    nonce: str = ""


class EnvRecord(Struct, frozen=True):
    """One fact of the target: kernel, CPU, tunables."""

    key: str
    value: str


class HeadRecord(Struct, frozen=True):
    """The engine's echo of the plan's first line."""

    seed: BigNatural
    repetition: Natural
    items: Natural


class DegradedRecord(Struct, frozen=True):
    """A service that the target refused for the whole session, and the remedy."""

    reason: str
    text: str = ""
    remedy: str = ""


class ClockRecord(Struct, frozen=True):
    """A clock that may time durations. ``resolution_ticks`` None: not known."""

    id: Natural
    name: str
    hz: BigNatural
    source: str = ""
    uncertainty_ppb: Natural = 0
    resolution_ticks: Natural | None = None


class CalibrationRecord(Struct, frozen=True):
    """The cost (ticks) of reading a clock, or of an empty loop. It is shown next to figures and never subtracted from
    them."""

    name: str
    clock: Natural
    count: Natural
    total: Big
    min: Int
    median: Int
    max: Int


class BeginRecord(Struct, frozen=True):
    """The start of an item's measurement: its pass, clock, load, geometry of histograms, CPU and priority; ``at`` in
    ticks."""

    item: ItemNumber
    measurement: str
    pass_: Literal["batch", "single"] = msgspec.field(name="pass")
    clock: Natural
    load: str = "none"
    at: Big = "0"
    sub_bits: Annotated[int, Meta(ge=0, le=SUB_BITS)] = 0
    max_bits: Annotated[int, Meta(ge=0, le=BITS)] = 0
    negative_bits: Annotated[int, Meta(ge=0, le=BITS)] = 0
    ops: Annotated[int, Meta(ge=1, le=LIMIT)] = 1
    priority: Int = 0
    cpu: Int = -1
    window_ticks: BigNatural = "0"
    meaning: Natural = 0
    readings: Natural = 0
    entered: str = ""


class SeriesRecord(Struct, frozen=True):
    """The name of one series of an item. Later records refer to the series by its index."""

    item: ItemNumber
    index: Index
    name: str


class NoteRecord(Struct, frozen=True):
    """A note for a cell of a table: a service is substituted or approximated."""

    item: ItemNumber
    kind: str
    service: str = ""
    text: str = ""


class SamplesRecord(Struct, frozen=True):
    """Raw samples (ticks) from the number ``first`` on, if the plan asked for them."""

    item: ItemNumber
    series: Index
    first: Natural
    v: list[int]


class BatchRecord(Struct, frozen=True):
    """Totals of sets of operations (ticks) from the number ``first`` on."""

    item: ItemNumber
    first: Natural
    v: list[int]


class HistRecord(Struct, frozen=True):
    """The non-empty buckets of one side, ascending: index, count, index, count …"""

    item: ItemNumber
    series: Index
    side: Literal["+", "-"]
    b: list[Natural]


class ExtremeRecord(Struct, frozen=True):
    """One of the largest samples: its value (ticks), number and time."""

    item: ItemNumber
    series: Index
    value: Int
    index: BigNatural
    at: Big


class WindowRecord(Struct, frozen=True):
    """The largest sample of each window of ``width`` ticks, from the window ``first`` on; None: no sample ended in it."""

    item: ItemNumber
    series: Index
    first: Natural
    width: BigNatural
    v: list[Int | None]


class CheckRecord(Struct, frozen=True):
    """A count that must be between two others for the item to be valid."""

    item: ItemNumber
    name: str
    value: Big
    low: Big
    high: Big


class FigureRecord(Struct, frozen=True):
    """A further figure of a measurement besides its ticks, over all its samples, in a unit of its own."""

    item: ItemNumber
    name: str
    unit: str
    value: Big


class LoadRecord(Struct, frozen=True):
    """A figure of the work that a load did."""

    item: ItemNumber
    name: str
    key: str
    value: Big


class EventRecord(Struct, frozen=True):
    """An event during the measurement, at a time (ticks)."""

    item: ItemNumber
    kind: str
    at: Big
    value: Big
    ticks: Big = "0"
    task: str = ""
    pid: Natural = 0
    priority: Annotated[int, Meta(ge=0, le=100)] = 0


class EndRecord(Struct, frozen=True):
    """The end of a series, with all its counts and sums (ticks). The host compares these with the other records."""

    item: ItemNumber
    series: Index
    status: Literal["ok", "invalid", "failed"]
    stop: str
    count: BigNatural
    overflow: BigNatural
    dropped: BigNatural
    sum: Big
    sumsq: BigNatural
    elapsed: BigNatural
    min: Int | None = None
    max: Int | None = None


class SkipRecord(Struct, frozen=True):
    """An item that was not measured, and why."""

    item: ItemNumber
    measurement: str
    reason: str
    service: str = ""
    text: str = ""


class RefusedRecord(Struct, frozen=True):
    """The reason why the engine measures nothing."""

    text: str


class ByeRecord(Struct, frozen=True):
    """The end of the session. A run without it is incomplete. ``records`` is the number of records sent."""

    items: Natural
    measured: Natural
    skipped: Natural
    status: str
    records: BigNatural


TYPES: Final[dict[bytes, type[Struct]]] = {
    b"hello": HelloRecord,
    b"env": EnvRecord,
    b"plan": HeadRecord,
    b"degraded": DegradedRecord,
    b"clock": ClockRecord,
    b"calibration": CalibrationRecord,
    b"begin": BeginRecord,
    b"series": SeriesRecord,
    b"note": NoteRecord,
    b"samples": SamplesRecord,
    b"batch": BatchRecord,
    b"hist": HistRecord,
    b"extreme": ExtremeRecord,
    b"window": WindowRecord,
    b"check": CheckRecord,
    b"figure": FigureRecord,
    b"load": LoadRecord,
    b"event": EventRecord,
    b"end": EndRecord,
    b"skip": SkipRecord,
    b"refused": RefusedRecord,
    b"bye": ByeRecord,
}
"""Every type that this version knows; ``item`` is the plan's own structure."""
