# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of one watched thread, from the counts of the engine's BPF programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from rtstone.attach._trails import RESPONSE, START, WAKE, Late, events, name_of
from rtstone.model import Check, Event, Figure, Geometry, Histogram, Result, Variant

MEASUREMENT = "attach"
_GEOMETRY = Geometry(8, 36, 1)
"""Same value as in probe/bpf/rtstone_attach.h."""
_REALTIME = {1, 2, 6}
UNSEEN_SHARE = 20
"""Smallest number of wake-ups for each one that is seen only in part.
Some supervisors' kernels run no program while a thread of theirs is current."""
_BRIEF = 20
"""A thread that ended after fewer samples lived briefly: its result is valid though a wake-up was seen in part."""
_NAMED = 12
"""Most wakers and holders of a thread that are named; the others are added up."""
_SOFTIRQS = ("hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu")
_PARTS = ("running", "preempted", "blocked", "stopped")
SERIES = (*_PARTS, "start-latency", "expiry-to-waking", "response", "page-faults")
"""Parts of a cycle, in the order of probe/bpf/rtstone_attach.h. The last one only where the kernel shows page faults."""


class AttachedSeries(msgspec.Struct, frozen=True, kw_only=True):
    """Times of one kind (ns), such as a part of a cycle."""

    samples: int
    sum: int
    squares: int
    squares_high: int
    least: int
    most: int
    overflow: int
    buckets: tuple[tuple[int, int], ...]


class WatchedThread(AttachedSeries, frozen=True, kw_only=True):
    """A thread's line: its wake-ups and their latencies (ns)."""

    thread: int
    """Its number: the threads are counted from 0 as they are found."""
    tid: int
    pid: int
    ended: int
    pending: int
    policy: int
    priority: int
    cpu: int
    wakings: int
    awake: int
    unseen: int
    untold: int
    preempted: int
    by_timer: int
    migrations: int
    unnamed: int
    faults: int
    major_faults: int
    comm: str


class CycleCounts(msgspec.Struct, frozen=True):
    """The cycles of a thread; the names of its series are `SERIES`."""

    cycle: int
    """The thread's number."""
    cycles: int
    broken: int
    endless: int
    open: int
    waits: int
    undated: int
    misses: int
    late_starts: int
    late_wakings: int
    lost: int
    series: tuple[AttachedSeries, ...]


class NamedShare(msgspec.Struct, frozen=True):
    """How often a task or an interrupt woke the thread, or held its CPU."""

    of: int
    """The thread's number."""
    kind: str
    number: int
    count: int
    total: int
    most: int
    comm: str


def unseen_most(samples: int, *, brief: bool = False) -> int:
    """How many wake-ups may be seen only in part. `brief`: of a thread that has ended, after few of them."""
    return _BRIEF if brief and samples < _BRIEF else samples // UNSEEN_SHARE + 1


def latency_of(number: int, quantity: str, thread: WatchedThread, shares: Sequence[NamedShare], elapsed: int) -> Result:
    """The result of the thread's wake-ups. `elapsed`: ns that it was watched at most."""
    counted = thread.samples + thread.awake + thread.untold + thread.pending
    most = unseen_most(thread.samples, brief=bool(thread.ended))
    checks = (
        Check("wakings-accounted", counted, thread.wakings, thread.wakings),
        Check("wake-ups-unseen", thread.unseen + thread.untold, 0, most),
    )
    common = Result(
        item=number,
        measurement=MEASUREMENT,
        quantity=quantity,
        variant=Variant(sched="rt" if thread.policy in _REALTIME else "ts"),
        status="ok",
        cpu=thread.cpu - 1,
        priority=thread.priority,
        meaning=1,
        elapsed=elapsed,
        checks=checks,
        figures=tuple(_figures(thread, _merged(shares))),
    )
    return _of_series(common, thread, "no-samples")


def with_cycles(
    latency: Result,
    name: str,
    counts: CycleCounts,
    late: Sequence[Late],
    origin: int,
    *,
    over: int,
    deadline: int,
    brief: bool,
) -> Iterator[Result]:
    """The thread's wake-ups with their trails, and the results of its cycles.

    `name`: the thread's, in the quantities; `late`: its trails; `over`, `deadline`: as requested (ns; 0: none);
    `brief`: the thread has ended, perhaps after few samples.
    """
    trails = {kind: [one for one in late if one.kind == kind] for kind in (START, WAKE, RESPONSE)}
    yield _with_trails(latency, over, counts.late_wakings, trails[WAKE], origin)
    of = dict(zip(SERIES, counts.series, strict=False))
    common = msgspec.structs.replace(latency, checks=_cycle_checks(counts, brief=brief), figures=())
    for kind in ("start-latency", "response", "expiry-to-waking", *_PARTS, "page-faults"):
        if kind not in of:
            continue
        made = _of_series(msgspec.structs.replace(common, quantity=f"{kind}-{name}"), of[kind], "no-cycles")
        if kind == "start-latency":
            made = msgspec.structs.replace(made, figures=tuple(_cycle_figures(counts)))
            made = _with_trails(made, over, counts.late_starts, trails[START], origin)
        elif kind == "response" and deadline:
            limit = (Figure("deadline", "ns", deadline), Figure("deadline-misses", "cycles", counts.misses))
            made = msgspec.structs.replace(made, figures=limit)
            # A cycle that is unfinished, or was not seen to its end, has no sample for its trail.
            open_ = {counts.cycles - 1} if counts.open else set()
            ended = [one for one in trails[RESPONSE] if one.index not in open_]
            made = _with_trails(made, deadline if over else 0, counts.misses, ended, origin)
        yield made


