# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes an explanation as text for a reader, and as a trace for a trace viewer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rtstone.explain._cpu import LACKING, RAN, UNTOLD
from rtstone.explain._samples import FIRMWARE, LINUX
from rtstone.explain._trail import AWAY
from rtstone.explain.document import (
    NOTHING,
    RECORDED_CALLS,
    Bound,
    Call,
    Cause,
    Explanation,
    Kept,
    Off,
    Place,
    Stack,
    Stream,
    is_slow,
)
from rtstone.model.units import counted

_MOST_CALLS = 40
_DEPTH = 2
_MOST_RAN = 3
_COLUMNS = 100
"""Longest line of a table, without `--whole`."""
_SPANS = {
    "start": "from its due time to the switch",
    "wake": "from the waking to the switch",
    "response": "from its due time to its last sleep",
}
"""Beginning and end of a watched thread's late cycle, by the last event of its trail."""
_CHART = 50
"""Columns of the longest bar."""
_LANES = {
    "task ": "tasks",
    "idle": "tasks",
    "interrupt ": "interrupts",
    "softirq ": "soft interrupts",
    "a timer ": "timers",
}
"""The lane of an event in a trail, by the beginning of the event's name."""


def microseconds(made: Explanation | Bound, ticks: float) -> float:
    """Ticks in µs."""
    return ticks * 1e6 / made.hz


def lines(made: Explanation, *, whole: bool = False) -> Iterator[str]:
    """The explanation of a sample, line by line, at most 100 columns. `whole`: every call."""
    sample = made.sample

    def us(ticks: float) -> str:
        return f"{microseconds(made, ticks):.2f}"

    yield f"{made.target}, {made.kernel}: load {made.load}, repetition {made.repetition}, run {made.run}"
    yield from proof(made)
    yield ""
    if made.kept is not None:  # the slowest sample may be the one that differs from all others
        yield from _by_cause(made)
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
        yield _fit(f"{us(call.at):>9}{us(call.ticks):>9}  {'  ' * min(call.depth, 20)}{call.function}", whole=whole)
    if len(shown) < len(sample.calls):
        what = "calls inside these" if made.kept is None else "shorter ones"
        yield f"{'':>20}{len(sample.calls) - len(shown)} {what} are left out; --whole shows all"
    if made.section is not None:
        return
    yield from _off(made, whole=whole)
    if made.kept is None:
        yield ""
        yield from _by_cause(made)
        yield from untold(made)


def _by_cause(made: Explanation) -> Iterator[str]:
    """The causes of the slow samples; live with the option that selects the slowest sample of each."""
    yield f"{slow(made)}, by cause:"
    for cause in made.causes:
        worst = f", {microseconds(made, cause.worst):.2f} µs at most" if cause.worst else ""
        yield f"{cause.samples:>6}  {named(cause, made)}{worst}{which(cause, made)}"


def which(cause: Cause, made: Explanation) -> str:
    """The option that selects the slowest sample of a cause; empty for a board, and where the record lacks the number."""
    return "" if made.kept is None or cause.slowest is None else f" (--sample {cause.slowest})"


def _fit(line: str, *, whole: bool) -> str:
    """The line, cut with an ellipsis if it is too long for a page that is not `whole`."""
    return line if whole or len(line) <= _COLUMNS else f"{line[: _COLUMNS - 1]}…"


def _off(made: Explanation, *, whole: bool) -> Iterator[str]:
    """Where interrupts or preemption were off."""
    if made.sample.off:
        yield ""
        yield f"{'at µs':>9}{'µs':>9}{'in all':>9}  what was off"
    for one in made.sample.off or ():
        at, ticks, total = (f"{microseconds(made, part):>9.2f}" for part in (one.at, one.ticks, one.total))
        yield _fit(f"{at}{ticks}{total}  {one.what}, {span(one)}", whole=whole)


def span(one: Off) -> str:
    """The functions that turned them off and on again; one name, where both are the same."""
    return _named(one.begins) + ("" if one.ends == one.begins else f" to {_named(one.ends)}")


