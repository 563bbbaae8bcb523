# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares a figure of a side with the reference's: repetitions or runs in, a judgement out. `stats` has the tests."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import msgspec

from rtstone import stats
from rtstone.judge.compare import _figures as figures
from rtstone.judge.compare._figures import RepetitionFigure, SideFigures
from rtstone.judge.compare._model import Basis, Judgement, Value, Verdict
from rtstone.judge.compare._series import SideSeries, Unit

LEAST = stats.MIN_REPETITIONS
"""Fewest units (runs, rounds, seeds or repetitions) on each side for a verdict."""


class UnitFigures(msgspec.Struct, frozen=True):
    """Figures (ns) of the units of a population. `paired`: figures at the same position belong together."""

    basis: Basis
    first: tuple[float, ...]
    second: tuple[float, ...]
    paired: bool = False


def population(
    first: Sequence[RepetitionFigure], second: Sequence[RepetitionFigure], *, deterministic: bool
) -> UnitFigures:
    """Figures of two sides, one for each unit of their population. With fewer than LEAST units: one a repetition."""
    if deterministic:
        paired = _pairs(first, second, lambda unit: (unit.seed, unit.number))
        if len(paired[0]) >= LEAST:
            return UnitFigures("seeds", *paired, paired=True)
        return UnitFigures("seeds", _values(first), _values(second))
    groups = [{figure.unit.group for figure in side} for side in (first, second)]
    if groups[0] == groups[1] and "" not in groups[0]:
        of_groups = [_means(side, lambda unit: unit.group) for side in (first, second)]
        if len(groups[0]) >= LEAST:
            first_means, second_means = (tuple(side[group] for group in sorted(groups[0])) for side in of_groups)
            return UnitFigures("rounds", first_means, second_means, paired=True)
        paired = _pairs(first, second, lambda unit: (unit.group, unit.number))
        if len(paired[0]) >= LEAST:
            return UnitFigures("rounds", *paired, paired=True)
    of_runs = [tuple(_means(side, lambda unit: unit.run).values()) for side in (first, second)]
    if min(map(len, of_runs)) >= LEAST:
        return UnitFigures("runs", of_runs[0], of_runs[1])
    return UnitFigures("repetitions", _values(first), _values(second))


def _values(side: Sequence[RepetitionFigure]) -> tuple[float, ...]:
    return tuple(figure.value for figure in side)


def _means(side: Sequence[RepetitionFigure], key: Callable[[Unit], Hashable]) -> dict[Hashable, float]:
    found: dict[Hashable, list[float]] = {}
    for figure in side:
        found.setdefault(key(figure.unit), []).append(figure.value)
    return {name: stats.combined(values) for name, values in found.items()}


