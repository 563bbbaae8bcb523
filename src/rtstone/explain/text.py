# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An explanation for a reader, and for a viewer of traces."""

from __future__ import annotations

from collections.abc import Iterator

from rtstone.explain.document import NOTHING, Blame, Bound, Call, Estimate, Explanation, Kept, Place, is_slow

_MOST_CALLS = 40
_DEPTH = 2


def _us(made: Explanation | Bound, ticks: float) -> float:
    return ticks * 1e6 / made.hz


def lines(made: Explanation, *, whole: bool = False) -> Iterator[str]:
    """The account of a sample, a line each, at most 100 columns. `whole`: every call."""
    sample = made.sample

    def us(ticks: float) -> str:
        return f"{_us(made, ticks):.2f}"

    yield f"{made.target}, {made.kernel}: load {made.load}, repetition {made.repetition}, run {made.run}"
    if made.stream is not None:
        yield f"Run again under the plugin: {made.stream.bytes} bytes of record, the same to the byte."
        yield f"Trace and record agree to the tick in all {made.samples} samples."
    if made.kept is not None:
        yield from _kept(made.kept, made)
    yield ""
    ratio = f", {sample.ticks / made.usual:.1f} times the usual {us(made.usual)}" if made.usual else ""
    yield f"Sample {sample.index}: {us(sample.ticks)} µs from due to task{ratio}"
    yield f"{'stage':<20}{'µs':>10}{'usual':>10}{'ticks':>10}"
    for stage in sample.stages:
        yield f"{stage.name:<20}{us(stage.ticks):>10}{us(stage.usual):>10}{stage.ticks:>10}"
    yield ""
    yield from _why(sample.blame, made)
    if made.kept is not None:
        yield f"Stolen from this CPU within the second around it: {us(made.kept.steal)} µs."
    yield ""
    yield f"{'at µs':>9}{'µs':>9}  what ran"
    least = 0 if whole or made.kept is None else _least(sample.calls)
    shown = [call for call in sample.calls if whole or (call.depth <= _depth(sample.calls) and call.ticks >= least)]
    for call in shown:
        yield f"{us(call.at):>9}{us(call.ticks):>9}  {'  ' * min(call.depth, 20)}{call.function}"[
            : None if whole else 100
        ]
    if len(shown) < len(sample.calls):
        what = "calls inside these" if made.kept is None else "shorter ones"
        yield f"{'':>20}{len(sample.calls) - len(shown)} {what} are left out; --whole shows all"
    yield ""
    if made.kept is not None:
        limit = us(made.kept.limit)
        yield f"The {made.slow} of {made.samples} samples above {limit} µs, by what made each slow:"
    else:
        yield f"The {made.slow} slowest of {made.samples} samples, by what made each slow:"
    for cause in made.causes:
        name = cause.function or ("no one function" if made.kept is None else "no one cause")
        yield f"{cause.samples:>6}  {name}, {us(cause.worst)} µs at most"
    if made.kept is None and made.slow < made.samples // 100:
        yield f"The record tells {made.slow} of the slowest {made.samples // 100} one by one; run with --raw to have all."


def _kept(kept: Kept, made: Explanation) -> Iterator[str]:
    """What the trails are of, and what keeping them cost."""
    priority = f"priority {kept.priority}" if kept.priority else "not real-time"
    yield f"By the trails of CPU {kept.cpu}, for the thread {kept.thread or '(not told)'}, {priority}."
    without = f"; {kept.dropped} have none, there was no room" if kept.dropped else ""
    yield f"Trails were kept of {made.known} samples, those above {_us(made, kept.limit):.2f} µs{without}."
    if kept.traced is not None and kept.untraced is not None:
        share = "" if kept.share is None else f"; the programs took {kept.share:.2%} of one CPU"
        yield (
            f"Median {_us(made, kept.traced):.2f} µs with the programs, {_us(made, kept.untraced):.2f} without{share}."
        )
    if kept.missed:
        yield f"The kernel left out {kept.missed} calls of the programs: steps may be missing."


def _why(blame: Blame, made: Explanation) -> Iterator[str]:
    def us(ticks: float) -> str:
        return f"{_us(made, ticks):.2f} µs"

    if blame.function and made.kept is not None:
        yield f"Why: {blame.function}."
        yield f"It had {us(blame.ticks)} of the {us(blame.of)} above the usual response."
        if blame.function.startswith(NOTHING):
            yield "Firmware, hardware or a hypervisor held the CPU, or the kernel let nothing in."
    elif blame.function:
        yield f"Why: {blame.function} had {us(blame.ticks)} more than usual, of {us(blame.of)} in all."
        if blame.path:
            yield f"Called by: {' > '.join(blame.path[-6:])}"
    elif not is_slow(blame.of, made.usual):
        yield "This sample is no slower than usual."
    else:
        yield f"Why: no one {'function' if made.kept is None else 'cause'} had half of the {us(blame.of)} above the usual response."
        if blame.parts:
            yield "The most had " + ", ".join(f"{part.function} ({us(part.ticks)})" for part in blame.parts) + "."


