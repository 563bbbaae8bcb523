# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The compared figures, and their values in each repetition, in nanoseconds for one operation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rtstone import stats
from rtstone.judge.compare._series import Repetition, SideSeries, Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SINGLE = ("median", "p99", "p99.9", "max")
"""Default statistics of single operations."""
BATCH = ("mean",)
"""Statistic of the batch pass: the mean of the set averages, as in the papers."""

_BLOCKS = 50
"""Fewest sets for a block bootstrap, which allows for similar neighbours."""


class RepetitionFigure(msgspec.Struct, frozen=True):
    """One figure of one repetition (ns)."""

    value: float
    resolution: float
    """Smallest difference (ns) that two such figures can show: the clock's quantum, or the histogram's bucket."""
    unit: Unit


class SideFigures(msgspec.Struct, frozen=True):
    """One side's part of a row, with its repetitions' figures. A figure leaves out repetitions that cannot give it."""

    series: SideSeries
    figures: dict[str, tuple[RepetitionFigure, ...]]


def names(pass_: str, single: Sequence[str] = SINGLE) -> tuple[str, ...]:
    """The figures of a pass."""
    return BATCH if pass_ == "batch" else tuple(single)


def entry(series: SideSeries, wanted: Sequence[str]) -> SideFigures:
    """These figures of all repetitions, each computed once."""
    return SideFigures(
        series,
        {name: tuple(t for r in series.repetitions if (t := figure_in(r, name)) is not None) for name in wanted},
    )


def figure_in(repetition: Repetition, name: str) -> RepetitionFigure | None:
    """A figure of a repetition; None if the repetition has too few samples, or its histogram cannot give the figure."""
    result, clock = repetition.result, repetition.clock
    if result.count < samples_needed(name) and not result.batches:
        return None
    found = stats.figure_of(result, stats.statistic(name), quantum_ticks=clock.resolution_ticks or 1)
    return None if found is None else RepetitionFigure(clock.ns(found.value), clock.ns(found.step), repetition.unit)


def samples_needed(name: str) -> int:
    """The number of samples that a repetition needs for a figure: at least one must lie beyond a percentile."""
    percent = stats.statistic(name).percent
    beyond = min(percent, 100 - percent) / 100
    return math.ceil(round(1 / beyond, 6)) if beyond else 1


def within(repetition: Repetition, name: str, confidence: float) -> tuple[float, float] | None:
    """The interval (ns) of a figure by the variation within its only session; None if that does not give one."""
    result, clock = repetition.result, repetition.clock
    wanted = stats.statistic(name)
    if wanted.kind == "percentile" and result.histogram is not None:
        found = stats.percentile_interval(
            result.histogram,
            wanted.percent,
            minimum=result.min,
            maximum=result.max,
            extremes=result.extremes,
            confidence=confidence,
        )
        return None if found.low is None or found.high is None else (clock.ns(found.low), clock.ns(found.high))
    if wanted.kind == "mean" and len(result.batches) > 1:
        averages = [clock.ns(total / result.ops) for total in result.batches]
        if len(averages) >= _BLOCKS:
            drawn = stats.block_bootstrap(averages, _average, confidence=confidence)
            return None if drawn.low is None or drawn.high is None else (drawn.low, drawn.high)
        # Against a population without variation, Welch's interval is that of one mean.
        return stats.welch_shift([0.0, 0.0], averages).interval(confidence)
    return None


def _average(values: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(values.mean(axis=-1))
