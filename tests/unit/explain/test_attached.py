# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The trail of a watched thread's late cycle: the steps of several CPUs make one account, and no innocent is named in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.attach import _trails
from rtstone.attach._private import Private
from rtstone.attach._trails import RESPONSE, START, WAKE, Late, TrailStep
from rtstone.errors import UsageError
from rtstone.explain import _attached, _cpu, _trail, text
from rtstone.explain.document import NOTHING
from rtstone.explain.explained_page import explained_page
from rtstone.model import Event, Figure, Result, Variant
from support.explained import Page
from support.runs import make_histogram, make_run

DUE, USUAL = 1000, 100.0
SWITCH, INTERRUPT, INTERRUPT_END, SOFTIRQ, SOFTIRQ_END, TIMER, TIMER_END, WAKING, WOKEN, LEFT, HELD, STOLEN = range(
    1, 13
)
MOVED, FAULTS = 32, 33
RUNNABLE, ASLEEP, STOPPED = 0, 1, 4
BUDGET, QUOTA, FAIR, DEADLINE_BUDGET = "real-time-budget", "quota", "fair-server", "deadline-budget"


class Task(NamedTuple):
    """A task; its priority as the kernel counts it."""

    name: str
    pid: int
    prio: int


OWN, HOG, LOW = Task("loop", 9, 19), Task("hog", 7, 0), Task("low", 8, 89)
OTHER, HELPER = Task("other", 6, 0), Task("helper", 5, 120)
IDLE = Task("swapper", 0, 120)
AWAY = "the thread was moved to CPU 1, where task hog, priority 99 ran"


def _step(at: int, kind: int, task: Task, what: int = 0, cpu: int = 0, *, name: str = "", detail: int = 0) -> TrailStep:
    return TrailStep(at, kind, what, task.pid, task.prio, cpu, task.name.encode().hex(), name.encode().hex(), detail)


def _held(at: int, task: Task, by: str, slot: int = 0) -> TrailStep:
    return _step(at, HELD, task, slot << 8, name=by)


def _late(
    kind: int, own: Sequence[TrailStep], steps: Sequence[TrailStep], *, due: int = DUE, until: int = 3000, lost: int = 0
) -> Late:
    return Late(
        late=0,
        slot=0,
        kind=kind,
        index=4,
        due=due,
        until=until,
        lost=lost,
        pid=OWN.pid,
        prio=OWN.prio,
        comm=OWN.name.encode().hex(),
        own=tuple(own),
        steps=tuple(steps),
    )


def _result(*late: Late, quantity: str = "start-latency-loop") -> Result:
    events: list[Event] = []
    for one in late:
        events += _trails.events(one, 0)
    return Result(
        item=0,
        measurement="attach",
        quantity=quantity,
        variant=Variant(trace_over_ns=500),
        status="ok",
        events=tuple(events),
        figures=(Figure("samples-over-limit", "samples", len(late)),),
    )


def _trail_of(late: Late) -> _cpu.Trail:
    (trail,) = _trail.trails(_result(late))
    return trail


def _cause(late: Late) -> str:
    trail = _trail_of(late)
    assert sum(span.ticks for span in _cpu.spans(trail)) == trail.ticks
    return _trail.blame(trail, USUAL).function


_SLEEPS = _step(800, LEFT, OWN, ASLEEP)


def _wakes(at: int, task: Task, cpu: int = 0, queue: int = 0) -> TrailStep:
    return _step(at, WAKING, task, queue, cpu)


