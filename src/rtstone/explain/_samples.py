# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the samples of a record in a trace, exact to the tick,
and the functions that ran in each from its interrupt's due time on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from rtstone.errors import IncompleteError
from rtstone.explain._trace import (
    FIRMWARE_MARKS,
    INTERRUPTS_OFF,
    INTERRUPTS_ON,
    LINUX_MARKS,
    PREEMPTION_OFF,
    PREEMPTION_ON,
    Trace,
)
from rtstone.model import Result, Run

USER = 0xFFFFFFFE
COUNTER_READING = 0xFFFFFFFD
NOWHERE = 0xFFFFFFFF
"""Special values of a trace step, used instead of a function's number; as in changes.c."""

SERVICE, TASK, SWITCH = "interrupt-service-response", "interrupt-task-response", "context-switch-delay"
_ON_THE_WAY = "__x86_"
"""Prefix of x86's thunks for calls and returns. Their ticks count as the caller's."""
_At = tuple[int, int]
_WHAT: tuple[tuple[Literal["interrupts", "preemption"], int, int], ...] = (
    ("interrupts", INTERRUPTS_OFF, INTERRUPTS_ON),
    ("preemption", PREEMPTION_OFF, PREEMPTION_ON),
)
_STEPS_BEFORE = 5000
"""How far before the due time callers are searched for."""


class KernelPath(msgspec.Struct, frozen=True):
    """Functions that mark a kernel's path from interrupt to task."""

    vectors: frozenset[str]
    """The first functions of an interrupt. The CPU can enter them anywhere."""
    handlers: dict[str, int]
    """More first functions of an interrupt, which the CPU enters at their beginning, with their urgency. One follows
    another that is no less urgent, and interrupts others. 0: it interrupts any."""
    switch: frozenset[str]
    """Where the CPU switches from one task to another: functions called before do not return."""
    leaves: frozenset[str]
    """Functions through which the CPU continues in the new task."""
    handler: frozenset[str]
    """Reads the counter at its beginning (Linux), itself or through a callee, and before it releases the task."""
    entered: tuple[str, ...]
    """The first of these functions in the kernel reads the counter for the handler (firmware)."""
    task: frozenset[str]
    """Reads the counter once the task is released (firmware)."""
    started: str
    """Restarts the measured interrupt: a pending one is no longer expected."""
    asks: str = ""
    """System call entry of Linux. Until there the task may read the counter once more:
    Linux voids a reading during which it updated its clock."""


LINUX = KernelPath(
    vectors=frozenset({"vectors", "el1h_64_irq", "el0t_64_irq"}),
    handlers=dict.fromkeys(("asm_sysvec_apic_timer_interrupt", "asm_common_interrupt", "asm_exc_page_fault"), 0),
    switch=frozenset({"cpu_switch_to", "__switch_to_asm"}),
    leaves=frozenset(),
    handler=frozenset({"handle[rtstone_probe]"}),
    entered=(),
    task=frozenset({"probe_read[rtstone_probe]"}),
    started=LINUX_MARKS[0],
    asks="entry_SYSCALL_64",
)
FIRMWARE = KernelPath(
    vectors=frozenset({"board_vectors", "board_kernel_vectors", "vectors", "_freertos_vector_table"}),
    handlers={
        **dict.fromkeys(("SVC_Handler", "PendSV_Handler", "SysTick_Handler", "board_yield_handler"), 1),
        **dict.fromkeys(("board_line_interrupt", "board_second_timer_interrupt", "board_clock_handler"), 2),
        "timer_entry": 3,
    },
    switch=frozenset({"board_kernel_switch", "vTaskSwitchContext", "rt_syscall_run", "rt_syscall_run_pending"}),
    leaves=frozenset(
        {
            *("FreeRTOS_IRQ_Handler", "FreeRTOS_SWI_Handler", "PendSV_Handler", "SVC_Handler"),
            *("switch_before_exit", "exit_without_switch"),
            *("board_timer_handler", "board_clock_handler", "board_yield_handler"),
        }
    ),
    handler=frozenset({"isr"}),
    entered=("timer_entry", "board_timer_interrupt"),
    task=frozenset({"work_single", "take_period", "single"}),
    started=FIRMWARE_MARKS[0],
)


