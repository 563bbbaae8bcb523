# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Judges the runs of an experiment: the effect of each setting, and of interactions, with an interval and an adjusted p.

`stats` has the design and the test; they are applied to runs here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from rtstone.errors import IncompleteError, UsageError
from rtstone.model import Result, Run, Session
from rtstone.stats import Design, Effect, design, effects, figure_of, holm, statistic
from rtstone.tune.experiment import FACT, Experiment

FIGURES = ("p50", "p99.9", "max")
ALPHA = 0.05

Keep = Literal["low", "high", "a trade", "no effect shown"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a setting or an interaction on one figure. A setting's effect is the change from its low to its high level."""

    figure: str
    """p50, p99.9 or max of a session."""
    change: float
    """As a share: -0.2 is a fifth less. Of the geometric means over sessions."""
    low: float
    high: float | None
    """95 % interval of this change by itself; None: there are too few sessions to limit it."""
    p: float
    """p of this change by itself."""
    p_adjusted: float
    """p, adjusted for all tests of the experiment (Holm). A change is shown if this is at most the `alpha`."""
    shown: bool


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of the experiment, its effect on each figure, and the level to keep."""

    name: str
    kind: Literal["setting", "words", "targets"]
    low: str
    high: str
    changes: tuple[Change, ...]
    keep: Keep
    """The level at which the figures with a shown change are smaller. `a trade`: some are smaller, others larger."""


class Interaction(msgspec.Struct, frozen=True, kw_only=True):
    """A shown interaction: the effect of one setting depends on the other. `pairs` lists several if the design cannot separate them."""

    pairs: tuple[tuple[str, str], ...]
    likely: tuple[tuple[str, str], ...]
    """The `pairs` in which both settings have a shown effect of their own. This is a guess and was not tested."""
    changes: tuple[Change, ...]
    """How much more the first setting changes a figure at the high level of the second than on average."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an experiment: the settings, the largest shown effect first, and the shown interactions."""

    schema: Literal["rtstone.tune"] = "rtstone.tune"
    version: str = "1.0"
    target: str
    kernel: str
    measurement: str
    quantity: str
    load: str
    rounds: int
    rounds_dropped: int
    """Rounds left out because a session is missing or doubtful."""
    rows: int
    alpha: float
    """Probability that any effect is shown wrongly. The share of false discoveries is not larger."""
    tests: int
    typical_ns: dict[str, float]
    """Each figure's geometric mean over all sessions."""
    settings: tuple[Setting, ...]
    interactions: tuple[Interaction, ...]
    runs: tuple[str, ...]
    notes: tuple[str, ...] = ()


def of_runs(runs: Sequence[Run]) -> tuple[Experiment, dict[int, Run]]:
    """The experiment of these runs, and for each row the run with the most sessions.

    Raises UsageError if they belong to no experiment, or to several.
    """
    documents = {run.host.get(f"{FACT}experiment", "") for run in runs}
    if len(documents) != 1 or "" in documents:
        raise UsageError("these runs are not of one experiment of rtstone tune")
    try:
        found = msgspec.json.decode(documents.pop(), type=Experiment)
        rows: dict[int, Run] = {}
        for run in runs:
            row = int(run.host[f"{FACT}row"])
            if row not in rows or len(run.sessions) > len(rows[row].sessions):
                rows[row] = run
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise UsageError(f"run {runs[0].id}: its experiment cannot be read: {error}") from None
    return found, rows


def judge(runs: Sequence[Run]) -> Report:
    """The effect of each setting on p50, p99.9 and the maximum.

    Raises IncompleteError if fewer than two rounds are complete, or if a figure is not above 0.
    """
    experiment, rows = of_runs(runs)
    made = design(len(experiment.factors))
    measured = max((len(run.sessions) for run in rows.values()), default=0)
    rounds = [one for r in range(measured) if (one := _round(experiment, rows, len(made.rows), r)) is not None]
    if len(rounds) < 2:
        raise IncompleteError(
            f"{len(rounds)} of {measured} rounds are complete; effects need two: {_missing(experiment, rows, len(made.rows))}"
        )
    names = [factor.name for factor in experiment.factors]
    tested: list[tuple[Effect, ...]] = []
    typical: dict[str, float] = {}
    for position, figure in enumerate(FIGURES):
        values = [[row[position] for row in one] for one in rounds]
        if min(map(min, values)) <= 0:
            raise IncompleteError(f"a session's {figure} is not above 0: its change is no share")
        logarithms = [[math.log(value) for value in row] for row in values]
        typical[figure] = math.exp(math.fsum(map(math.fsum, logarithms)) / len(rounds) / len(made.rows))
        tested.append(sum(effects(made, logarithms), ()))
    adjusted = iter(holm([one.p for some in tested for one in some]))
    changes = [
        [_change(figure, one, next(adjusted)) for one in some] for figure, some in zip(FIGURES, tested, strict=True)
    ]
    each = [tuple(some[i] for some in changes) for i in range(len(tested[0]))]
    settings = [
        Setting(
            name=factor.name,
            kind=factor.kind,
            low=factor.low,
            high=factor.high,
            changes=each[number],
            keep=_keep(each[number]),
        )
        for number, factor in enumerate(experiment.factors)
    ]
    acting = {one.name for one in settings if any(change.shown for change in one.changes)}
    tests = sum(map(len, tested))
    # The permutation test of a setting has `orders` different orders of a round's rows. At best two of them show an
    # effect as large as the real one: the real order itself and its mirror image.
    orders, least = math.comb(len(made.rows), len(made.rows) // 2), 2
    while 2 * tests > ALPHA * orders**least:
        least += 1
    notes = [f"degraded: {one.text}" for one in rows[min(rows)].degraded[:1]]
    if len(rounds) < least and not acting:
        notes.append(
            f"nothing that varies can be shown in fewer than {least} rounds of {len(made.rows)} sessions: set rounds"
        )
    return Report(
        target=", ".join(dict.fromkeys(experiment.targets or (experiment.target,))),
        kernel=", ".join(dict.fromkeys(run.kernel() for run in rows.values())),
        measurement=experiment.measurement if not experiment.comm else "attach",
        quantity=experiment.judged,
        load=experiment.load,
        rounds=len(rounds),
        rounds_dropped=measured - len(rounds),
        rows=len(made.rows),
        alpha=ALPHA,
        tests=tests,
        typical_ns=typical,
        settings=tuple(sorted(settings, key=_rank)),
        interactions=tuple(_interactions(made, names, each[len(names) :], acting)),
        runs=tuple(run.id for _, run in sorted(rows.items())),
        notes=tuple(notes),
    )


def _round(experiment: Experiment, rows: Mapping[int, Run], count: int, number: int) -> list[tuple[float, ...]] | None:
    """The figures (ns) of each row; None where one is missing."""
    found = []
    for row in range(count):
        run = rows.get(row)
        session = run.sessions[number] if run is not None and number < len(run.sessions) else None
        figures = _figures(experiment, session) if session is not None else None
        if figures is None:
            return None
        found.append(figures)
    return found


def _result(experiment: Experiment, session: Session) -> Result | None:
    return next((one for one in session.results if one.quantity == experiment.judged), None)


def _figures(experiment: Experiment, session: Session) -> tuple[float, ...] | None:
    result = _result(experiment, session)
    if result is None or result.status != "ok" or not session.complete:
        return None
    clock = session.clock(result.clock)
    found = [figure_of(result, statistic(figure)) for figure in FIGURES]
    values_ns = [clock.ns(one.value) for one in found if one is not None]
    return tuple(values_ns) if len(values_ns) == len(FIGURES) else None


def _missing(experiment: Experiment, rows: Mapping[int, Run], count: int) -> str:
    """The first reason why a round is not complete."""
    for row in range(count):
        run = rows.get(row)
        for session in run.sessions if run is not None else ():
            result = _result(experiment, session)
            if result is None:
                return f"row {row} has no {experiment.judged}"
            if result.status != "ok":
                return f"row {row}: {result.text or result.reason}"
    return "sessions are missing"


def _change(figure: str, effect: Effect, p_adjusted: float) -> Change:
    # Two rounds can leave an end beyond all numbers: as good as none.
    limited = effect.high < math.log(sys.float_info.max)
    return Change(
        figure=figure,
        change=math.expm1(effect.value),
        low=math.expm1(effect.low),
        high=math.expm1(effect.high) if limited else None,
        p=effect.p,
        p_adjusted=p_adjusted,
        shown=p_adjusted <= ALPHA,
    )


def _keep(changes: Sequence[Change]) -> Keep:
    ways = {change.change < 0 for change in changes if change.shown}
    if not ways:
        return "no effect shown"
    return "a trade" if len(ways) > 1 else "high" if ways.pop() else "low"


def _rank(setting: Setting) -> tuple[bool, float]:
    """Sort key: settings with a shown change first, then by the largest change."""
    shown = [change for change in setting.changes if change.shown]
    return not shown, -max(abs(math.log1p(change.change)) for change in shown or setting.changes)


def _interactions(
    made: Design, names: Sequence[str], each: Sequence[tuple[Change, ...]], acting: set[str]
) -> list[Interaction]:
    found = []
    for string, changes in zip(made.strings, each, strict=True):
        if any(change.shown for change in changes):
            pairs = tuple((names[i], names[j]) for i, j in string)
            likely = tuple(pair for pair in pairs if acting.issuperset(pair))
            found.append(Interaction(pairs=pairs, likely=likely, changes=changes))
    return found