@pytest.mark.parametrize(
    ("own", "steps", "cause"),
    [
        ([_SLEEPS, _wakes(1010, HOG)], [_step(900, SWITCH, HOG), _step(3000, SWITCH, OWN)], "task hog, priority 99"),
        ([_SLEEPS, _wakes(1010, LOW)], [_step(900, SWITCH, LOW), _step(1005, INTERRUPT, LOW, 24, name="eth0"),
          _step(2900, INTERRUPT_END, LOW, 24, name="eth0"), _step(3000, SWITCH, OWN)], "interrupt 24 eth0"),
        # The interrupt began before the due time, and ended before the timer expired.
        ([_SLEEPS, _wakes(2950, LOW)], [_step(900, SWITCH, LOW), _step(950, SOFTIRQ, LOW, 3), _step(2900, SOFTIRQ_END, LOW, 3),
          _step(3000, SWITCH, OWN)], "softirq NET_RX"),
        # One that had ended before is innocent.
        ([_SLEEPS, _wakes(2950, LOW)], [_step(900, SWITCH, LOW), _step(950, SOFTIRQ, LOW, 3), _step(960, SOFTIRQ_END, LOW, 3),
          _step(3000, SWITCH, OWN)], f"{NOTHING}: the timer's interrupt came late"),
        ([_SLEEPS, _wakes(1010, LOW)], [_step(900, SWITCH, LOW), _step(3000, SWITCH, OWN)],
         f"{NOTHING}: slow from the waking to the switch"),
        ([_SLEEPS, _held(1009, IDLE, BUDGET), _wakes(1009, IDLE)],
         [_step(900, SWITCH, IDLE), _step(3000, SWITCH, OWN)], _cpu.THROTTLED),
        # The kernel's reason to hold another watched thread does not concern this one.
        ([_SLEEPS, _wakes(1010, HOG)],
         [_step(900, SWITCH, HOG), _held(1100, HOG, QUOTA, 1), _step(1100, SWITCH, OTHER), _step(3000, SWITCH, OWN)],
         "task other, priority 99"),
        ([_SLEEPS, _wakes(1010, HOG)],
         [_step(900, SWITCH, HOG), _held(1100, HOG, FAIR), _step(1100, SWITCH, LOW), _step(3000, SWITCH, OWN)], _cpu.FAIR_SERVER),
        ([_SLEEPS, _wakes(1010, HOG), _step(1050, LEFT, OWN)],
         [_step(900, SWITCH, HOG), _step(1020, SWITCH, OWN), _held(1050, OWN, DEADLINE_BUDGET), _step(1050, SWITCH, IDLE),
          _step(3000, SWITCH, OWN)], _cpu.DEADLINE_BUDGET),
        # It could not run when the kernel said it of the thread's slot: another thread had the slot's number before.
        ([_SLEEPS, _wakes(2950, LOW)],
         [_step(900, SWITCH, LOW), _held(1100, LOW, FAIR), _step(1100, SWITCH, LOW), _step(3000, SWITCH, OWN)],
         f"{NOTHING}: the timer's interrupt came late"),
        # Its timer expired while it ran: it was late by its own doing.
        ([_step(500, LEFT, OWN, ASLEEP), _wakes(600, IDLE), _wakes(3000, OWN)],
         [_step(590, SWITCH, IDLE), _step(610, SWITCH, OWN)], _cpu.BUSY),
        # It was busy with two cycles: of the timers that woke it since, the last is this cycle's.
        ([_step(500, LEFT, OWN, ASLEEP), _wakes(600, IDLE), _wakes(1900, OWN), _wakes(3000, OWN)],
         [_step(590, SWITCH, IDLE), _step(610, SWITCH, OWN)], _cpu.BUSY),
        # It had no budget since before it was due, and nothing more was seen of that.
        ([_step(500, LEFT, OWN, ASLEEP), _held(600, IDLE, BUDGET), _wakes(600, IDLE), _wakes(3000, OWN)],
         [_step(590, SWITCH, IDLE), _step(2990, SWITCH, OWN)], _cpu.THROTTLED),
        ([_step(600, LEFT, OWN, RUNNABLE), _wakes(3000, OWN)],
         [_held(600, OWN, BUDGET), _step(600, SWITCH, IDLE), _step(2990, SWITCH, OWN)], _cpu.THROTTLED),
        # In the cycle before it waited for another task.
        ([_step(900, LEFT, OWN, ASLEEP), _step(2800, WOKEN, HELPER, 0, 1), _wakes(3000, OWN)],
         [_step(900, SWITCH, LOW), _step(2810, SWITCH, OWN)], "the thread was blocked until task helper, not real-time woke it"),
        # The timer of the cycle before was late, by an interrupt: it was not blocked.
        ([_step(900, LEFT, OWN, ASLEEP), _wakes(2800, LOW), _wakes(3000, OWN)],
         [_step(900, SWITCH, LOW), _step(990, SOFTIRQ, LOW, 3), _step(2790, SOFTIRQ_END, LOW, 3), _step(2810, SWITCH, OWN)],
         "softirq NET_RX"),
        # Preempted in the cycle before, by somebody above it.
        ([_step(600, LEFT, OWN, RUNNABLE), _step(2700, LEFT, OWN, ASLEEP), _wakes(2900, LOW)],
         [_step(600, SWITCH, HOG), _step(2600, SWITCH, OWN), _step(2700, SWITCH, LOW), _step(3000, SWITCH, OWN)], "task hog, priority 99"),
        # Stopped: whoever runs meanwhile is innocent.
        ([_step(600, LEFT, OWN, STOPPED), _step(2900, WOKEN, HELPER, 0), _wakes(3000, OWN)],
         [_step(600, SWITCH, HOG), _step(2950, SWITCH, OWN)], _cpu.STOPPED),
        ([_SLEEPS, _wakes(1010, IDLE)],
         [_step(900, SWITCH, IDLE), _step(2990, STOLEN, IDLE, 1800), _step(3000, SWITCH, OWN)], _trail.STOLEN),
        # Two at once: none had half.
        ([_SLEEPS, _wakes(1010, HOG)],
         [_step(900, SWITCH, HOG), _step(1600, SWITCH, OTHER), _step(2300, SOFTIRQ, OTHER, 1), _step(3000, SWITCH, OWN)], ""),
        # Nothing is known of the CPU before its first step.
        ([_SLEEPS, _wakes(1010, HOG)], [_step(2900, SWITCH, LOW), _step(3000, SWITCH, OWN)], _cpu.UNKNOWN),
    ],
)  # fmt: skip
def test_who_made_a_start_late(own: Sequence[TrailStep], steps: Sequence[TrailStep], cause: str) -> None:
    late = _late(START, own, steps)
    assert _cause(late) == cause
    # A private trail has the same cause, of a task without a name.
    thread = {"thread": 0, "tid": OWN.pid, "comm": OWN.name.encode().hex()}
    lines = b"\n".join(map(msgspec.json.encode, (thread, late)))
    private = msgspec.json.decode(Private(set())(lines).splitlines()[1], type=Late)
    hidden = re.sub(r"\\?\btask\\ (hog|low|other|helper)\b", r"task another task \\d", re.escape(cause))
    assert re.fullmatch(hidden, _cause(private))