def _least(calls: tuple[Call, ...]) -> int:
    """The ticks of the shortest that a page has room for."""
    longest = sorted((call.ticks for call in calls), reverse=True)
    return longest[_MOST_CALLS - 1] if len(longest) > _MOST_CALLS else 0


def _depth(calls: tuple[Call, ...]) -> int:
    """The depth down to which a page holds the calls."""
    depth = max((call.depth for call in calls), default=0)
    while depth > _DEPTH and sum(call.depth <= depth for call in calls) > _MOST_CALLS:
        depth -= 1
    return depth


def perfetto(made: Explanation) -> dict[str, object]:
    """The sample's calls as the JSON trace that Perfetto and Chrome's tracing page read; times in µs after the due time."""

    stages: list[dict[str, object]] = []
    at = 0
    for stage in made.sample.stages:
        stages.append(_event(stage.name, _us(made, at), _us(made, stage.ticks), 1))
        at += stage.ticks
    calls = [_event(call.function, _us(made, max(0, call.at)), _us(made, call.ticks), 2) for call in made.sample.calls]
    names = [
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": {"name": name}}
        for tid, name in ((1, "stages"), (2, "functions" if made.kept is None else f"CPU {made.kept.cpu}"))
    ]
    return {"displayTimeUnit": "ns", "traceEvents": [*names, *stages, *calls]}


def _event(name: str, at_us: float, took_us: float, thread: int) -> dict[str, object]:
    return {"name": name, "ph": "X", "ts": at_us, "dur": took_us, "pid": 1, "tid": thread}


_MEANING = {
    "D_POID": "preemption or interrupts off, not in order to schedule",
    "D_PAIE": "from enabling both to the scheduler",
    "D_PSD": "preemption off in order to schedule",
    "D_ST": "interrupts off until the scheduler has switched",
}


def bound_lines(made: Bound) -> Iterator[str]:
    """The bound, its terms and what was observed, a line each."""

    def us(ticks: float) -> str:
        return f"{_us(made, ticks):.2f}"

    yield f"{made.target}, {made.kernel}: repetition {made.repetition}, run {made.run}"
    yield f"Run again under the plugin: {made.stream.bytes} bytes of record, the same to the byte; {made.events} events."
    yield ""
    if made.bound is not None:
        yield f"Bound of the scheduling latency: {us(made.bound)} µs ({made.bound} instructions)"
        yield "L = max(D_ST, D_POID) + D_PAIE + D_PSD + I_IRQ(L), for PREEMPT_RT; it holds if the longest of each was seen."
    else:
        yield "Not shown for this kernel: the bound's proof is of PREEMPT_RT. What was seen, as figures:"
    yield ""
    yield f"{'waking to switch':<20}{'µs at most':>10}{'wakings':>10}"
    for one in made.observed:
        most = us(one.max) if one.max is not None else "-"
        yield f"{'  ' + one.load:<20}{most:>10}{one.wakes:>10}"
    for estimate in made.estimates:
        yield _estimated(estimate)
    yield ""
    yield f"{'term':<10}{'µs':>8}{'instr.':>9}  where"
    for term in made.terms:
        yield f"{term.name:<10}{us(term.ticks):>8}{term.ticks:>9}  {_MEANING[term.name]}"
        for place in term.places:
            when = f"{place.load}, after sample {place.sample}" if place.load else "between two items"
            yield f"{us(place.ticks):>18}{place.ticks:>9}    {_named(place.begins)} to {_named(place.ends)} ({when})"
    if made.bound is not None:
        yield f"{'I_IRQ(L)':<10}{us(made.taken):>8}{made.taken:>9}  interrupts that begin in any window of L"
    for source in made.interrupts:
        yield f"{us(source.in_window):>18}{source.in_window:>9}    {source.title}: {source.count}, {us(source.longest)} µs at most"


def _named(place: Place) -> str:
    if place.function == "vectors":
        return "the next interrupt"
    return f"{place.function} in {place.caller}" if place.caller else place.function


def _estimated(one: Estimate) -> str:
    what = f"  tails, {one.load}"
    if one.value_ns is None or one.high_ns is None:
        return f"{what}: {one.refused}"
    return f"{what}: {one.value_ns / 1000:.2f} µs to the task once in {one.once_in:g}, up to {one.high_ns / 1000:.2f}"
