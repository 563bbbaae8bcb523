# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Judges runs by a check file: each row becomes passed, exceeded, regressed or inconclusive; a report has all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Literal

import msgspec

from rtstone import stats
from rtstone.errors import UsageError
from rtstone.judge.check._baselines import compare, unlike
from rtstone.judge.check._bounds import Evidence, weigh
from rtstone.judge.check._load import Baseline, Checks, ResolvedBound
from rtstone.judge.check._model import Outcome, Report, Row
from rtstone.judge.check._requirement import Requirement
from rtstone.judge.check._select import RowResults, distinct, select, variants
from rtstone.model import Run
from rtstone.model.likeness import substitutes
from rtstone.model.units import counted
from rtstone.model.variant import differences

_WORST: tuple[Outcome, ...] = ("exceeded", "regressed", "inconclusive", "pass")


def judge(
    checks: Checks,
    runs: Sequence[Run],
    baselines: dict[int, tuple[Run, ...]],
    left_out: Mapping[int, tuple[str, ...]] = MappingProxyType({}),
) -> Report:
    """The verdict on these runs. `baselines`: the runs that each baseline names, by its position in `checks.baselines`.
    `left_out`: in sentences, the runs with a baseline's labels that are not among these. A baseline leaves out the
    judged runs. Its row reports how many, and the sentences.

    Raises UsageError, with file and line, if a bound does not fit these runs: it has another kind of time, or is below
    the clock's quantum.
    """
    refuse(checks, runs)
    rows = [_bound_row(bound, runs, checks) for bound in checks.bounds]
    family = len(checks.baselines) + sum(row.p is not None for row in rows)
    for position, baseline in enumerate(checks.baselines):
        named, unnamed = baselines.get(position, ()), left_out.get(position, ())
        rows.append(_baseline_row(baseline, runs, named, unnamed, checks, family))
    rows = _decided(rows, checks)
    outcome: Outcome = min((row.outcome for row in rows), key=_WORST.index)
    return Report(
        file=checks.path,
        runs=tuple(run.id for run in runs),
        outcome=outcome,
        summary=_summary(checks, rows),
        time=checks.file.time,
        false_alarms=checks.file.false_alarms,
        confidence=checks.file.confidence,
        degraded=tuple(dict.fromkeys(lack.text or lack.reason for run in runs for lack in run.degraded)),
        rows=tuple(rows),
    )


def refuse(checks: Checks, runs: Sequence[Run]) -> None:
    """Raise UsageError if the file does not fit these runs. They may also be earlier runs of the same target."""
    for run in runs:
        if run.time != checks.file.time:
            said = f'{run.id} is of {run.time}, the bounds are of {checks.file.time}: say time = "{run.time}" if that is intended'
            raise UsageError(f"{checks.path}:{checks.time_line}: {said}")
    for bound in checks.bounds:
        limit = _time_of(bound)
        if limit is None:
            continue
        for one in select(runs, bound.selection, bound.load).repetitions:
            ticks = one.clock.resolution_ticks or 1
            quantum = one.clock.ns(ticks) / max(1, one.result.ops)
            if limit < quantum:
                raise UsageError(
                    f"{checks.path}:{bound.line}: '{bound.requirement.text}' is below the resolution of the clock: "
                    f"{one.clock.name} of {one.run} steps by {quantum:g} ns"
                )


def require_steady(checks: Checks) -> None:
    """Raise UsageError for a row that could change although no code on the measured path changed.

    Another build moves the places where interrupts arrive. Only the minimum and the median over the seeds of a board
    that counts instructions do not depend on these places.
    """
    if checks.file.time != "instruction-time":
        raise UsageError(
            f'{checks.path}:{checks.time_line}: --bisect is for virtual boards that count instructions: say time = "instruction-time"'
        )
    figures = [(bound.line, bound.requirement.text, bound.requirement.statistic) for bound in checks.bounds]
    figures += [(row.line, f"statistics: {row.statistic}", row.statistic) for row in checks.baselines]
    for line, text, wanted in figures:
        if wanted is None or not (wanted.kind == "min" or (wanted.kind == "percentile" and wanted.percent == 50)):
            raise UsageError(
                f"{checks.path}:{line}: '{text}': --bisect judges a min or a median; the rest moves with where interrupts land, "
                "which another build shifts"
            )


