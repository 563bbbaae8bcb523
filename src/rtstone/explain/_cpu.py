# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The activity of a CPU in a late sample, step by step: which task had it, and why the late thread did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from rtstone.explain.document import NOTHING
from rtstone.model import Event

UNKNOWN = "its trail was not kept"
UNTOLD = "the kernel ran no program when it was woken"
LACKING = frozenset({UNKNOWN, UNTOLD})
"""Causes of a sample whose trail lacks the steps that would show the cause."""
THROTTLED = "real-time tasks were throttled (rt_runtime_us)"
QUOTA = "the CPU quota of the thread's control group was used up (cpu.max)"
DEADLINE_BUDGET = "the thread's SCHED_DEADLINE budget was used up (its runtime)"
FAIR_SERVER = "the fair server lent the CPU to a task that is not real-time"
STOPPED = "the thread was stopped (SIGSTOP, a debugger or the freezer)"
BUSY = "the thread was still busy with earlier samples"
RAN = "the thread itself ran"
FAULTS = "page faults of the thread"
BLOCKED = "the thread was blocked"
IDLE = "the CPU was idle while the thread could run"
TIMER_LATE = f"{NOTHING}: the timer's interrupt came late"
SWITCH_LATE = f"{NOTHING}: slow from the waking to the switch"
PASSED = "the scheduler chose a task below the thread, which could run"
_HELD = {
    "real-time-budget": THROTTLED,
    "quota": QUOTA,
    "fair-server": FAIR_SERVER,
    "deadline-budget": DEADLINE_BUDGET,
}
_SOFTIRQS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
CPUS = frozenset({"cpu", "moved-cpu", "timer-cpu"})
"""Kinds of an event from which on the steps are another CPU's."""
ATTACHED = frozenset({"start", "wake", "response"})
"""Kinds of the last event of a watched thread's trail."""
LONGEST = 511
"""Most steps of a trail, without the one at which its thread gave up the CPU.
A trail of this length has lost its beginning."""


class Task(msgspec.Struct, frozen=True):
    """A task that has a CPU."""

    name: str
    pid: int
    priority: int


class Trail(msgspec.Struct, frozen=True):
    """A late sample: its due time, the time when its thread ran again,
    and the CPU's steps from just before the due time on. Ticks after `begin`."""

    index: int
    due: int
    user: int
    became: str
    dropped: bool
    thread: Task
    steps: Sequence[Event]
    calls: Sequence[Event]
    """Of its stacks."""
    waits: int
    """Due time of the timer that its thread waited for.
    For a late sample it is the previous one, if that has a trail."""
    untold: bool = False
    """The kernel's programs missed that waking: steps are missing."""

    @property
    def attached(self) -> bool:
        """Whether the trail is of a watched thread of the user's, with steps of several CPUs (attach/_trails.py)."""
        return self.became in ATTACHED

    @property
    def ticks(self) -> int:
        """The response."""
        return self.user - self.due


class CpuSpan(msgspec.Struct, frozen=True):
    """An interval of `ticks` from `at` on.
    The CPU ran `names` (the task, then its interrupts), and `cause` accounts for the time."""

    at: int
    ticks: int
    names: tuple[str, ...]
    cause: str
    waker: str | None = None
    """The task that woke the blocked thread; empty: an interrupt did, or it is not known. None: it was not blocked."""


class _Waker(NamedTuple):
    """The task or interrupt that ended a sleep. An empty name: not known."""

    name: str
    is_task: bool


