# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A history as `rtstone history --json` prints it."""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.judge.compare import Difference
from rtstone.model import Variant


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a series, with its figure."""

    run: str
    started: str
    label: str
    value_ns: float
    """The run's figure: mean of its repetitions (geometric if all are above 0), in nanoseconds for one operation."""
    repetitions: int


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """Consecutive runs of a series without a step between them, and the median of their figures."""

    first: int
    """Position of its first run."""
    last: int
    median_ns: float


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a series where the level changes."""

    at: int
    """Position of the first run of the new level. The true step may be one or two runs away."""
    before: str
    """The last run of the old level, and when it was started."""
    before_started: str
    after: str
    """The first run of the new level, and when it was started."""
    after_started: str
    verdict: Literal["regressed", "improved"]
    """Shorter is better."""
    change: float | None
    """Relative change of the levels' medians: 0.05 is 5 % longer; None if a median is not above 0."""
    p: float
    """Probability of such a clear step by chance, anywhere in the part of the series that was cut here; 0: certain."""
    differences: tuple[Difference, ...]
    """Facts of the environment with one value in most runs of the old level, and another in most of the new level."""


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Comparable runs of one quantity in order of time: the same machine, the same definition version and the same variant."""

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
    """In order of time."""
    levels: tuple[Level, ...]
    steps: tuple[Step, ...]
    enough: bool
    """Whether there are enough runs to show any step."""
    exact: bool
    """The runs are of instruction-time with the same seeds: every difference is a step."""
    wanders: bool
    """Figures resemble their neighbours, even between steps. Then more false steps are found than `false_alarms`."""
    apart: tuple[str, ...] = ()
    """Why these runs are not comparable with those of the row's first series; empty in the first."""


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The history of a quantity: its figures run by run, in series of comparable runs. `rtstone history --json` prints it."""

    schema: Literal["rtstone.judge.history"] = "rtstone.judge.history"
    version: str = "1.0"
    quantity: str
    false_alarms: float
    """At most this share of the series without a step are reported with one."""
    drift: float
    """A figure may rise or fall this much from one run to the next without a step (0.001: 0.1 %)."""
    least_change: float
    """A smaller step (0.01: 1 %) is not reported."""
    forced: bool
    """Runs that are not comparable were put into one series, as requested."""
    runs: int
    incomplete: tuple[str, ...]
    """Runs that are not complete. They are left out."""
    series: tuple[Series, ...]