class MeasuredInterrupt(msgspec.Struct):
    """One measured interrupt: places in the trace."""

    entered: int
    """The handler's first reading of the counter."""
    released: int
    resumed: int = -1
    handler: int = -1
    """The number of the function that released the task: on firmware each measurement has its own."""


class StackStep(msgspec.Struct, frozen=True):
    """From `at` on (ticks after the interrupt was due), `function` runs, called by the rest of `stack`, the outermost first."""

    at: int
    stack: tuple[str, ...]


class Sample(msgspec.Struct, frozen=True):
    """One measured interrupt and the functions that ran in it. Ticks; an instruction is a tick."""

    index: int
    total: int
    stages: tuple[tuple[str, int], ...]
    """Their sum is `total`."""
    steps: tuple[StackStep, ...]

    def inclusive(self, kernel: KernelPath) -> dict[str, int]:
        """Ticks of each function, with all its callees but without interrupts."""
        found: dict[str, int] = {}
        for step, ticks in self.lengths():
            for name in dict.fromkeys(own(step.stack, kernel)):
                found[name] = found.get(name, 0) + ticks
        return found

    def lengths(self) -> Iterator[tuple[StackStep, int]]:
        """Each step with its ticks inside the sample."""
        ends = [step.at for step in self.steps[1:]] + [self.total]
        for step, end in zip(self.steps, ends, strict=True):
            if end > max(0, step.at):
                yield step, end - max(0, step.at)


def own(stack: Sequence[str], kernel: KernelPath) -> Sequence[str]:
    """The part of a stack that belongs to the last interrupt, without its vector;
    the whole stack without an interrupt."""
    for place in reversed(range(len(stack))):
        if stack[place] in kernel.handlers:
            return stack[place:]
        if stack[place] in kernel.vectors:
            return stack[place + 1 :]
    return stack


class Held(msgspec.Struct, frozen=True):
    """An interval with interrupts or preemption off."""

    what: Literal["interrupts", "preemption"]
    at: int
    """Ticks after the interrupt was due; negative: they were off already."""
    total: int
    begins: tuple[str, ...]
    """The stack there."""
    ends: tuple[str, ...]


class TraceSamples(msgspec.Struct, frozen=True):
    """The samples of one item in a trace."""

    trace: Trace
    kernel: KernelPath
    interrupts: tuple[MeasuredInterrupt, ...]
    """The interrupts by the sample's number."""
    due: dict[int, int]
    """Instructions executed when an interrupt was due, by the sample's number.
    Only samples with a recorded due time."""

    def switch_delays(self) -> NDArray[np.int64]:
        """Ticks from release to task, of all samples."""
        when = self.trace.when
        return np.array([when[one.resumed] - when[one.released] for one in self.interrupts], dtype=np.int64)

    def sample(self, index: int) -> Sample:
        """One sample. Where the record has no due time for it, the sample begins at the vector."""
        return _sample(self, index)

    def held(self, sample: Sample, least: float) -> list[Held] | None:
        """Where in a sample interrupts or preemption were off for more than `least` of its ticks.
        None: the trace does not follow them."""
        return None if self.trace.changes is None else _held(self, sample, least)


def find(trace: Trace, *, linux: bool, results: Mapping[str, Result], before: Sequence[int] = (0,)) -> TraceSamples:
    """Finds the samples of one item's results (by quantity): their numbers, sums and extremes must agree to the tick.

    `before`: how many interrupts may precede the item's first sample (its own warm-up and other items'). If none of
    these numbers fits, exactly one place must fit. Raises IncompleteError where trace and record do not agree.
    """
    kernel = LINUX if linux else FIRMWARE
    every = _linux(trace, kernel) if linux else _firmware(trace, kernel)
    wrong: list[IncompleteError] = []
    for scaled in _scaled(trace):
        try:
            return _found(scaled, kernel, every, results, before)
        except IncompleteError as error:
            wrong.append(error)
    raise wrong[0]