@pytest.mark.parametrize(
    ("own", "steps", "cause"),
    [
        # The timer's CPU is 0, the thread's queue is CPU 1's: who runs on CPU 0 keeps nobody from CPU 1.
        ([_SLEEPS, _wakes(1010, HOG, 0, 1)],
         [_step(900, SWITCH, HOG, cpu=0), _step(700, SWITCH, LOW, cpu=1), _step(3000, SWITCH, OWN, cpu=1)],
         f"{NOTHING}: slow from the waking to the switch"),
        ([_SLEEPS, _wakes(2950, HOG, 0, 1)],
         [_step(900, SWITCH, HOG, cpu=0), _step(700, SWITCH, LOW, cpu=1), _step(3000, SWITCH, OWN, cpu=1)],
         f"{NOTHING}: the timer's interrupt came late"),
        # But an interrupt there may have held up its timer.
        ([_SLEEPS, _wakes(2950, LOW, 0, 1)],
         [_step(900, SWITCH, LOW, cpu=0), _step(1001, INTERRUPT, LOW, 3, name="disk"), _step(2900, INTERRUPT_END, LOW, 3, name="disk"),
          _step(700, SWITCH, HOG, cpu=1), _step(3000, SWITCH, OWN, cpu=1)], "interrupt 3 disk"),
        ([_SLEEPS, _wakes(1010, LOW, 0, 1)],
         [_step(900, SWITCH, LOW, cpu=0), _step(700, SWITCH, HOG, cpu=1), _step(3000, SWITCH, OWN, cpu=1)], "task hog, priority 99"),
        # An interrupt that CPU 1 was in when the thread came into its queue.
        ([_SLEEPS, _wakes(1010, LOW, 0, 1)],
         [_step(900, SWITCH, LOW, cpu=0), _step(700, SWITCH, LOW, cpu=1), _step(990, SOFTIRQ, LOW, 4, cpu=1),
          _step(2900, SOFTIRQ_END, LOW, 4, cpu=1), _step(3000, SWITCH, OWN, cpu=1)], "softirq BLOCK"),
        # Moved while it waited: before that CPU 0 counts, then CPU 1, but only from then on.
        ([_SLEEPS, _wakes(1010, OTHER, 0, 0), _step(1400, MOVED, OWN, 1)],
         [_step(900, SWITCH, OTHER, cpu=0), _step(700, SWITCH, HOG, cpu=1), _step(3000, SWITCH, OWN, cpu=1)], "task hog, priority 99"),
        ([_SLEEPS, _wakes(1010, OTHER, 0, 0), _step(2600, MOVED, OWN, 1)],
         [_step(900, SWITCH, OTHER, cpu=0), _step(700, SWITCH, HOG, cpu=1), _step(3000, SWITCH, OWN, cpu=1)], "task other, priority 99"),
        # Of CPU 1 nothing was kept.
        ([_SLEEPS, _wakes(1010, HOG, 0, 1)], [_step(900, SWITCH, HOG, cpu=0)], _cpu.UNKNOWN),
    ],
)  # fmt: skip
def test_each_cpu_counts_while_the_thread_waits_there(
    own: Sequence[TrailStep], steps: Sequence[TrailStep], cause: str
) -> None:
    assert _cause(_late(START, own, steps)) == cause


