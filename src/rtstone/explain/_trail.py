# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a live sample was late, from the event trail in the record:
the activities of the measured CPU in it, and the time of each."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from rtstone.errors import IncompleteError, UsageError
from rtstone.explain._cpu import (
    BUSY,
    CPUS,
    FAULTS,
    LACKING,
    LONGEST,
    RAN,
    SWITCH_LATE,
    TIMER_LATE,
    UNKNOWN,
    UNTOLD,
    CpuSpan,
    Task,
    Trail,
    named,
    spans,
)
from rtstone.explain._samples import known_samples, loads_of
from rtstone.explain.document import (
    NOTHING,
    Blame,
    Call,
    Cause,
    ExplainedSample,
    Explanation,
    Kept,
    Part,
    Stack,
    Stage,
    is_slow,
)
from rtstone.model import Event, Result, Run
from rtstone.model import units as form
from rtstone.model.units import counted
from rtstone.stats import Trails, percentile
from rtstone.stats import trails as trails_of

MEASUREMENT = "interrupt-split"
WHOLE, UNTRACED = "interrupt-task-response", "untraced-task-response"
STAGES = ("expiry-to-handler", "handler-to-waking", "waking-to-switch", "switch-to-user")
STOLEN = "a hypervisor had the CPU (stolen time)"
AWAY = "firmware, hardware or a hypervisor held the CPU (a timer came late in user space)"
USUAL = "no slower than usual"
_STACKS: Mapping[str, Literal["timer", "switch"]] = {"at-timer": "timer", "at-switch": "switch"}
_ENDS = {TIMER_LATE: "timer", SWITCH_LATE: "switch"}
"""The stack that shows where such a wait ended."""
_MOST_PARTS, _LEAST_PART = 4, 0.1
_AROUND_NS = 500_000_000


def trails(result: Result) -> list[Trail]:
    """The late samples of an item, in their order.

    The record has each step once. A sample that was late because of the previous one shares that sample's steps.
    """
    found: list[Trail] = []
    steps: list[Event] = []
    calls: list[Event] = []
    for event in result.events:
        word, _, became = event.kind.partition(" ")
        if word in _STACKS:
            calls.append(event)
            continue
        if word != "sample":
            if (event.task and word != "steal") or word in CPUS:
                steps.append(event)
            continue
        became, _, dropped = became.partition(" ")
        before = found[-1] if found else None
        waits = due = event.at - event.ticks
        untold = became == "unmatched"
        if became == "late" and before is not None and before.index == event.value - 1 and not before.dropped:
            steps, calls = [*before.steps, *steps], [*before.calls, *calls]
            waits, untold = before.waits, before.untold
        first = max(0, bisect.bisect_right(steps, due, key=lambda step: step.at) - LONGEST)
        thread = Task(event.task, event.pid, event.priority)
        found.append(
            Trail(event.value, due, event.at, became, bool(dropped), thread, steps[first:], calls, waits, untold)
        )
        steps, calls = [], []
    return found


def stacks(trail: Trail) -> Iterator[Stack]:
    """Where the kernel was when the sample's waits ended, if the record shows it."""
    for word, when in _STACKS.items():
        there = [call for call in trail.calls if call.kind.split()[0] == word and call.at >= trail.due]
        if there:
            calls = tuple(call.kind.partition(" ")[2] for call in there)
            yield Stack(when, there[0].at - trail.due, calls if all(calls) else ())


def blame(trail: Trail, usual: float, usual_faults: float = 0) -> Blame:
    """The cause with at least half of the ticks above the usual response,
    which is subtracted first because no event causes it. `usual_faults`: the part of it in page faults (ticks)."""
    above = max(0, round(trail.ticks - usual))
    if not is_slow(above, usual):
        return Blame(function="", path=(), ticks=0, of=above, parts=())
    had: Counter[str] = Counter()
    wakers: dict[str, str | None] = {}
    inside = 0
    for span in spans(trail):
        had[span.cause] += span.ticks
        wakers[span.cause] = span.waker
        inside += span.ticks if span.names[0] == named(trail.thread) and len(span.names) > 1 else 0
    # An interrupt may have come within a page fault: its time counts only once.
    faulted = max(0, min(faults(trail)[1] - inside, had[RAN]))
    had[RAN] -= faulted
    had[FAULTS] = round(max(0.0, had[FAULTS] + faulted - usual_faults))
    # Causes that every sample has: the usual response consists of them.
    nothing = {cause: ticks for cause, ticks in had.items() if cause.startswith(NOTHING) or cause in {BUSY, RAN}}
    for cause in nothing:
        del had[cause]
    left = round(max(0.0, sum(nothing.values()) - max(0.0, usual - usual_faults)))
    took = stolen(trail)
    taken = min(left, took)
    faulted = min(took - taken, had[FAULTS])  # a hypervisor may take the CPU within a page fault
    had[FAULTS] -= faulted
    if taken + faulted:
        had[STOLEN] = taken + faulted
    if left > taken:
        had[max(nothing, key=lambda cause: nothing[cause])] = left - taken
    # In a sample that is hardly slower than usual, a cause may have had more ticks than there are to explain.
    most = [(cause, min(ticks, above)) for cause, ticks in had.most_common(_MOST_PARTS) if ticks]
    if most and 2 * most[0][1] >= above:
        cause, ticks = most[0]
        return Blame(
            function=_ended(trail, cause),
            path=(),
            ticks=ticks,
            of=above,
            parts=(),
            waker=wakers.get(cause) or "",
            meanwhile=tuple(_meanwhile(trail, cause)),
        )
    parts = tuple(Part(cause, ticks) for cause, ticks in most if ticks >= _LEAST_PART * above)
    return Blame(function="", path=(), ticks=0, of=above, parts=parts)


