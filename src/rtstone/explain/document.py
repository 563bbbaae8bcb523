# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Findings of `rtstone explain` and `rtstone bound`, as frozen structures.
A tick is an instruction of a board, or live a nanosecond."""

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
"""Functions that mask interrupts or preemption for others. The explanation therefore names their caller too."""
NOTHING = "no event explains it"
"""Cause of a sample whose event trail shows no other cause."""

RECORDED_CALLS = 8
"""Most calls of a stack that an event trail has: RTS_SYMBOLS_CALLS in linux/bpf/symbols.h."""


def is_slow(above: float, usual: float) -> bool:
    """Whether a response is slow: more than a twentieth above the `usual` response. `above`: ticks above the usual
    one."""
    return above > _SLOW_SHARE * usual


class Stream(msgspec.Struct, frozen=True):
    """The record stream of the repeated session, byte for byte the same as the saved one's."""

    bytes: int
    sha256: str


class Stage(msgspec.Struct, frozen=True):
    """A part of the response. The stages of a sample add up to it."""

    name: str
    ticks: int
    usual: float
    """Mean over the middle tenth of the samples; live: the median of all samples."""


class Call(msgspec.Struct, frozen=True):
    """A function from its start or resumption to its end, with all its callees.
    Live: a task, or something that interrupted it."""

    at: int
    """Ticks after the interrupt was due; negative: it was already running."""
    ticks: int
    """Inside the sample."""
    depth: int
    function: str


class Place(msgspec.Struct, frozen=True):
    """Where in the kernel a section begins or ends."""

    function: str
    caller: str = ""
    """The caller, if `function` masks or counts for others; else empty."""


class Off(msgspec.Struct, frozen=True, kw_only=True):
    """An interval with interrupts or preemption off."""

    what: Literal["interrupts", "preemption"]
    at: int
    """Ticks after the interrupt was due; negative: they were off already."""
    total: int
    """Ticks in all, outside of the sample too."""
    ticks: int
    """Inside the sample."""
    begins: Place
    """Function that turned them off. An interrupt or a system call enters with interrupts off:
    then the place where it begins."""
    ends: Place


class Part(msgspec.Struct, frozen=True):
    """A function and its ticks above its usual ones."""

    function: str
    ticks: int


class Blame(msgspec.Struct, frozen=True, kw_only=True):
    """Cause of a longer sample: the innermost function that took at least half of the ticks above the usual
    response."""

    function: str
    """Empty: no function took half of them."""
    path: tuple[str, ...]
    """Its callers, the outermost first."""
    ticks: int
    """Ticks above the function's usual ones."""
    of: int
    """Ticks of the sample above the usual response."""
    parts: tuple[Part, ...]
    """Where no function took half of them: the functions that took the most."""
    waker: str = ""
    """Where the thread was blocked: the task that woke it; empty: an interrupt did, or it is not known."""
    meanwhile: tuple[Part, ...] = ()
    """Where the thread was blocked: the tasks that had its CPU meanwhile, each with all of its ticks; the longest first."""


class Stack(msgspec.Struct, frozen=True):
    """Where the kernel was when a wait ended. A live sample has such stacks if the kernel names its functions."""

    when: Literal["timer", "switch"]
    """When the sample's timer expired at last, or when its thread got the CPU at last."""
    at: int
    """Ticks after the interrupt was due."""
    calls: tuple[str, ...]
    """The interrupted functions, or those of the previous task; the innermost first. Empty: user space."""


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
    """Where interrupts or preemption were off, without the idle task's own.
    None: the board does not follow this, or the run is live."""
    stacks: tuple[Stack, ...] = ()


