# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An explanation for a reader, and for a viewer of traces."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rtstone.explain._samples import FIRMWARE, LINUX
from rtstone.explain._trail import UNKNOWN
from rtstone.explain.document import NOTHING, Bound, Call, Cause, Explanation, Kept, Place, is_slow

_MOST_CALLS = 40
_DEPTH = 2
_CHART = 50
"""Columns of the longest bar."""
_LANES = {
    "task ": "tasks",
    "idle": "tasks",
    "interrupt ": "interrupts",
    "softirq ": "soft interrupts",
    "a timer ": "timers",
}
"""How the name of what a trail tells of begins, and its lane."""


def microseconds(made: Explanation | Bound, ticks: float) -> float:
    """Ticks in µs."""
    return ticks * 1e6 / made.hz


def lines(made: Explanation, *, whole: bool = False) -> Iterator[str]:
    """The account of a sample, a line each, at most 100 columns. `whole`: every call."""
    sample = made.sample

    def us(ticks: float) -> str:
        return f"{microseconds(made, ticks):.2f}"

    yield f"{made.target}, {made.kernel}: load {made.load}, repetition {made.repetition}, run {made.run}"
    yield from proof(made)
    yield ""
    yield title(made)
    yield f"{'stage':<20}{'µs':>10}{'' if made.section else 'usual':>10}{'ticks':>10}"
    for stage in sample.stages:
        yield f"{stage.name:<20}{us(stage.ticks):>10}{'' if made.section else us(stage.usual):>10}{stage.ticks:>10}"
    yield ""
    yield from why(made)
    yield ""
    yield f"{'at µs':>9}{'µs':>9}  what ran"
    shortest = 0 if whole or made.kept is None else least(sample.calls)
    shown = [call for call in sample.calls if whole or (call.depth <= _depth(sample.calls) and call.ticks >= shortest)]
    for call in shown:
        yield f"{us(call.at):>9}{us(call.ticks):>9}  {'  ' * min(call.depth, 20)}{call.function}"[
            : None if whole else 100
        ]
    if len(shown) < len(sample.calls):
        what = "calls inside these" if made.kept is None else "shorter ones"
        yield f"{'':>20}{len(sample.calls) - len(shown)} {what} are left out; --whole shows all"
    if made.section is not None:
        return
    yield ""
    yield f"{slow(made)}, by what made each slow:"
    for cause in made.causes:
        yield f"{cause.samples:>6}  {named(cause, made)}, {us(cause.worst)} µs at most"
    yield from untold(made)


def title(made: Explanation) -> str:
    """The sample, its response and the usual one."""
    took = microseconds(made, made.sample.ticks)
    if made.section is not None:
        one = made.section
        net = f"{made.term}: {microseconds(made, one.ticks):.2f} µs ({one.ticks} instructions)"
        when = f"after sample {one.sample} of {made.load}" if made.load else "between two items"
        return f"{net}, {when}; {took:.2f} µs with interrupts"
    ratio = (
        f", {made.sample.ticks / made.usual:.1f} times the usual {microseconds(made, made.usual):.2f}"
        if made.usual
        else ""
    )
    return f"Sample {made.sample.index}: {took:.2f} µs from due to task{ratio}"


def proof(made: Explanation) -> Iterator[str]:
    """What the explanation rests on, a sentence each."""
    if made.stream is not None:
        yield f"Run again under the plugin: {made.stream.bytes} bytes of record, the same to the byte."
        exactly = f"to within {made.slack} tick, by which the clock rounds," if made.slack else "to the tick"
        if made.section is None:
            yield f"Trace and record agree {exactly} in all {made.samples} samples."
        else:
            yield f"From {_named(made.section.begins)} to {_named(made.section.ends)}."
    if made.kept is not None:
        yield from _kept(made.kept, made)


def slow(made: Explanation) -> str:
    """Of which samples the causes are."""
    if made.kept is not None:
        return f"The {made.slow} of {made.samples} samples above {microseconds(made, made.kept.limit):.2f} µs"
    return f"The {made.slow} slowest of {made.samples} samples"


def named(cause: Cause, made: Explanation) -> str:
    """A cause, also where it is no one's."""
    return cause.function or ("no one function" if made.kept is None else "no one cause")


def untold(made: Explanation) -> Iterator[str]:
    """Which of the slowest the causes leave out, if they do."""
    if made.kept is None and made.slow < made.samples // 100:
        yield f"The record tells {made.slow} of the slowest {made.samples // 100} one by one; run with --raw to have all."


def _kept(kept: Kept, made: Explanation) -> Iterator[str]:
    """What the trails are of, and what keeping them cost."""
    priority = f"priority {kept.priority}" if kept.priority else "not real-time"
    yield f"By the trails of CPU {kept.cpu}, for the thread {kept.thread or '(not told)'}, {priority}."
    without = f"; {kept.dropped} have none, there was no room" if kept.dropped else ""
    yield f"Trails were kept of {made.known} samples, those above {microseconds(made, kept.limit):.2f} µs{without}."
    if kept.traced is not None and kept.untraced is not None:
        share = "" if kept.share is None else f"; the programs took {kept.share:.2%} of one CPU"
        yield (
            f"Median {microseconds(made, kept.traced):.2f} µs with the programs, {microseconds(made, kept.untraced):.2f} without{share}."
        )
    if kept.missed:
        yield f"The kernel left out {kept.missed} calls of the programs: steps may be missing."