def _meanwhile(trail: Trail, cause: str) -> Iterator[Part]:
    """The tasks that had the thread's CPU while it was blocked by this cause, the longest first."""
    ran: Counter[str] = Counter()
    for span in spans(trail):
        if span.cause == cause and span.waker is not None and span.names[0] != UNKNOWN:
            ran[span.names[0]] += span.ticks
    for name, ticks in ran.most_common():
        yield Part(name, ticks)


def _ended(trail: Trail, cause: str) -> str:
    """The cause, with the function in which the wait ended if no event explains it and a stack shows it.

    User space has interrupts on: nothing in the kernel delayed a timer that expired late there.
    """
    for stack in stacks(trail):
        if _ENDS.get(cause) == stack.when == "timer" and not stack.calls:
            return AWAY
        if _ENDS.get(cause) == stack.when:
            return f"{cause}, in {stack.calls[0] if stack.calls else 'user space'}"
    return cause


def stolen(trail: Trail) -> int:
    """Time that a hypervisor took from the CPU inside the sample, as the kernel counted it from switch to switch."""
    total, before = 0, trail.due
    for step in trail.steps:
        if step.at > trail.user:
            break
        if step.kind == "stolen":
            total += min(step.ticks, max(0, step.at - max(before, trail.due)))
        elif step.kind.startswith("switch "):
            before = step.at
    return total


def faults(trail: Trail) -> tuple[int, int]:
    """The page faults of the thread in the sample: their number, and their ticks without those in which it slept."""
    there = [step for step in trail.steps if trail.due < step.at <= trail.user and step.kind.startswith("faults ")]
    return sum(int(step.kind.split()[1]) for step in there), sum(min(step.ticks, step.at - trail.due) for step in there)


def stages(trail: Trail) -> dict[str, int]:
    """The four stages of a sample that a timer woke, from its steps; empty for any other sample.
    They add up to the sample."""
    inside = [step for step in trail.steps if trail.due <= step.at <= trail.user]
    waking = next((step.at for step in inside if step.kind == "waking"), None)
    if trail.dropped or trail.became != "split" or waking is None:
        return {}
    handler = max((step.at for step in inside if step.kind == "timer" and step.at <= waking), default=waking)
    ours = (s.at for s in inside if s.kind.startswith("switch ") and s.pid == trail.thread.pid and s.at >= waking)
    at = (trail.due, handler, waking, next(ours, trail.user), trail.user)
    return {name: after - before for name, before, after in zip(STAGES, at[:-1], at[1:], strict=True)}


def kept(run: Run, *, or_asked: bool = False) -> bool:
    """Whether the run has trails of late samples; `or_asked`: or has a measurement that can record them."""
    return any(
        result.measurement == MEASUREMENT and (or_asked or any(e.kind.startswith("sample ") for e in result.events))
        for result in run.results()
    )


