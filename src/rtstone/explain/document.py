# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What `rtstone explain` and `rtstone bound` find, as frozen structures. Ticks: on a board of its instructions, live nanoseconds."""

from __future__ import annotations

from typing import Literal

import msgspec

_SLOW_SHARE = 0.05
HELPERS = (
    "_raw_",
    "__raw_",
    "arch_local_",
    "__local_bh_",
    "local_bh_",
    "__preempt_count",
    "preempt_count_",
    "migrate_",
)
"""Functions that mask for others: of them the caller is told too."""
NOTHING = "no event explains it"
"""What is to blame where a trail tells of no other."""


def is_slow(above: float, usual: float) -> bool:
    """Whether a response that is so many ticks above the usual one is slower than usual: by more than a twentieth."""
    return above > _SLOW_SHARE * usual


class Stream(msgspec.Struct, frozen=True):
    """The record stream of the session that was run again, the same as the kept one's to the byte."""

    bytes: int
    sha256: str


class Stage(msgspec.Struct, frozen=True):
    """A part of the response. The stages of a sample add up to it."""

    name: str
    ticks: int
    usual: float
    """Mean over the middle tenth of the samples; live the median of all."""


class Call(msgspec.Struct, frozen=True):
    """A function from where it went on to where it ended, with all that it called. Live: a task and what interrupted it."""

    at: int
    """Ticks after the interrupt was due; negative: it ran already."""
    ticks: int
    """Inside the sample."""
    depth: int
    function: str


class Place(msgspec.Struct, frozen=True):
    """Where in the kernel a section begins or ends."""

    function: str
    caller: str = ""
    """Of a function that masks or counts for others; empty: of no such one."""


class Off(msgspec.Struct, frozen=True, kw_only=True):
    """Interrupts or preemption off."""

    what: Literal["interrupts", "preemption"]
    at: int
    """Ticks after the interrupt was due; negative: they were off already."""
    total: int
    """Ticks in all, outside of the sample too."""
    ticks: int
    """Inside the sample."""
    begins: Place
    """By which function they went off. Of an interrupt or a system call, which the CPU enters with interrupts off, where it begins."""
    ends: Place


class Part(msgspec.Struct, frozen=True):
    """A function, and the ticks that it had above its usual ones."""

    function: str
    ticks: int


class Blame(msgspec.Struct, frozen=True, kw_only=True):
    """What made a sample longer than usual: the innermost function that had at least half of the ticks above the usual ones."""

    function: str
    """Empty: nothing had half of them."""
    path: tuple[str, ...]
    """Who called it, the outermost first."""
    ticks: int
    """Above what the function has usually."""
    of: int
    """Ticks of the sample above the usual response."""
    parts: tuple[Part, ...]
    """Where nothing had half of them: the functions that had the most."""


class Stack(msgspec.Struct, frozen=True):
    """Where the kernel was when a wait ended. A live sample has them if the kernel names its functions."""

    when: Literal["timer", "switch"]
    """When the sample's timer expired at last, or when its thread got the CPU at last."""
    at: int
    """Ticks after the interrupt was due."""
    calls: tuple[str, ...]
    """What had been interrupted, or what the task before was at; the innermost first. Empty: user space."""


class ExplainedSample(msgspec.Struct, frozen=True, kw_only=True):
    """One measured interrupt."""

    index: int
    """Its number in the item, from 0."""
    ticks: int
    """The task response."""
    stages: tuple[Stage, ...]
    blame: Blame
    calls: tuple[Call, ...]
    off: tuple[Off, ...] | None = None
    """Where interrupts or preemption were off, idle's own preemption left out. None: this is not followed on the board, or live."""
    stacks: tuple[Stack, ...] = ()