def _time_of(bound: ResolvedBound) -> float | None:
    """The shortest time in the bound (ns); None for a bound on losses or on spread."""
    wanted = bound.requirement
    if wanted.subject == "exceedance":
        return wanted.above_ns
    if wanted.subject == "loss" or (wanted.statistic is not None and wanted.statistic.kind == "sd"):
        return None
    return wanted.limit


def _bound_row(bound: ResolvedBound, runs: Sequence[Run], checks: Checks) -> Row:
    found = select(runs, bound.selection, bound.load)
    if all(run.deterministic for run in runs):
        # Another run of the same seeds has the same bytes. It is not a new sample: the seeds are the population.
        once = tuple(msgspec.structs.replace(one, run="") for one in distinct(found.repetitions))
        found = msgspec.structs.replace(found, repetitions=once)
    if difference := unlike(runs, (), (found, RowResults()), bound.unlike):
        # Samples of runs that are not comparable are not one population: together they show nothing.
        found = msgspec.structs.replace(found, doubts=(*found.doubts, f"these runs are not comparable: {difference}"))
    wanted = bound.requirement
    evidence = weigh(bound, found, checks.file.confidence) if found.repetitions else Evidence()
    unit: Literal["ns", "share", "count"] = {"statistic": "ns", "exceedance": "share", "loss": "count"}[wanted.subject]  # type: ignore[assignment]
    outcome, reason = _of_evidence(evidence, found, wanted, checks.file.confidence)
    return Row(
        kind="bound",
        line=bound.line,
        target=_targets(runs),
        measurement=bound.selection.measurement,
        quantity=bound.selection.quantity,
        load=bound.load,
        requirement=wanted.text.strip(),
        outcome=outcome,
        reason=reason,
        unit=unit,
        observed=evidence.observed,
        low=evidence.low,
        high=evidence.high,
        limit=wanted.limit,
        samples=found.samples,
        repetitions=len(found.repetitions),
        p=evidence.p_exceeded,
        p_held=evidence.p_held,
        notes=(*evidence.notes, *_stand_ins(found)),
    )


def _stand_ins(found: RowResults) -> tuple[str, ...]:
    """The substitutes for services that the kernel lacks. The figure is then the substitute's."""
    said = {substitutes(one.result) for one in found.repetitions} - {"nothing"}
    return tuple(f"substituted: {one}" for one in sorted(said))


def _of_evidence(evidence: Evidence, found: RowResults, wanted: Requirement, confidence: float) -> tuple[Outcome, str]:
    """Outcome and reason of a row by itself. The test over the whole file may still turn it into exceeded, or add why
    a figure beyond its bound is not."""
    if not found.repetitions:
        return "inconclusive", "; ".join(found.doubts) or "there is no such result"
    if evidence.holds is False:
        return "exceeded", "the observed figure itself breaks the requirement"
    if found.doubts:
        return "inconclusive", "; ".join(found.doubts)
    if evidence.holds:
        return "pass", "the observed figure itself meets the requirement"
    if evidence.p_held is None:
        return "inconclusive", f"too little data: needed {evidence.needed or 'more'}"
    if evidence.p_held <= 1 - confidence:
        return "pass", f"shown at {confidence:.4g}"
    if evidence.needed:
        return "inconclusive", f"too few samples: needed {evidence.needed}"
    more = "measure longer, or repeat"
    if _beyond(evidence.observed, wanted):
        return "inconclusive", more
    return (
        "inconclusive",
        f"met, but not for certain (p = {evidence.p_held:.3g}; a pass needs {1 - confidence:.3g}): {more}",
    )


def _beyond(observed: float | None, wanted: Requirement) -> bool:
    """Whether the observed figure lies on the wrong side of the bound."""
    return observed is not None and not wanted.keeps(observed)