def _scaled(trace: Trace) -> Iterator[Trace]:
    """The trace unscaled, then with each scale that the kernel may have found at its start, the smallest first."""
    yield trace
    for off in sorted(range(-trace.scale_ppm, trace.scale_ppm + 1), key=abs) if trace.scale_ppm else ():
        when, changes = trace.when * 1_000_000 // (1_000_000 - off), trace.changes
        if changes is not None:
            changes = np.column_stack((changes[:, 0] * 1_000_000 // (1_000_000 - off), changes[:, 1:]))
        yield msgspec.structs.replace(trace, when=when, changes=changes, slack=1)


def _found(
    trace: Trace,
    kernel: KernelPath,
    every: Sequence[MeasuredInterrupt],
    results: Mapping[str, Result],
    before: Sequence[int],
) -> TraceSamples:
    """The item's samples with this scale. Raises IncompleteError where trace and record do not agree."""
    switch = results[SWITCH]
    own = _own(trace, every, switch, before)
    if not own:
        raise IncompleteError(f"trace and record do not agree: the {switch.count} samples are not in the trace")
    due: dict[int, int] = {}
    for quantity, end in ((TASK, "resumed"), (SERVICE, "entered")):
        for index, value in known_samples(results[quantity]).items():
            at = int(trace.when[getattr(own[index], end)]) - value
            if abs(due.setdefault(index, at) - at) > trace.slack:
                raise IncompleteError(f"trace and record do not agree: sample {index} has two due times")
    for index, value in known_samples(switch).items():
        took = int(trace.when[own[index].resumed] - trace.when[own[index].released])
        if abs(took - value) > trace.slack:
            raise IncompleteError(
                f"trace and record do not agree: sample {index} took {took} ticks from release to task"
            )
    return TraceSamples(trace, kernel, tuple(own), due)


def known_samples(result: Result) -> dict[int, int]:
    """Ticks of the samples that a record lists one by one, by number: all with --raw, else the largest."""
    if result.samples:
        values = np.frombuffer(result.samples, dtype="<i8")
        return dict(enumerate(values.tolist()))
    return {extreme.index: extreme.value for extreme in result.extremes}


def loads_of(run: Run, measurement: str, quantity: str) -> tuple[str, ...]:
    """The loads under which the run has samples of the quantity, in the order of measuring."""
    there = (one for one in run.results() if one.measurement == measurement and one.quantity == quantity)
    return tuple(dict.fromkeys(one.variant.load for one in there if one.max is not None))


def _own(
    trace: Trace, every: Sequence[MeasuredInterrupt], switch: Result, before: Sequence[int]
) -> list[MeasuredInterrupt]:
    """The item's interrupts out of all, searched for each handler separately; empty where their place is ambiguous."""
    by_handler: dict[int, list[MeasuredInterrupt]] = {}
    for one in every:
        by_handler.setdefault(one.handler, []).append(one)
    found: list[list[MeasuredInterrupt]] = []
    for group in by_handler.values():
        delays = np.array([trace.when[one.resumed] - trace.when[one.released] for one in group], dtype=np.int64)
        places = _places(delays, switch, trace.slack)
        chosen = [place for place in places if place in before]
        found += [group[place : place + switch.count] for place in chosen or places]
        if chosen:
            return found[-1]
    return found[0] if len(found) == 1 else []


def _places(delays: NDArray[np.int64], result: Result, slack: int) -> list[int]:
    """Where in a row of delays the item's may begin: number, sum, sum of squares and the recorded samples must fit."""
    count = result.count
    if count == 0 or len(delays) < count:
        return []
    sums, squares = (np.concatenate(([0], np.cumsum(row))) for row in (delays, delays * delays))
    sums, squares = sums[count:] - sums[:-count], squares[count:] - squares[:-count]
    fits = (abs(sums - result.sum) <= slack * count) & (abs(squares - result.sumsq) <= slack * (2 * sums + count))
    return [
        first
        for first in np.flatnonzero(fits).tolist()
        if all(abs(delays[first + index] - value) <= slack for index, value in known_samples(result).items())
    ]


def _numbers(trace: Trace, names: frozenset[str] | str) -> NDArray[np.int64]:
    wanted = {names} if isinstance(names, str) else names
    return np.array([number for number, name in enumerate(trace.names) if name in wanted], dtype=np.int64)


def _firmware(trace: Trace, kernel: KernelPath) -> list[MeasuredInterrupt]:
    """The handler's reading releases the task. The next reading is the task's and ends the sample."""
    readings = np.flatnonzero(trace.what == COUNTER_READING)
    handler, task = _numbers(trace, kernel.handler), _numbers(trace, kernel.task)
    enters = _numbers(trace, next((name for name in kernel.entered if name in trace.names), ""))
    starts = np.flatnonzero(np.isin(trace.what, _numbers(trace, kernel.started)))
    # The function that ran last before a reading made it.
    functions = np.where(trace.what == COUNTER_READING, 0, np.arange(len(trace.what)))
    by = trace.what[np.maximum.accumulate(functions)[readings]]
    waiting: list[MeasuredInterrupt] = []
    done: list[MeasuredInterrupt] = []
    at_start = 0
    entered = -1
    begins = np.concatenate(([0], np.flatnonzero(np.isin(trace.what, enters) & trace.begins)))
    for place, function in zip(readings.tolist(), by.tolist(), strict=True):
        if at_start < len(starts) and place > starts[at_start]:
            waiting.clear()
            at_start = int(np.searchsorted(starts, place))
        if function in enters:
            if entered < begins[np.searchsorted(begins, place) - 1]:
                entered = place
        elif function in handler:
            waiting.append(MeasuredInterrupt(entered, place, handler=function))
        elif function in task and waiting:
            one = waiting.pop(0)
            one.resumed = place
            done.append(one)
    return done


def _linux(trace: Trace, kernel: KernelPath) -> list[MeasuredInterrupt]:
    """The handler reads the counter twice. The task reads it in user space after its read of the probe has returned."""
    what = trace.what
    handlers, reads = set(_numbers(trace, kernel.handler).tolist()), set(_numbers(trace, kernel.task).tolist())
    starts = set(_numbers(trace, kernel.started).tolist())
    asks = set(_numbers(trace, kernel.asks).tolist())
    marks = np.array(sorted(handlers | reads | starts | asks | {COUNTER_READING, USER}), dtype=np.int64)
    # Also the function after user space: it shows that user space was left.
    functions = np.flatnonzero(what != COUNTER_READING)
    left = functions[1:][what[functions[:-1]] == USER]
    places = np.union1d(np.flatnonzero(np.isin(what, marks)), left)
    waiting: list[MeasuredInterrupt] = []
    done: list[MeasuredInterrupt] = []
    current: MeasuredInterrupt | None = None
    before = NOWHERE
    has_read = may_repeat = False
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
                has_read, may_repeat = False, bool(asks)
            elif before == USER and may_repeat:
                done[-1].resumed = place
            continue
        may_repeat = may_repeat and function not in asks
        if function in handlers and trace.begins[place]:
            current = MeasuredInterrupt(-1, -1)
        elif function in reads:
            has_read = True  # the task's next reading of the counter is the sample's, and any other its own affair
        elif function in starts:
            waiting.clear()
        before = function
    return done


def _name(names: Sequence[str], function: int) -> str:
    if function == USER:
        return "(user space)"
    return names[function] if function < len(names) else "(nowhere)"


def _sample(found: TraceSamples, index: int) -> Sample:
    trace, kernel, one = found.trace, found.kernel, found.interrupts[index]
    when = trace.when
    vector = _vector(found, one)
    due = found.due.get(index, int(when[vector]))
    steps, switched = steps_of(trace, kernel, due, one.resumed)
    at = [due, max(due, int(when[vector])), int(when[one.entered]), int(when[one.released])]
    titles = ["held off", "entry", "handler", "wake", "switch and return"]
    if switched > one.released:
        at.append(int(when[switched]))
    else:
        titles[3:] = ["to the task"]
    at.append(int(when[one.resumed]))
    stages = tuple((title, after - before) for title, before, after in zip(titles, at[:-1], at[1:], strict=True))
    return Sample(index, at[-1] - due, stages, tuple(steps))


def _held(found: TraceSamples, sample: Sample, least: float) -> list[Held]:
    trace, one = found.trace, found.interrupts[sample.index]
    until = int(trace.when[one.resumed])
    since = until - sample.total

    @cache
    def stack(place: int) -> tuple[str, ...]:
        steps, _ = steps_of(trace, found.kernel, int(trace.when[place]) - 1, place + 1)
        return steps[-1].stack if steps else ()

    held = []
    for what, off, on in _WHAT:
        for begins, ends in _between(trace, off, on, since, until):
            for (at, first), (end, last) in _awake(trace, begins, ends) if off == PREEMPTION_OFF else [(begins, ends)]:
                if min(end, until) - max(at, since) > least:
                    held.append(Held(what, at - since, end - at, stack(first), stack(last)))
    return sorted(held, key=lambda one: one.at)


def _between(trace: Trace, off: int, on: int, since: int, until: int) -> Iterator[tuple[_At, _At]]:
    """Intervals from `off` to the next `on` that overlap these ticks.
    Each end: the time, and the place of the current step."""
    assert trace.changes is not None  # noqa: S101 - they were followed
    rows = trace.changes[np.isin(trace.changes[:, 2], (off, on))]
    rows = rows[np.diff(rows[:, 2], prepend=0) != 0]
    first = max(0, int(np.searchsorted(rows[:, 0], since, side="right")) - 1)
    last = int(np.searchsorted(rows[:, 0], until)) + 1
    for before, after in pairwise(rows[first:last].tolist()):
        if before[2] == off:
            yield (before[0], before[1]), (after[0], after[1])


def _awake(trace: Trace, begins: _At, ends: _At) -> Iterator[tuple[_At, _At]]:
    """The intervals of preemption off without the idle task's:
    idle has preemption off permanently and delays nobody."""
    span = np.arange(begins[1], ends[1])
    starts = span[trace.begins[span]]
    idle = starts[np.isin(trace.what[starts], _numbers(trace, "schedule_idle"))]
    if not len(idle):
        yield begins, ends
        return
    to_idle = starts[np.isin(trace.what[starts], _numbers(trace, LINUX.switch)) & (starts < idle[0])]
    if len(to_idle):
        yield begins, (int(trace.when[to_idle[-1]]), int(to_idle[-1]))
    yield (int(trace.when[idle[-1]]), int(idle[-1])), ends


def steps_of(trace: Trace, kernel: KernelPath, since: int, end: int) -> tuple[list[StackStep], int]:
    """The steps from the tick `since` to the place `end`, and the place of the last switch between tasks (-1: none)."""
    when, what = trace.when, trace.what
    first = max(0, int(np.searchsorted(when, since, side="right")) - 1)
    steps: list[StackStep] = []
    stack: list[str] = []
    switched = -1
    in_switch = False
    for place in range(max(0, first - _STEPS_BEFORE), end):
        if what[place] == COUNTER_READING:
            continue
        name = _name(trace.names, int(what[place]))
        if name.startswith(_ON_THE_WAY):
            continue
        comes_back = not trace.begins[place] and name not in kernel.leaves
        if in_switch and (name not in _from_switch(stack, kernel) if comes_back else _is_task(stack, name, kernel)):
            stack = []
            in_switch = False
        in_switch = in_switch or name in kernel.switch
        if name in kernel.switch:
            switched = place
        if trace.begins[place] and name in kernel.handlers:
            ended = (at for at, one in enumerate(stack) if kernel.handlers.get(one, 0) >= kernel.handlers[name] > 0)
            del stack[next(ended, len(stack)) :]
        if trace.begins[place] or name in kernel.vectors:
            stack.append(name)
        elif name in stack:
            del stack[len(stack) - stack[::-1].index(name) :]
        else:  # it returns to a caller from before, or to another task
            stack = [name]
        if place >= first:
            steps.append(StackStep(int(when[place]) - since, tuple(stack)))
    return steps, switched


def _from_switch(stack: Sequence[str], kernel: KernelPath) -> Sequence[str]:
    """The part of a stack from the last switch between tasks, or from the function that leaves it, to its innermost
    call."""
    ends = kernel.switch | kernel.leaves
    return stack[max((place for place, name in enumerate(stack) if name in ends), default=len(stack)) :]


def _is_task(stack: Sequence[str], name: str, kernel: KernelPath) -> bool:
    """Whether a function that begins is a task, resumed by the switch or restarting its loop, and not a called
    function."""
    entries = kernel.switch | kernel.leaves | kernel.vectors | kernel.handlers.keys()
    return bool(stack) and stack[-1] in kernel.leaves and name not in entries


def _vector(found: TraceSamples, one: MeasuredInterrupt) -> int:
    """The place of the exception vector that leads to the handler."""
    what, names = found.trace.what, found.trace.names
    place = one.entered
    inside = False
    while place > 0:
        name = _name(names, int(what[place])) if what[place] != COUNTER_READING else ""
        if name in found.kernel.handlers and found.trace.begins[place]:
            return place
        if name in found.kernel.vectors:
            inside = True
        elif inside and name:
            return place + 1
        place -= 1
    return 0
