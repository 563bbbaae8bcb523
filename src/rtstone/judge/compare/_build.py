# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares sides with the first one: rows with judgements, missing rows, and changes of the environment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rtstone import stats
from rtstone.errors import UsageError
from rtstone.judge.compare import _figures as figures
from rtstone.judge.compare import _judge as judging
from rtstone.judge.compare._environment import differences, not_one_population, remarks, rows_unlike, sides_unlike
from rtstone.judge.compare._model import Comparison, Figure, Judgement, Missing, Row, Side, Unlike, Verdict
from rtstone.judge.compare._series import RowKey, SideSeries, series, words
from rtstone.model import Run
from rtstone.model.labels import names, unit_of_time

CONFIDENCE = 0.95
"""Probability that no verdict of the whole comparison is wrong if nothing changed."""
LEAST_CHANGE = 0.01
"""A smaller change is not reported as a change: on a machine, relinking a program moves figures more.
Instruction-time has no such noise."""
VERDICTS: tuple[Verdict, ...] = (
    "regressed",
    "improved",
    "no difference shown",
    "longer within these runs",
    "shorter within these runs",
    "no difference within these runs",
    "insufficient data",
    "not comparable",
)


def compare(
    sides: Sequence[Run | Sequence[Run]],
    *,
    confidence: float = CONFIDENCE,
    least_change: float | None = None,
    unlike: bool = False,
    statistics: Sequence[str] = figures.SINGLE,
) -> Comparison:
    """Compare every side, a run or several, with the first.

    `confidence` holds for all verdicts together. `least_change` (0.01: 1 %): a smaller difference counts as none. Its
    default None means 1 %, or 0 if all runs are deterministic and one build of the engine made them. `unlike`: also
    judge runs and rows that are not comparable. `statistics`: the figures of single operations. Raises UsageError for
    fewer than two sides, for a run that is on two sides, for numbers out of range and for unknown statistics.
    """
    given = tuple((side,) if isinstance(side, Run) else tuple(side) for side in sides)
    runs = [run for side in given for run in side]
    if len(given) < 2 or not all(given):
        raise UsageError("a comparison takes at least two different runs")
    twice = next((run_id for run_id, times in Counter(run.id for run in runs).items() if times > 1), None)
    if twice is not None:
        raise UsageError(f"run {twice} is on two sides, or twice on one")
    if not 0 < confidence < 1 or (least_change is not None and not 0 <= least_change < 10):
        raise UsageError("confidence lies between 0 and 1; the least change is not negative")
    try:
        wanted = tuple(dict.fromkeys(str(stats.statistic(name)) for name in statistics))
    except ValueError as error:
        raise UsageError(str(error)) from error
    deterministic = all(run.deterministic for run in runs)
    threshold = least_change
    if threshold is None:
        builds = {session.engine for run in runs for session in run.sessions}
        threshold = 0.0 if deterministic and len(builds) < 2 else LEAST_CHANGE
    obstacles = (
        *(Unlike(side=s, what=what, inside=True) for s, own in enumerate(given) for what in not_one_population(own)),
        *(Unlike(side=s, what=what) for s, own in enumerate(given) if s for what in sides_unlike(given[0], own)),
    )
    series_of = [series(own) for own in given]
    matched, missing = _matched(series_of)
    entries = [
        {
            of: figures.entry(series_of[side][of], figures.names(of.variant.pass_, wanted))
            for of in _answering(matched, side)
        }
        for side in range(len(given))
    ]
    duels = {
        (key, name, side): judging.duel(
            name,
            side,
            entries[0][key],
            entries[side][other],
            [
                *dict.fromkeys(u.what for u in obstacles if u.side in (0, side)),
                *rows_unlike(key, other, series_of[0][key], series_of[side][other]),
            ],
            deterministic=deterministic,
        )
        for key, others in matched.items()
        for name in figures.names(key.variant.pass_, wanted)
        for side, other in others.items()
    }
    family = sum(duel.judged(forced=unlike) for duel in duels.values())
    alpha = stats.family_alpha(1 - confidence, family)
    judged = {
        at: judging.judge(
            duel, alpha=alpha, threshold=threshold, forced=unlike, untrusted=_untrusted(*given[0], *given[duel.side])
        )
        for at, duel in duels.items()
    }
    labels = names([own[0] for own in given])
    rows = tuple(_row(key, others, series_of, entries, judged, labels, wanted) for key, others in matched.items())
    verdicts = Counter(judgement.verdict for judgement in judged.values())
    return Comparison(
        confidence=confidence,
        figures_judged=family,
        least_change=threshold,
        forced=unlike,
        sides=tuple(_side(own, label) for own, label in zip(given, labels, strict=True)),
        unlike=obstacles,
        rows=rows,
        missing=tuple(missing),
        differences=differences(given),
        counts=tuple((verdict, verdicts[verdict]) for verdict in VERDICTS),
    )