def _pairs(
    first: Sequence[RepetitionFigure], second: Sequence[RepetitionFigure], key: Callable[[Unit], Hashable]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    left, right = _means(first, key), _means(second, key)
    both = [name for name in left if name in right]
    return tuple(left[name] for name in both), tuple(right[name] for name in both)


_COUNTS_APART = 0.1
"""Maxima of repetitions whose sample counts differ by more than this share are unlike."""
_WITHIN: dict[stats.Finding, Verdict] = {
    "improved": "shorter within these runs",
    "regressed": "longer within these runs",
    "no difference shown": "no difference within these runs",
    "insufficient data": "insufficient data",
}
"""Verdicts if a side has fewer than three runs, so that repetitions are the units. They do not hold for other runs."""


class Duel(msgspec.Struct, frozen=True):
    """One figure of the reference and of another side, and reasons not to compare them."""

    name: str
    side: int
    reference: SideSeries
    other: SideSeries
    first: tuple[RepetitionFigure, ...]
    second: tuple[RepetitionFigure, ...]
    sample: UnitFigures
    differs: tuple[str, ...]

    def judged(self, *, forced: bool) -> bool:
        """Whether this figure gets a verdict, and so a share of the error that the confidence leaves."""
        return (forced or not self.differs) and min(len(self.sample.first), len(self.sample.second)) >= LEAST


def value(of: SideFigures | None, name: str) -> Value:
    """One side's value of a figure."""
    if of is None:
        return Value()
    each = [figure.value for figure in of.figures[name]]
    samples = sum(of.series.samples)
    if not each:
        return Value(samples=samples)
    return Value(
        value_ns=max(each) if name == "max" else stats.combined(each),
        least_ns=min(each),
        largest_ns=max(each),
        runs=len({figure.unit.run for figure in of.figures[name]}),
        repetitions=len(each),
        samples=samples,
    )


def duel(
    name: str, side: int, reference: SideFigures, other: SideFigures, differs: Sequence[str], *, deterministic: bool
) -> Duel:
    """Collects the data by which a figure is judged."""
    unlike = list(differs)
    if name == "max" and reference.series.samples and other.series.samples:
        fewest, most = _counts(reference.series), _counts(other.series)
        if min(fewest, most) < max(fewest, most) * (1 - _COUNTS_APART):
            unlike.append(f"samples of a repetition, and the longer sees the larger maximum: {fewest:.0f} | {most:.0f}")
    first, second = (entry.figures[name] for entry in (reference, other))
    sample = population(first, second, deterministic=deterministic)
    return Duel(name, side, reference.series, other.series, first, second, sample, tuple(unlike))


def _counts(series: SideSeries) -> float:
    return sum(series.samples) / len(series.samples)


def judge(of: Duel, *, alpha: float, threshold: float, forced: bool, untrusted: str) -> Judgement:
    """The judgement at `alpha`. A relative change up to `threshold` counts as none.

    `forced`: also judge figures that are not comparable. `untrusted`: why these runs may not be judged, or empty.
    """
    if of.differs and not forced:
        return Judgement(side=of.side, verdict="not comparable", reasons=of.differs)
    if not of.first or not of.second:
        return Judgement(side=of.side, verdict="insufficient data", reasons=(_nothing(of),))
    resolution = max(t.resolution for t in (*of.first, *of.second))
    found = stats.verdict(
        of.sample.first,
        of.sample.second,
        alpha=alpha,
        threshold=threshold,
        resolution=resolution,
        ranks=False,
        paired=of.sample.paired,
    )
    if found.change is None:
        return _one_session(of, found.reason, 1 - alpha)
    within = of.sample.basis == "repetitions"
    judged = Judgement(
        side=of.side,
        verdict=_WITHIN[found.finding] if within else found.finding,
        relative=found.relative,
        change=_as_ratio(found.change, found.relative),
        low=_as_ratio(found.low, found.relative),
        high=_as_ratio(found.high, found.relative),
        smallest=found.detectable,
        p=found.p,
        basis=of.sample.basis,
        units=(found.first, found.second),
        reasons=of.differs,
    )
    if untrusted:
        return msgspec.structs.replace(judged, verdict="insufficient data", reasons=(untrusted,))
    return judged


def _as_ratio(change: float | None, relative: bool) -> float | None:
    return change + 1 if change is not None and relative else change


def _nothing(of: Duel) -> str:
    """Why a side does not have the figure."""
    needed = figures.samples_needed(of.name)
    return (
        f"a repetition needs {needed} samples for this figure, and has {min(*of.reference.samples, *of.other.samples)}"
    )


def _how_to_repeat(side: SideSeries) -> str:
    """How to get more repetitions; a run of `rtstone attach` has only one."""
    if any(one.result.measurement == "attach" for one in side.repetitions):
        return "attach again, then compare A1,A2,A3 B1,B2,B3"
    return "run --repetitions"


def _one_session(of: Duel, reason: str, confidence: float) -> Judgement:
    """The ratio without a verdict, for too few repetitions. With one session a side also an interval."""
    first, second = (stats.combined([t.value for t in side]) for side in (of.first, of.second))
    relative = min(first, second) > 0
    change = second / first if relative else second - first
    made = Judgement(
        side=of.side,
        verdict="insufficient data",
        relative=relative,
        change=change,
        reasons=(f"{reason} ({_how_to_repeat(of.reference)})",),
    )
    if not len(of.reference.repetitions) == len(of.other.repetitions) == 1:
        return made
    # Each side gets half of the error that the confidence leaves.
    ends = [figures.within(s.repetitions[0], of.name, (1 + confidence) / 2) for s in (of.reference, of.other)]
    if ends[0] is None or ends[1] is None or not relative or ends[0][0] <= 0:
        return made
    return msgspec.structs.replace(
        made,
        low=ends[1][0] / ends[0][1],
        high=ends[1][1] / ends[0][0],
        basis="one session",
        reasons=(
            *made.reasons,
            "the interval holds for these two sessions alone, without changes from session to session",
        ),
    )