def _runs(at: int) -> list[TrailStep]:
    """The timer expires in time and the thread runs."""
    return [_step(900, SWITCH, IDLE), _step(1010, TIMER, IDLE), _step(1020, TIMER_END, IDLE), _step(at, SWITCH, OWN)]


@pytest.mark.parametrize(
    ("own", "steps", "cause"),
    [
        ([], [], _cpu.RAN),
        ([_step(1200, LEFT, OWN, RUNNABLE)], [_step(1200, SWITCH, HOG), _step(2800, SWITCH, OWN)], "task hog, priority 99"),
        # It slept on something: its waker is named, and not the task that ran meanwhile.
        ([_step(1200, LEFT, OWN, ASLEEP), _step(2700, WOKEN, HELPER, 0, 1)],
         [_step(1200, SWITCH, HOG), _step(2800, SWITCH, OWN)], "the thread was blocked until task helper, not real-time woke it"),
        ([_step(1200, LEFT, OWN, ASLEEP), _step(2700, WOKEN, HELPER, 0, 1, detail=1 << 16 | 24)],
         [_step(1200, SWITCH, IDLE), _step(2800, SWITCH, OWN)], "the thread was blocked until interrupt 24 woke it"),
        ([_step(1200, LEFT, OWN, ASLEEP), _step(2700, WOKEN, HELPER, 0, 1, detail=2 << 16 | 4)],
         [_step(1200, SWITCH, IDLE), _step(2800, SWITCH, OWN)], "the thread was blocked until softirq BLOCK woke it"),
        ([_step(1200, LEFT, OWN, ASLEEP), _step(2700, WOKEN, IDLE, 0, 1)],
         [_step(1200, SWITCH, IDLE), _step(2800, SWITCH, OWN)], "the thread was blocked, and its waker is not known"),
        # Woken soon, and then held up by a task above it.
        ([_step(1200, LEFT, OWN, ASLEEP), _step(1300, WOKEN, HELPER, 0, 1)],
         [_step(1200, SWITCH, HOG), _step(2800, SWITCH, OWN)], "task hog, priority 99"),
        # The task that woke it had CPU 1; on CPU 0, where it waits, an interrupt goes on.
        ([_step(1200, LEFT, OWN, ASLEEP), _step(1300, WOKEN, HOG, 0, 1)],
         [_step(1200, SWITCH, LOW), _step(1250, SOFTIRQ, LOW, 9), _step(2790, SOFTIRQ_END, LOW, 9), _step(2800, SWITCH, OWN)],
         "softirq RCU"),
        ([_step(1200, LEFT, OWN, STOPPED), _step(2700, WOKEN, HELPER, 0, 1)],
         [_step(1200, SWITCH, HOG), _step(2800, SWITCH, OWN)], _cpu.STOPPED),
        ([_step(1200, LEFT, OWN, RUNNABLE)],
         [_held(1200, OWN, QUOTA), _step(1200, SWITCH, IDLE), _step(2800, SWITCH, OWN)], _cpu.QUOTA),
        # Put on CPU 1 by its waking, and run again there: the task there would be a cause without that too.
        ([_step(1200, LEFT, OWN, RUNNABLE), _step(1210, MOVED, HOG, 1)],
         [_step(1200, SWITCH, OTHER), _step(700, SWITCH, HOG, cpu=1), _step(2800, SWITCH, OWN, cpu=1)], "task hog, priority 99"),
        # Moved to CPU 1 by another task: while it ran, and while it slept.
        ([_step(1200, LEFT, OWN, RUNNABLE), _step(1210, MOVED, OTHER, 1, detail=1)],
         [_step(1200, SWITCH, OTHER), _step(700, SWITCH, HOG, cpu=1), _step(2800, SWITCH, OWN, cpu=1)], AWAY),
        ([_step(1200, LEFT, OWN, ASLEEP), _step(1205, WOKEN, OTHER, 0), _step(1210, MOVED, OTHER, 1, detail=1)],
         [_step(1200, SWITCH, OTHER), _step(700, SWITCH, HOG, cpu=1), _step(2800, SWITCH, OWN, cpu=1)], AWAY),
        # The task that it meets there comes later; before that one below it was chosen.
        ([_step(1200, LEFT, OWN, RUNNABLE), _step(1210, MOVED, OTHER, 1, detail=1)],
         [_step(1200, SWITCH, OTHER),
          _step(700, SWITCH, LOW, cpu=1), _step(1220, SWITCH, HOG, cpu=1), _step(2800, SWITCH, OWN, cpu=1)], AWAY),
        # Moved, and run there at once: then the cause is what came after that.
        ([_step(1200, LEFT, OWN, RUNNABLE), _step(1210, MOVED, OTHER, 1, detail=1)],
         [_step(1200, SWITCH, OTHER), _step(700, SWITCH, IDLE, cpu=1), _step(1230, SWITCH, OWN, cpu=1)], _cpu.RAN),
        ([_step(1200, LEFT, OWN, RUNNABLE), _step(1210, MOVED, OTHER, 1, detail=1), _step(1250, LEFT, OWN, RUNNABLE, 1)],
         [_step(1200, SWITCH, OTHER), _step(700, SWITCH, IDLE, cpu=1), _step(1230, SWITCH, OWN, cpu=1), _step(1250, SWITCH, HOG, cpu=1),
          _step(2900, SWITCH, OWN, cpu=1)], "task hog, priority 99"),
        # Kept waiting where it was before, and moved away from there.
        ([_step(1200, LEFT, OWN, RUNNABLE), _step(2700, MOVED, OTHER, 1, detail=1)],
         [_step(1200, SWITCH, OTHER), _step(700, SWITCH, HOG, cpu=1), _step(2900, SWITCH, OWN, cpu=1)], "task other, priority 99"),
        # Nothing explains why it does not run where it was moved to.
        ([_step(1200, LEFT, OWN, RUNNABLE), _step(1210, MOVED, OTHER, 1, detail=1)],
         [_step(1200, SWITCH, OTHER), _step(700, SWITCH, LOW, cpu=1), _step(2800, SWITCH, OWN, cpu=1)],
         f"{NOTHING}: slow from the waking to the switch"),
        # Page faults, beside time of its own; and few of them.
        ([_step(3000, FAULTS, OWN, 1500, detail=700)], [], _cpu.FAULTS),
        ([_step(3000, FAULTS, OWN, 700, detail=700)], [], _cpu.RAN),
        # It was asleep or preempted in one. The kernel's work for a page is no page fault's then.
        ([_step(1200, FAULTS, OWN, 100, detail=2), _step(1200, LEFT, OWN, ASLEEP, detail=1), _step(2700, WOKEN, HELPER, 0, 1)],
         [_step(1200, SWITCH, HOG), _step(2800, SWITCH, OWN)], _cpu.FAULTS),
        ([_step(1200, FAULTS, OWN, 100, detail=2), _step(1200, LEFT, OWN, RUNNABLE)],
         [_step(1200, SWITCH, HOG), _step(2800, SWITCH, OWN)], "task hog, priority 99"),
        # An interrupt that came within a page fault lengthened it.
        ([_step(3000, FAULTS, OWN, 1500, detail=1)],
         [_step(1100, INTERRUPT, OWN, 24, name="eth0"), _step(2550, INTERRUPT_END, OWN, 24, name="eth0")], "interrupt 24 eth0"),
        # So did a hypervisor.
        ([_step(3000, FAULTS, OWN, 1800, detail=1)], [_step(3000, STOLEN, OWN, 1750)], _trail.STOLEN),
    ],
)  # fmt: skip
def test_who_made_a_response_late(own: Sequence[TrailStep], steps: Sequence[TrailStep], cause: str) -> None:
    end = _step(3000, LEFT, OWN, ASLEEP)
    late = _late(RESPONSE, [_SLEEPS, _wakes(1015, IDLE), *own, end], [*_runs(1040), *steps])
    assert _cause(late) == cause
    trail = _trail_of(late)
    assert sum(_attached.parts(trail).values()) == trail.ticks