def explain(run: Run, *, sample: str, quantity: str, load: str, repetition: int | None) -> Explanation:
    """Why a sample of a live run was late. As :func:`rtstone.explain.explain`;
    UsageError where the run has no trail of it."""
    number, results = _chosen(run, quantity, load, repetition)
    whole = results[WHOLE]
    found = trails(whole)
    _require_agreement(run, whole, found)
    room = trails_of(whole)
    if not found and any(event.kind.startswith("switch ") for event in whole.events):
        raise UsageError(f"run {run.id} was made by an older rtstone, whose trails do not tell enough: measure again")
    if not found:
        limit = form.duration(whole.variant.trace_over_ns)
        raise UsageError(
            f"run {run.id}: no sample of load {whole.variant.load} was above {limit}, so no trail was kept;"
            f" the slowest took {form.duration(whole.max or 0)}: measure with a smaller --trace-over"
        )
    usual = float(median(whole) or 0)
    by_stage = {one.index: one.ticks if quantity == WHOLE else stages(one).get(quantity, -1) for one in found}
    trail = meant(whole, found, sample, by_stage)
    session = run.sessions[number]
    blames = {one.index: blame(one, usual) for one in found}
    return Explanation(
        run=run.id,
        target=run.target,
        kernel=run.kernel(),
        repetition=session.repetition,
        repetitions=len(run.sessions),
        load=whole.variant.load,
        loads=loads_of(run, MEASUREMENT, quantity),
        hz=session.clock(whole.clock).hz,
        kept=msgspec.structs.replace(_kept(results, trail, room), instead=instead(trail, found, blames, usual)),
        samples=whole.count,
        known=room.kept,
        usual=usual,
        sample=ExplainedSample(
            index=trail.index,
            ticks=trail.ticks,
            stages=tuple(_stages(trail, results)),
            blame=blames[trail.index],
            calls=tuple(calls(trail)),
            stacks=tuple(stacks(trail)),
        ),
        slow=room.late,
        causes=tuple(causes(found, blames, usual, room.late)),
    )


def _chosen(run: Run, quantity: str, load: str, repetition: int | None) -> tuple[int, Mapping[str, Result]]:
    """Session and results of the item with the largest sample, among the requested ones."""
    if quantity not in {WHOLE, *STAGES}:
        raise UsageError(f"--quantity {quantity}: a trail tells of {WHOLE} and its stages: {', '.join(STAGES)}")
    there = [
        (result, number)
        for number, session in enumerate(run.sessions)
        for result in session.results
        if result.measurement == MEASUREMENT and result.quantity == quantity and result.max is not None
    ]
    if not there:
        skipped = (one for one in run.results() if one.measurement == MEASUREMENT and one.status == "skipped")
        why = next((f": {one.text}" for one in skipped if one.text), "")
        raise UsageError(f"run {run.id} has no samples of {quantity}, which {MEASUREMENT} measures{why}")
    there = [one for one in there if one[0].variant.trace_over_ns]
    if not there:
        raise UsageError(f"run {run.id} kept no trail: measure with -m {MEASUREMENT} --trace-over TIME")
    asked = [
        (result, number)
        for result, number in there
        if (not load or result.variant.load == load) and repetition in {None, run.sessions[number].repetition}
    ]
    if not asked:
        loads = ", ".join(dict.fromkeys(result.variant.load for result, _ in there))
        raise UsageError(
            f"run {run.id} has no such samples; it has the loads {loads} and {counted(len(run.sessions), 'repetition')}, from 0"
        )
    largest, number = max(asked, key=lambda one: one[0].max or 0)
    return number, {one.quantity: one for one in run.sessions[number].results if one.item == largest.item}


def _require_agreement(run: Run, whole: Result, found: Sequence[Trail]) -> None:
    """Compares trail and record: each recorded sample above the limit must have a trail with the same ticks;
    else IncompleteError."""
    there = {trail.index: trail.ticks for trail in found}
    lost = any(figure.name == "events-dropped" for figure in whole.figures)
    for index, ticks in known_samples(whole).items():
        if ticks > whole.variant.trace_over_ns and there.get(index, ticks if lost else -1) != ticks:
            raise IncompleteError(f"trail and record do not agree: sample {index} took {ticks} ns")


