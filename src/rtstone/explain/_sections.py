# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The terms of the scheduling-latency bound (de Oliveira et al., ECRTS 2020),
from the events that masks.c recorded on one CPU.

Lengths are instructions without interrupts: the time of an interrupt counts in no other term.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Sequence

import msgspec

from rtstone.errors import IncompleteError

MASKED, UNMASKED, COUNTED, VECTOR, TASK, ENTRY, CLOCK, ACKNOWLEDGED, DIFFERS = range(1, 10)
"""Kinds of events; as in masks.c."""

SCHEDULE, IDLES, LEAVES, WAKES = "__schedule", "schedule_idle", "preempt_schedule_irq", "try_to_wake_up"
STARTS, STOPS, HANDLES = "start_here[rtstone_probe]", "stop_here[rtstone_probe]", "handle[rtstone_probe]"
ENTRIES = (SCHEDULE, IDLES, LEAVES, WAKES, STARTS, STOPS, HANDLES)
"""Functions whose beginning is an event."""

_TO_SCHEDULE = frozenset(
    (
        *("schedule", "schedule_rtlock", "preempt_schedule", "preempt_schedule_common", "preempt_schedule_irq"),
        *("preempt_schedule_notrace", "schedule_preempt_disabled"),
    )
)
"""Functions that switch preemption off in order to schedule."""
_AFTER_SWITCH = "schedule_tail"
_IRQ_VECTORS = frozenset((0x080, 0x280, 0x480, 0x680))
_NEED_RESCHED = 1 << 1
"""arm64's TIF_NEED_RESCHED; the lazy flag preempts nothing at once."""
_COUNT = 0xFFFFFF
"""The 32-bit counter without its flags."""
_NO_INTERRUPT = 1020
"""Least interrupt number with which the controller reports that no interrupt is pending."""

TERMS = ("POID", "PAIE", "PSD", "ST")


class TracePoint(msgspec.Struct, frozen=True):
    """An event's place: its address, and the address to which its function will return."""

    at: int
    net: int
    address: int
    link: int


class Section(msgspec.Struct, frozen=True):
    """The longest of a term's intervals between two functions."""

    length: int
    begins: TracePoint
    ends: TracePoint


class Interrupt(msgspec.Struct, frozen=True):
    """One interrupt that was taken. `at`: instructions executed before."""

    at: int
    source: int
    length: int


class Wake(msgspec.Struct, frozen=True):
    """A task from the beginning of its waking in the measured interrupt to the switch to it.

    An interrupt that finds the measured task awake may wake another one.
    """

    start: int
    """Number of the measured interrupt's start, from 0."""
    at: int
    length: int
    task: int


class Watched(msgspec.Struct):
    """The sections, interrupts and wakings found in the events."""

    sections: dict[str, list[Section]]
    """By term: the longest first, one for each pair of places."""
    interrupts: list[Interrupt]
    wakes: list[Wake]
    handled: list[list[int]]
    """For each start of the measured interrupt: instructions executed before each of its interrupts."""
    clock: list[tuple[int, int]]
    """Instructions executed before a reading of the counter, and the value read."""

    def longest(self, term: str) -> int:
        """Length of the term's longest section; 0: there is no section."""
        return self.sections[term][0].length if self.sections[term] else 0