def test_page_faults_that_every_cycle_has_make_none_late() -> None:
    end = _step(3000, LEFT, OWN, ASLEEP)
    own = [_SLEEPS, _wakes(1015, IDLE), _step(3000, FAULTS, OWN, 1100, detail=700), end]
    trail = _trail_of(_late(RESPONSE, own, _runs(1040)))
    assert _trail.blame(trail, 1200, 1100).function == _cpu.RAN
    assert _trail.blame(trail, 1000, 100).function == _cpu.FAULTS
    assert _trail.faults(trail) == (700, 1100)


def test_a_cycle_that_was_due_while_the_thread_waited_elsewhere_is_late_for_that() -> None:
    """It was moved to CPU 1 before the due time, and back to CPU 0, where its timer expires at last."""
    own = [
        _step(800, LEFT, OWN, RUNNABLE),
        _step(810, MOVED, OTHER, 1, detail=1),
        _step(2900, MOVED, HOG, 0, detail=1),
        _step(2950, LEFT, OWN, ASLEEP),
        _wakes(2960, IDLE),
    ]
    steps = [_step(2910, SWITCH, OWN), _step(2950, SWITCH, IDLE), _step(3000, SWITCH, OWN)]
    assert _cause(_late(START, own, [_step(700, SWITCH, HOG, cpu=1), *steps])) == AWAY


