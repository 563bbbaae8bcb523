# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Medians over rounds, and ratios of two things that were measured in the same rounds, with their intervals."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

RESAMPLES = 4000
LEAST_ROUNDS = 6
"""Fewer say nothing of their spread, and no interval is given."""


class Estimate(msgspec.Struct, frozen=True):
    """A figure and its 95 % interval, if there were rounds enough for one."""

    value: float
    interval: tuple[float, float] | None


def _drawn(rounds: int, seed: int = 1) -> np.ndarray:
    """Which rounds each resample of the bootstrap has."""
    return np.random.default_rng(seed).integers(0, rounds, size=(RESAMPLES, rounds))


def middle(rounds: Sequence[float], seed: int = 1) -> Estimate:
    """The median over rounds. Its interval is the percentile bootstrap over rounds (Efron & Tibshirani 1993, ch. 13)."""
    figures = np.asarray(rounds, dtype=float)
    value = float(np.median(figures))
    if len(figures) < LEAST_ROUNDS:
        return Estimate(value, None)
    low, high = np.quantile(np.median(figures[_drawn(len(figures), seed)], axis=1), (0.025, 0.975))
    return Estimate(value, (float(low), float(high)))


def ratio(ours: Sequence[float], *theirs: Sequence[float]) -> Estimate:
    """How many times `theirs` `ours` is: the median over rounds of the ratio in a round; one figure a round of each, at the same places.

    What slowed the machine in a round slows both in it, so the ratio is taken within the round. Where the peer was measured several
    times a round, its figure is their geometric mean. Raises ValueError without rounds, and where one has more than the other.
    """
    if not ours or not theirs or any(len(one) != len(ours) for one in theirs):
        raise ValueError(f"{len(ours)} rounds of the one and {[len(one) for one in theirs]} of the other")
    peer = np.mean([np.log(np.asarray(one, dtype=float)) for one in theirs], axis=0)
    found = middle(np.log(np.asarray(ours, dtype=float)) - peer)
    low_high = None if found.interval is None else (math.exp(found.interval[0]), math.exp(found.interval[1]))
    return Estimate(math.exp(found.value), low_high)


def ratio_of_medians(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """How many times the median of `theirs` that of `ours` is, for figures that may be below 0 in a round; one a round of each.

    The bootstrap draws rounds, with both figures of each. There is no interval where a resample of
    `theirs` has a median that is not above 0. Raises ValueError where that of all rounds is not.
    """
    both = np.asarray([ours, theirs], dtype=float)
    mine, peer = np.median(both, axis=1)
    if peer <= 0:
        raise ValueError(f"the median of the other is {peer:.3g}")
    if len(ours) < LEAST_ROUNDS:
        return Estimate(float(mine / peer), None)
    drawn = np.median(both[:, _drawn(len(ours))], axis=2)
    if np.min(drawn[1]) <= 0:
        return Estimate(float(mine / peer), None)
    low, high = np.quantile(drawn[0] / drawn[1], (0.025, 0.975))
    return Estimate(float(mine / peer), (float(low), float(high)))


def blocks(values: Sequence[float], count: int, reduce: Callable[[Sequence[float]], float]) -> list[float]:
    """`values` cut into `count` runs of equal length, each reduced to one figure. A rest at the end is not used."""
    size = len(values) // count
    if size == 0:
        raise ValueError(f"{len(values)} values do not make {count} blocks")
    return [reduce(values[i * size : (i + 1) * size]) for i in range(count)]


def median(values: Sequence[float]) -> float:
    """The median."""
    return float(statistics.median(values))
