# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The records of spec/record-stream.md as types: what a payload must be before anything of it is believed."""

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
"""Of a series."""


class Hello(Struct, frozen=True):
    """A session begins: version of the stream, engine, port, and a nonce that shows resets."""

    v: str
    engine: str = ""
    port: str = ""
    nonce: str = ""


class Env(Struct, frozen=True):
    """One fact of the target: kernel, CPU, tunables."""

    key: str
    value: str


class Head(Struct, frozen=True):
    """The engine's echo of the plan's first line."""

    seed: BigNatural
    repetition: Natural
    items: Natural


class Degraded(Struct, frozen=True):
    """What the target refused, and what would mend it; once for the whole session."""

    reason: str
    text: str = ""
    remedy: str = ""


class Clock(Struct, frozen=True):
    """A clock that durations may be read on; ``resolution_ticks`` None: not known."""

    id: Natural
    name: str
    hz: BigNatural
    source: str = ""
    uncertainty_ppb: Natural = 0
    resolution_ticks: Natural | None = None


class Calibration(Struct, frozen=True):
    """What reading a clock, or an empty loop, costs (ticks): to stand beside figures, never to be subtracted."""

    name: str
    clock: Natural
    count: Natural
    total: Big
    min: Int
    median: Int
    max: Int


class Begin(Struct, frozen=True):
    """An item is measured: its pass, clock, load, geometry of histograms, CPU and priority; ``at`` in ticks."""

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


class Series(Struct, frozen=True):
    """The name of one series of an item; later records name its index."""

    item: ItemNumber
    index: Index
    name: str


class Note(Struct, frozen=True):
    """What is to be said at a cell: a service that is substituted or approximated."""

    item: ItemNumber
    kind: str
    service: str = ""
    text: str = ""


class Samples(Struct, frozen=True):
    """Every sample (ticks) from the number ``first`` on, where they were asked for."""

    item: ItemNumber
    series: Index
    first: Natural
    v: list[int]


class Batch(Struct, frozen=True):
    """Totals of sets of operations (ticks) from the number ``first`` on."""

    item: ItemNumber
    first: Natural
    v: list[int]


class Hist(Struct, frozen=True):
    """Buckets of one side that are not empty, ascending: index, count, index, count …"""

    item: ItemNumber
    series: Index
    side: Literal["+", "-"]
    b: list[Natural]


class Extreme(Struct, frozen=True):
    """One of the largest samples: its value (ticks), number and time."""

    item: ItemNumber
    series: Index
    value: Int
    index: BigNatural
    at: Big


class Window(Struct, frozen=True):
    """The largest sample of each window of ``width`` ticks, from the window ``first`` on; None: no sample ended in it."""

    item: ItemNumber
    series: Index
    first: Natural
    width: BigNatural
    v: list[Int | None]


class Check(Struct, frozen=True):
    """A count that must lie between two others for the item to be believed."""

    item: ItemNumber
    name: str
    value: Big
    low: Big
    high: Big


class Figure(Struct, frozen=True):
    """What a measurement counted beside its ticks, over all its samples, in its own unit."""

    item: ItemNumber
    name: str
    unit: str
    value: Big


class Load(Struct, frozen=True):
    """What a load achieved: one figure of it."""

    item: ItemNumber
    name: str
    key: str
    value: Big


class Event(Struct, frozen=True):
    """Something that happened meanwhile, at a time (ticks)."""

    item: ItemNumber
    kind: str
    at: Big
    value: Big
    ticks: Big = "0"
    task: str = ""
    pid: Natural = 0
    priority: Annotated[int, Meta(ge=0, le=100)] = 0


class End(Struct, frozen=True):
    """The account of a series, all that was counted and summed of it (ticks); the host holds it against the other records."""

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


class Skip(Struct, frozen=True):
    """An item that was not measured, and why."""

    item: ItemNumber
    measurement: str
    reason: str
    service: str = ""
    text: str = ""


class Refused(Struct, frozen=True):
    """Why nothing is measured."""

    text: str


class Bye(Struct, frozen=True):
    """The session is over; without it a run is incomplete. ``records`` is how many there were."""

    items: Natural
    measured: Natural
    skipped: Natural
    status: str
    records: BigNatural


TYPES: Final[dict[bytes, type[Struct]]] = {
    b"hello": Hello,
    b"env": Env,
    b"plan": Head,
    b"degraded": Degraded,
    b"clock": Clock,
    b"calibration": Calibration,
    b"begin": Begin,
    b"series": Series,
    b"note": Note,
    b"samples": Samples,
    b"batch": Batch,
    b"hist": Hist,
    b"extreme": Extreme,
    b"window": Window,
    b"check": Check,
    b"figure": Figure,
    b"load": Load,
    b"event": Event,
    b"end": End,
    b"skip": Skip,
    b"refused": Refused,
    b"bye": Bye,
}
"""Every type that this version knows; ``item`` is the plan's own structure."""
