# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Cuts a trace into the measured interrupts, each from the tick at which it was due to its task's reading of the counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

USER = 0xFFFFFFFE
COUNTER_READING = 0xFFFFFFFD
NOWHERE = 0xFFFFFFFF
"""What a record of the trace says beside a function's number; as in changes.c."""

HANDLER = "handle[rtstone_probe]"
CALLED_BY_HANDLER = "probe_interrupt[rtstone_probe]"
READ = "probe_read[rtstone_probe]"
STARTED = "start_here[rtstone_probe]"
VECTORS = frozenset({"vectors", "el1h_64_irq", "el0t_64_irq"})
SCHEDULE = "__schedule"
SWITCH = "cpu_switch_to"

STAGES = ("held off", "entry", "handler", "wake", "switch", "return")
"""Where each ends: the vector that leads to the handler; the handler's reading; its reading at the release; the beginning of the scheduling
that ends in the task; the task's stack; the task's reading. An interrupt that is served in another's wake has no vector of its own, and
no entry."""


class Step(msgspec.Struct, frozen=True):
    """From `at` (instructions after the interrupt was due) on, this function runs."""

    at: int
    function: str


class Sample(msgspec.Struct, frozen=True):
    """One measured interrupt."""

    index: int
    stages: tuple[int, ...]
    """Instructions in each of STAGES; their sum is the task response, for an instruction is a tick."""
    steps: tuple[Step, ...]
    """What ran from due to the task's reading. The first may have begun before."""

    @property
    def total(self) -> int:
        """The task response in ticks."""
        return sum(self.stages)


class _Interrupt(msgspec.Struct):
    """Places in the trace."""

    handler: int
    entered: int = -1
    released: int = -1
    resumed: int = -1


def cut(names: Sequence[str], trace: bytes, told: Mapping[str, Sequence[int]]) -> list[Sample]:
    """Return the samples in order.

    `told`: what the run's record says of each, by quantity (ticks). ValueError when trace and record differ by an instruction.
    """
    words = np.frombuffer(trace, dtype="<u8").reshape(-1, 2)
    when, what = words[:, 0].astype(np.int64), words[:, 1].astype(np.int64)
    taken = _interrupts(names, what)
    found = []
    at = 0
    for index, delay in enumerate(told["context-switch-delay"]):
        # Interrupts between the last sample of a slice and the timer's stop are nobody's.
        while at < len(taken) and when[taken[at].resumed] - when[taken[at].released] != delay:
            at += 1
        if at == len(taken):
            raise ValueError(f"sample {index}, of {delay} ticks from release to task, is not in the trace")
        one = taken[at]
        due = int(when[one.entered]) - told["interrupt-service-response"][index]
        found.append(_sample(names, when, what, one, index, due))
        if found[-1].total != told["interrupt-task-response"][index]:
            raise ValueError(f"sample {index} has {found[-1].total} instructions in the trace, and not as many ticks")
        at += 1
    return found


def _interrupts(names: Sequence[str], what: NDArray[np.int64]) -> list[_Interrupt]:
    """Every interrupt whose task came to read the counter, in order."""
    handlers, callees, reads, starts = (
        {number for number, name in enumerate(names) if name == wanted}
        for wanted in (HANDLER, CALLED_BY_HANDLER, READ, STARTED)
    )
    marks = np.array(sorted(handlers | callees | reads | starts | {COUNTER_READING, USER}), dtype=np.int64)
    # Beside these, whatever follows user space: it has been left.
    places = np.flatnonzero(np.isin(what, marks) | np.concatenate(([False], what[:-1] == USER)))
    waiting: list[_Interrupt] = []
    done: list[_Interrupt] = []
    current: _Interrupt | None = None
    before = NOWHERE
    has_read = False
    for place in places.tolist():
        function = int(what[place])
        if function == COUNTER_READING:
            if current is not None and current.entered < 0:
                current.entered = place
            elif current is not None and current.released < 0:
                current.released = place
                waiting.append(current)
                current = None
            elif before == USER and has_read and waiting:
                waiting[0].resumed = place
                done.append(waiting.pop(0))
                has_read = False
            continue
        if function in handlers and before not in callees:
            current = _Interrupt(place)
        elif function in reads:
            has_read = True  # the task's next reading of the counter is the sample's, and any other its own affair
        elif function in starts:
            waiting.clear()
        before = function
    return done


def _sample(
    names: Sequence[str], when: NDArray[np.int64], what: NDArray[np.int64], one: _Interrupt, index: int, due: int
) -> Sample:
    first = int(np.searchsorted(when, due, side="right")) - 1
    steps = []
    vector = switch = schedule = -1
    before = ""
    for place in range(first, one.resumed):
        if what[place] == COUNTER_READING:
            continue
        at, name = int(when[place]) - due, _name(names, int(what[place]))
        steps.append(Step(at, name))
        if place <= one.handler and name in VECTORS and at >= 0 and before not in VECTORS:
            vector = at
        # A function is entered anew where it is not come back to: the scheduler from what called it.
        if place > one.released and name == SWITCH:
            switch = at
        before = name
    entered, released = int(when[one.entered]) - due, int(when[one.released]) - due
    resumed = int(when[one.resumed]) - due
    calls = [step.at for step in steps if step.function == SCHEDULE and released < step.at <= switch]
    schedule = _last_entry(steps, calls, switch)
    to_task = (schedule, switch) if schedule >= 0 else (released, released)
    marks = (0, vector if vector >= 0 else entered, entered, released, *to_task, resumed)
    return Sample(index, tuple(b - a for a, b in pairwise(marks)), tuple(steps))


def _last_entry(steps: Sequence[Step], calls: Sequence[int], switch: int) -> int:
    """When the scheduling began that ended in the last switch: after the switch before it, or after an interrupt's entry."""
    begin = -1
    for step in steps:
        if step.at > switch:
            break
        if (step.function == SWITCH and step.at < switch) or step.function in VECTORS:
            begin = -1
        elif step.at in calls and step.function == SCHEDULE and begin < 0:
            begin = step.at
    return begin


def _name(names: Sequence[str], function: int) -> str:
    if function == USER:
        return "(user space)"
    return names[function] if function < len(names) else "(nowhere)"