class Cause(msgspec.Struct, frozen=True):
    """How many of the slow samples one function made. Live: a task, an interrupt, a wait, or what no event explains."""

    function: str
    """Empty: no one did."""
    samples: int
    worst: int
    """Ticks of the slowest of them."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What a live run kept of itself. Ticks are nanoseconds."""

    limit: int
    """Trails were kept of samples above this."""
    dropped: int
    """How many of those have no trail, because there was no room."""
    fits: int | None = None
    """Above this there are as many samples as trails were kept; None: each has one."""
    cpu: int
    thread: str
    priority: int
    """Of the measured thread, as POSIX counts it: 1 to 99; 0: not real-time."""
    became: str
    """What the sample was: ``split``, ``late``, ``awake``, ``unmatched`` or ``disordered`` (spec/measurements.md, the join)."""
    steal: int
    """What a hypervisor took from that CPU within half a second before and after the sample, counted in steps of some milliseconds."""
    smi: int | None = None
    """System management interrupts of that CPU while the item was measured; None: the machine does not show them."""
    traced: int | None
    """Median response with the programs; None: not told."""
    untraced: int | None
    """The same without them, in turns between."""
    share: float | None
    """Of one CPU, which the programs took on the whole system."""
    missed: int
    """Calls of the programs that the kernel left out: so many steps may be missing."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of a kept run, and the causes of all slow ones.

    A board's run was run again (`stream`); a live one kept trails (`kept`).
    """

    schema: Literal["rtstone.explanation"] = "rtstone.explanation"
    version: str = "1.0"
    run: str
    target: str
    kernel: str
    repetition: int
    load: str
    hz: int
    """Of the clock: ticks a second."""
    stream: Stream | None = None
    kept: Kept | None = None
    slack: int = 0
    """Where an instruction is no whole number of the clock's ticks, by how many at most a length in the trace differs from the record's."""
    term: str = ""
    """In place of a sample: the term of the scheduling-latency bound whose longest section this is."""
    section: Within | None = None
    """That section, as the bound has it. The sample lasts as long as it with the interrupts in it."""
    samples: int
    """Of the item. On a board all were found in the trace, to the tick or to `slack`."""
    known: int
    """Of how many of them the record tells when their interrupt was due: all with --raw, else the largest. Live: samples with a trail."""
    usual: float
    """Mean response of the middle tenth (ticks). Where the record does not tell when these were due, from the vector on.
    Live: the median of all."""
    sample: ExplainedSample
    slow: int
    """Samples behind `causes`: those above the 99th percentile, as far as the record tells them. Live: all above the trails' limit."""
    causes: tuple[Cause, ...]


class Within(msgspec.Struct, frozen=True, kw_only=True):
    """One section of the code, the longest between two places, and when it was seen."""

    ticks: int
    begins: Place
    ends: Place
    at_ticks: int
    """Instructions executed since the first measured interrupt."""
    load: str
    """Empty: between two items."""
    sample: int
    """The item's last interrupt before it, from 0; -1: between two items."""


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """A term of the bound: the longest of its sections, net of interrupts."""

    name: str
    ticks: int
    """0: no such section was seen."""
    places: tuple[Within, ...]
    """The longest first."""


class Source(msgspec.Struct, frozen=True):
    """A source of interrupts."""

    interrupt: int
    """Its number at the interrupt controller."""
    title: str
    count: int
    longest: int
    """Ticks of its longest interrupt."""
    in_window: int
    """The most ticks of it that begin in any window as long as the bound."""


class Observed(msgspec.Struct, frozen=True):
    """The measured task, from its waking to where it is switched to."""

    load: str
    samples: int
    """Measured interrupts."""
    wakes: int
    """Of how many the task was waiting; it has no waking otherwise."""
    max: int | None
    """Ticks; None: it was never waiting."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What `rtstone fit --tail` estimates of context-switch-delay, which begins with the waking and ends later, in the task."""

    load: str
    once_in: float
    value_ns: float | None
    high_ns: float | None
    """Upper end of its interval."""
    refused: str
    """Why there is none."""


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """The scheduling-latency bound of a kernel under what was seen of it (de Oliveira et al., ECRTS 2020)."""

    schema: Literal["rtstone.bound"] = "rtstone.bound"
    version: str = "1.0"
    run: str
    target: str
    kernel: str
    repetition: int
    hz: int
    """Of the clock: ticks a second. An instruction is a tick."""
    stream: Stream
    events: int
    """That the plugin wrote down."""
    proven: bool
    """Whether the kernel is one that the theorem is of: PREEMPT_RT."""
    bound: int | None
    """L, the least positive solution of L = max(D_ST, D_POID) + D_PAIE + D_PSD + I_IRQ(L); None: not shown for this kernel."""
    terms: tuple[Term, ...]
    interrupts: tuple[Source, ...]
    """Their sum of `in_window` is I_IRQ(L)."""
    observed: tuple[Observed, ...]
    estimates: tuple[Estimate, ...] = ()

    @property
    def taken(self) -> int:
        """I_IRQ(L)."""
        return sum(source.in_window for source in self.interrupts)
