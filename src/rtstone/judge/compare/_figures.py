# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The figures that are compared, and what each repetition has of them, in nanoseconds for one operation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rtstone import stats
from rtstone.judge.compare._series import Repetition, Series, Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SINGLE = ("median", "p99", "p99.9", "max")
"""Of single operations, unless others are asked for."""
BATCH = ("mean",)
"""Of the sets' averages: what the papers print."""

_BLOCKS = 50
"""As many sets can be drawn in blocks, so that neighbours that are alike do not count as many."""


class Told(msgspec.Struct, frozen=True):
    """One figure of one repetition (ns)."""

    value: float
    resolution: float
    """The step below which two of them cannot be told apart: the clock's quantum, or the histogram's bucket."""
    unit: Unit


class Entry(msgspec.Struct, frozen=True):
    """What one side has of a row, with the figures of its repetitions; those that do not tell a figure are left out of it."""

    series: Series
    figures: dict[str, tuple[Told, ...]]


def names(pass_: str, single: Sequence[str] = SINGLE) -> tuple[str, ...]:
    """The figures of a pass."""
    return BATCH if pass_ == "batch" else tuple(single)


def entry(series: Series, wanted: Sequence[str]) -> Entry:
    """These figures of all repetitions, each found once."""
    return Entry(
        series,
        {name: tuple(t for r in series.repetitions if (t := told(r, name)) is not None) for name in wanted},
    )


def told(repetition: Repetition, name: str) -> Told | None:
    """A figure of a repetition; None where it has too few samples for it, or its histogram does not tell it."""
    result, clock = repetition.result, repetition.clock
    if result.count < samples_needed(name) and not result.batches:
        return None
    found = stats.figure_of(result, stats.statistic(name), quantum_ticks=clock.resolution_ticks or 1)
    return None if found is None else Told(clock.ns(found.value), clock.ns(found.step), repetition.unit)


def samples_needed(name: str) -> int:
    """How many samples a repetition must have for a figure: one must lie beyond a percentile."""
    percent = stats.statistic(name).percent
    beyond = min(percent, 100 - percent) / 100
    return math.ceil(round(1 / beyond, 6)) if beyond else 1


def within(repetition: Repetition, name: str, confidence: float) -> tuple[float, float] | None:
    """Between which values (ns) a figure lies by what varies within its one session; None where that tells nothing."""
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
        # Against a population that does not vary Welch's interval is that of one mean.
        return stats.welch_shift([0.0, 0.0], averages).interval(confidence)
    return None


def _average(values: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(values.mean(axis=-1))


def mean(values: Sequence[float]) -> float:
    """Geometric where all are above 0, as ratios have it; else arithmetic."""
    if min(values) > 0:
        return math.exp(math.fsum(map(math.log, values)) / len(values))
    return math.fsum(values) / len(values)
