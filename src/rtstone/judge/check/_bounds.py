# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests the samples of a row against its bound: how surely the bound is exceeded, and how surely it is met.

Counted and observed figures (max, min, loss) need no statistics. All other figures get two one-sided tests. One takes
all samples together (binomial) and allows for their number. The other takes the repetitions, or the runs if there are
three or more (Student's t), and allows for their spread. The less certain result counts, in either direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from rtstone import stats
from rtstone.judge.check._load import ResolvedBound
from rtstone.judge.check._requirement import Requirement
from rtstone.judge.check._select import JudgedRepetition, RowResults, loss

FEW = 3
"""Fewest repetitions that show how repetitions differ."""
_NOT_KNOWN = f"fewer than {FEW} repetitions: how they differ is not known"


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence on a bound. Without p the figure is an observation, and `holds` is the answer."""

    observed: float | None = None
    low: float | None = None
    high: float | None = None
    p_exceeded: float | None = None
    """Probability of such data if the bound holds: small if the data show that it is exceeded."""
    p_held: float | None = None
    """Probability of such data if the bound does not hold: small if the data show that it is met."""
    holds: bool | None = None
    needed: str = ""
    """The data that an answer needs, if these are too few; empty if they suffice."""
    notes: tuple[str, ...] = ()


class _Estimate(msgspec.Struct, frozen=True):
    """A requirement on an estimated statistic, and its data."""

    wanted: Requirement
    statistic: stats.Statistic
    repetitions: Sequence[JudgedRepetition]
    figures: Sequence[float]
    """The statistic (ns) of each unit that a t-test takes."""
    confidence: float
    """Of an interval with two ends."""


def weigh(bound: ResolvedBound, found: RowResults, confidence: float) -> Evidence:
    """The evidence of these repetitions; there must be at least one.

    Each end of an interval has `confidence` by itself. So a bound that is shown to hold lies outside the interval.
    """
    confidence = 2 * confidence - 1
    wanted, repetitions = bound.requirement, found.repetitions
    if wanted.subject == "loss":
        lost = sum(loss(one.result) for one in repetitions)
        if any(note.service == "loss" for one in repetitions for note in one.result.notes):
            # The figures of another tool. It does not report lost samples, so no bound on loss can be shown to hold.
            return Evidence(observed=float(lost), notes=("the tool does not report lost samples",))
        return Evidence(observed=float(lost), holds=wanted.keeps(lost))
    statistic = wanted.statistic
    if statistic is None:
        return _of_share(wanted, repetitions, wanted.above_ns, wanted.limit, confidence, strict=False)
    figures = _figures(statistic, repetitions)
    if statistic.kind in ("max", "min"):
        values = [value for _, value in figures]
        value = max(values) if statistic.kind == "max" else min(values)
        return Evidence(observed=value, holds=wanted.keeps(value))
    asked = _Estimate(wanted, statistic, repetitions, _units(figures), confidence)
    return _of_percentile(asked) if statistic.kind == "percentile" else _of_means(asked)


def _figures(
    statistic: stats.Statistic, repetitions: Sequence[JudgedRepetition]
) -> list[tuple[JudgedRepetition, float]]:
    """The statistic (ns) of each repetition that has it."""
    figures = [(one, stats.figure_of(one.result, statistic)) for one in repetitions]
    return [(one, one.clock.ns(figure.value)) for one, figure in figures if figure is not None]


def _units(values: Sequence[tuple[JudgedRepetition, float]]) -> list[float]:
    """Figures that a t-test may treat as independent: one a run if there are enough runs, else one a repetition.

    With fewer runs the result holds for these runs alone: the data do not show how other runs would differ.
    """
    runs: dict[str, list[float]] = {}
    for one, value in values:
        runs.setdefault(one.run, []).append(value)
    if len(runs) < FEW:
        return [value for _, value in values]
    return [math.fsum(members) / len(members) for members in runs.values()]


def _of_percentile(of: _Estimate) -> Evidence:
    wanted, repetitions, confidence = of.wanted, of.repetitions, of.confidence
    percent = of.statistic.percent
    share = 1 - percent / 100
    # p99 < L means: less than 1 % of the samples are L or more; p50 > L: more than half of them are above L.
    counted = _of_share(wanted, repetitions, wanted.limit, share, confidence, strict=wanted.operator in ("<", ">="))
    low, high = _percentile_interval(repetitions, percent, confidence)
    needed = stats.samples_for(percent, confidence=confidence) if wanted.upper else 0
    least = sum(one.result.count for one in repetitions)
    counted = msgspec.structs.replace(counted, observed=_pooled(repetitions, of.statistic), low=low, high=high)
    return msgspec.structs.replace(
        _with_repetitions(counted, of.figures, wanted, confidence),
        needed=f"{needed}, there are {least}" if least < needed else "",
    )


def _of_share(
    wanted: Requirement,
    repetitions: Sequence[JudgedRepetition],
    limit_ns: float,
    share: float,
    confidence: float,
    *,
    strict: bool,
) -> Evidence:
    """The evidence on the share of samples beyond a limit; `strict` also counts samples at the limit."""
    counts = [_beyond(one, limit_ns, strict=strict) for one in repetitions]
    least, most = sum(a for a, _ in counts), sum(b for _, b in counts)
    count = sum(one.result.count for one in repetitions)
    above, below = stats.p_share_above(least, count, share), stats.p_share_below(most, count, share)
    if not wanted.upper:
        above, below = stats.p_share_below(most, count, share), stats.p_share_above(least, count, share)
    interval = (
        stats.proportion(least, count, confidence=confidence),
        stats.proportion(most, count, confidence=confidence),
    )
    evidence = Evidence(
        observed=interval[1].value, low=interval[0].low, high=interval[1].high, p_exceeded=above, p_held=below
    )
    if wanted.subject != "exceedance":
        return evidence
    shares = _units([(one, b / one.result.count) for (_, b), one in zip(counts, repetitions, strict=True)])
    needed = math.ceil(math.log((1 - confidence) / 2) / math.log1p(-share))
    needs = f"{needed}, there are {count}" if count < needed else ""
    return msgspec.structs.replace(
        _with_repetitions(evidence, shares, wanted, confidence, logarithms=False), needed=needs
    )


def _with_repetitions(
    evidence: Evidence, figures: Sequence[float], wanted: Requirement, confidence: float, *, logarithms: bool = True
) -> Evidence:
    """The evidence, made no surer than the spread of the repetitions allows."""
    if len(figures) < FEW:
        return msgspec.structs.replace(evidence, notes=(*evidence.notes, _NOT_KNOWN))
    above, below = _t_tests(figures, wanted, logarithms=logarithms)
    if evidence.p_exceeded is not None and evidence.p_held is not None:
        above, below = max(above, evidence.p_exceeded), max(below, evidence.p_held)
    low, high = _interval(figures, confidence, logarithms=logarithms)
    return msgspec.structs.replace(
        evidence,
        p_exceeded=above,
        p_held=below,
        low=None if evidence.low is None else min(low, evidence.low),
        high=None if evidence.high is None else max(high, evidence.high),
    )


def _interval(figures: Sequence[float], confidence: float, *, logarithms: bool) -> tuple[float, float]:
    """Student's interval of the repetitions' mean; `logarithms`: of the geometric mean, if all figures are above 0."""
    geometric = logarithms and min(figures) > 0
    found = stats.one_sample_interval([math.log(x) for x in figures] if geometric else figures, confidence=confidence)
    low, high = found.low or 0.0, found.high or 0.0
    return (math.exp(low), math.exp(high)) if geometric else (max(0.0, low) if not logarithms else low, high)


def _t_tests(figures: Sequence[float], wanted: Requirement, *, logarithms: bool) -> tuple[float, float]:
    limit = wanted.limit
    if logarithms and min(figures) > 0:
        figures, limit = [math.log(x) for x in figures], math.log(limit)
    above, below = stats.p_mean_above(figures, limit), stats.p_mean_below(figures, limit)
    if len(set(figures)) == 1 and figures[0] == limit:  # all figures are exactly at the limit
        above, below = (1.0, 0.0) if wanted.operator in ("<=", ">=") else (0.0, 1.0)
        return above, below
    return (above, below) if wanted.upper else (below, above)


def _of_means(of: _Estimate) -> Evidence:
    """Tests a mean or an sd by repetitions. With too few of them, tests a mean by its samples, taken as independent."""
    wanted, figures = of.wanted, of.figures
    if not figures:
        return Evidence()
    middle = math.fsum(figures) / len(figures)
    if len(figures) >= FEW:
        above, below = _t_tests(figures, wanted, logarithms=True)
        low, high = _interval(figures, of.confidence, logarithms=True)
        return Evidence(observed=middle, low=low, high=high, p_exceeded=above, p_held=below)
    if of.statistic.kind != "mean":
        return Evidence(observed=middle, needed=f"{FEW} repetitions")
    pooled, clock = _pool(of.repetitions)
    ops = max(1, of.repetitions[0].result.ops)
    if pooled.sd is None:
        return Evidence(observed=middle, needed="two samples")
    error = clock.ns(pooled.sd) / ops / math.sqrt(pooled.count)
    above, below = stats.p_normal(middle - wanted.limit, error)
    if not wanted.upper:
        above, below = below, above
    reach = stats.normal_reach(of.confidence) * error
    return Evidence(
        observed=middle,
        low=middle - reach,
        high=middle + reach,
        p_exceeded=above,
        p_held=below,
        notes=(_NOT_KNOWN, "samples taken as independent"),
    )


def _beyond(one: JudgedRepetition, limit_ns: float, *, strict: bool) -> tuple[int, int]:
    """How many samples lie above a time, at least and at most; `strict` also counts samples at that time."""
    result = one.result
    # Ticks are whole numbers, so the limit is one too. Without round(), 80 us at 2 GHz could become 159999.99 ticks.
    ticks = round(limit_ns * one.clock.hz / 1e9 * max(1, result.ops), 6)
    limit = math.ceil(ticks) - 1 if strict else math.floor(ticks)
    if result.batches:
        above = sum(total > limit for total in result.batches)
        return above, above
    if result.histogram is None:
        return 0, result.count
    return stats.count_above(result.histogram, limit, minimum=result.min, maximum=result.max, extremes=result.extremes)


def _pool(repetitions: Sequence[JudgedRepetition]) -> tuple[stats.Pool, stats.PooledClock]:
    """All samples pooled, on one clock."""
    common = stats.together([(one.result, one.clock) for one in repetitions], [one.machine for one in repetitions])
    return stats.pool(common.results), common.clock


def _whole(repetitions: Sequence[JudgedRepetition]) -> bool:
    """Whether every repetition has a histogram. A percentile of only some repetitions would not be that of all."""
    return all(one.result.histogram is not None for one in repetitions)


def _pooled(repetitions: Sequence[JudgedRepetition], statistic: stats.Statistic) -> float | None:
    """The percentile of all samples pooled (ns). If a repetition has no histogram: the mean of their percentiles."""
    if _whole(repetitions):
        pooled, clock = _pool(repetitions)
        value = pooled.percentile(statistic.percent)
        return None if value is None else clock.ns(value)
    values = [value for _, value in _figures(statistic, repetitions)]
    return math.fsum(values) / len(values) if values else None


def _percentile_interval(
    repetitions: Sequence[JudgedRepetition], percent: float, confidence: float
) -> tuple[float | None, float | None]:
    if not _whole(repetitions):
        return None, None
    pooled, clock = _pool(repetitions)
    if pooled.histogram is None:
        return None, None
    found = stats.percentile_interval(
        pooled.histogram, percent, minimum=pooled.min, maximum=pooled.max, confidence=confidence
    )
    return (
        None if found.low is None else clock.ns(found.low),
        None if found.high is None else clock.ns(found.high),
    )
