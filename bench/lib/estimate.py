# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Ratios of two things that were measured in the same rounds, with what they are known to within."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

RESAMPLES = 4000


class Ratio(msgspec.Struct, frozen=True):
    """A ratio and its 95 % interval."""

    value: float
    interval: tuple[float, float]


def ratio_of_medians(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 1) -> Ratio:
    """The median of `ours` over the median of `theirs`; one figure a round of each, at the same places.

    The interval is the percentile bootstrap over rounds: a round is drawn with both its figures, so that what slowed the machine in it
    slows both (Efron & Tibshirani 1993, ch. 13). Raises ValueError without rounds, and where one has more than the other.
    """
    if not ours or len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} rounds of the one and {len(theirs)} of the other")
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(a), size=(RESAMPLES, len(a)))
    spread = np.median(a[drawn], axis=1) / np.median(b[drawn], axis=1)
    low, high = np.quantile(spread, (0.025, 0.975))
    return Ratio(float(np.median(a) / np.median(b)), (float(low), float(high)))


def blocks(values: Sequence[float], count: int, reduce: Callable[[Sequence[float]], float]) -> list[float]:
    """`values` cut into `count` runs of equal length, each reduced to one figure; what is left over at the end is not used."""
    size = len(values) // count
    if size == 0:
        raise ValueError(f"{len(values)} values do not make {count} blocks")
    return [reduce(values[i * size : (i + 1) * size]) for i in range(count)]


def median(values: Sequence[float]) -> float:
    """The median."""
    return float(statistics.median(values))
