# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a cycle of a user's own thread was late:
as `_trail`, from the trails that `rtstone attach --trace-over` saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from rtstone.errors import UsageError
from rtstone.explain import _trail
from rtstone.explain._cpu import FAULTS as IN_FAULT
from rtstone.explain._cpu import Trail, spans
from rtstone.explain.document import ExplainedSample, Explanation, Kept, Stage
from rtstone.model import Result, Run
from rtstone.model import units as form
from rtstone.stats import Trails
from rtstone.stats import trails as trails_of

MEASUREMENT = "attach"
WAKE, START, RESPONSE, FAULTS = "wakeup-latency-", "start-latency-", "response-", "page-faults-"
QUANTITIES = (RESPONSE, START, WAKE)
_PARTS = ("running", "preempted", "blocked", "stopped")


def is_attached(run: Run) -> bool:
    """Whether the run watched a user's own threads."""
    return any(result.measurement == MEASUREMENT for result in run.results())


def explain(run: Run, *, sample: str, quantity: str, on_step: Callable[[str], None] = lambda _: None) -> Explanation:
    """Why a cycle of a watched thread was late. `quantity`: empty for that of the thread with the worst late cycle; then
    `on_step` gets a sentence that names the other threads with late cycles. UsageError where no trail of it was saved."""
    there = {result.quantity: result for result in run.results() if result.measurement == MEASUREMENT}
    whole = _chosen(run, there, quantity, on_step)
    found = _trail.trails(whole)
    room = trails_of(whole)
    usual = float(_trail.median(whole) or 0)
    trail = _trail.meant(whole, found, sample, {one.index: one.ticks for one in found})
    session = run.sessions[0]
    faults = _faults(there, whole.quantity)
    blames = {one.index: _trail.blame(one, usual, faults or 0) for one in found}
    return Explanation(
        run=run.id,
        target=f"{run.target} {whole.quantity}",
        kernel=run.kernel(),
        repetition=0,
        load="none",
        hz=session.clock(whole.clock).hz,
        kept=msgspec.structs.replace(
            _kept(run, whole, trail, room, faults=faults), instead=_trail.instead(trail, found, blames, usual)
        ),
        samples=whole.count,
        known=room.kept,
        usual=usual,
        sample=ExplainedSample(
            index=trail.index,
            ticks=trail.ticks,
            stages=tuple(_stages(trail, there, whole.quantity)),
            blame=blames[trail.index],
            calls=tuple(_trail.calls(trail)),
            stacks=tuple(_trail.stacks(trail)),
        ),
        slow=room.late,
        causes=tuple(_trail.causes(found, blames, usual, room.late)),
    )


def _chosen(run: Run, there: Mapping[str, Result], quantity: str, on_step: Callable[[str], None]) -> Result:
    """The chosen result: one with trails. By default of the thread with the worst late cycle: the furthest above the
    usual one, because the cycles of another thread may be longer and in time."""
    slowest = {name: max((one.ticks for one in _trail.trails(result)), default=-1) for name, result in there.items()}
    if quantity and quantity not in there:
        listed = ", ".join(name for name in there if name.startswith(QUANTITIES))
        raise UsageError(f"run {run.id} has no {quantity}; it has {listed}")
    if not any(result.variant.trace_over_ns for result in there.values()):
        raise UsageError(f"run {run.id} kept no trail: watch with attach --trace-over TIME")
    threads: dict[str, list[str]] = {}
    for one in (one for one in there if one.startswith(QUANTITIES) and slowest[one] >= 0):
        threads.setdefault(_thread(one), []).append(one)

    def excess(thread: str) -> int:
        return max(slowest[one] - (_trail.median(there[one]) or 0) for one in threads[thread])

    worst = sorted(threads, key=excess, reverse=True)
    slowest_of = {thread: max(threads[thread], key=lambda one: slowest[one]) for thread in worst}
    name = quantity or (slowest_of[worst[0]] if worst else next(iter(there)))
    if len(worst) > 1 and not quantity:
        on_step(
            f"thread {worst[0]} has the worst late cycle; for the others: "
            + ", ".join(f"--quantity {slowest_of[thread]}" for thread in worst[1:])
        )
    start = START + name.removeprefix(WAKE)
    if slowest[name] < 0 <= slowest.get(start, -1) and name.startswith(WAKE):
        name = start  # of a thread that timers wake: the same wake-ups from the due time on
    if slowest[name] < 0:
        limit = form.duration(there[name].variant.trace_over_ns)
        what = f"sample of {name}" if quantity else "cycle"
        kept = ", ".join(one for one in there if slowest[one] >= 0)
        also = f"; there are trails of {kept}" if kept else ""
        longest = max((result.max or 0 for one, result in there.items() if one in {name, start}), default=0)
        option = "--deadline" if name.startswith(RESPONSE) else "--trace-over"
        way = f"; the longest took {form.duration(longest)}: watch with a smaller {option}" if longest else ""
        raise UsageError(f"run {run.id}: no {what} was above {limit}, so no trail was kept{also or way}")
    return there[name]