def title(made: Explanation) -> str:
    """The sample, its response and the usual one."""
    took = microseconds(made, made.sample.ticks)
    if made.section is not None:
        one = made.section
        net = f"{made.term}: {microseconds(made, one.ticks):.2f} µs ({one.ticks} instructions)"
        when = f"after sample {one.sample} of {made.load}" if made.load else "between two measurements"
        return f"{net}, {when}; {took:.2f} µs with interrupts"
    ratio = (
        f", {made.sample.ticks / made.usual:.1f} times the usual {microseconds(made, made.usual):.2f}"
        if made.usual
        else ""
    )
    span = _SPANS.get(made.kept.became if made.kept else "")
    name = f"Sample {made.sample.index}" if span is None else f"Cycle {made.sample.index}"
    return f"{name}: {took:.2f} µs {span or 'from the due time to the task'}{ratio}"


def proof(made: Explanation) -> Iterator[str]:
    """Which part of the run is explained, and the evidence, one sentence each."""
    if made.failed:
        yield f"{made.failed[0].upper()}{made.failed[1:]}."
    if made.section is None and len(made.loads) > 1:
        yield f"This is load {made.load}. Choose another with --load: {', '.join(one for one in made.loads if one != made.load)}."
    if made.section is None and made.repetitions > 1:
        yield f"This is repetition {made.repetition}. Choose another with --repetition: 0 to {made.repetitions - 1}."
    if made.stream is not None:
        yield _repeated(made.stream)
        exactly = f"to within {made.slack} tick, by which the clock rounds," if made.slack else "to the tick"
        if made.section is None:
            yield f"Trace and record agree {exactly}: {counted(made.samples, 'sample')}, their sum, and each of the largest."
        else:
            yield f"From {_named(made.section.begins)} to {_named(made.section.ends)}."
    if made.kept is not None:
        yield from _kept(made.kept, made)


def _repeated(record: Stream) -> str:
    """The evidence that the plugin did not change the session."""
    return f"A repetition under the emulator's plugin gave the same {record.bytes} bytes."


def slow(made: Explanation) -> str:
    """Describes the samples whose causes are counted."""
    samples = counted(made.samples, "sample")
    if made.repetitions > 1:
        samples += f" of repetition {made.repetition}"
    if made.kept is not None:
        return f"The {made.slow} of {samples} above {microseconds(made, made.kept.limit):.2f} µs"
    return f"The {made.slow} slowest of {samples}"


def named(cause: Cause, made: Explanation) -> str:
    """The name of a cause, also where no single function caused it."""
    return cause.function or ("no single function" if made.kept is None else "no single cause")


def untold(made: Explanation) -> Iterator[str]:
    """Reports how many of the slowest samples the causes omit, if any."""
    if made.kept is None and made.slow < made.samples // 100:
        yield f"The record lists only {made.slow} of the slowest {made.samples // 100} samples. Measure with --raw to list all samples."


def _kept(kept: Kept, made: Explanation) -> Iterator[str]:
    """Describes the event trails: which samples have one, and the cost of recording them."""
    priority = f"priority {kept.priority}" if kept.priority else "not real-time"
    attached = kept.became in _SPANS
    cpu = "the CPUs where it waited" if attached else f"CPU {kept.cpu}"
    yield f"From the event trails of {cpu}, for the thread {kept.thread or '(unknown)'}, {priority}."
    yield f"Trails were saved for {counted(made.known, 'sample')}, those above {microseconds(made, kept.limit):.2f} µs."
    if kept.dropped:
        larger = (
            ""
            if kept.fits is None
            else f" With --trace-over {math.ceil(kept.fits / 1000)}us the trails of the slowest samples fit."
        )
        if attached:
            yield (
                f"{counted(kept.dropped, 'more sample')} above that {'has' if kept.dropped == 1 else 'have'} no trail:"
                f" there was no room for it, or `attach` did not see the waking."
                f" A larger {_limit_option(kept)} or a shorter --duration leaves more room."
            )
        else:
            yield f"There was no room for {kept.dropped} more trails.{larger}"
    if kept.traced is not None and kept.untraced is not None:
        share = "" if kept.share is None else f"; they took {100 * kept.share:.2f} % of one CPU"
        yield (
            f"Median {microseconds(made, kept.traced):.2f} µs with the BPF programs that record,"
            f" {microseconds(made, kept.untraced):.2f} without{share}."
        )
    if attached and kept.share is not None:
        yield f"The BPF programs that record took {100 * kept.share:.2f} % of one CPU."
    if kept.missed:
        yield f"The kernel skipped {counted(kept.missed, 'call')} of the BPF programs, so steps may be missing."


