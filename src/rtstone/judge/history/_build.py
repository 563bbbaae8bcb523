# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs -> series of one quantity, each of comparable runs, with its steps."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from statistics import median

import msgspec

from rtstone import stats
from rtstone.errors import UsageError
from rtstone.judge import compare
from rtstone.judge.compare import Difference, Repetition, RowKey
from rtstone.judge.history._model import History, Level, Point, Series, Step
from rtstone.model import Run
from rtstone.model import variant as variants
from rtstone.model.likeness import results_unlike, runs_unlike

DRIFT = 0.001
"""Default allowed drift from one run to the next: 10 % in a hundred runs."""
LEAST_CHANGE = 0.01
"""As in `compare`: relinking a program moves figures more."""
_NEVER_SAME = ("clock.",)
"""Beginnings of facts that each run measures for itself: rates of counters."""


class _Entry(msgspec.Struct, frozen=True):
    """A run's figure in a row."""

    run: Run
    repetitions: tuple[Repetition, ...]
    value: float


class RunReading(msgspec.Struct, frozen=True):
    """The part of a run that a history needs: its figures of one quantity, without their samples."""

    run: Run
    rows: tuple[tuple[RowKey, _Entry], ...]


def read(run: Run, quantity: str, statistic: str = "median") -> RunReading:
    """The figures of a run. The caller may cache them: they are small, and a complete run does not change.

    Raises UsageError as `history` does.
    """
    wanted = _wanted(statistic)
    bare = msgspec.structs.replace(
        run, sessions=tuple(msgspec.structs.replace(session, results=()) for session in run.sessions)
    )
    rows = [
        (key, one)
        for key, own in (compare.series([run]) if run.status == "complete" else {}).items()
        if key.quantity == quantity and (one := _entry(bare, own.repetitions, _name(key, wanted)))
    ]
    return RunReading(bare, tuple(rows))


def history(
    runs: Sequence[Run] | Sequence[RunReading],
    quantity: str,
    *,
    statistic: str = "median",
    load: str | None = None,
    pass_: str | None = None,
    unlike: bool = False,
    alpha: float = stats.ALPHA_CHANGE,
    drift: float = DRIFT,
    least_change: float = LEAST_CHANGE,
) -> History:
    """The history of a quantity in these runs, or in their readings.

    `statistic` is the figure of single operations; sets have their mean. Runs that are not comparable are in different
    series, unless `unlike`. Raises UsageError for an unknown statistic and for shares out of range.
    """
    if not (0 < alpha < 0.5 and 0 <= drift < 1 and 0 <= least_change < 10):
        raise UsageError("false alarms lie between 0 and 50 %, a drift below 100 %; the least change is not negative")
    wanted = _wanted(statistic)
    readings = [one if isinstance(one, RunReading) else read(one, quantity, wanted) for one in runs]
    incomplete = tuple(one.run.id for one in readings if one.run.status != "complete")
    rows: dict[RowKey, list[_Entry]] = {}
    for reading in sorted(readings, key=lambda one: (one.run.started, one.run.id)):
        for key, entry in reading.rows:
            if load in {None, key.variant.load} and pass_ in {None, key.variant.pass_}:
                rows.setdefault(key, []).append(entry)
    made = [
        _series(key, entries, rows, _name(key, wanted), classes[0][0], alpha=alpha, drift=drift, least=least_change)
        for key, found in rows.items()
        for classes in (_alike(found, unlike=unlike),)
        for entries in classes
    ]
    return History(
        quantity=quantity,
        false_alarms=alpha,
        drift=drift,
        least_change=least_change,
        forced=unlike,
        runs=len(runs) - len(incomplete),
        incomplete=incomplete,
        series=tuple(made),
    )


def new_regressions(of: History, last: int) -> tuple[tuple[Series, Step], ...]:
    """Steps to a longer level within the `last` runs of their series, unless later steps made up for them."""
    found = []
    for series in of.series:
        for number, step in enumerate(series.steps):
            old, newest = series.levels[number].median_ns, series.levels[-1].median_ns
            recent = step.at >= len(series.points) - last
            if recent and step.verdict == "regressed" and newest > old:
                found.append((series, step))
    return tuple(found)


def _wanted(statistic: str) -> str:
    try:
        return str(stats.statistic(statistic))
    except ValueError as error:
        raise UsageError(str(error)) from error


def _name(key: RowKey, wanted: str) -> str:
    return compare.names(key.variant.pass_, (wanted,))[0]


def _entry(run: Run, repetitions: tuple[Repetition, ...], name: str) -> _Entry | None:
    each = [figure.value for one in repetitions if (figure := compare.figure_in(one, name)) is not None]
    return _Entry(run, tuple(map(_bare, repetitions)), stats.combined(each)) if each else None


def _bare(one: Repetition) -> Repetition:
    result = msgspec.structs.replace(one.result, histogram=None, extremes=(), windows=None, batches=(), samples=None)
    return msgspec.structs.replace(one, result=result, read=msgspec.structs.replace(one.read, result=result))