class Cause(msgspec.Struct, frozen=True):
    """How many of the slow samples one function caused. Live: a task, an interrupt, a wait, or no known event."""

    function: str
    """Empty: no single function."""
    samples: int
    worst: int
    """Ticks of the slowest of these samples."""
    slowest: int | None = None
    """Number of that sample; None: the record does not have it."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that a live run saved about its event trails. Ticks are nanoseconds."""

    limit: int
    """Event trails were saved of samples above this."""
    dropped: int
    """How many of those have no trail, because there was no room."""
    fits: int | None = None
    """The number of samples above this equals the number of saved trails.
    None: each sample above the limit has a trail."""
    cpu: int
    thread: str
    priority: int
    """Priority of the measured thread, 1 to 99 as in POSIX; 0: not real-time."""
    became: str
    """How the join classified the sample: ``split``, ``late``, ``awake``, ``unmatched`` or ``disordered``
    (spec/measurements.md, the join)."""
    steal: int
    """Time that a hypervisor took from that CPU within half a second before and after the sample,
    in steps of some milliseconds."""
    smi: int | None = None
    """System management interrupts of that CPU while the item was measured; None: the machine does not show them."""
    traced: int | None
    """Median response with the tracing programs; None: not recorded."""
    untraced: int | None
    """Median response without them, measured in alternation; None: not recorded."""
    share: float | None
    """Share of one CPU that the programs took on the whole system."""
    missed: int
    """Calls of the programs that the kernel omitted. At most this many steps may be missing."""
    faults: int | None = None
    """Page faults of the thread during the sample; None: not recorded."""
    faults_time: int | None = None
    """Time that these took, sleep included."""
    instead: int | None = None
    """Where the trail of this sample lacks its steps: the number of the slowest sample that has them.
    None: no slow sample has them, or this sample has them."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of a saved run, and the causes of all slow ones.

    A board's run was repeated (`stream`); a live run saved event trails (`kept`).
    """

    schema: Literal["rtstone.explanation"] = "rtstone.explanation"
    version: str = "1.2"
    run: str
    failed: str = ""
    """Why the run has not all of its samples, as a sentence without a full stop; empty: it has all."""
    target: str
    kernel: str
    repetition: int
    repetitions: int = 1
    """Repetitions of the run, one of which is explained."""
    load: str
    loads: tuple[str, ...] = ()
    """Loads under which the run measured the quantity, one of which is explained. Empty: of an attached run, or of a term."""
    hz: int
    """The clock's frequency: ticks a second."""
    stream: Stream | None = None
    kept: Kept | None = None
    slack: int = 0
    """Where an instruction is not a whole number of clock ticks:
    the largest difference of a length in the trace from the record's."""
    term: str = ""
    """Instead of a sample: the term of the scheduling-latency bound whose longest section is explained."""
    section: Within | None = None
    """That section of the bound. The sample is as long as the section with the interrupts in it."""
    samples: int
    """Samples of the item. On a board the trace contains all of them, exact to the tick or to `slack`."""
    known: int
    """Number of samples with a recorded due time: all with --raw, else the largest.
    Live: samples with an event trail."""
    usual: float
    """Mean response of the middle tenth (ticks). Where the record has no due times of these, counted from the vector
    on. Live: the median of all samples."""
    sample: ExplainedSample
    slow: int
    """Samples that `causes` counts: those above the 99th percentile, if the record has them.
    Live: all above the trails' limit."""
    causes: tuple[Cause, ...]


class Within(msgspec.Struct, frozen=True, kw_only=True):
    """One section of the code, the longest between two places, and when it was observed."""

    ticks: int
    begins: Place
    ends: Place
    at_ticks: int
    """Instructions executed since the first measured interrupt."""
    load: str
    """Empty: between two measurements."""
    sample: int
    """The item's last interrupt before it, from 0; -1: between two measurements."""


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """A term of the bound: the longest of its sections, net of interrupts."""

    name: str
    ticks: int
    """0: no such section was observed."""
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
    """Most ticks of this source that begin in any window as long as the bound."""


class Observed(msgspec.Struct, frozen=True):
    """Delay of the measured task from its waking to the switch to it."""

    load: str
    samples: int
    """Measured interrupts."""
    wakes: int
    """Number of interrupts for which the task was waiting. Without a wait there is no waking."""
    max: int | None
    """Ticks; None: it was never waiting."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """Estimate of `rtstone fit --tail` for context-switch-delay, which begins with the waking and ends later, in the
    task."""

    load: str
    once_in: float
    value_ns: float | None
    high_ns: float | None
    """Upper end of its interval."""
    refused: str
    """Why there is no estimate."""


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """The scheduling-latency bound of a kernel, from its observed sections and interrupts (de Oliveira et al., ECRTS
    2020)."""

    schema: Literal["rtstone.bound"] = "rtstone.bound"
    version: str = "1.0"
    run: str
    target: str
    kernel: str
    repetition: int
    hz: int
    """The clock's frequency: ticks a second. An instruction is a tick."""
    stream: Stream
    events: int
    """Events that the plugin recorded."""
    proven: bool
    """Whether the theorem covers this kernel: PREEMPT_RT."""
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