class Watcher:
    """Follows one CPU, event by event. `name` returns the function of an address."""

    def __init__(self, name: Callable[[int], str]) -> None:
        self._name = name
        self._best: dict[str, dict[tuple[str, str], Section]] = {term: {} for term in TERMS}
        self._interrupts: list[Interrupt] = []
        self._wakes: list[Wake] = []
        self._handled: list[list[int]] = []
        self._clock: list[tuple[int, int]] = []
        self._masked, self._count, self._task, self._idle = True, 0, 0, -1
        self._stolen = 0
        self._irq: int | None = None
        self._source = -1
        self._poid: TracePoint | None = None
        self._paie: TracePoint | None = None
        self._psd: TracePoint | None = None
        self._st: TracePoint | None = None
        self._off: TracePoint | None = None
        self._switched = False
        self._handling = False
        self._woken: dict[int, int] = {}

    def follow(self, events: Iterable[Sequence[int]]) -> Watched:
        """Each event: instructions executed before, kind and address, argument, x30.
        IncompleteError where a store was missed."""
        steps = {
            MASKED: self._to_masked,
            UNMASKED: self._to_unmasked,
            COUNTED: self._counted,
            VECTOR: self._vector,
            TASK: self._to_task,
            ENTRY: self._entry,
            CLOCK: self._read,
            ACKNOWLEDGED: self._acknowledged,
            DIFFERS: self._differs,
        }
        for at, what, argument, link in events:
            address = what & 0xFFFFFFFFFFFFFF
            steps[what >> 56](TracePoint(at, at - self._stolen, address, link), argument)
        ranked = {term: sorted(best.values(), key=lambda one: -one.length) for term, best in self._best.items()}
        return Watched(ranked, self._interrupts, self._wakes, self._handled, self._clock)

    # ---- events ------------------------------------------------------------------------------------------------------

    def _read(self, point: TracePoint, value: int) -> None:
        self._clock.append((point.at, value))

    def _differs(self, point: TracePoint, value: int) -> None:
        raise IncompleteError(
            f"the trace is not whole: a change of preempt_count was not seen before {self._name(point.address)} ({value:#x})"
        )

    def _acknowledged(self, point: TracePoint, number: int) -> None:
        number &= 0x3FF
        if self._irq is None or number >= _NO_INTERRUPT:
            return
        if self._source >= 0:  # served after another one without a return: it has a share of its own
            self._interrupt_over(point)
            self._irq = point.at
        self._source = number

    def _vector(self, point: TracePoint, offset: int) -> None:
        if offset not in _IRQ_VECTORS:
            return
        if self._irq is not None:  # no instruction between two interrupts
            self._interrupt_over(point)
        elif self._masked:  # they came on, and it was taken before another instruction
            self._masked, self._off = False, None
            if self._psd is None and self._count & _COUNT == 0 and self._poid is not None:
                self._close("POID", self._poid, point)
                self._poid = None
        self._irq, self._source = point.at, -1

    def _entry(self, point: TracePoint, argument: int) -> None:
        name = self._name(point.address)
        if name == STARTS:
            self._handled.append([])
            self._woken.clear()
        elif name == HANDLES and self._handled:
            self._handled[-1].append(point.at)
            self._handling = True
        elif name == WAKES:
            if self._handling and argument != self._task:
                self._woken.setdefault(argument, point.at)
            self._handling = False
        elif name == LEAVES:
            if self._irq is not None:
                self._interrupt_over(point)
        elif self._irq is not None:
            return
        elif name == IDLES:  # idle has preemption off permanently: only here does that serve to schedule
            self._idle = self._task
            self._schedules(point)
        elif name == SCHEDULE and self._psd is None:  # a task's last call: it had preemption off already
            self._schedules(self._poid or point)

    def _to_task(self, point: TracePoint, task: int) -> None:
        if self._psd is not None:
            self._st = self._st or point
            self._switched = True
        self._task = task
        woken = self._woken.pop(task, None)
        if woken is not None:
            self._wakes.append(Wake(len(self._handled) - 1, woken, point.at - woken, task))

    def _to_masked(self, point: TracePoint, _: int) -> None:
        self._masked = True
        if self._irq is not None:
            return
        if self._psd is not None:
            if not self._switched:
                self._st = point  # the last before the switch counts
            self._off = point
        elif self._poid is None:
            self._poid = point

    def _to_unmasked(self, point: TracePoint, flags: int) -> None:
        if self._irq is not None:
            self._interrupt_over(point)
            self._masked = False
            return
        self._masked, self._off = False, None
        if self._psd is not None:
            if self._task == self._idle and self._switched:  # idle keeps preemption off: its scheduling ends here
                self._scheduled(point)
            return
        if self._task == self._idle:
            self._poid = None  # it waits, and delays no task
        elif self._count & _COUNT == 0:
            self._enabled(point, flags)

    def _counted(self, point: TracePoint, argument: int) -> None:
        count, flags = argument & 0xFFFFFFFF, argument >> 32
        name = self._name(point.address)
        if self._irq is not None and self._count == 0 and count == 1 and name in _TO_SCHEDULE:
            # On its way to user space it schedules with interrupts still off: the interrupt itself is over.
            self._interrupt_over(point)
            point = TracePoint(point.at, point.at - self._stolen, point.address, point.link)
        before, self._count = self._count, count
        if self._irq is not None:
            return
        if before == 0 and count and name in _TO_SCHEDULE:
            if self._paie is not None and not self._masked:
                self._close("PAIE", self._paie, point)
            poid = self._poid
            self._schedules(point)
            self._poid = poid
            if self._masked and poid is None:
                self._off = point
        elif count == 0 and before and self._psd is not None and (name in _TO_SCHEDULE or name == _AFTER_SWITCH):
            off = self._off
            self._scheduled(point)
            self._poid = off if self._masked else None
            self._paie = point if flags & _NEED_RESCHED else None
        elif self._task != self._idle and self._psd is None:
            if before == 0 and count and self._poid is None:
                self._poid = point
            elif count == 0 and before and not self._masked:
                self._enabled(point, flags)

    # ---- sections ----------------------------------------------------------------------------------------------------

    def _interrupt_over(self, point: TracePoint) -> None:
        assert self._irq is not None  # noqa: S101 - there is one under way
        length = point.at - self._irq
        self._interrupts.append(Interrupt(self._irq, self._source, length))
        self._stolen += length
        self._irq, self._source = None, -1
        self._handling = False

    def _schedules(self, since: TracePoint) -> None:
        self._psd, self._st, self._switched = since, None, False
        self._poid = self._paie = None

    def _scheduled(self, point: TracePoint) -> None:
        if self._st is not None:
            self._close("ST", self._st, point)
        if self._psd is not None:
            self._close("PSD", self._psd, point)
        self._psd = self._st = None

    def _enabled(self, point: TracePoint, flags: int) -> None:
        """A thread has enabled both again."""
        if self._poid is None:
            return
        self._close("POID", self._poid, point)
        self._poid = None
        if flags & _NEED_RESCHED:
            self._paie = point

    def _close(self, term: str, begins: TracePoint, ends: TracePoint) -> None:
        section = Section(ends.at - self._stolen - begins.net, begins, ends)
        places = self._best[term]
        key = self._name(begins.address), self._name(ends.address)
        if key not in places or section.length > places[key].length:
            places[key] = section


