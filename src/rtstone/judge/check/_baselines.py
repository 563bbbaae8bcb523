# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares a statistic with its values in earlier runs: how surely it is worse, and which change the data could show.

The population is the runs. Most false alarms come from changes between runs (a reboot, other work on a shared machine),
and repetitions within one run do not show these changes. On a deterministic board the population is the seeds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from rtstone import stats
from rtstone.judge.check._load import Baseline
from rtstone.judge.check._select import JudgedRepetition, RowResults, distinct
from rtstone.model import Run
from rtstone.model.likeness import results_unlike, runs_unlike
from rtstone.model.units import counted

LEAST_RUNS = 3
"""Fewest runs of a baseline: fewer do not show how runs differ."""
LEAST_REPETITIONS = 3


class BaselineComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The change from a baseline to the judged runs. Changes are relative: 0.05 is 5 % more."""

    observed: float | None = None
    low: float | None = None
    high: float | None = None
    p_worse: float | None = None
    """Probability of such a worsening if the true one is at most the allowed one; None if it is not known."""
    detectable: float | None = None
    lacking: str = ""
    """Why the data give no answer; empty if they do."""
    notes: tuple[str, ...] = ()


def compare(
    row: Baseline, before: RowResults, now: RowResults, *, deterministic: bool, alpha: float, confidence: float
) -> BaselineComparison:
    """The change of a statistic from the baseline's repetitions to these.

    `alpha` is this row's part of the probability of a false alarm.
    """
    if deterministic:
        sides = [_by_repetition(row, distinct(found.repetitions)) for found in (before, now)]
        least, unit = LEAST_REPETITIONS, "seed"
    elif row.entry.between_runs == "ignored":
        sides = [_by_repetition(row, found.repetitions) for found in (before, now)]
        least, unit = LEAST_REPETITIONS, "repetition"
    else:
        sides = [_by_run(row, found.repetitions) for found in (before, now)]
        least, unit = LEAST_RUNS, "run"
    (first, step_before), (second, step_now) = sides
    notes = (f"{len(first)} against {counted(len(second), unit)}",)
    enough = len(first) >= least and len(second) >= (1 if unit == "run" else least)
    if not enough:
        return BaselineComparison(lacking=_lacking(len(first), len(second), unit, least), notes=notes)
    if min([*first, *second]) <= 0:
        return BaselineComparison(lacking="a relative change takes figures above 0", notes=notes)
    shift = stats.shift_of_runs([math.log(x) for x in first], [math.log(x) for x in second])
    step = math.log1p(max(step_before, step_now) / min(math.fsum(side) / len(side) for side in (first, second)))
    hidden = step + math.log1p(row.allow)
    low, high = shift.interval(2 * confidence - 1)
    return BaselineComparison(
        observed=math.expm1(shift.difference),
        low=math.expm1(low - step),
        high=math.expm1(high + step),
        p_worse=stats.p_shift_above(shift, hidden),
        detectable=math.expm1(stats.minimum_detectable_shift(shift, alpha=2 * alpha) + hidden),
        notes=notes,
    )


def unlike(
    first: Sequence[Run], second: Sequence[Run], rows: tuple[RowResults, RowResults], allowed: Sequence[str]
) -> str:
    """The differences that forbid comparing these runs, or a row's results in them; empty if they are comparable.

    `allowed`: short names of allowed differences. Kernels may always differ: a check judges them.
    """
    runs = [*first, *second]
    found = [one for run in runs[1:] for one in runs_unlike(runs[0], run)]
    found += results_unlike(*([one.read for one in row.repetitions] for row in rows))
    return "; ".join(dict.fromkeys(f"{one.text} ({one.what})" for one in found if one.what not in allowed))


def _lacking(first: int, second: int, unit: str, least: int) -> str:
    if unit == "run":
        return (
            f"the baseline has {counted(first, 'run')} with this figure; {least} are needed, from different times, to know how runs differ"
            if first < least
            else "the runs that are checked do not have this figure"
        )
    return f"{first} against {counted(second, unit)}; each side needs {least}"


def _figure(row: Baseline, one: JudgedRepetition) -> tuple[float, float] | None:
    figure = stats.figure_of(one.result, row.statistic, quantum_ticks=one.clock.resolution_ticks or 1)
    return None if figure is None else (one.clock.ns(figure.value), one.clock.ns(figure.step))


def _by_repetition(row: Baseline, repetitions: Sequence[JudgedRepetition]) -> tuple[list[float], float]:
    """The figure of each repetition, and the largest resolution step among them (ns)."""
    found = [figure for one in repetitions if (figure := _figure(row, one)) is not None]
    return [value for value, _ in found], max((step for _, step in found), default=0.0)


def _by_run(row: Baseline, repetitions: Sequence[JudgedRepetition]) -> tuple[list[float], float]:
    """The figure of each run: the mean of its repetitions, geometric if all are above 0; and the largest step (ns)."""
    runs: dict[str, list[JudgedRepetition]] = {}
    for one in repetitions:
        runs.setdefault(one.run, []).append(one)
    figures, steps = [], [0.0]
    for members in runs.values():
        values, step = _by_repetition(row, members)
        if values:
            figures.append(stats.combined(values))
            steps.append(step)
    return figures, max(steps)
