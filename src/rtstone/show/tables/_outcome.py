# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds a run's results for a cell, pools them over repetitions, and decides whether they are believable."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import msgspec

from rtstone.model import Clock, Result, Run, Variant
from rtstone.model.units import counted
from rtstone.model.variant import FACETS, differing, words
from rtstone.show.tables._unsplit import left_out
from rtstone.stats import Pool, PooledClock, Summary, pool, summary, together
from rtstone.studies import Need


class Circumstance(msgspec.Struct, frozen=True, order=True):
    """Distinguishes the columns of one run: a variant in which the properties that a cell itself sets are usual."""

    variant: Variant

    @property
    def load(self) -> str:
        """The load that ran during the measurement."""
        return self.variant.load

    def title(self, of: Run | None = None) -> str:
        """`idle` or `cpu load`, and every other unusual circumstance.

        `of`: the run that it is of. If that watched the user's own program, no load of rtstone's is `own load`, not `idle`.
        """
        text = words(self.variant, (Variant(),))
        own = of is not None and of.attached and self.load == "none"
        return f"own load{text.removeprefix('idle')}" if own else text


IDLE = Circumstance(Variant())


class CellOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome for one cell. Without a pool there is no figure; with `fault`, the figure is doubtful."""

    pool: Pool | None = None
    clock: PooledClock | None = None
    skipped: bool = False
    fault: str = ""
    notes: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()
    used: tuple[Result, ...] = ()
    """The `results` that the pool contains, in ticks of the clock."""

    @property
    def believed(self) -> bool:
        """Whether there is a figure that other computations may use."""
        return self.pool is not None and not self.fault

    def summary(self, percents: Sequence[float] = ()) -> Summary | None:
        """The figures of the pool; None without a pool."""
        if self.pool is None or self.clock is None:
            return None
        extremes = self.used[0].extremes if len(self.used) == 1 else ()
        return summary(self.pool, self.clock, percents, extremes=extremes)


BY_THREAD = {
    "interrupt-service-response": "thread-wake-up",
    "top-to-bottom-half": "second-thread-wake-up",
    "context-switch-delay": "arm-and-switch-delay",
}
"""Series of a handler and of its bottom half, and their names in the same measurement if threads stand in for both."""
AT_VECTOR = {"interrupt-service-response": "interrupt-vector-response"}
"""Series of a handler, and the name of the series of the kernel's first instruction, if a port stamps both."""
TITLES = {
    "thread-wake-up": "Thread wake-up after a timer",
    "second-thread-wake-up": "Thread wake-up by that thread",
    "arm-and-switch-delay": "Timer armed, then context switch",
    "interrupt-vector-response": "Interrupt response at the vector",
}
"""Titles of such rows. They replace the paper's row, or are added to it."""
AT_THE_VECTOR = "at the vector"
"""Title of such a row in a table whose rows are columns."""
VECTOR_ALONE = "stamped at the vector: this port does not stamp its handler, which begins later"
NO_HANDLER = "no handler of an interrupt is measured here: the wake-up of a thread stands in a row of its own"


ARMED = "the thread in the handler's place arms its own timer before the task can run, as in a row of its own"
NO_PAPERS_ROW = {"context-switch-delay": ARMED}
"""Reasons why a row is empty if a thread stands in for the handler; NO_HANDLER for all other rows."""
_ARMS_BEFORE = 3
"""Definition version of `interrupt-response`. Before it, the default source armed a timer before the task ran."""
_ARMING = frozenset({"default", "nanosleep"})


def by_thread(need: Need) -> Need | None:
    """The need if a thread stands in for the handler; None if the quantity has no such counterpart."""
    return _other(need, BY_THREAD)


def at_vector(need: Need) -> Need | None:
    """The need at the kernel's vector; None if the quantity has no such counterpart."""
    return _other(need, AT_VECTOR)


def _other(need: Need, names: Mapping[str, str]) -> Need | None:
    quantity = names.get(need.quantity)
    return msgspec.structs.replace(need, quantity=quantity) if quantity else None


def _named(result: Result) -> str:
    """The present name of a series. Old records do not state where a handler is stamped: only a note reports that a
    thread stood in for it."""
    stands_in = not result.entered and any(n.kind == "substituted" and n.service == "timer" for n in result.notes)
    if result.quantity == "context-switch-delay":
        by_thread = stands_in or result.entered == "thread"
        armed = by_thread and result.measurement == "interrupt-response" and result.meaning < _ARMS_BEFORE
        return BY_THREAD[result.quantity] if armed and result.variant.timer in _ARMING else result.quantity
    return BY_THREAD.get(result.quantity, result.quantity) if stands_in else result.quantity


def circumstances(run: Run, wanted: tuple[Need, ...]) -> tuple[Circumstance, ...]:
    """The circumstances with results of the run for any of these needs: idle first, then in the order of measuring."""
    found: dict[Circumstance, None] = {}
    for need in wanted:
        found |= dict.fromkeys(under for under, _, _ in _answering(run, need))
    return tuple(sorted(found, key=lambda c: c.load != "none"))


