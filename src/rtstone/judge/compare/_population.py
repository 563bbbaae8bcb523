# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What the figures of two sides are samples of: runs, rounds of runs that took turns, seeds of a board, or no more than these runs.

Repetitions within one run are no population: what changes from one run to the next (a reboot, another layout of memory, what else the
machine does) is in all of them alike, and makes equal kernels differ.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import msgspec

from rtstone import stats
from rtstone.judge.compare._figures import Told, mean
from rtstone.judge.compare._model import Basis
from rtstone.judge.compare._series import Unit

LEAST = stats.MIN_REPETITIONS
"""Of whatever is the population, on each side."""


class Sample(msgspec.Struct, frozen=True):
    """Figures (ns) of the units of a population; paired: those at the same place belong together."""

    basis: Basis
    first: tuple[float, ...]
    second: tuple[float, ...]
    paired: bool = False


def population(first: Sequence[Told], second: Sequence[Told], *, deterministic: bool) -> Sample:
    """The figures of two sides by the units that they are samples of. Fewer than LEAST of these: as they are, by repetitions."""
    if deterministic:
        paired = _pairs(first, second, lambda unit: (unit.seed, unit.number))
        if len(paired[0]) >= LEAST:
            return Sample("seeds", *paired, paired=True)
        return Sample("seeds", _values(first), _values(second))
    groups = [{told.unit.group for told in side} for side in (first, second)]
    if groups[0] == groups[1] and "" not in groups[0]:
        of_groups = [_means(side, lambda unit: unit.group) for side in (first, second)]
        if len(groups[0]) >= LEAST:
            first_means, second_means = (tuple(side[group] for group in sorted(groups[0])) for side in of_groups)
            return Sample("rounds", first_means, second_means, paired=True)
        paired = _pairs(first, second, lambda unit: (unit.group, unit.number))
        if len(paired[0]) >= LEAST:
            return Sample("rounds", *paired, paired=True)
    of_runs = [tuple(_means(side, lambda unit: unit.run).values()) for side in (first, second)]
    if min(map(len, of_runs)) >= LEAST:
        return Sample("runs", of_runs[0], of_runs[1])
    return Sample("repetitions", _values(first), _values(second))


def _values(side: Sequence[Told]) -> tuple[float, ...]:
    return tuple(told.value for told in side)


def _means(side: Sequence[Told], key: Callable[[Unit], Hashable]) -> dict[Hashable, float]:
    found: dict[Hashable, list[float]] = {}
    for told in side:
        found.setdefault(key(told.unit), []).append(told.value)
    return {name: mean(values) for name, values in found.items()}


def _pairs(
    first: Sequence[Told], second: Sequence[Told], key: Callable[[Unit], Hashable]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    left, right = _means(first, key), _means(second, key)
    both = [name for name in left if name in right]
    return tuple(left[name] for name in both), tuple(right[name] for name in both)