def test_the_parts_of_a_response_are_told_apart() -> None:
    own = [_step(1100, LEFT, OWN, RUNNABLE), _step(1700, LEFT, OWN, ASLEEP), _step(2100, WOKEN, HELPER, 0, 1)]
    steps = [_step(1100, SWITCH, HOG), _step(1500, SWITCH, OWN), _step(1700, SWITCH, LOW), _step(2150, SWITCH, OWN)]
    trail = _trail_of(_late(RESPONSE, [_SLEEPS, _wakes(1015, IDLE), *own], [*_runs(1040), *steps]))
    assert _attached.parts(trail) == {
        "expiry-to-waking": 15,
        "waking-to-switch": 25,
        "running": 60 + 200 + 850,
        "preempted": 400 + 50,
        "blocked": 400,
        "stopped": 0,
    }


def test_a_waking_by_a_task_counts_from_the_waking() -> None:
    late = _late(
        WAKE,
        [_SLEEPS, _step(DUE, WOKEN, HELPER, 1, 0)],
        [_step(700, SWITCH, HOG, cpu=1), _step(3000, SWITCH, OWN, cpu=1)],
    )
    assert _cause(late) == "task hog, priority 99"
    assert _attached.parts(_trail_of(late)) == {"waking-to-switch": 2000}


@pytest.mark.parametrize(
    "late", [_late(START, [_wakes(1010, HOG)], [], lost=1), _late(START, [_SLEEPS], []), _late(WAKE, [], [])]
)
def test_what_was_lost_is_called_so_and_blamed_on_nobody(late: Late) -> None:
    trail = _trail_of(late)
    assert trail.dropped
    assert _trail.blame(trail, USUAL).function == _cpu.UNKNOWN
    assert _attached.parts(trail) == {}


TASKS = st.sampled_from([OWN, HOG, LOW, OTHER, IDLE])


@given(
    st.lists(
        st.tuples(
            st.integers(900, 3000),
            st.sampled_from([*range(1, 13), MOVED, FAULTS]),
            TASKS,
            st.integers(0, 5),
            st.integers(0, 1),
        ),
        max_size=12,
    ),
    st.lists(
        st.tuples(st.integers(500, 3000), st.integers(1, 7), TASKS, st.integers(0, 5), st.integers(0, 1)), max_size=40
    ),
    st.sampled_from([START, WAKE, RESPONSE]),
)
def test_each_tick_has_one_cause_whatever_the_steps(
    own: list[tuple[int, int, Task, int, int]], steps: list[tuple[int, int, Task, int, int]], kind: int
) -> None:
    befell = [_step(at, kind_, task, what, detail=detail) for at, kind_, task, what, detail in sorted(own)]
    did = [_step(at, kind_, task, what, cpu) for at, kind_, task, what, cpu in sorted(steps)]
    trail = _trail_of(_late(kind, befell, did))
    spans = list(_cpu.spans(trail))
    assert sum(span.ticks for span in spans) == trail.ticks
    assert all(span.ticks > 0 and span.cause and span.names for span in spans)
    assert all((span.waker is not None) == span.cause.startswith(_cpu.BLOCKED) for span in spans)
    assert all(not span.waker or f" {span.waker} woke it" in span.cause for span in spans)
    parts = _attached.parts(trail)
    assert not parts or sum(parts.values()) == trail.ticks
    assert _cpu.named(_cpu.Task(LOW.name, LOW.pid, 10)) not in {span.cause for span in spans}