def _alike(entries: Sequence[_Entry], *, unlike: bool) -> list[list[_Entry]]:
    """The entries in classes of comparable runs, the class of the newest run first."""
    classes: list[list[_Entry]] = []
    for one in reversed(entries):
        home = next((own for own in classes if unlike or not _apart(own[0], one)), None)
        if home is None:
            classes.append([one])
        else:
            home.append(one)
    return [own[::-1] for own in classes]


def _apart(first: _Entry, other: _Entry) -> tuple[str, ...]:
    found = [
        *runs_unlike(first.run, other.run),
        *results_unlike([one.read for one in first.repetitions], [one.read for one in other.repetitions]),
    ]
    return tuple(dict.fromkeys(one.text for one in found))


def _series(
    key: RowKey,
    entries: Sequence[_Entry],
    among: Sequence[RowKey] | dict[RowKey, list[_Entry]],
    statistic: str,
    newest: _Entry,
    *,
    alpha: float,
    drift: float,
    least: float,
) -> Series:
    values = [one.value for one in entries]
    exact = _is_exact(entries)
    if exact:
        found = [(at, 0.0) for at in range(1, len(values)) if values[at] != values[at - 1]]
    else:
        logs = [math.log(value) for value in values] if min(values) > 0 else values
        allowed = drift if min(values) > 0 else 0.0
        found = [(change.at, change.p) for change in stats.changes(logs, alpha=alpha, drift=allowed)]
    cuts = _worth_telling(values, found, 0.0 if exact else least)
    ends = [0, *(at for at, _ in cuts), len(values)]
    levels = tuple(Level(first=a, last=b - 1, median_ns=median(values[a:b])) for a, b in itertools.pairwise(ends))
    last = entries[-1].run
    same = newest in entries
    return Series(
        measurement=key.measurement,
        quantity=key.quantity,
        variant=key.variant,
        title=_title(key, among),
        statistic=statistic,
        target=last.target,
        machine=last.machine,
        machine_name=last.machine_name,
        points=tuple(
            Point(
                run=one.run.id,
                started=one.run.started,
                label=one.run.label,
                value_ns=one.value,
                repetitions=len(one.repetitions),
            )
            for one in entries
        ),
        levels=levels,
        steps=tuple(_step(entries, levels[n], levels[n + 1], p) for n, (_, p) in enumerate(cuts)),
        enough=exact or len(entries) >= stats.LEAST_FOR_CHANGE,
        exact=exact,
        wanders=not exact and stats.resemble(values, [at for at, _ in cuts]),
        apart=() if same else _apart(newest, entries[-1]),
    )


def _title(key: RowKey, among: Sequence[RowKey] | dict[RowKey, list[_Entry]]) -> str:
    return f"{key.quantity}, {variants.words(key.variant, (other.variant for other in among))}"


def _is_exact(entries: Sequence[_Entry]) -> bool:
    """Whether all runs are of instruction-time with the same seeds, so that only a change can make a difference."""
    seeds = {tuple((one.unit.seed, one.unit.number) for one in entry.repetitions) for entry in entries}
    return len(seeds) == 1 and all(entry.run.deterministic for entry in entries)


def _worth_telling(
    values: Sequence[float], found: Sequence[tuple[int, float]], least: float
) -> list[tuple[int, float]]:
    """The steps of at least the share `least`. Drops the smallest step, and joins its levels, until all are so
    large."""
    cuts = list(found)
    while cuts:
        ends = [0, *(at for at, _ in cuts), len(values)]
        medians = [median(values[a:b]) for a, b in itertools.pairwise(ends)]
        sizes = [
            abs(after / before - 1) if min(before, after) > 0 else math.inf
            for before, after in itertools.pairwise(medians)
        ]
        smallest = min(range(len(cuts)), key=lambda n: sizes[n])
        if sizes[smallest] >= least:
            break
        del cuts[smallest]
    return cuts


def _step(entries: Sequence[_Entry], before: Level, after: Level, p: float) -> Step:
    last, first = entries[before.last].run, entries[after.first].run
    positive = min(before.median_ns, after.median_ns) > 0
    sides = [[one.run for one in entries[level.first : level.last + 1]] for level in (before, after)]
    return Step(
        at=after.first,
        before=last.id,
        before_started=last.started,
        after=first.id,
        after_started=first.started,
        verdict="regressed" if after.median_ns > before.median_ns else "improved",
        change=after.median_ns / before.median_ns - 1 if positive else None,
        p=p,
        differences=_changed(*sides),
    )


def _changed(before: Sequence[Run], after: Sequence[Run]) -> tuple[Difference, ...]:
    """The facts that have one value in most runs of one level, and another value in most runs of the other."""
    facts_of = [_usual(before), _usual(after)]
    common = facts_of[0].keys() & facts_of[1].keys()
    return compare.differences_of([{key: value for key, value in side.items() if key in common} for side in facts_of])


def _usual(runs: Sequence[Run]) -> dict[str, str]:
    """The value that each fact has in more than half of the runs; empty if these did not record it. Leaves out the
    other facts."""
    each = [compare.facts([run]) for run in runs]
    found = {}
    for key in {key for one in each for key in one}:
        value, times = Counter(one.get(key, "") for one in each).most_common(1)[0]
        if 2 * times > len(runs) and not key.startswith(_NEVER_SAME):
            found[key] = value
    return found
