# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The records of spec/record-stream.md as types: what a payload must be before anything of it is believed."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

LIMIT: Final = (1 << 53) - 1
"""Numbers of JSON lie within ± this; what can be larger travels as a decimal string."""

Int = Annotated[int, Meta(ge=-LIMIT, le=LIMIT)]
Natural = Annotated[int, Meta(ge=0, le=LIMIT)]
Big = Annotated[str, Meta(pattern=r"^(0|-?[1-9][0-9]{0,59})\Z")]
BigNatural = Annotated[str, Meta(pattern=r"^(0|[1-9][0-9]{0,59})\Z")]
ItemNumber = Annotated[int, Meta(ge=0, le=65535)]
Index = Annotated[int, Meta(ge=0, le=255)]
"""Of a series."""


class Hello(Struct, frozen=True):
    v: str
    engine: str = ""
    port: str = ""
    nonce: str = ""


class Env(Struct, frozen=True):
    key: str
    value: str


class Head(Struct, frozen=True):
    """The engine's echo of the plan's first line."""

    seed: BigNatural
    repetition: Natural
    items: Natural


class Degraded(Struct, frozen=True):
    reason: str
    text: str = ""
    remedy: str = ""


class Clock(Struct, frozen=True):
    id: Natural
    name: str
    hz: BigNatural
    source: str = ""
    uncertainty_ppb: Natural = 0
    resolution_ticks: Natural | None = None


class Calibration(Struct, frozen=True):
    name: str
    clock: Natural
    count: Natural
    total: Big
    min: Int
    median: Int
    max: Int


class Begin(Struct, frozen=True):
    item: ItemNumber
    measurement: str
    pass_: Literal["batch", "single"] = msgspec.field(name="pass")
    clock: Natural
    load: str = "none"
    at: Big = "0"
    sub_bits: Annotated[int, Meta(ge=0, le=30)] = 0
    max_bits: Annotated[int, Meta(ge=0, le=64)] = 0
    negative_bits: Annotated[int, Meta(ge=0, le=64)] = 0
    ops: Annotated[int, Meta(ge=1, le=LIMIT)] = 1
    priority: Int = 0
    cpu: Int = -1
    window_ticks: BigNatural = "0"


class Series(Struct, frozen=True):
    item: ItemNumber
    index: Index
    name: str


class Note(Struct, frozen=True):
    item: ItemNumber
    kind: str
    service: str = ""
    text: str = ""


class Samples(Struct, frozen=True):
    item: ItemNumber
    series: Index
    first: Natural
    v: list[int]


class Batch(Struct, frozen=True):
    item: ItemNumber
    first: Natural
    v: list[int]


class Hist(Struct, frozen=True):
    item: ItemNumber
    series: Index
    side: Literal["+", "-"]
    b: list[Natural]


class Extreme(Struct, frozen=True):
    item: ItemNumber
    series: Index
    value: Int
    index: BigNatural
    at: Big


class Window(Struct, frozen=True):
    item: ItemNumber
    series: Index
    first: Natural
    width: BigNatural
    v: list[Int | None]


class Check(Struct, frozen=True):
    item: ItemNumber
    name: str
    value: Big
    low: Big
    high: Big


class Figure(Struct, frozen=True):
    item: ItemNumber
    name: str
    unit: str
    value: Big


class Load(Struct, frozen=True):
    item: ItemNumber
    name: str
    key: str
    value: Big


class Event(Struct, frozen=True):
    item: ItemNumber
    kind: str
    at: Big
    value: Big


class End(Struct, frozen=True):
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
    item: ItemNumber
    measurement: str
    reason: str
    service: str = ""
    text: str = ""


class Refused(Struct, frozen=True):
    text: str


class Bye(Struct, frozen=True):
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
