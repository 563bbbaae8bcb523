# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The event trail of a late cycle of a watched thread,
as events of its result: the steps of each CPU on which it waited, in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from rtstone.model import Event

START, WAKE, RESPONSE = range(3)
"""Why a trail was saved, as numbered in probe/bpf/rtstone_attach.h."""
ENDS = ("start", "wake", "response")
"""Names of these reasons in the event that ends a trail."""
_SWITCH, _INTERRUPT, _INTERRUPT_END, _SOFTIRQ, _SOFTIRQ_END, _TIMER, _TIMER_END = range(1, 8)
_WAKING, _WOKEN, _LEFT, _HELD, _STOLEN = range(8, 13)
_MOVED, _FAULTS = 32, 33
_STOPPED = 0x800C
_BEGINS = {_INTERRUPT: _INTERRUPT_END, _SOFTIRQ: _SOFTIRQ_END, _TIMER: _TIMER_END}
_REAL_TIME = 100
"""From this value on, the kernel's priorities are not real-time."""


class TrailStep(msgspec.Struct, frozen=True):
    """One step, as the engine prints it (probe/bpf/rtstone_split.h). Names are hexadecimal."""

    at: int
    kind: int
    what: int
    pid: int
    prio: int
    cpu: int
    task: str
    name: str = ""
    """An interrupt's device, or the kernel's reason to hold the thread."""
    detail: int = 0
    """Of WOKEN, LEFT, MOVED and FAULTS (probe/bpf/rtstone_attach.h)."""


class Late(msgspec.Struct, frozen=True, kw_only=True):
    """A late cycle, as the engine prints it."""

    late: int
    """The thread's number."""
    slot: int
    """Its slot, which HELD steps name."""
    kind: int
    index: int
    due: int
    until: int
    lost: int
    pid: int
    prio: int
    comm: str
    own: tuple[TrailStep, ...]
    """The thread's own steps, from before the due time on."""
    expired_at: int = 0
    expired: tuple[str, ...] | None = None
    chosen_at: int = 0
    chosen: tuple[str, ...] | None = None
    steps: tuple[TrailStep, ...]
    """The steps of all its CPUs."""


class _Place(NamedTuple):
    """Time from which the steps of this CPU count."""

    since: int
    cpu: int
    waits: bool
    """Whether the thread waits in this CPU's queue; false: only its timer expires there."""
    moved: bool = False
    """Whether the thread was moved there while it could run, or because it might not run where it was before."""


def events(late: Late, origin: int) -> Iterator[Event]:
    """The trail's events, the one that ends it last. Their times count from `origin` (ns of CLOCK_MONOTONIC)."""
    own = [step for step in late.own if step.at <= late.until]
    end = f"sample {ENDS[late.kind]}"
    by = {_WOKEN} if late.kind == WAKE else {_WAKING}
    there = [n for n, step in enumerate(own) if step.at >= late.due and step.kind in by]
    # Of several timers that woke it since, the last is this cycle's: the others were due before.
    waking = None if not there else there[0] if late.kind == WAKE else there[-1]
    if late.lost or waking is None:
        yield _end(late, f"{end} dropped", origin)
        return
    for word, at, calls in (("at-timer", late.expired_at, late.expired), ("at-switch", late.chosen_at, late.chosen)):
        if calls is not None:
            yield from (Event(f"{word} {call}".strip(), at - origin, late.index) for call in calls or ("",))
    found = [*_own(own, late, waking), *_of_cpus(own, late)]
    # Of equal times: first the kernel's reason to hold the thread, then its leaving or waking, then the CPU, then its steps.
    found.sort(key=lambda one: one[:2])
    yield from (msgspec.structs.replace(step, at=step.at - origin, value=late.index) for _, _, step in found)
    yield _end(late, end, origin)


def _end(late: Late, kind: str, origin: int) -> Event:
    return Event(
        kind,
        late.until - origin,
        late.index,
        ticks=late.until - late.due,
        task=name_of(late.comm),
        pid=late.pid,
        priority=_priority(late.prio),
    )


def _own(own: Sequence[TrailStep], late: Late, waking: int) -> Iterator[tuple[int, int, Event]]:
    """The thread's own steps: how it last left the CPU before its due time, and all later ones."""
    changes = [
        n for n, step in enumerate(own[:waking]) if step.at <= late.due and step.kind in {_LEFT, _WAKING, _WOKEN}
    ]
    before = {changes[-1]} if changes else set()
    if changes and changes[-1] and own[changes[-1] - 1].kind == _HELD:
        before.add(changes[-1] - 1)  # the kernel's reason, which belongs to that waking
    for n, step in enumerate(own):
        if step.kind != _MOVED and (n in before or step.at >= late.due):
            event = _event(step)
            if step.kind == _WAKING and n != waking:
                event = msgspec.structs.replace(event, kind="woken timer")
            yield step.at, 0 if step.kind == _HELD else 1, event


def _places(own: Sequence[TrailStep], late: Late) -> Iterator[_Place]:
    """The CPUs of the thread, from its due time on."""
    changes = [step for step in own if step.at < late.due and step.kind in {_WAKING, _WOKEN, _MOVED, _LEFT}]
    first = next(n for n, step in enumerate(own) if step.at >= late.due and step.kind in {_WAKING, _WOKEN})
    there = own[first]
    if changes and (changes[-1].kind != _LEFT or changes[-1].what == 0):  # it was not asleep
        yield _place(changes[-1], late.due)
        first = next(n for n, step in enumerate(own) if step.at >= late.due)
    elif there.at > late.due and there.kind == _WAKING:
        yield _Place(late.due, there.cpu, waits=there.cpu == there.what)
    elif there.at > late.due:
        yield _Place(late.due, there.what, waits=True)
    for step in own[first:]:
        if step.kind in {_WAKING, _WOKEN, _MOVED}:
            yield _place(step, step.at)


