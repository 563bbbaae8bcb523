# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs as an engine would have answered a plan: every item measured, with figures that a test knows beforehand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from rtstone.model import (
    Calibration,
    Check,
    Clock,
    Degraded,
    Geometry,
    Histogram,
    LoadFigure,
    Losses,
    Note,
    Result,
    Run,
    Session,
    Variant,
)
from rtstone.stream.plan import Item, Plan
from rtstone.studies import Request, make_plan, study

GEOMETRY = Geometry(sub_bits=11, max_bits=40, negative_bits=20)
GHZ = Clock(id=0, name="tsc", hz=1_000_000_000, source="definition", resolution_ticks=2)
SERIES = {
    "interrupt-response": ("interrupt-service-response", "interrupt-task-response", "context-switch-delay"),
    "interrupt-stages": (
        *("interrupt-service-response", "top-to-bottom-half", "context-switch-delay", "interrupt-task-response"),
        "residual",
    ),
    "interrupt-total": ("interrupt-task-response",),
    "interrupt-split": (
        *("interrupt-task-response", "expiry-to-handler", "handler-to-waking", "waking-to-switch", "switch-to-user"),
        *("context-switch-delay", "split-task-response"),
    ),
    "user-isr-stages": (
        *("interrupt-service-response", "top-to-bottom-half", "bottom-half-to-user-isr", "context-switch-delay"),
        *("interrupt-task-response", "residual"),
    ),
    "user-isr-total": ("interrupt-task-response",),
}

TRANSFER = {
    "bytes_sent": 4_096_000,
    "bytes_received": 4_096_000,
    "elapsed_ns": 1_000_000,
    "block_bytes": 4096,
    "window_bytes": 57_344,
    "receive_buffer_bytes": 114_688,
    "sender_cpu": 1,
    "receiver_cpu": 1,
}
"""Figures that a transfer over a network reports: the paper's sizes, both ends on one CPU."""

Change = Callable[[Result], Result]
"""A test's change of a result: a note, another status."""


def samples_of(item: Item) -> list[int]:
    """A hundred values (ns) around one that depends on the item: 1000 + 100 * its number, ten times that under load."""
    base = (1000 + 100 * item.item) * (1 if item.load == "none" else 10)
    return [base + i for i in range(100)]


def results_of(item: Item) -> list[Result]:
    """The item as measured without any fault."""
    variant = Variant(
        pass_=item.pass_,
        load=item.load,
        sched=item.sched,
        cache=item.cache,
        timer=item.timer,
        period_ns=item.period_ns,
    )
    values = samples_of(item)
    if item.pass_ == "batch":
        values = [value * item.count for value in values[: item.sets]]
    load = (
        () if item.load == "none" else (LoadFigure(item.load, "intensity", 1), LoadFigure(item.load, "iterations", 7))
    )
    counted = Counter(GEOMETRY.index(value) for value in values)
    return [
        Result(
            item=item.item,
            measurement=item.measurement,
            quantity=quantity,
            variant=variant,
            status="ok",
            stop="count",
            cpu=1,
            priority=90,
            ops=item.count if item.pass_ == "batch" else 1,
            count=len(values),
            min=min(values),
            max=max(values),
            sum=sum(values),
            sumsq=sum(value * value for value in values),
            elapsed=sum(values),
            batches=tuple(values) if item.pass_ == "batch" else (),
            histogram=None
            if item.pass_ == "batch"
            else Histogram(geometry=GEOMETRY, positive=tuple(sorted(counted.items()))),
            checks=(Check("switches", 200, 200, 200),),
            load=load,
        )
        for quantity in SERIES.get(item.measurement, (item.measurement,))
    ]


def skipped(result: Result, text: str = "this kernel has no such service", reason: str = "unsupported") -> Result:
    """The result as a skip: no figures, the quantity called like the measurement."""
    return Result(
        item=result.item,
        measurement=result.measurement,
        quantity=result.measurement,
        variant=result.variant,
        status="skipped",
        reason=reason,
        text=text,
    )


def noted(result: Result, service: str, text: str, kind: str = "substituted") -> Result:
    """The result with a note more."""
    return replace(result, notes=(*result.notes, Note(kind, service, text)))


def session_of(plan: Plan, change: Change | None = None, clock: Clock = GHZ) -> Session:
    """A complete session that answers the plan."""
    found = [result for item in plan.items for result in results_of(item)]
    return Session(
        nonce="0" * 16,
        engine="0.1.0",
        port="posix",
        stream_version="1.0",
        repetition=plan.repetition,
        seed=plan.seed,
        env={"sched.rt": "SCHED_FIFO"},
        clocks=(clock,),
        calibrations=(Calibration(name="clock-read", clock=0, count=10, total=250, min=24, median=25, max=30),),
        degraded=(),
        results=tuple(change(result) if change else result for result in found),
        losses=Losses(),
        complete=True,
    )


def request_for(*names: str, loads: Sequence[str] = ("none", "cpu")) -> Request:
    """The quick request for these studies."""
    return Request(studies=tuple(study(name) for name in names), profile="quick", loads=tuple(loads))


def run_for(
    *names: str,
    change: Change | None = None,
    target: str = "local",
    run_id: str = "20260101T000000-0000",
    loads: Sequence[str] = ("none", "cpu"),
    repetitions: int = 1,
    degraded: tuple[Degraded, ...] = (),
    host: dict[str, str] | None = None,
    given: tuple[str, ...] = (),
) -> Run:
    """A complete run of these studies."""
    request = replace(request_for(*names, loads=loads), given=given)
    sessions = tuple(session_of(make_plan(request, repetition), change) for repetition in range(repetitions))
    return Run(
        id=run_id,
        started="2026-01-01T00:00:00Z",
        ended="2026-01-01T00:01:00Z",
        target=target,
        studies=names,
        profile="quick",
        seed=1,
        tool="0.1.0",
        host=host or {},
        sessions=sessions,
        status="complete",
        degraded=degraded,
    )