def _thread(quantity: str) -> str:
    """The thread of one of QUANTITIES."""
    return next(quantity.removeprefix(one) for one in QUANTITIES if quantity.startswith(one))


def _faults(there: Mapping[str, Result], quantity: str) -> int | None:
    """The usual time in page faults of a cycle; None: not recorded, or the quantity is not the whole cycle."""
    result = there.get(FAULTS + quantity.removeprefix(RESPONSE)) if quantity.startswith(RESPONSE) else None
    return None if result is None else _trail.median(result) or 0


def _kept(run: Run, whole: Result, trail: Trail, room: Trails, *, faults: int | None) -> Kept:
    time, runs = run.host.get("attach.programs.ns"), max(whole.elapsed, 1)
    return _trail.kept_of(
        whole,
        trail,
        room,
        steal=_trail.stolen(trail),
        share=int(time) / runs if time else None,
        missed=int(run.host.get("attach.programs.missed", "0")),
        faulted=None if faults is None or trail.dropped else _faulted(trail),
    )


def _faulted(trail: Trail) -> tuple[int, int]:
    """The number of the page faults in the sample, and their ticks."""
    number, ticks = _trail.faults(trail)
    return number, ticks + sum(span.ticks for span in spans(trail) if span.cause == IN_FAULT)


def _stages(trail: Trail, there: Mapping[str, Result], quantity: str) -> Iterator[Stage]:
    """The stages, which add up to the sample. The usual time of each is its median over all cycles."""
    thread = _thread(quantity)
    medians = {
        "expiry-to-waking": f"expiry-to-waking-{thread}",
        "waking-to-switch": f"{WAKE}{thread}",
        **{part: f"{part}-{thread}" for part in _PARTS},
    }
    for name, ticks in (parts(trail) or {quantity: trail.ticks}).items():
        usual = there.get(medians.get(name, quantity))
        yield Stage(name, ticks, float((_trail.median(usual) if usual is not None else None) or 0))


def parts(trail: Trail) -> dict[str, int]:
    """The times from due to waking, to the switch, and for a response the thread's activity after that.
    Empty where steps are missing."""
    if trail.dropped:
        return {}
    if trail.became == "wake":
        return {"waking-to-switch": trail.ticks}
    inside = [step for step in trail.steps if trail.due <= step.at <= trail.user]
    waking = next((step for step in inside if step.kind == "waking"), None)
    if waking is None:
        return {}
    if trail.became == "start":
        return {"expiry-to-waking": waking.at - trail.due, "waking-to-switch": trail.user - waking.at}
    own = trail.thread.pid
    runs = (step.at for step in inside if step.kind.startswith("switch ") and step.pid == own and step.at >= waking.at)
    first = waking.at if waking.pid == own else next(runs, trail.user)
    found = {"expiry-to-waking": waking.at - trail.due, "waking-to-switch": first - waking.at}
    found |= dict.fromkeys(_PARTS, 0)
    at, phase = first, "running"
    for step in inside:
        word, _, how = step.kind.partition(" ")
        if step.at < first or word not in {"left", "woken", "switch"} or (word == "switch" and step.pid != own):
            continue
        found[phase] += step.at - at
        at = step.at
        if word == "left":
            phase = {"runnable": "preempted", "stopped": "stopped"}.get(how, "blocked")
        elif word == "switch":
            phase = "running"
        elif phase in {"blocked", "stopped"}:
            phase = "preempted"
    found[phase] += trail.user - at
    return found
