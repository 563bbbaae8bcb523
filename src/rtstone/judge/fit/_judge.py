# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts the misses of each way of handling. Judges them as met or not met, or reports how many samples would decide.

The best of many ways is chosen, so all rows share the error that the confidence leaves (Bonferroni). It limits two
probabilities: that any way is wrongly reported to meet a requirement, and that any is wrongly reported not to.

Samples are treated as independent, as in the intervals of `stats`. On real machines misses come in bursts. So a verdict
holds for circumstances like the measured ones, and a short measurement meets few of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec

from rtstone import stats
from rtstone.judge.fit._gather import EvidenceGroup, EvidenceKey, Piece, gather, run_doubts
from rtstone.judge.fit._levels import LEVELS, PARTS, REQUIREMENTS
from rtstone.judge.fit._model import Asked, Level, Report, Row, Verdict, Way
from rtstone.judge.fit._parts import bound, divisions, each_confidence
from rtstone.model import Run
from rtstone.model.units import counted, written

_BEST: tuple[Verdict, ...] = ("meets", "not shown", "does not meet", "not measured")
_WORST: tuple[Verdict, ...] = ("does not meet", "not shown", "not measured", "meets")
_HOUR_NS = 3600e9
_MOST_SAMPLES = 10**12
_NO_LEVEL = "no run has this level"
_TOO_NEAR = "the observed share of misses is too near to the allowed one"
_IN_VAIN = "measuring longer cannot decide it"
_POWER = 0.9
"""Probability that the number of samples that the report names decides all open rows."""


class _Each(msgspec.Struct, frozen=True):
    """Confidence and power of each row, such that all rows together have the requested confidence."""

    meets: float
    fails: float
    power: float = 0.9
    """Probability that the samples that a row needs decide it, if its misses continue as observed."""


def judge(asked: Asked, runs: Sequence[Run]) -> Report:
    """The verdict on every level of every platform in these runs.

    Only results at the requested period are evidence. A way meets a requirement if it does so under each load that was
    measured on its platform.
    """
    groups = gather(runs)
    platforms = list(dict.fromkeys(key.platform for key in groups))
    measured = [key for key, group in groups.items() if group.sources and key.period_ns == asked.period_ns]

    def judged(each: _Each) -> list[Level]:
        levels = []
        for platform in platforms:
            loads = list(dict.fromkeys(key.load for key in measured if key.platform == platform))
            own = {key: group for key, group in groups.items() if key.platform == platform}
            levels += [_level(asked, each, platform, name, own, loads) for name in LEVELS]
        return levels

    # The number of rows does not depend on their verdicts.
    roles = [row.role for row in _rows(judged(_Each(asked.confidence, asked.confidence))) if row.samples]
    able = sum(role != "part" for role in roles)
    liable = sum(role in ("response", "part") for role in roles)
    meets, fails = (1 - (1 - asked.confidence) / max(1, rows) for rows in (able, liable))
    levels = judged(_Each(meets, fails, power=1 - (1 - _POWER) / max(1, able)))
    loads = list(dict.fromkeys(key.load for key in measured))
    rows = _rows(levels)
    return Report(
        asked=asked,
        outcome=_best([level.verdict for level in levels]),
        levels=tuple(levels),
        runs=tuple(run.id for run in runs),
        loads=tuple(loads),
        rows_able=able,
        rows_liable=liable,
        count_needed=max((row.needed for row in rows), default=0),
        doubts=run_doubts(runs),
        notes=tuple(_notes(runs, loads, able)),
    )


def lacks_measurements(report: Report) -> bool:
    """Whether a new measurement at the requested period shows more: a way was measured at other periods only, or a
    level that every machine can measure was not measured."""
    other_periods = any(row.verdict == "not measured" and not row.load for row in _rows(report.levels))
    return other_periods or any(level.why == _NO_LEVEL for level in report.levels)


def _rows(levels: Sequence[Level]) -> list[Row]:
    return [row for level in levels for way in level.ways for row in way.rows]