class Interference(msgspec.Struct, frozen=True):
    """The most time that one source of interrupts can take in a window as long as the bound."""

    source: int
    count: int
    longest: int
    in_window: int


def bound(watched: Watched) -> tuple[int, list[Interference]]:
    """The least positive L with L = max(D_ST, D_POID) + D_PAIE + D_PSD + I_IRQ(L), in instructions,
    and the interrupts' part by source."""
    base = max(watched.longest("ST"), watched.longest("POID")) + watched.longest("PAIE") + watched.longest("PSD")
    by: dict[int, list[tuple[int, int]]] = {}
    for interrupt, at in zip(watched.interrupts, board_times(watched), strict=True):
        by.setdefault(interrupt.source, []).append((at, interrupt.length))
    length, taken = base, dict.fromkeys(by, 0)
    while True:  # it ends: `taken` only grows, and is never more than all that interrupts took
        taken = {source: _burst(series, length) for source, series in by.items()}
        if base + sum(taken.values()) == length:
            break
        length = base + sum(taken.values())
    return length, [
        Interference(source, len(by[source]), max(took for _, took in by[source]), taken[source])
        for source in sorted(by)
    ]


def board_times(watched: Watched) -> list[int]:
    """When each interrupt was taken, in ticks of the board's counter.

    An instruction is a tick. The clock of a waiting CPU jumps, which the next reading of the counter shows.
    """
    readings = [at for at, _ in watched.clock]
    found = []
    for interrupt in watched.interrupts:
        place = min(bisect.bisect_left(readings, interrupt.at), len(readings) - 1)
        offset = watched.clock[place][1] - readings[place] if readings else 0
        found.append(interrupt.at + offset)
    return found


def _burst(series: Sequence[tuple[int, int]], window: int) -> int:
    """The most work that begins in any half-open window of that length."""
    most = total = low = 0
    for at, length in series:
        total += length
        while series[low][0] <= at - window:
            total -= series[low][1]
            low += 1
        most = max(most, total)
    return most