def _cycle_checks(counts: CycleCounts, *, brief: bool) -> tuple[Check, ...]:
    """Checks of the cycles: all are counted, the parts of each add up to it, and few were seen only in part."""
    start, response = counts.series[SERIES.index("start-latency")], counts.series[SERIES.index("response")]
    parts = counts.waits + sum(one.sum for one in counts.series[: len(_PARTS)])
    accounted = response.samples + counts.broken + counts.endless + counts.open
    return (
        Check("cycles-accounted", accounted, start.samples, start.samples),
        Check("cycle-parts-accounted", parts, response.sum, response.sum),
        Check("cycles-unseen", counts.broken, 0, unseen_most(start.samples, brief=brief)),
    )


def _cycle_figures(counts: CycleCounts) -> Iterator[Figure]:
    for name, unit, value in (
        ("cycles", "cycles", counts.cycles),
        ("cycles-unseen", "cycles", counts.broken),
        ("cycles-endless", "cycles", counts.endless),
        ("timers-undated", "wake-ups", counts.undated),
        ("trails-lost", "trails", counts.lost),
    ):
        yield Figure(name, unit, value)


def _with_trails(result: Result, limit: int, late: int, trails: Sequence[Late], origin: int) -> Result:
    """The result with the saved trails of its samples above the limit (ns; 0: no trails were requested)."""
    if not limit:
        return result
    found: list[Event] = []
    for one in sorted(trails, key=lambda one: one.index):
        found += events(one, origin)
    return msgspec.structs.replace(
        result,
        variant=msgspec.structs.replace(result.variant, trace_over_ns=limit),
        figures=(*result.figures, Figure("samples-over-limit", "samples", late)),
        events=tuple(found),
    )


def _of_series(common: Result, series: AttachedSeries, none: str) -> Result:
    """The result of a series, with the status from its checks. `none`: the reason if there is no sample."""
    if not series.samples:
        text = "nothing woke the thread" if none == "no-samples" else "no timer woke the thread"
        return msgspec.structs.replace(
            common,
            status="skipped",
            reason=none,
            text=text,
            count=0,
            overflow=0,
            min=None,
            max=None,
            sum=0,
            sumsq=0,
            histogram=None,
        )
    wrong = [check.name for check in common.checks if not check.holds]
    return msgspec.structs.replace(
        common,
        status="invalid" if wrong else "ok",
        reason="check" if wrong else "",
        text=f"{wrong[0]} does not hold" if wrong else "",
        count=series.samples,
        overflow=series.overflow,
        min=series.least,
        max=series.most,
        sum=series.sum,
        sumsq=(series.squares_high << 64) + series.squares,
        histogram=Histogram(_GEOMETRY, tuple(sorted(series.buckets)), (), series.overflow),
    )


def _figures(thread: WatchedThread, shares: Sequence[NamedShare]) -> Iterator[Figure]:
    for name, unit, value in (
        ("thread", "tid", thread.tid),
        ("process", "pid", thread.pid),
        ("wakings", "wake-ups", thread.wakings),
        ("wakings-awake", "wake-ups", thread.awake),
        ("wakings-unseen", "wake-ups", thread.unseen),
        ("returns-unseen", "wake-ups", thread.untold),
        ("preempted", "times", thread.preempted),
        ("migrations", "times", thread.migrations),
        ("page-faults", "faults", thread.faults),
        ("page-faults-disk", "faults", thread.major_faults),
        ("causes-unnamed", "times", thread.unnamed),
    ):
        yield Figure(name, unit, value)
    timer = NamedShare(thread.thread, "timer", 0, thread.by_timer, 0, 0, "")
    others = [one for one in shares if one.kind != "holder"]
    wakers = sorted([timer, *others] if timer.count else others, key=lambda one: -one.count)
    holders = sorted((one for one in shares if one.kind == "holder"), key=lambda one: -one.total)
    for one in wakers[:_NAMED]:
        yield Figure(f"woken-by {_who(one)}", "wake-ups", one.count)
    if wakers[_NAMED:]:
        yield Figure("woken-by others", "wake-ups", sum(one.count for one in wakers[_NAMED:]))
    for one in holders[:_NAMED]:
        yield Figure(f"held-by {_who(one)}", "ns", one.total)
        yield Figure(f"held-most-by {_who(one)}", "ns", one.most)
    if holders[_NAMED:]:
        yield Figure("held-by others", "ns", sum(one.total for one in holders[_NAMED:]))


def _merged(shares: Sequence[NamedShare]) -> list[NamedShare]:
    """Adds up the shares of one name: hidden tasks have the same one."""
    found: dict[tuple[str, int, str], NamedShare] = {}
    for one in shares:
        key = (one.kind, one.number, one.comm)
        before = found.get(key)
        found[key] = (
            one
            if before is None
            else msgspec.structs.replace(
                one,
                count=before.count + one.count,
                total=before.total + one.total,
                most=max(before.most, one.most),
            )
        )
    return list(found.values())


def _who(share: NamedShare) -> str:
    if share.kind == "interrupt":
        return f"interrupt {share.number}"
    if share.kind == "softirq":
        vector = _SOFTIRQS[share.number] if share.number < len(_SOFTIRQS) else str(share.number)
        return f"soft interrupt {vector}"
    return "timer" if share.kind == "timer" else name_of(share.comm)