def samples_needed(misses: int, exceedance: float, confidence: float) -> int:
    """The number of samples that show a share of misses of at most `exceedance`, if at most `misses` are among them.

    It is the smallest n for which so few misses would be too unlikely at that share. Without misses it is
    3 / exceedance at 95 % ("rule of three").
    Raises ValueError for a share or confidence that is not between 0 and 1.
    """
    if not 0 < exceedance < 1 or not 0 < confidence < 1:
        raise ValueError("exceedance and confidence lie between 0 and 1")
    if misses == 0:
        return math.ceil(math.log1p(-confidence) / math.log1p(-exceedance))
    low, high = misses, misses + 1
    while stats.p_share_below(misses, high, exceedance) > 1 - confidence:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if stats.p_share_below(misses, middle, exceedance) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def samples_to_decide(
    misses: int, samples: int, exceedance: float, *, meets: float, fails: float, power: float
) -> int | None:
    """The number of new samples that decide with the probability `power`, if misses continue at the observed rate.

    They then show a rate below `exceedance` (with the confidence `meets`), or a rate above it (`fails`). None if the
    rate is too near to `exceedance`: even 10^12 samples would not decide. Raises ValueError as :func:`samples_needed`
    does, and without samples.
    """
    if samples < 1 or not 0 <= misses <= samples:
        raise ValueError("misses are among the samples")
    rate = misses / samples
    if misses == 0:
        return samples_needed(0, exceedance, meets)

    def decides(count: int) -> bool:
        """Whether `count` samples decide: deciding numbers of misses have a probability of `power` at that rate."""
        if rate < exceedance:
            most = _last(0, count, lambda missed: stats.p_share_below(missed, count, exceedance) <= 1 - meets)
            return most is not None and stats.p_share_below(most, count, rate) >= power
        few = _last(0, count, lambda missed: stats.p_share_above(missed, count, exceedance) > 1 - fails)
        return few is not None and few < count and stats.p_share_above(few + 1, count, rate) >= power

    high = max(1, round(1 / exceedance))
    while not decides(high):
        high *= 2
        if high > _MOST_SAMPLES:
            return None
    low = high // 2
    while high - low > max(
        1, high // 1000
    ):  # counts are whole, so the probability rises in teeth: exact to a thousandth
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def _last(low: int, high: int, holds: Callable[[int], bool]) -> int | None:
    """The largest number up to `high` for which `holds` is true, if it is true up to some number; None: it never is."""
    if not holds(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _level(
    asked: Asked, each: _Each, platform: str, name: str, groups: dict[EvidenceKey, EvidenceGroup], loads: Sequence[str]
) -> Level:
    here = {key: group for key, group in groups.items() if key.level == name}
    ways = []
    for way in dict.fromkeys(key.way for key in here):
        own = {key: group for key, group in here.items() if key.way == way}
        if any(group.sources for group in own.values()):
            ways.append(_way(asked, each, way, own, loads))
    why = "; ".join(dict.fromkeys(text for group in here.values() for text in group.skipped)) if not ways else ""
    if not ways and not why:
        why = "; it needs ".join(filter(None, (_NO_LEVEL, REQUIREMENTS.get(name, ""))))
    return Level(
        platform=platform,
        level=name,  # type: ignore[arg-type]
        verdict=_best([way.verdict for way in ways]),
        ways=tuple(ways),
        why=why,
    )


def _way(asked: Asked, each: _Each, name: str, groups: dict[EvidenceKey, EvidenceGroup], loads: Sequence[str]) -> Way:
    periods = sorted({key.period_ns for key, group in groups.items() if group.sources})
    if asked.period_ns not in periods:
        others = " and ".join(f"at {written(period)}" if period else "without a period" for period in periods)
        why = f"measured {others}; this needs {written(asked.period_ns)}"
        row = Row(load="", role="response", period_ns=periods[0], why=why)
        return Way(name=name, verdict="not measured", rows=(row,))
    rows: list[Row] = []
    verdicts: list[Verdict] = []
    for load in loads:
        own = {k: g for k, g in groups.items() if k.load == load and k.period_ns == asked.period_ns and g.sources}
        found = [_row(asked, each, key, group) for key, group in own.items()]
        found += _sums(asked, each, load, own)
        if not found:
            needed = samples_needed(0, asked.exceedance, each.meets)
            found = [Row(load=load, role="response", needed=needed, why="not measured under this load")]
        rows += found
        verdicts.append(_decided([row.verdict for row in found]))
    verdict = next(v for v in _WORST if v in verdicts)
    return Way(name=name, verdict="not shown" if verdict == "not measured" else verdict, rows=tuple(rows))


def _sums(asked: Asked, each: _Each, load: str, groups: dict[EvidenceKey, EvidenceGroup]) -> list[Row]:
    """The row of all parts together, if all of them were measured."""
    parts = {key.quantity: group for key, group in groups.items() if key.role == "part" and group.pieces}
    wanted = next((PARTS[key.source_way] for key in groups if key.source_way in PARTS), ())
    if not wanted or not set(wanted) <= set(parts):
        return []
    own = [parts[quantity] for quantity in wanted]
    samples = [sum(piece.result.count + piece.unknown for piece in group.pieces) for group in own]
    counted = [
        [
            (sum(_above(p, share * asked.deadline_ns)[1] + p.unknown for p in group.pieces), count)
            for share, group, count in zip(division, own, samples, strict=True)
        ]
        for division in divisions(len(own))
    ]
    found = bound(counted, each.meets)
    doubts = [text for group in own for text in group.doubts]
    meets = found.at_most <= asked.exceedance and not doubts
    part = each_confidence(len(own), each.meets)
    needed = (
        samples_to_decide(
            found.misses,
            max(found.misses, *samples),
            asked.exceedance / len(own),
            meets=part,
            fails=part,
            power=1 - (1 - each.power) / len(own),
        )
        or 0
    )
    why = [*dict.fromkeys(doubts), "its parts together, whatever they have to do with each other"]
    if found.share > asked.exceedance:
        needed = 0
        why += ["more of these were late than may be", _IN_VAIN]
    elif not meets:
        why += [_longer(needed, found.misses, "samples of each")] if needed else [_TOO_NEAR, _IN_VAIN]
    hourly = _HOUR_NS / asked.period_ns
    return [
        Row(
            load=load,
            role="sum",
            measurements=tuple(dict.fromkeys(source.measurement for group in own for source in group.sources)),
            quantities=wanted,
            samples=min(samples),
            repetitions=min(len(group.pieces) for group in own),
            period_ns=asked.period_ns,
            # The parts' interrupts are not the same: their misses together can be more than the samples of one part.
            misses_most=math.ceil(round(found.share * min(samples), 6)),
            exceedance=found.share,
            exceedance_bound=found.at_most,
            per_hour=found.share * hourly,
            per_hour_bound=found.at_most * hourly,
            verdict="meets" if meets else "not shown",
            needed=0 if meets else needed,
            why="; ".join(why),
        )
    ]


def _longer(needed: int, misses: int, what: str) -> str:
    if misses == 0:
        return f"{needed} {what} without a miss would show it"
    return f"at this share of misses {needed} {what} decide it in nine of ten cases"


def _decided(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of the rows of one way under one load: one row that decides is enough."""
    order: tuple[Verdict, ...] = ("does not meet", "meets", "not shown")
    return next((verdict for verdict in order if verdict in verdicts), "not measured")


def _best(verdicts: Sequence[Verdict]) -> Verdict:
    return next((verdict for verdict in _BEST if verdict in verdicts), "not measured")


def _row(asked: Asked, each: _Each, key: EvidenceKey, group: EvidenceGroup) -> Row:
    counts = [_above(piece, asked.deadline_ns) for piece in group.pieces]
    unknown = sum(piece.unknown for piece in group.pieces)
    samples = sum(piece.result.count for piece in group.pieces) + unknown
    least, most = sum(low for low, _ in counts), sum(high for _, high in counts) + unknown
    row = Row(
        load=key.load,
        role=key.role,
        measurements=tuple(dict.fromkeys(source.measurement for source in group.sources)),
        quantities=tuple(dict.fromkeys(source.quantity for source in group.sources)),
        samples=samples,
        repetitions=len(group.pieces),
        period_ns=key.period_ns,
        misses=least,
        misses_most=most,
        max_ns=max(
            (piece.clock.ns(piece.result.max) for piece in group.pieces if piece.result.max is not None), default=None
        ),
        verdict="not shown",
        why="; ".join(group.doubts),
    )
    if samples:
        return _weighed(asked, each, row, unknown, doubtful=bool(group.doubts))
    needed = samples_needed(0, asked.exceedance, each.meets)
    why = "; ".join((*group.doubts, _longer(needed, 0, "samples")))
    return msgspec.structs.replace(row, needed=needed, why=why)


def _weighed(asked: Asked, each: _Each, row: Row, unknown: int, *, doubtful: bool) -> Row:
    # One-sided: an interval at 2c - 1 leaves 1 - c beyond each of its ends.
    both = max(1e-12, 2 * each.meets - 1)
    bound = stats.proportion(row.misses_most, row.samples, confidence=both).high or 0.0
    if row.misses_most == 0:
        bound = -math.expm1(math.log1p(-each.meets) / row.samples)
    above = stats.p_share_above(row.misses, row.samples, asked.exceedance)
    enough = stats.p_share_below(row.misses_most, row.samples, asked.exceedance) <= 1 - each.meets
    share, hourly = row.misses_most / row.samples, _HOUR_NS / asked.period_ns
    why = [row.why] if row.why else []
    verdict: Verdict = "not shown"
    needed = 0
    if row.role != "later" and row.misses and above <= 1 - each.fails:
        verdict = "does not meet"
        why.append(f"{row.misses} missed")
    elif row.role == "part":
        why.append("a part of the way only: measuring it longer cannot show that the level is in time")
    elif enough and not doubtful:
        verdict = "meets"
        why.append("a later point was in time" if row.role == "later" else "")
    else:
        found = samples_to_decide(
            row.misses_most,
            row.samples,
            asked.exceedance,
            meets=each.meets,
            fails=each.fails,
            power=each.power,
        )
        needed = found or 0
        if unknown:
            why.append(f"of {counted(unknown, 'sample')} it is not known whether they were late")
        if row.role == "later" and row.misses:
            why.append("a later point was late; the level itself was not measured")
        if unknown or (row.role == "later" and row.misses):
            needed = 0  # a longer run would bring more of the same
        elif found is None:
            why.append(_TOO_NEAR)
        elif doubtful and needed <= row.samples:
            needed = 0  # there are enough samples; the doubt has another cause
        why.append(_longer(needed, row.misses_most, "samples") if needed else _IN_VAIN)
    return msgspec.structs.replace(
        row,
        exceedance=share,
        exceedance_bound=None if row.role == "part" else bound,
        per_hour=share * hourly,
        per_hour_bound=None if row.role == "part" else bound * hourly,
        verdict=verdict,
        needed=needed,
        why="; ".join(filter(None, why)),
    )


def _above(piece: Piece, limit_ns: float) -> tuple[int, int]:
    """How many samples are longer than a time, at least and at most. A sample exactly at the deadline meets it."""
    result = piece.result
    # Ticks are whole numbers. Without round(), 80 us at 2 GHz could become 159999.99 ticks.
    limit = math.floor(round(limit_ns * piece.clock.hz / 1e9, 6))
    if result.histogram is None:
        return 0, result.count
    return stats.count_above(result.histogram, limit, minimum=result.min, maximum=result.max, extremes=result.extremes)


def _notes(runs: Sequence[Run], loads: Sequence[str], able: int) -> list[str]:
    found = []
    if able > 1:
        found.append(f"the confidence holds for all {able} rows together, although the best of them is taken")
    if any(run.time == "instruction-time" for run in runs):
        found.append("instruction-time of a virtual board: path length and blocking, not the time of real hardware")
    if any(run.time == "emulated-time" for run in runs):
        found.append("emulated time of a virtual board: not deterministic, no speed of hardware")
    if any(run.target.partition(":")[0] == "simulated" for run in runs):
        found.append("a script's figures, of no machine")
    if loads and set(loads) == {"none"}:
        found.append("measured idle only: under load it may take longer")
    if any(run.degraded for run in runs):
        found.append("degraded: " + "; ".join(dict.fromkeys(d.text or d.reason for run in runs for d in run.degraded)))
    found.append(
        "shown for the measured samples, taken as independent; the maximum is the maximum observed, and other circumstances may take longer"
    )
    return found