def why(made: Explanation) -> Iterator[str]:
    """What is to blame for the sample, a sentence each; the first begins with `Why:` if something is."""
    blame = made.sample.blame

    def us(ticks: float) -> str:
        return f"{microseconds(made, ticks):.2f} µs"

    if blame.function and made.kept is not None:
        yield f"Why: {blame.function}."
        yield f"It had {us(blame.ticks)} of the {us(blame.of)} above the usual response."
        if blame.function == UNKNOWN:
            yield "There was no room for it, or it was too long: with a larger --trace-over fewer samples take room."
        if blame.function.startswith(NOTHING):
            yield "Firmware, hardware or a hypervisor held the CPU, or the kernel let nothing in."
    elif blame.function and made.section is not None:
        yield f"Why: {blame.function} had {us(blame.ticks)} of the {us(blame.of)}."
        if blame.path:
            yield f"Called by: {' > '.join(blame.path[-6:])}"
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
    if made.kept is not None:
        yield f"Stolen from this CPU within the second around it: {us(made.kept.steal)}."


def least(calls: tuple[Call, ...]) -> int:
    """The ticks of the shortest call that a page has room for."""
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
    calls = [_event(made, call, 2) for call in made.sample.calls]
    names = [
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": {"name": name}}
        for tid, name in ((1, "stages"), (2, "functions" if made.kept is None else f"CPU {made.kept.cpu}"))
    ]
    return {"displayTimeUnit": "ns", "traceEvents": [*names, *(_event(made, one, 1) for one in _stages(made)), *calls]}


def _event(made: Explanation, call: Call, thread: int) -> dict[str, object]:
    at, took = microseconds(made, max(0, call.at)), microseconds(made, call.ticks)
    return {"name": call.function, "ph": "X", "ts": at, "dur": took, "pid": 1, "tid": thread}


def _stages(made: Explanation) -> Iterator[Call]:
    at = 0
    for stage in made.sample.stages:
        yield Call(at, stage.ticks, 0, stage.name)
        at += stage.ticks


def lanes(made: Explanation) -> dict[str, list[Call]]:
    """The sample's timeline: its stages, then live what ran in it, a lane a kind, and of a board the interrupts, by their vectors."""
    found = {"stages": list(_stages(made))} | {lane: [] for lane in [*_LANES.values(), "other"]}
    vectors = FIRMWARE.vectors | LINUX.vectors | FIRMWARE.handlers.keys() | LINUX.handlers.keys()
    for call in made.sample.calls:
        if made.kept is not None:
            found[next((lane for start, lane in _LANES.items() if call.function.startswith(start)), "other")].append(
                call
            )
        elif call.function in vectors:
            found["interrupts"].append(call)
    return {lane: calls for lane, calls in found.items() if calls}


_MEANING = {
    "D_POID": "preemption or interrupts off, not in order to schedule",
    "D_PAIE": "from enabling both to the scheduler",
    "D_PSD": "preemption off in order to schedule",
    "D_ST": "interrupts off until the scheduler has switched",
}


def bound_lines(made: Bound) -> Iterator[str]:
    """The bound, its terms and what was observed, a line each."""

    def us(ticks: float) -> str:
        return f"{microseconds(made, ticks):.2f}"

    yield f"{made.target}, {made.kernel}: repetition {made.repetition}, run {made.run}"
    yield f"Run again under the plugin: {made.stream.bytes} bytes of record, the same to the byte; {made.events} events."
    yield ""
    if made.bound is not None:
        yield f"Bound of the scheduling latency: {us(made.bound)} µs ({made.bound} instructions)"
        yield "L = max(D_ST, D_POID) + D_PAIE + D_PSD + I_IRQ(L), for PREEMPT_RT; it holds if the longest of each was seen."
    else:
        yield "Not shown for this kernel: the bound's proof is of PREEMPT_RT. What was seen, as figures:"
    yield ""
    yield from _chart(made)
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


def _chart(made: Bound) -> Iterator[str]:
    """What was observed, what `tails` estimates up to the end of its interval, and the bound: bars of one scale."""
    rows = [(f"  {one.load}", microseconds(made, one.max or 0), 0.0, f"{one.wakes}") for one in made.observed]
    told = [one for one in made.estimates if one.value_ns is not None and one.high_ns is not None]
    for one in told:
        rows.append(
            (f"  {one.load}, once in {one.once_in:g}", (one.value_ns or 0) / 1e3, (one.high_ns or 0) / 1e3, "tails")
        )
    if made.bound is not None:
        rows.append(("  bound", microseconds(made, made.bound), 0.0, ""))
    longest = max((max(row[1:3]) for row in rows), default=0.0) or 1.0
    yield f"{'waking to switch':<24}{'µs at most':>10}{'wakings':>9}  0 to {longest:.2f} µs"
    for name, value, high, wakings in rows:
        bar = "#" * math.ceil(_CHART * value / longest)
        end = f" {high:.2f}" if high else ""
        yield f"{name:<24}{f'{value:.2f}' if value else '-':>10}{wakings:>9}  {bar:-<{round(_CHART * high / longest)}}{end}".rstrip()
    if told:
        yield "  tails estimates context-switch-delay, which ends later; - is up to the end of its interval"
    yield from (f"  tails, {one.load}: {one.refused}" for one in made.estimates if one not in told)
