# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A history as `rtstone history --json` prints it."""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.judge.compare import Difference
from rtstone.model import Variant


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    run: str
    started: str
    label: str
    value_ns: float
    """Its figure: the mean of its repetitions' (geometric where all are above 0), in nanoseconds for one operation."""
    repetitions: int


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """What a series stays at between two steps."""

    first: int
    """Position of its first run."""
    last: int
    median_ns: float


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A place where the level changed."""

    at: int
    """Position of the first run of the new level. The step may as well lie a run or two beside it."""
    before: str
    """The last run of the old level, and when it was started."""
    before_started: str
    after: str
    """The first run of the new level, and when it was started."""
    after_started: str
    verdict: Literal["regressed", "improved"]
    """Shorter is better."""
    change: float | None
    """Of the medians of both levels: 0.05 is 5 % longer; None where they are not above 0."""
    p: float
    """How likely a step as clear is by chance, anywhere in the part of the series that was cut here; 0: known for sure."""
    differences: tuple[Difference, ...]
    """Facts of the environment that most runs of the old level have one way, and most of the new one another way."""


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Runs that may stand in one series: of one machine and meaning, under one variant."""

    measurement: str
    quantity: str
    variant: Variant
    title: str
    """Quantity and circumstances in words."""
    statistic: str
    target: str
    machine: str
    machine_name: str
    points: tuple[Point, ...]
    """In the order of time."""
    levels: tuple[Level, ...]
    steps: tuple[Step, ...]
    enough: bool
    """Whether there are runs enough to show any step."""
    exact: bool
    """Runs of instruction-time with the same seeds: whatever differs is a step."""
    wanders: bool
    """Figures resemble their neighbours, beyond the steps: then more steps are found than chance allows for."""
    apart: tuple[str, ...] = ()
    """What tells these runs from those of the first series of this row, so that they are no part of it."""


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The history of a quantity."""

    schema: Literal["rtstone.judge.history"] = "rtstone.judge.history"
    version: str = "1.0"
    quantity: str
    false_alarms: float
    """At most this share of series without a step have one."""
    drift: float
    """How much a figure may rise or fall from one run to the next without being a step (0.001: 0.1 %)."""
    least_change: float
    """A step of less than this (0.01: 1 %) is not told."""
    forced: bool
    """Unlike runs were put into one series, as asked."""
    runs: int
    incomplete: tuple[str, ...]
    """Runs that are not complete: they are left out."""
    series: tuple[Series, ...]
