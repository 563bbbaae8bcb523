# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds what a run has for a cell: which results, put together over repetitions, and whether they may be believed."""

from __future__ import annotations

import msgspec

from rtstone.model import Clock, Result, Run
from rtstone.stats import Pool, pool
from rtstone.studies import Need


class Circumstance(msgspec.Struct, frozen=True, order=True):
    """What tells two columns of one run apart."""

    load: str
    intensity: int = 1
    sched: str = ""
    """Empty where the cell itself names the class."""
    cache: str = "warm"
    timer: str = "default"

    def title(self) -> str:
        """`idle`, `cpu load`, and whatever is out of the ordinary."""
        words = ["idle" if self.load == "none" else f"{self.load} load"]
        if self.intensity != 1 and self.load != "none":
            words[0] += f" x{self.intensity}"
        if self.sched == "ts":
            words.append("time-sharing")
        if self.cache != "warm":
            words.append(f"caches {self.cache}")
        if self.timer != "default":
            words.append(self.timer)
        return ", ".join(words)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What there is for one cell. Without a pool there is no figure; with `fault`, none to be believed."""

    pool: Pool | None = None
    clock: Clock | None = None
    skipped: bool = False
    fault: str = ""
    notes: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()
    used: tuple[Result, ...] = ()
    """Those of them that the pool is made of."""

    @property
    def believed(self) -> bool:
        """Whether there is a figure that may be used further."""
        return self.pool is not None and not self.fault


def circumstances(run: Run, wanted: tuple[Need, ...]) -> tuple[Circumstance, ...]:
    """The circumstances under which the run has results for any of these needs, idle first, else as they were measured."""
    found: dict[Circumstance, None] = {}
    for need in wanted:
        for result in run.results():
            if _answers(result, need):
                found[_circumstance(result, need)] = None
    return tuple(sorted(found, key=lambda c: c.load != "none"))


def find(run: Run, need: Need, circumstance: Circumstance) -> Outcome:
    """What the run has for a need under a circumstance, its repetitions pooled."""
    found: list[tuple[Result, Clock | None]] = []
    for session in run.sessions:
        clocks = {clock.id: clock for clock in session.clocks}
        for result in session.results:
            if _answers(result, need) and _circumstance(result, need) == circumstance:
                found.append((result, clocks.get(result.clock)))
    if not found:
        return Outcome()
    return _judged(found, need)


def _answers(result: Result, need: Need) -> bool:
    if (result.measurement, result.variant.pass_) != (need.measurement, need.pass_):
        return False
    if need.sched is not None and result.variant.sched != need.sched:
        return False
    if need.timer and result.variant.timer != need.timer:
        return False
    # What was never begun has no series: its one result bears the measurement's name.
    return result.quantity == need.quantity or (result.count == 0 and result.quantity == need.measurement)


def _circumstance(result: Result, need: Need) -> Circumstance:
    variant = result.variant
    return Circumstance(
        load=variant.load,
        intensity=variant.intensity,
        sched=variant.sched if need.sched is None else "",
        cache=variant.cache,
        timer=variant.timer if need.period_ns and not need.timer else "default",
    )


def _judged(found: list[tuple[Result, Clock | None]], need: Need) -> Outcome:
    results = tuple(result for result, _ in found)
    notes = [note.text for result in results for note in result.notes]
    for result in results:
        if need.period_ns and result.count and result.variant.period_ns != need.period_ns:
            ours, study = result.variant.period_ns, need.period_ns
            notes.append(f"period {ours / 1000:g} µs in place of the study's {study / 1000:g} µs")
        if result.status == "ok" and result.text:
            notes.append(result.text)
    if all(r.status == "skipped" for r in results):
        why = next((r.text or r.reason for r in results), "")
        first = results[0].reason
        reason = why if first in {"unsupported", ""} else f"{first}: {why}" if why != first else first
        return Outcome(skipped=True, notes=(reason,), results=results)
    good = [(r, c) for r, c in found if r.status == "ok" and r.count > 0]
    bad = [r for r in results if r.status != "ok"]
    faults = [f"{r.status}: {r.text or r.reason}" for r in bad]
    if not bad and len(good) < len(found):
        faults.append("no samples")
    if bad and good:
        faults[0] = f"{len(bad)} of {len(found)} repetitions left out; {faults[0]}"
    used = good or [(r, c) for r, c in found if r.count > 0]
    clocks = {(c.name, c.hz) for _, c in used if c is not None}
    texts = tuple(dict.fromkeys(notes))
    fault = faults[0] if faults else ""
    if not used:
        return Outcome(fault=fault, notes=texts, results=results)
    if len(clocks) != 1 or any(c is None for _, c in used):
        return Outcome(fault="the repetitions were timed by different clocks", notes=texts, results=results)
    try:
        pooled = pool([r for r, _ in used])
    except ValueError as error:
        return Outcome(fault=str(error), notes=texts, results=results)
    return Outcome(
        pool=pooled, clock=used[0][1], fault=fault, notes=texts, results=results, used=tuple(r for r, _ in used)
    )