def meant(whole: Result, found: Sequence[Trail], sample: str, by_stage: Mapping[int, int]) -> Trail:
    """The trail of the chosen sample. Percentiles count all samples, of which those above the limit are the largest."""
    ranked = sorted(found, key=lambda trail: (-by_stage[trail.index], trail.index))
    limit = form.duration(whole.variant.trace_over_ns)
    if sample == "worst":
        return ranked[0]
    if sample.startswith("p"):
        above = whole.count - max(1, -int(-whole.count * float(sample[1:]) // 100))
        if above >= len(ranked):
            raise UsageError(
                f"--sample {sample} is number {above + 1} from the largest on, and {len(ranked)} were above {limit}:"
                f" measure with a smaller {'--deadline' if ranked[0].became == 'response' else '--trace-over'}"
            )
        return ranked[above]
    if int(sample) >= whole.count:
        raise UsageError(f"--sample {sample}: there are samples 0 to {whole.count - 1}")
    for trail in found:
        if trail.index == int(sample):
            return trail
    listed = ", ".join(str(trail.index) for trail in ranked[:20])
    raise UsageError(f"--sample {sample}: not above {limit}, so no trail was kept of it; the slowest are {listed}")


def kept_of(
    whole: Result,
    trail: Trail,
    room: Trails,
    *,
    steal: int,
    share: float | None,
    missed: int,
    smi: int | None = None,
    untraced: int | None = None,
    faulted: tuple[int, int] | None = None,
) -> Kept:
    """The facts of a trail that was saved of a sample of `whole`."""
    return Kept(
        limit=whole.variant.trace_over_ns,
        dropped=room.late - room.kept,
        fits=room.fits,
        cpu=whole.cpu,
        thread=trail.thread.name,
        priority=trail.thread.priority,
        became=trail.became,
        steal=steal,
        smi=smi,
        traced=median(whole),
        untraced=untraced,
        share=share,
        missed=missed,
        faults=None if faulted is None else faulted[0],
        faults_time=None if faulted is None else faulted[1],
    )


def _kept(results: Mapping[str, Result], trail: Trail, room: Trails) -> Kept:
    whole = results[WHOLE]
    figures = {figure.name: figure.value for figure in whole.figures}
    timed = figures.get("programs-timed-for", 0)
    first, last = trail.due - _AROUND_NS, trail.user + _AROUND_NS
    return kept_of(
        whole,
        trail,
        room,
        steal=sum(
            event.value
            for event in whole.events
            if event.kind == "steal" and event.at > first and event.at - event.ticks < last
        ),
        smi=next((check.value for check in whole.checks if check.name == "system-smi"), None),
        untraced=median(results[UNTRACED]) if UNTRACED in results else None,
        share=figures["programs-time"] / timed if timed else None,
        missed=figures.get("programs-missed", 0),
    )


def median(result: Result) -> int | None:
    """The median of all samples (ticks); None: there is no sample."""
    if result.histogram is None:
        return None
    return percentile(result.histogram, 50, minimum=result.min, maximum=result.max)


def _stages(trail: Trail, results: Mapping[str, Result]) -> Iterator[Stage]:
    for name, ticks in (stages(trail) or {WHOLE: trail.ticks}).items():
        yield Stage(name, ticks, float((median(results[name]) if name in results else None) or 0))


def calls(trail: Trail) -> list[Call]:
    """Each task and its interrupts, from start or resumption to end."""
    done: list[Call] = []
    open_: list[tuple[str, int]] = []
    end = 0
    for span in [*spans(trail), CpuSpan(trail.ticks, 0, (), "")]:
        same = 0
        while same < min(len(open_), len(span.names)) and open_[same][0] == span.names[same]:
            same += 1
        while len(open_) > same:
            name, began = open_.pop()
            done.append(Call(began, span.at - began, len(open_), name))
        open_.extend((name, span.at) for name in span.names[same:])
        end = span.at
    assert end == trail.ticks  # noqa: S101 - the spans add up to the sample
    return sorted(done, key=lambda call: (call.at, call.depth))


def instead(trail: Trail, found: Sequence[Trail], blames: Mapping[int, Blame], usual: float) -> int | None:
    """The number of the slowest sample whose trail has its steps, if this trail lacks them; else None."""

    def lacks(one: Trail) -> bool:
        return blames[one.index].function in LACKING

    others = [one for one in found if not lacks(one) and is_slow(blames[one.index].of, usual)]
    return max(others, key=lambda one: one.ticks).index if lacks(trail) and others else None


def causes(found: Sequence[Trail], blames: Mapping[int, Blame], usual: float, over: int) -> Iterator[Cause]:
    """Each sample above the limit, counted once by its cause; the most frequent cause first. Samples without a known
    cause come last. `worst` is 0 if the record has no time of these samples."""
    by_cause: dict[str, list[Trail]] = {}
    for trail in found:
        made = blames[trail.index]
        name = made.function if made.function or is_slow(made.of, usual) else USUAL
        by_cause.setdefault(name, []).append(trail)
    listed: list[Cause] = []
    lost = max(0, over - len(found))  # there was no room even for the causes of these
    for name in by_cause | ({UNKNOWN: []} if lost else {}):
        of = by_cause.get(name, [])
        slowest = max(of, key=lambda trail: (trail.ticks, -trail.index), default=None)
        listed.append(
            Cause(
                name,
                len(of) + (lost if name == UNKNOWN else 0),
                slowest.ticks if slowest is not None else 0,
                slowest.index if slowest is not None else None,
            )
        )

    def rank(one: Cause) -> tuple[bool, int, int]:
        is_unknown = one.function in {"", USUAL, UNKNOWN, UNTOLD} or one.function.startswith(NOTHING)
        return is_unknown, -one.samples, -one.worst

    yield from sorted(listed, key=rank)