def why(made: Explanation) -> Iterator[str]:
    """The cause of the sample, one sentence each; the first begins with `Why:` if there is a cause."""
    blame = made.sample.blame

    def us(ticks: float) -> str:
        return f"{microseconds(made, ticks):.2f} µs"

    if blame.function and made.kept is not None:
        lock = "; if it waited for a lock, this task held it" if blame.waker else ""
        yield f"Why: {blame.function}{lock}."
        if blame.function in LACKING:
            yield from _without_trail(made.kept, blame.function)
        else:
            yield f"It accounts for {us(blame.ticks)} of the {us(blame.of)} above the usual response."
        yield from _while_blocked(made)
        if blame.function == AWAY:
            yield "User space cannot block interrupts, so the kernel did not delay this one."
        if blame.function.startswith(NOTHING):
            yield from _meanwhile(made)
    elif blame.function and made.section is not None:
        yield f"Why: {blame.function} took {us(blame.ticks)} of the {us(blame.of)}."
        if blame.path:
            yield f"Called by: {' > '.join(blame.path)}"
    elif blame.function:
        yield f"Why: {blame.function} took {us(blame.ticks)} more than usual. The whole sample took {us(blame.of)} more."
        if blame.path:
            yield f"Called by: {' > '.join(blame.path)}"
    elif not is_slow(blame.of, made.usual):
        yield "This sample is no slower than usual."
    else:
        yield f"Why: no single {'function' if made.kept is None else 'cause'} has half of the {us(blame.of)} above the usual response."
        if blame.parts:
            yield (
                "The largest parts are "
                + ", ".join(f"{part.function} ({us(part.ticks)})" for part in blame.parts)
                + "."
            )
    for stack in made.sample.stacks:
        ended = "its timer expired" if stack.when == "timer" else "it got the CPU"
        inside = " < ".join(stack.calls) if stack.calls else "user space"
        callers = f" The record has only these {RECORDED_CALLS} calls of the stack." if _is_cut(stack) else ""
        yield f"When {ended}, {us(stack.at)} after it was due, the kernel was in {inside}.{callers}"
    if made.kept is not None and made.kept.became in _SPANS:
        yield f"Stolen time on its CPUs during the cycle: {us(made.kept.steal)}."
        if made.kept.faults is not None and made.kept.faults_time is not None:
            yield f"Page faults in the cycle: {made.kept.faults}, which took {us(made.kept.faults_time)}."
        elif blame.function == RAN:
            yield "Page faults were not recorded. If there were any, their time is part of the thread's own."
    elif made.kept is not None:
        yield f"Stolen time on this CPU during the second around the sample: {us(made.kept.steal)}."


def _limit_option(kept: Kept) -> str:
    """The option of `attach` that limits which samples get a trail."""
    return "--deadline" if kept.became == "response" else "--trace-over"


def _without_trail(kept: Kept, cause: str) -> Iterator[str]:
    """The reasons why the steps of a sample can be missing, and the reader's next step."""
    if cause == UNTOLD:
        yield "The trail lacks the waking. This was seen in virtual machines, while a sandbox's supervising process had the CPU."
        again = "Measure again, outside a sandbox"
    elif kept.became in _SPANS:
        yield "There was no room for the trail, or `attach` did not see the waking."
        again = f"Watch again, with a larger {_limit_option(kept)} or a shorter --duration"
    else:
        yield "There was no room for the trail, or it was too long."
        again = "Measure again, with a larger --trace-over: then fewer samples need room"
    if kept.instead is None:
        yield f"No slow sample here has the steps that would show a cause. {again}."
    else:
        yield f"Next: --sample {kept.instead} explains the slowest sample that has all steps. {again}, for a trail of a sample like this."


def _is_cut(stack: Stack) -> bool:
    """Whether the engine may have left out the outer calls of the stack."""
    return len(stack.calls) >= RECORDED_CALLS


def _while_blocked(made: Explanation) -> Iterator[str]:
    """The tasks that had the thread's CPU while it was blocked. The record does not show who held a lock."""
    blame = made.sample.blame
    if not blame.meanwhile:
        return
    yield f"While it was blocked, its CPU ran {_listed(made, [(part.function, part.ticks) for part in blame.meanwhile])}."
    if blame.waker and blame.waker not in {part.function for part in blame.meanwhile}:
        yield f"The trail does not show the other CPU, on which {blame.waker} ran."