def _baseline_row(
    baseline: Baseline,
    runs: Sequence[Run],
    named: Sequence[Run],
    unnamed: tuple[str, ...],
    checks: Checks,
    family: int,
) -> Row:
    judged = {run.id for run in runs}
    before = [run for run in named if run.id not in judged]
    left_out = (*_left_out(len(named) - len(before)), *unnamed)
    old, new = (select(side, baseline.selection, baseline.load) for side in (before, runs))
    allowed = f" within {baseline.entry.allow}" if baseline.allow else ""
    row = Row(
        kind="baseline",
        line=baseline.line,
        target=_targets(runs),
        measurement=baseline.selection.measurement,
        quantity=baseline.selection.quantity,
        load=baseline.load,
        requirement=f"{baseline.statistic} no worse than baseline{allowed}",
        outcome="inconclusive",
        reason="",
        unit="change",
        limit=baseline.allow,
        samples=new.samples,
        repetitions=len(new.repetitions),
        notes=left_out,
    )
    doubts = [*new.doubts, *(f"baseline: {doubt}" for doubt in old.doubts)]
    if not before:
        only = ("the baseline names no run but those that are judged", *unnamed)
        return _with(row, reason="; ".join(only), notes=())
    if difference := unlike(before, runs, (old, new), baseline.entry.unlike):
        return _with(row, reason=f"not comparable: {difference}")
    if len(several := variants(old, new)) > 1 and not doubts:
        return _with(row, reason=f"not comparable: {'; '.join(differences(*several[:2]))}")
    if doubts or not old.repetitions or not new.repetitions:
        return _with(row, reason="; ".join(doubts) or "there is no such result")
    alpha = checks.file.false_alarms / max(1, family)
    deterministic = all(run.deterministic for run in runs)
    found = compare(baseline, old, new, deterministic=deterministic, alpha=alpha, confidence=checks.file.confidence)
    row = _with(
        row,
        observed=found.observed,
        low=found.low,
        high=found.high,
        p=found.p_worse,
        detectable=found.detectable,
        notes=(*found.notes, *left_out),
    )
    if not deterministic and baseline.entry.between_runs == "measured":
        row = _with(row, suspect=len({one.run for one in new.repetitions}) < baseline.entry.judged)
    if found.lacking:
        return _with(row, reason="; ".join((f"insufficient data: {found.lacking}", *left_out)), notes=found.notes)
    least = found.detectable or 0.0
    nothing = f"nothing could be shown, not even a change of ×{1 + stats.LARGEST_DETECTABLE:.0f}"
    blind = least > stats.LARGEST_DETECTABLE
    if baseline.detect is not None and least > baseline.detect:
        could = nothing if blind else f"could only have shown {least:+.1%}, not {baseline.entry.detect}"
        return _with(row, reason=f"{could}: more runs")
    shown = nothing if blind else f"{least:+.1%} would be shown"
    return _with(row, outcome="pass", reason=f"no regression shown; {shown}")


def _left_out(count: int) -> tuple[str, ...]:
    """The sentence on the `count` runs of a baseline that are judged; nothing if there is no such run."""
    whom = "it" if count == 1 else "them"
    return (f"the baseline leaves out {counted(count, 'run')}, because this check judges {whom}",) if count else ()


def _with(row: Row, **changes: object) -> Row:
    return msgspec.structs.replace(row, **changes)


def _decided(rows: Sequence[Row], checks: Checks) -> list[Row]:
    """The rows after the tests over the whole file, which give at most the file's share of false alarms (Holm)."""
    tested = [row for row in rows if row.p is not None]
    adjusted = iter(stats.holm([row.p for row in tested if row.p is not None]))
    decided = []
    for row, bound in zip_longest(rows, checks.bounds):
        if row.p is None:
            decided.append(row)
            continue
        p = next(adjusted)
        row = _with(row, p_adjusted=p)
        if p <= checks.file.false_alarms:
            worse: Outcome = "exceeded" if row.kind == "bound" else "regressed"
            said = f"p = {p:.2g}, corrected for all rows"
            if row.suspect:
                said = f"looks like a regression ({said}), but a stray run looks the same: judge more runs together"
            row = _with(row, outcome="inconclusive" if row.suspect else worse, reason=said)
        elif row.outcome == "inconclusive" and bound is not None and _beyond(row.observed, bound.requirement):
            needed = f"a failure needs {checks.file.false_alarms:.3g}"
            said = f"exceeded, but not for certain (p = {p:.3g}, corrected for all rows; {needed})"
            row = _with(row, reason=f"{said}: {row.reason}")
        decided.append(row)
    return decided


def _summary(checks: Checks, rows: Sequence[Row]) -> str:
    counts = {
        word: sum(row.outcome == word for row in rows) for word in ("pass", "exceeded", "regressed", "inconclusive")
    }
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    of_what = "" if checks.file.time == "time" else f" of {checks.file.time}"
    return f"{checks.path}: {counted(len(rows), 'row')}{of_what}: {said}"


def _targets(runs: Sequence[Run]) -> str:
    return ", ".join(dict.fromkeys(run.target for run in runs))