def _whole(late: Late, quantity: str) -> Result:
    ticks = late.until - late.due
    return msgspec.structs.replace(
        _result(late, quantity=quantity), count=1, sum=ticks, sumsq=ticks**2, min=ticks, max=ticks
    )


def test_the_slowest_cycle_is_explained_and_its_page_names_the_quantity() -> None:
    start = _whole(
        _late(START, [_SLEEPS, _wakes(1010, HOG)], [_step(900, SWITCH, HOG), _step(3000, SWITCH, OWN)]),
        "start-latency-loop",
    )
    end = _step(4000, LEFT, OWN, ASLEEP)
    response = _whole(_late(RESPONSE, [_SLEEPS, _wakes(1015, IDLE), end], _runs(1040), until=4000), "response-loop")
    latency = msgspec.structs.replace(start, quantity="wakeup-latency-loop", events=(), figures=())
    run = make_run(results=(latency, start, response))
    made = _attached.explain(run, sample="worst", quantity="")
    assert (made.sample.ticks, made.sample.blame.function) == (3000, _cpu.RAN)
    assert sum(stage.ticks for stage in made.sample.stages) == 3000
    assert "Cycle 4: 3.00 µs from its due time to its last sleep" in text.title(made)
    assert any("Page faults were not recorded" in line for line in text.why(made))
    faults = msgspec.structs.replace(latency, quantity="page-faults-loop")
    seen = make_run(results=(latency, start, response, faults))
    found = list(text.why(_attached.explain(seen, sample="worst", quantity="response-loop")))
    assert "Page faults in the cycle: 0, which took 0.00 µs." in found
    # Of a thread that timers wake the wake-ups are those from the due time on.
    for quantity in ("start-latency-loop", "wakeup-latency-loop"):
        made = _attached.explain(run, sample="worst", quantity=quantity)
        assert (made.sample.ticks, made.sample.blame.function) == (2000, "task hog, priority 99")
        assert [stage.name for stage in made.sample.stages] == ["expiry-to-waking", "waking-to-switch"]
    with pytest.raises(UsageError, match="has no wakeup-latency-other; it has wakeup-latency-loop, start-latency-loop"):
        _attached.explain(run, sample="worst", quantity="wakeup-latency-other")
    none = make_run(results=(msgspec.structs.replace(latency, variant=Variant()),))
    with pytest.raises(UsageError, match="kept no trail: watch with attach --trace-over TIME"):
        _attached.explain(none, sample="worst", quantity="")
    with pytest.raises(
        UsageError,
        match=r"no cycle was above 500 ns, so no trail was kept; the longest took 2\.00 µs: watch with a smaller",
    ):
        _attached.explain(make_run(results=(latency,)), sample="worst", quantity="")


def test_the_thread_with_the_worst_late_cycle_is_explained_and_the_others_are_named() -> None:
    """Each cycle of `slow` is longer than any of `loop`, and takes its usual time."""
    late = _late(RESPONSE, [_SLEEPS, _wakes(1015, IDLE), _step(4000, LEFT, OWN, ASLEEP)], _runs(1040), until=4000)
    longer = msgspec.structs.replace(late, until=9000, own=(*late.own[:-1], _step(9000, LEFT, OWN, ASLEEP)))
    usually = make_histogram([8000, 8000, 8000])
    slow = msgspec.structs.replace(_whole(longer, "response-slow"), histogram=usually, min=8000, max=8000)
    run = make_run(results=(slow, _whole(late, "response-loop")))
    said: list[str] = []
    made = _attached.explain(run, sample="worst", quantity="", on_step=said.append)
    assert made.target.endswith(" response-loop")
    assert said == ["thread loop has the worst late cycle; for the others: --quantity response-slow"]
    assert _attached.explain(run, sample="worst", quantity="response-slow").target.endswith(" response-slow")