def _listed(made: Explanation, ran: Sequence[tuple[str, int]]) -> str:
    """The tasks with the most ticks, and the number of the others."""
    had = ", ".join(f"{name} ({microseconds(made, ticks):.2f} µs)" for name, ticks in ran[:_MOST_RAN])
    return had + (f" and {len(ran) - _MOST_RAN} more" if len(ran) > _MOST_RAN else "")


def _meanwhile(made: Explanation) -> Iterator[str]:
    """What the CPU ran during a sample that no event explains, and evidence of a cause outside the kernel."""
    ran: Counter[str] = Counter()
    for call in made.sample.calls:
        if call.depth == 0:
            ran[call.function] += call.ticks
    yield f"During the sample the CPU ran {_listed(made, ran.most_common())}."
    assert made.kept is not None  # noqa: S101 - only a trail leaves something unexplained
    if made.kept.smi:
        yield f"Firmware may have held the CPU: {counted(made.kept.smi, 'system management interrupt')} occurred during the measurement."


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
    """The sample's calls as the JSON trace that Perfetto and Chrome's tracing page read;
    times in µs after the due time."""
    tracks = {
        "stages": list(_stages(made)),
        _track(made.kept): list(made.sample.calls),
    }
    for one in made.sample.off or ():
        tracks.setdefault(f"{one.what} off", []).append(_called(one))
    events: list[dict[str, object]] = [{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": made.target}}]
    for thread, (name, calls) in enumerate(tracks.items(), 1):
        events.append({"name": "thread_name", "ph": "M", "pid": 1, "tid": thread, "args": {"name": name}})
        events += _events(made, calls, thread)
    return {"displayTimeUnit": "ns", "traceEvents": events}


def _track(kept: Kept | None) -> str:
    if kept is None:
        return "functions"
    return "CPUs where it waited" if kept.became in _SPANS else f"CPU {kept.cpu}"


def _called(one: Off) -> Call:
    """An interval with interrupts or preemption off, as a bar."""
    return Call(one.at, one.ticks, 0, span(one))


def _events(made: Explanation, calls: Sequence[Call], thread: int) -> Iterator[dict[str, object]]:
    """A begin and an end event for each call.
    A reader that rounds a start and a length could let a call end after its caller."""
    open_: list[tuple[int, str]] = []

    def end(at: float) -> Iterator[dict[str, object]]:
        while open_ and open_[-1][0] <= at:
            ended, name = open_.pop()
            yield {"name": name, "ph": "E", "ts": microseconds(made, ended), "pid": 1, "tid": thread}

    for call in calls:
        begun = max(0, call.at)
        yield from end(begun)
        yield {
            "name": call.function,
            "ph": "B",
            "ts": microseconds(made, begun),
            "pid": 1,
            "tid": thread,
            "args": {"ticks": call.ticks},
        }
        open_.append((begun + call.ticks, call.function))
    yield from end(math.inf)


def _stages(made: Explanation) -> Iterator[Call]:
    at = 0
    for stage in made.sample.stages:
        yield Call(at, stage.ticks, 0, stage.name)
        at += stage.ticks


def lanes(made: Explanation) -> dict[str, list[Call]]:
    """The sample's timeline: its stages, then the lanes. Live: a lane for each kind of event. Board: the interrupts, by
    vector."""
    found = {"stages": list(_stages(made))} | {lane: [] for lane in [*_LANES.values(), "other"]}
    vectors = FIRMWARE.vectors | LINUX.vectors | FIRMWARE.handlers.keys() | LINUX.handlers.keys()
    for call in made.sample.calls:
        if made.kept is not None:
            found[next((lane for start, lane in _LANES.items() if call.function.startswith(start)), "other")].append(
                call
            )
        elif call.function in vectors:
            found["interrupts"].append(call)
    for one in made.sample.off or ():
        found.setdefault(f"{one.what} off", []).append(_called(one))
    return {lane: calls for lane, calls in found.items() if calls}


_MEANING = {
    "D_POID": "preemption or interrupts off, not in order to schedule",
    "D_PAIE": "from enabling both to the scheduler",
    "D_PSD": "preemption off in order to schedule",
    "D_ST": "interrupts off until the scheduler has switched",
}


def bound_lines(made: Bound) -> Iterator[str]:
    """The bound, its terms and the observed delays, line by line."""

    def us(ticks: float) -> str:
        return f"{microseconds(made, ticks):.2f}"

    yield f"{made.target}, {made.kernel}: repetition {made.repetition}, run {made.run}"
    yield bound_proof(made)
    yield ""
    yield from bound_title(made)
    yield ""
    yield from _chart(made)
    yield ""
    yield f"{'term':<10}{'µs':>8}{'instr.':>9}  where"
    for term, ticks, where in bound_terms(made):
        yield f"{term:<10}{us(ticks):>8}{ticks:>9}  {where}" if term else f"{us(ticks):>18}{ticks:>9}    {where}"


def bound_proof(made: Bound) -> str:
    """The evidence for the bound."""
    return f"{_repeated(made.stream)} The trace has {counted(made.events, 'event')}."


def bound_title(made: Bound) -> Iterator[str]:
    """The value of the bound, or a line that there is no bound for this kernel."""
    if made.bound is not None:
        yield f"Bound of the scheduling latency: {microseconds(made, made.bound):.2f} µs ({made.bound} instructions)"
        yield "L = max(D_ST, D_POID) + D_PAIE + D_PSD + I_IRQ(L), for PREEMPT_RT; it holds if the longest of each was seen."
    else:
        yield "There is no bound for this kernel: its proof is only for PREEMPT_RT. The observed figures:"


def bound_terms(made: Bound) -> Iterator[tuple[str, int, str]]:
    """Each term with its ticks and its description, then its places, which have no name,
    or the sources of interrupts."""
    for term in made.terms:
        yield term.name, term.ticks, _MEANING[term.name]
        for place in term.places:
            when = f"{place.load}, after sample {place.sample}" if place.load else "between two measurements"
            yield "", place.ticks, f"{_named(place.begins)} to {_named(place.ends)} ({when})"
    if made.bound is not None:
        yield "I_IRQ(L)", made.taken, "interrupts that begin in any window of L"
    for source in made.interrupts:
        longest = microseconds(made, source.longest)
        yield (
            "",
            source.in_window,
            f"{source.title}: {counted(source.count, 'interrupt')}, each {longest:.2f} µs at most",
        )


def _named(place: Place) -> str:
    if place.function == "vectors":
        return "the next interrupt"
    return f"{place.function} in {place.caller}" if place.caller else place.function


class Latest(NamedTuple):
    """The latest switch after a waking: observed under a load, as `tails` estimates it, or the bound."""

    name: str
    load: str
    us: float
    """0: the task was never waiting."""
    high_us: float
    """Upper end of an estimate's interval; 0: not an estimate."""
    wakings: str


def latest(made: Bound) -> Iterator[Latest]:
    """The observed delays, the estimates of `tails`, and the bound."""
    for one in made.observed:
        yield Latest(one.load, one.load, microseconds(made, one.max or 0), 0.0, f"{one.wakes}")
    for estimate in made.estimates:
        if estimate.value_ns is not None and estimate.high_ns is not None:
            name = f"{estimate.load}, once in {estimate.once_in:g}"
            yield Latest(name, estimate.load, estimate.value_ns / 1e3, estimate.high_ns / 1e3, "tails")
    if made.bound is not None:
        yield Latest("bound", "", microseconds(made, made.bound), 0.0, "")


def estimates(made: Bound) -> Iterator[str]:
    """Names the estimated quantity, and gives the reason for each load without an estimate."""
    if any(one.high_ns is not None for one in made.estimates):
        yield "tails estimates context-switch-delay, which ends later"
    yield from (f"tails, {one.load}: {one.refused}" for one in made.estimates if one.high_ns is None)


def _chart(made: Bound) -> Iterator[str]:
    """A bar for each row, all on one scale."""
    rows = list(latest(made))
    longest = max((max(row.us, row.high_us) for row in rows), default=0.0) or 1.0
    yield f"{'waking to switch':<24}{'µs at most':>10}{'wakings':>9}  0 to {longest:.2f} µs"
    for row in rows:
        bar = "#" * math.ceil(_CHART * row.us / longest)
        end = f" {row.high_us:.2f}" if row.high_us else ""
        value = f"{row.us:.2f}" if row.us else "-"
        line = f"{f'  {row.name}':<24}{value:>10}{row.wakings:>9}  {bar:-<{round(_CHART * row.high_us / longest)}}{end}"
        yield line.rstrip()
    yield from (f"  {line}" for line in estimates(made))
    if any(row.high_us for row in rows):
        yield "  - extends to the upper end of an estimate's interval"