def _place(step: TrailStep, since: int) -> _Place:
    """The CPU where the thread is after one of its steps."""
    cpu = step.cpu if step.kind == _LEFT else step.what
    return _Place(since, cpu, waits=True, moved=step.kind == _MOVED and bool(step.detail))


def _of_cpus(own: Sequence[TrailStep], late: Late) -> Iterator[tuple[int, int, Event]]:
    steps: dict[int, list[TrailStep]] = {}
    for step in late.steps:
        steps.setdefault(step.cpu, []).append(step)
    for some in steps.values():
        some.sort(key=lambda step: step.at)
    places: list[_Place] = []
    for place in _places(own, late):
        if not places or (place.cpu, place.waits) != (places[-1].cpu, places[-1].waits):
            places.append(place)
    ends = [place.since for place in places[1:]] + [late.until + 1]
    runnable = _runnable(own)
    for place, end in zip(places, ends, strict=True):
        there = steps.get(place.cpu, [])
        earlier = [step for step in there if step.at < place.since and _tells(step, late, runnable)]
        yield from _joined(earlier, place)
        for step in there:
            if place.since <= step.at < end and _tells(step, late, runnable):
                yield step.at, 3, _event(step)


def _tells(step: TrailStep, late: Late, runnable: Sequence[tuple[int, bool]]) -> bool:
    """Whether a step concerns this thread. The reason to hold another thread does not."""
    if step.kind != _HELD:
        return True
    could = next((can for at, can in reversed(runnable) if at <= step.at), False)
    return could and step.what >> 8 == late.slot


def _runnable(own: Sequence[TrailStep]) -> list[tuple[int, bool]]:
    """Time from which on the thread can run, or cannot."""
    return [
        (step.at, step.kind != _LEFT or step.what == 0) for step in own if step.kind in {_WAKING, _WOKEN, _LEFT, _HELD}
    ]


def _joined(before: Sequence[TrailStep], place: _Place) -> Iterator[tuple[int, int, Event]]:
    """The state of the CPU when its steps begin to count,
    from the earlier steps: its task, why it held the thread, the open interrupts."""
    last = before[-1] if before else None
    word = "moved-cpu" if place.moved else "cpu" if place.waits else "timer-cpu"
    there = Event(f"{word} {place.cpu}", place.since, 0)
    if last is None:
        yield place.since, 2, there
        return
    now = _event(last)
    task = {"task": now.task, "pid": now.pid, "priority": now.priority}
    yield place.since, 2, msgspec.structs.replace(there, **task)
    switch = next((step for step in reversed(before) if step.kind == _SWITCH), last)
    held = [step for step in before if step.kind == _HELD and step.at == switch.at]
    yield from ((place.since, 2, msgspec.structs.replace(_event(step), at=place.since)) for step in held[-1:])
    open_: list[TrailStep] = []
    for step in before:
        if step.kind == _SWITCH:
            open_.clear()
        elif step.kind in _BEGINS:
            open_.append(step)
        else:
            while any(_BEGINS[one.kind] == step.kind and one.what == step.what for one in open_):
                ended = open_.pop()
                if _BEGINS[ended.kind] == step.kind and ended.what == step.what:
                    break
    for step in open_:
        yield place.since, 2, msgspec.structs.replace(_event(step), at=place.since, **task)


def _event(step: TrailStep) -> Event:
    word = _word(step)
    taken = step.what if step.kind in {_STOLEN, _FAULTS} else 0
    return Event(word, step.at, 0, ticks=taken, task=name_of(step.task), pid=step.pid, priority=_priority(step.prio))


def _word(step: TrailStep) -> str:
    name = f" {name_of(step.name)}" if step.name else ""
    if step.kind == _LEFT:
        how = "faulting" if step.detail else "asleep"
        return f"left {'runnable' if step.what == 0 else 'stopped' if step.what & _STOPPED else how}"
    if step.kind == _WOKEN:
        number = step.detail & 0xFFFF
        by = {0: "", 1: f" interrupt {number}", 2: f" softirq {number}"}
        return f"woken{by.get(step.detail >> 16, '')}"
    words = {
        _SWITCH: f"switch {name_of(step.task)}",
        _INTERRUPT: f"interrupt {step.what}{name}",
        _INTERRUPT_END: f"interrupt-end {step.what}{name}",
        _SOFTIRQ: f"softirq {step.what}",
        _SOFTIRQ_END: f"softirq-end {step.what}",
        _TIMER: "timer",
        _TIMER_END: "timer-end",
        _WAKING: "waking",
        _HELD: f"held{name}",
        _STOLEN: "stolen",
        _FAULTS: f"faults {step.detail}",
    }
    return words.get(step.kind, "unknown")


def _priority(prio: int) -> int:
    """The kernel's priority as POSIX numbers it: 1 to 99, 100 a deadline's, 0 not real-time."""
    return _REAL_TIME if prio < 0 else _REAL_TIME - 1 - prio if prio < _REAL_TIME else 0


def name_of(comm: str) -> str:
    """The name of a task, from the hexadecimal of a line."""
    return bytes.fromhex(comm).decode("utf-8", "replace")