def _answering(matched: dict[RowKey, dict[int, RowKey]], side: int) -> list[RowKey]:
    """The rows of a side that are compared with another side's."""
    return list(matched) if side == 0 else [others[side] for others in matched.values() if side in others]


def _row(
    key: RowKey,
    others: dict[int, RowKey],
    series_of: Sequence[dict[RowKey, SideSeries]],
    entries: Sequence[dict[RowKey, figures.SideFigures]],
    judged: dict[tuple[RowKey, str, int], Judgement],
    labels: Sequence[str],
    wanted: Sequence[str],
) -> Row:
    rows = {0: key, **others}
    unlike = [
        d for side, other in others.items() for d in rows_unlike(key, other, series_of[0][key], series_of[side][other])
    ]
    remarked = [
        r for side, other in others.items() for r in remarks(series_of[0][key], series_of[side][other], labels[side])
    ]
    return Row(
        measurement=key.measurement,
        quantity=key.quantity,
        variant=key.variant,
        title=words(key, (other for side in series_of for other in side)),
        differs=tuple(dict.fromkeys(unlike)),
        remarks=tuple(dict.fromkeys(remarked)),
        figures=tuple(
            Figure(
                name=name,
                values=tuple(
                    judging.value(entries[side][rows[side]] if side in rows else None, name)
                    for side in range(len(labels))
                ),
                against=tuple(judged[key, name, side] for side in others),
            )
            for name in figures.names(key.variant.pass_, wanted)
        ),
    )


def _untrusted(*runs: Run) -> str:
    """Why these runs may neither pass nor be a baseline; empty if they may."""
    return next((f"run {run.id} is {run.status}" for run in runs if run.status != "complete"), "")


def _side(runs: Sequence[Run], label: str) -> Side:
    first = runs[0]
    status = next((run.status for run in runs if run.status != "complete"), "complete")
    return Side(
        label=label,
        run=first.id,
        runs=tuple(run.id for run in runs),
        target=first.target,
        kernel=first.kernel(),
        started=min(run.started for run in runs),
        ended=max(run.ended for run in runs),
        profile=first.profile,
        status=f"{status}, degraded" if any(run.degraded for run in runs) else status,
        repetitions=sum(session.complete for run in runs for session in run.sessions),
        seed=first.seed,
        time=first.time,
        unit_of_time=unit_of_time(first),
    )


def _matched(series_of: Sequence[dict[RowKey, SideSeries]]) -> tuple[dict[RowKey, dict[int, RowKey]], list[Missing]]:
    """For each row of the reference the matching row of each side; and all rows that have no counterpart.

    A row without an equal is matched with a row of the same quantity under another variant. The reason why these two
    are not comparable helps the reader more than two missing rows.
    """
    matched: dict[RowKey, dict[int, RowKey]] = {key: {} for key in series_of[0]}
    missing = []
    for side in range(1, len(series_of)):
        theirs = dict.fromkeys(series_of[side])
        for key in series_of[0]:
            if key in theirs:
                matched[key][side] = key
                del theirs[key]
        for key in series_of[0]:
            if side in matched[key]:
                continue
            near = [other for other in theirs if _same_but_variant(key, other)]
            if near:
                matched[key][side] = near[0]
                del theirs[near[0]]
            else:
                missing.append(_missing(series_of, key, side, "it was not measured there"))
        missing += [_missing(series_of, key, 0, "it was not measured there") for key in theirs]
    empty = [
        key
        for key, others in matched.items()
        if not series_of[0][key].repetitions
        and not any(series_of[side][other].repetitions for side, other in others.items())
    ]
    for key in empty:
        # No side has results, so there is no difference to report.
        del matched[key]
    for key in list(matched):
        others = matched[key]
        sides = {0: key, **others}
        lacking = [side for side, of in sides.items() if not series_of[side][of].repetitions]
        for side in lacking:
            missing.append(_missing(series_of, key, side, series_of[side][sides[side]].why_not))
            others.pop(side, None)
        if 0 in lacking or not others:
            del matched[key]
    return matched, missing


def _same_but_variant(key: RowKey, other: RowKey) -> bool:
    alike = (key.measurement, key.quantity, key.variant.pass_)
    return alike == (other.measurement, other.quantity, other.variant.pass_)


def _missing(series_of: Sequence[dict[RowKey, SideSeries]], key: RowKey, side: int, why: str) -> Missing:
    return Missing(
        measurement=key.measurement,
        quantity=key.quantity,
        variant=key.variant,
        title=words(key, (other for of in series_of for other in of)),
        side=side,
        why=why,
    )