def test_samples_without_a_trail_come_after_all_causes_and_have_no_time() -> None:
    end = _step(4000, LEFT, OWN, ASLEEP)
    whole = _whole(_late(RESPONSE, [_SLEEPS, _wakes(1015, IDLE), end], _runs(1040), until=4000), "response-loop")
    run = make_run(results=(msgspec.structs.replace(whole, figures=(Figure("samples-over-limit", "samples", 9),)),))
    made = _attached.explain(run, sample="worst", quantity="")
    assert [(cause.function, cause.samples) for cause in made.causes] == [(_cpu.RAN, 1), (_cpu.UNKNOWN, 8)]
    assert f"     8  {_cpu.UNKNOWN}" in text.lines(made)
    lines = list(text.lines(made))
    table = next(number for number, line in enumerate(lines) if line.endswith(", by cause:"))
    assert table < next(number for number, line in enumerate(lines) if line.startswith("Cycle "))
    index = made.sample.index
    assert lines[table + 1].endswith(f" µs at most (--sample {index})")
    page = Page(explained_page(made)).text
    order = [page.index(part) for part in (text.slow(made), f"(--sample {index})", text.title(made), *text.why(made))]
    assert order == sorted(order), "the page has the order of the lines"
    (lack,) = (line for line in text.proof(made) if "no trail" in line)
    assert lack == (
        "8 more samples above that have no trail: there was no room for it, or `attach` did not see the waking."
        " A larger --deadline or a shorter --duration leaves more room."
    )


def test_a_cycle_without_a_trail_has_a_next_step() -> None:
    lost = _whole(_late(START, [_SLEEPS], []), "start-latency-loop")
    found = list(text.why(_attached.explain(make_run(results=(lost,)), sample="worst", quantity="")))
    assert found[:2] == [
        f"Why: {_cpu.UNKNOWN}.",
        "There was no room for the trail, or `attach` did not see the waking.",
    ]
    assert found[2].endswith("Watch again, with a larger --trace-over or a shorter --duration.")


def _blocked_by(waker: TrailStep, *steps: TrailStep) -> list[str]:
    """Why a response was late whose thread slept from 1100 until this step."""
    own = [_SLEEPS, _wakes(1015, IDLE), _step(1100, LEFT, OWN, ASLEEP), waker, _step(4000, LEFT, OWN, ASLEEP)]
    response = _whole(_late(RESPONSE, own, [*_runs(1040), *steps], until=4000), "response-loop")
    return list(text.why(_attached.explain(make_run(results=(response,)), sample="worst", quantity="")))


_LOCK = _step(3800, WOKEN, LOW, 0)


def test_a_lock_s_delay_names_the_task_that_released_it_and_what_ran_meanwhile() -> None:
    between = [_step(1100, SWITCH, LOW), _step(1200, SWITCH, HOG), _step(3700, SWITCH, LOW), _step(3850, SWITCH, OWN)]
    found = _blocked_by(_LOCK, *between)
    assert found[0] == (
        "Why: the thread was blocked until task low, priority 10 woke it; if it waited for a lock, this task held it."
    )
    # From 1100 until 3800, where it could run again.
    assert (
        "While it was blocked, its CPU ran task hog, priority 99 (2.50 µs), task low, priority 10 (0.20 µs)." in found
    )


def test_a_waker_on_another_cpu_is_not_said_to_have_run_on_this_one() -> None:
    found = _blocked_by(_step(3800, WOKEN, HELPER, 0, 1), _step(1100, SWITCH, HOG), _step(3850, SWITCH, OWN))
    assert found[0].endswith("if it waited for a lock, this task held it.")
    assert "While it was blocked, its CPU ran task hog, priority 99 (2.70 µs)." in found
    assert "The trail does not show the other CPU, on which task helper, not real-time ran." in found


def test_an_interrupt_that_woke_a_blocked_thread_held_no_lock() -> None:
    by_interrupt = _step(3800, WOKEN, HOG, 0, detail=1 << 16 | 24)
    found = _blocked_by(by_interrupt, _step(1100, SWITCH, HOG), _step(3850, SWITCH, OWN))
    assert found[0] == "Why: the thread was blocked until interrupt 24 woke it."
    assert not any("lock" in line.replace("blocked", "") or "other CPU" in line for line in found)
    assert "While it was blocked, its CPU ran task hog, priority 99 (2.70 µs)." in found