class _Cpu:
    """The state of the measured CPU and of its thread, derived step by step from one trail."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._task: Task | None = None
        self._inside: dict[int, list[str]] = {}
        self._woken = trail.became == "late" and trail.waits == trail.due  # by then it should have waited already
        self._late = self._woken
        self._ran = self._expired = False
        self._is: Literal["", "running", "runnable", "asleep", "stopped"] = ""
        """State of the thread.
        Empty: not known, as in the trails of an older engine until the first step that shows it."""
        self._held = ""
        """The kernel's mechanism that keeps the thread off the CPU, if the trail names one."""
        self._fresh = False
        """Whether the previous step named that mechanism, so that it belongs to this switch or waking."""
        self._apart = False
        """Whether the thread waits on another CPU, so that only its timer expires on this one."""
        self._moved = ""
        """The CPU to which the thread was moved since it last ran; empty: it was not."""
        self._faulting = False
        """Whether it sleeps in a page fault."""
        self._wakers = _wakers(trail)
        self._left = trail.due
        """When it last gave up the CPU."""
        self._passed = self._answers = False
        """The scheduler chose another task; the CPU took an interrupt while the thread could run."""
        self._changed = False
        """A step shows which task the scheduler chose, so the reason is known."""
        steps = trail.steps
        late = not steps or steps[0].at > trail.due
        apart = bool(steps) and steps[0].kind.startswith(
            "left "
        )  # no steps are kept between the first one and the second
        together = steps[1:] if apart else steps
        self._lost = len(together) >= LONGEST and together[0].at > trail.due
        """The trail's beginning is missing, with the waking and the kernel's reason why the thread does not run."""
        if apart or self._lost:
            pass
        elif steps and not steps[0].kind.startswith("switch "):
            self._task = _task(steps[0])
        elif late:
            self._task = trail.thread  # it had run since the previous sample, whose trail has the steps until then
        # An activity that ends without a beginning in the trail began before it.
        depth: Counter[tuple[int, str]] = Counter()
        for step in steps:
            if step.kind.split()[0] in CPUS:
                break  # from here on the trail lists all open interrupts
            title, ends = _title(step)
            if title and not ends:
                depth[step.pid, title] += 1
            elif title and depth[step.pid, title]:
                depth[step.pid, title] -= 1
            elif title:
                self._inside.setdefault(step.pid, []).insert(0, title)

    def take(self, step: Event) -> None:
        """Updates the state by one step."""
        word, _, rest = step.kind.partition(" ")
        fresh, self._fresh = self._fresh, word == "held"
        if word == "switch":
            self._switch(step, fresh=fresh)
            return
        if word in CPUS:
            self._moved = rest if word == "moved-cpu" else ""
            self._task = _task(step) if step.task else None
            self._inside, self._passed, self._answers = {}, False, False
            self._apart = word == "timer-cpu"
            if self._task is not None and self._task.pid == self._trail.thread.pid:
                self._is, self._held, self._moved = "running", "", ""
            return
        if word == "left":
            self._is = "runnable" if rest == "runnable" else "stopped" if rest == "stopped" else "asleep"
            self._faulting = rest == "faulting"
            self._left = step.at
            self._passed = self._answers = False
            self._held = ""
        elif word == "held":
            self._held, self._is = _HELD.get(rest, ""), "runnable"  # only the trail's own thread has this step
            if self._trail.attached:
                return  # the step may come from the CPU of the thread's waker
        elif word in {"waking", "woken"}:
            self._woken = self._woken or (word == "waking" and step.at >= self._trail.waits)
            if self._trail.attached:
                self._woken = self._woken or word == "waking" or self._trail.became == "wake"
                self._is = "running" if step.pid == self._trail.thread.pid else "runnable"
                self._passed = self._answers = False
                self._held = self._held if fresh else ""
                self._ran = self._ran or self._is == "running"
                return
            if self._is in {"asleep", "stopped"}:
                self._is = "runnable"
                self._passed = self._answers = False
                self._held = self._held if fresh else ""
        self._expired = self._expired or (step.kind == "timer" and step.at >= self._trail.waits)
        apart = word == "left" and step is self._trail.steps[0]
        self._task = None if apart else _task(step)
        title, ends = _title(step)
        inside = self._inside.setdefault(step.pid, [])
        if title in inside:
            del inside[inside.index(title) :]
        if title and not ends:
            self._answers = self._answers or (self._can_run() and not inside and not title.startswith("softirq "))
            inside.append(title)

    def _switch(self, step: Event, *, fresh: bool) -> None:
        left = self._inside.get(self._task.pid, []) if self._task else []
        del left[next((at for at, title in enumerate(left) if title.startswith("interrupt ")), len(left)) :]
        self._task = _task(step)
        self._changed = True
        if self._task.pid == self._trail.thread.pid:
            self._ran = self._ran or (self._woken and step.at >= self._trail.waits)
            self._is, self._held, self._passed, self._moved = "running", "", False, ""
            return
        self._held = self._held if fresh else ""
        self._passed = self._can_run() and not self._outranks(self._task)

    def _can_run(self) -> bool:
        """Whether the thread can run but does not."""
        return self._is == "runnable" if self._is else self._woken and not self._ran

    def _outranks(self, task: Task) -> bool:
        return task.pid != 0 and task.priority >= self._trail.thread.priority

    def names(self) -> tuple[str, ...]:
        """The task, then its interrupts."""
        if self._task is None:
            return (UNKNOWN,)
        return (named(self._task), *self._inside.get(self._task.pid, ()))

    def cause(self) -> str:
        """The cause of the current time:
        an interrupt, an obstacle for the thread, a wait of its own, or nothing that a step shows."""
        task, own = self._task, self._trail.thread
        if self._is == "stopped":
            return STOPPED
        if self._sleeps():
            return FAULTS if self._faulting else self._blocked()
        if task is None:
            return UNKNOWN
        inside = self._inside.get(task.pid)
        if inside:
            return inside[-1]
        if task.pid == own.pid and self._trail.attached:
            return RAN if self._woken else BUSY
        if task.pid == own.pid:
            if self._trail.waits < self._trail.due:
                return BUSY
            return f"{NOTHING}: {'slow from the switch to user space' if self._ran else 'the thread itself ran'}"
        if self._can_run() and self._held:
            return self._held
        if self._outranks(task) and self._moved and self._can_run():
            return f"the thread was moved to CPU {self._moved}, where {named(task)} ran"
        if self._outranks(task) and not self._apart:
            return named(task)
        if self._lost and not self._changed:
            return UNKNOWN
        if self._can_run():
            return self._waiting(task)
        if self._ran or (self._is and self._late):
            return f"the thread waited in the kernel while {named(task)} ran"
        if self._trail.untold and not self._woken:
            return UNTOLD
        return f"{NOTHING}: slow from the expiry to the waking" if self._expired else TIMER_LATE

    def waker(self) -> str | None:
        """The task that wakes the thread, as in :class:`CpuSpan`."""
        if not self._sleeps() or self._faulting:
            return None
        name, is_task = self._ended_by()
        return name if is_task else ""

    def _sleeps(self) -> bool:
        """Whether the thread sleeps in the sample, and not only until its timer."""
        return self._trail.attached and self._is == "asleep" and (self._woken or self._left in self._wakers)

    def _ended_by(self) -> _Waker:
        return self._wakers.get(self._left, _Waker("", is_task=False))

    def _blocked(self) -> str:
        """The sleep, with the name of its waker if the kernel shows it."""
        name = self._ended_by().name
        return f"{BLOCKED} until {name} woke it" if name else f"{BLOCKED}, and its waker is not known"

    def _waiting(self, task: Task) -> str:
        """Why the thread does not run although it can, and no task that outranks it runs."""
        if task.pid == 0 and (self._passed or self._answers):
            return IDLE
        return PASSED if self._passed else SWITCH_LATE


