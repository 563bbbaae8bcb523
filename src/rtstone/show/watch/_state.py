# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a watched measurement: sessions in; one histogram for each quantity, and the largest sample, out."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone import stats
from rtstone.model import Clock, Extreme, Figure, LoadFigure, Result, Session, Variant, stage_chain

PERCENTS = (50.0, 99.0, 99.9)
FIRST_S = 1.0
_PART = 60
"""A slice may last 1/60 of the time measured before it. So ten minutes have 200 slices, an hour 300 (the last one takes
a minute), a day 500."""


def slice_s(measured_s: float, left_s: float | None = None) -> float:
    """Length (s) of the next slice after `measured_s` seconds; `left_s`: remaining time of the measurement.

    The run saves each slice as a session, with its histograms and its log (up to a megabyte). With slices of one
    second, a day would not fit into memory.
    """
    wanted = max(FIRST_S, measured_s / _PART)
    return wanted if left_s is None else max(0.1, min(wanted, left_s))


_MAIN = ("interrupt-task-response", "interrupt-service-response", "thread-wake-up", "signal-latency")
"""Quantities to draw of an item with several quantities, the preferred one first."""


class Worst(msgspec.Struct, frozen=True, kw_only=True):
    """The largest sample so far."""

    value_ns: float
    at_s: float
    """Seconds of measurement before it."""
    stages_ns: tuple[tuple[str, float], ...] = ()
    """The known stages of this sample, the longest first."""
    staged: bool = False
    """Whether the measurement has stages at all."""


class _Part(msgspec.Struct):
    """All results so far of one clock, and the sum of its sessions' rates."""

    whole: Result
    first: Clock
    rates: int
    sessions: int

    def timed(self) -> tuple[Result, Clock]:
        """The results, and the clock at the mean rate of its sessions."""
        return self.whole, msgspec.structs.replace(self.first, hz=round(self.rates / self.sessions))


class WatchedSeries(msgspec.Struct, kw_only=True):
    """A quantity under one variant: all results so far."""

    measurement: str
    quantity: str
    variant: Variant
    stage: bool = False
    _parts: list[_Part] = []
    _now: tuple[stats.Pool, stats.PooledClock] | None = None
    _figures: stats.Summary | None = None

    def add(self, result: Result, clock: Clock) -> None:
        """Add a session's result. Memory grows only with clocks whose rates do not agree, not with sessions."""
        self._now = self._figures = None
        for part in self._parts:
            if stats.one_clock((part.first, clock)):
                part.whole = _added(part.whole, result)
                part.rates += clock.hz
                part.sessions += 1
                return
        self._parts.append(_Part(_added(None, result), clock, clock.hz, 1))

    @property
    def pooled(self) -> tuple[stats.Pool, stats.PooledClock]:
        """All results on one clock."""
        if self._now is None:
            common = stats.together([part.timed() for part in self._parts])
            self._now = stats.pool(common.results), common.clock
        return self._now

    @property
    def count(self) -> int:
        """Number of samples."""
        return sum(part.whole.count for part in self._parts)

    @property
    def figures(self) -> stats.Summary:
        """Minimum, maximum and the percentiles of PERCENTS so far."""
        if self._figures is None:
            self._figures = stats.summary(*self.pooled, PERCENTS)
        return self._figures


def _added(before: Result | None, result: Result) -> Result:
    """Two results of one clock as one, without the fields that only a single result has."""
    both = [one for one in (before, result) if one is not None]
    pool = stats.pool(both)
    return msgspec.structs.replace(
        result,
        count=pool.count,
        min=pool.min,
        max=pool.max,
        sum=pool.sum,
        sumsq=pool.sumsq,
        overflow=pool.overflow,
        dropped=pool.dropped,
        histogram=pool.histogram,
        extremes=(),
        windows=None,
        samples=None,
        events=(),
        load=(),
        figures=(),
        notes=(),
        checks=(),
    )