def find(run: Run, need: Need, circumstance: Circumstance) -> CellOutcome:
    """The outcome of the run for a need under a circumstance, with its repetitions pooled."""
    known = _known(run).outcomes
    if (need, circumstance) not in known:
        found = [(result, clock) for under, result, clock in _answering(run, need) if under == circumstance]
        known[need, circumstance] = _judged(found, need) if found else CellOutcome()
    return known[need, circumstance]


_Found = list[tuple[Result, Clock | None]]


class _Known:
    """A cache of the outcomes of a run. Tables need much the same, and searching and pooling all results takes long."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.measured: dict[tuple[str, str], _Found] = {}
        self.answering: dict[Need, list[tuple[Circumstance, Result, Clock | None]]] = {}
        self.outcomes: dict[tuple[Need, Circumstance], CellOutcome] = {}
        for session in run.sessions:
            clocks = {clock.id: clock for clock in session.clocks}
            for result in session.results:
                found = self.measured.setdefault((result.measurement, result.variant.pass_), [])
                found.append((result, clocks.get(result.clock)))


_newest: deque[_Known] = deque(maxlen=24)
"""The latest runs: more than a table usually has columns. A run does not change, so its entry stays valid."""


def _known(run: Run) -> _Known:
    for one in _newest:
        if one.run is run:
            return one
    _newest.append(_Known(run))
    return _newest[-1]


def _answering(run: Run, need: Need) -> list[tuple[Circumstance, Result, Clock | None]]:
    """The results that answer a need, each with its circumstance.

    Two variants never share a circumstance: every difference makes a column. Of several periods, the study's answers,
    if the run has it.
    """
    known = _known(run)
    if need not in known.answering:
        measured = known.measured.get((need.measurement, need.pass_), [])
        known.answering[need] = _under([(result, clock) for result, clock in measured if _answers(result, need)], need)
    return known.answering[need]


def _under(found: _Found, need: Need) -> list[tuple[Circumstance, Result, Clock | None]]:
    if need.period_ns and any(result.variant.period_ns == need.period_ns for result, _ in found):
        found = [(result, clock) for result, clock in found if result.variant.period_ns == need.period_ns]
    by_cell = {facet.name for facet in FACETS if not facet.column}
    by_cell |= {"sched"} if need.sched is not None else set()
    by_cell |= {"timer"} if need.timer or not need.period_ns else set()
    by_cell -= differing(result.variant for result, _ in found)
    usual = {facet.name: facet.usual for facet in FACETS if facet.name in by_cell}
    return [(Circumstance(msgspec.structs.replace(r.variant, **usual)), r, clock) for r, clock in found]


def _answers(result: Result, need: Need) -> bool:
    if need.sched is not None and result.variant.sched != need.sched:
        return False
    if need.timer and result.variant.timer != need.timer:
        return False
    # A measurement that was never begun has no series. It has one result, with the measurement's name.
    return _named(result) == need.quantity or (result.count == 0 and result.quantity == need.measurement)


def _judged(found: _Found, need: Need) -> CellOutcome:
    results = tuple(result for result, _ in found)
    notes = [note.text for result in results for note in result.notes]
    for result in results:
        if need.period_ns and result.count and result.variant.period_ns != need.period_ns:
            ours, study = result.variant.period_ns, need.period_ns
            notes.append(f"period {ours / 1000:g} µs instead of the study's {study / 1000:g} µs")
        if result.status == "ok" and result.text:
            notes.append(result.text)
        if result.entered == "vector" and result.quantity in AT_VECTOR:
            notes.append(VECTOR_ALONE)
    if all(r.status == "skipped" for r in results):
        why = next((r.text or r.reason for r in results), "")
        first = results[0].reason
        reason = why if first in {"unsupported", ""} else f"{first}: {why}" if why != first else first
        return CellOutcome(skipped=True, notes=(reason,), results=results)
    good = [(r, c) for r, c in found if r.status == "ok" and r.count > 0]
    bad = [r for r in results if r.status != "ok"]
    faults = [f"{r.status}: {r.text or r.reason}" for r in bad]
    if not bad and len(good) < len(found):
        faults.append("no samples")
    if bad and good:
        faults[0] = f"{len(bad)} of {counted(len(found), 'repetition')} left out; {faults[0]}"
    there = good or [(r, c) for r, c in found if r.count > 0]
    used = [(r, c) for r, c in there if c is not None and c.hz > 0]
    if len(used) < len(there):
        faults.append(
            f"{len(there) - len(used)} of {counted(len(found), 'repetition')} left out; their clock is unknown"
        )
    notes.append(left_out(r for r, _ in used))
    fault = faults[0] if faults else ""
    if not used:
        return CellOutcome(fault=fault, notes=tuple(filter(None, dict.fromkeys(notes))), results=results)
    common = together(used)
    notes.append(common.note)
    texts = tuple(filter(None, dict.fromkeys(notes)))
    pooled = pool(common.results)
    return CellOutcome(pool=pooled, clock=common.clock, fault=fault, notes=texts, results=results, used=common.results)