def spans(trail: Trail) -> Iterator[CpuSpan]:
    """The CPU's activity from the due time until the thread ran. The ticks add up to the sample."""
    if trail.dropped and trail.ticks:
        yield CpuSpan(0, trail.ticks, (UNKNOWN,), UNKNOWN)
    if trail.dropped:
        return
    cpu = _Cpu(trail)
    at = trail.due
    for step in trail.steps:
        if step.at > trail.user:
            break
        if step.at > at:
            yield CpuSpan(at - trail.due, step.at - at, cpu.names(), cpu.cause(), cpu.waker())
            at = step.at
        cpu.take(step)
    if trail.user > at:
        yield CpuSpan(at - trail.due, trail.user - at, cpu.names(), cpu.cause(), cpu.waker())


def _wakers(trail: Trail) -> dict[int, _Waker]:
    """The wakers of the thread's sleeps that no timer ended, by the time when each sleep began."""
    found: dict[int, _Waker] = {}
    left = None
    for step in trail.steps if trail.attached else ():
        word, _, by = step.kind.partition(" ")
        if word == "left":
            left = step.at
        elif word in {"waking", "woken"} and left is not None:
            title, _ = _title(msgspec.structs.replace(step, kind=by or "task"))
            if word == "woken" and by != "timer":
                by_task = not title and step.pid != 0
                found[left] = _Waker(named(_task(step)) if by_task else title, by_task)
            left = None
    return found


def _task(step: Event) -> Task:
    return Task(step.task, step.pid, step.priority)


def named(task: Task) -> str:
    """The name of a task as shown to a reader."""
    if task.pid == 0:
        return "idle"
    return f"task {task.name}, " + (f"priority {task.priority}" if task.priority else "not real-time")


def _title(step: Event) -> tuple[str, bool]:
    """The activity that begins or ends with the step, and whether it ends; an empty title for a switch or a waking."""
    word, _, rest = step.kind.partition(" ")
    ends = word.endswith("-end")
    word = word.removesuffix("-end")
    if word == "timer":
        return "a timer of the kernel", ends
    if word == "softirq":
        which = int(rest) if rest.isdecimal() else -1
        return f"softirq {_SOFTIRQS[which] if 0 <= which < len(_SOFTIRQS) else rest}", ends
    if word == "interrupt":
        return f"interrupt {rest}", ends
    return "", False