class State:
    """The state so far. The caller adds each session as it ends. Memory does not grow with their number."""

    def __init__(self) -> None:
        self.series: dict[tuple[str, str, Variant], WatchedSeries] = {}
        self.worst: Worst | None = None
        self.worst_split: Worst | None = None
        """The largest sample whose stages are known."""
        self.load: tuple[LoadFigure, ...] = ()
        """Figures of the load in the last slice with a load."""
        self.figures: tuple[Figure, ...] = ()
        """Counters of the target's system in the last slice."""
        self.slices = 0
        self.doubts: dict[str, int] = {}
        """Faults of results, and how often each occurred."""
        self.skipped: dict[str, None] = {}
        self.degraded: dict[str, None] = {}
        self.substitutes: dict[str, None] = {}
        """Descriptions of substitutes for services that the target does not have."""

    @property
    def main(self) -> WatchedSeries | None:
        """The series to draw: the response of the first item."""
        shown = [one for one in self.series.values() if not one.stage]
        if not shown:
            return None
        first = [one for one in shown if (one.measurement, one.variant) == (shown[0].measurement, shown[0].variant)]
        return next((one for name in _MAIN for one in first if one.quantity == name), first[0])

    def add(self, session: Session, at_s: float) -> None:
        """Add a session that began after `at_s` seconds of measurement."""
        self.slices += 1
        self.degraded |= dict.fromkeys(d.text or d.reason for d in session.degraded)
        for problem in session.problems:
            self.doubts[problem] = self.doubts.get(problem, 0) + 1
        clocks = {clock.id: clock for clock in session.clocks}
        items: dict[int, list[Result]] = {}
        for result in session.results:
            if result.status == "skipped":
                self.skipped[f"{result.measurement}: {result.text or result.reason}"] = None
            elif result.variant.pass_ == "single":
                if result.status != "ok":
                    text = f"{result.status}: {result.text or result.reason}"
                    self.doubts[text] = self.doubts.get(text, 0) + 1
                self.substitutes |= dict.fromkeys(note.text for note in result.notes if note.kind == "substituted")
                if result.clock in clocks and clocks[result.clock].hz > 0 and result.count:
                    items.setdefault(result.item, []).append(result)
        for results in items.values():
            chain = stage_chain([result.quantity for result in results])
            for result in results:
                self._take(result, clocks[result.clock], stage=result.quantity in chain)
        main = self.main
        for results in items.values():
            self._look_for_worst(results, clocks, main, at_s)

    def _take(self, result: Result, clock: Clock, *, stage: bool) -> None:
        key = (result.measurement, result.quantity, result.variant)
        one = self.series.setdefault(
            key,
            WatchedSeries(
                measurement=result.measurement,
                quantity=result.quantity,
                variant=result.variant,
                stage=stage,
            ),
        )
        one.add(result, clock)
        if result.load:
            self.load = result.load
        if result.figures:
            self.figures = result.figures

    def _look_for_worst(
        self, results: Sequence[Result], clocks: dict[int, Clock], main: WatchedSeries | None, at_s: float
    ) -> None:
        if main is None:
            return
        for result in results:
            of = (result.measurement, result.quantity, result.variant)
            if of != (main.measurement, main.quantity, main.variant) or not result.extremes:
                continue
            clock = clocks[result.clock]
            chain = stage_chain([one.quantity for one in results])
            ordered = sorted(result.extremes, key=lambda extreme: -extreme.value)
            for extreme in ordered:
                if self.worst_split is not None and clock.ns(extreme.value) <= self.worst_split.value_ns:
                    break
                split = _worst(extreme, results, chain, clock, at_s)
                if split.stages_ns:
                    self.worst_split = split
                    break
            if self.worst is None or clock.ns(ordered[0].value) > self.worst.value_ns:
                self.worst = _worst(ordered[0], results, chain, clock, at_s)


def _worst(extreme: Extreme, results: Sequence[Result], chain: Sequence[str], clock: Clock, at_s: float) -> Worst:
    """The sample with its known stages. Stages of one sample have its time and index. A stage is left out if it is not
    among the largest samples of its own quantity: then it is short."""
    stages = [
        (one.quantity, clock.ns(other.value))
        for one in results
        if one.quantity in chain
        for other in one.extremes
        if (other.at, other.index) == (extreme.at, extreme.index)
    ]
    return Worst(
        value_ns=clock.ns(extreme.value),
        at_s=at_s + clock.ns(extreme.at) / 1e9,
        stages_ns=tuple(sorted(stages, key=lambda stage: -stage[1])),
        staged=bool(chain),
    )
