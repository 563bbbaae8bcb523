# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs made up from a seed, so that archive, tables and report have something to work on without an engine."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import msgspec

from rtstone.model import (
    Bucket,
    Calibration,
    Check,
    Clock,
    Degraded,
    Extreme,
    Geometry,
    Histogram,
    LoadFigure,
    Losses,
    Note,
    Result,
    Run,
    Session,
    Variant,
    Windows,
)

__all__ = ["GEOMETRY", "Bucket", "make_histogram", "make_result", "make_run", "make_session"]

GEOMETRY = Geometry(sub_bits=8, max_bits=40, negative_bits=20)
CLOCK = Clock(
    id=0, name="tsc", hz=1_000_000_000, source="calibrated against …", uncertainty_ppb=15_000, resolution_ticks=1
)
"""A counter whose rate each session calibrates, as engines do. A round rate: ticks are read as nanoseconds."""


def calibrated(repetition: int, clock: Clock = CLOCK) -> Clock:
    """The clock as another session calibrates it: some parts per million off, within its uncertainty, never equal."""
    ppm = random.Random(repetition).uniform(2, 12) * (-1) ** repetition if repetition else 0.0
    return msgspec.structs.replace(clock, hz=round(clock.hz * (1 + ppm / 1e6)))


QUANTITIES = ("semaphore-ping", "suspend-resume-ping", "queue-fill", "block-allocate", "interrupt-task-response")


def make_histogram(values: list[int], geometry: Geometry = GEOMETRY) -> Histogram:
    """The histogram of these samples (ticks)."""
    positive: Counter[int] = Counter()
    negative: Counter[int] = Counter()
    overflow = 0
    for value in values:
        side, bits = (negative, geometry.negative_bits) if value < 0 else (positive, geometry.max_bits)
        if abs(value) >= 1 << bits:
            overflow += 1
        else:
            side[geometry.index(abs(value))] += 1
    return Histogram(geometry, tuple(sorted(positive.items())), tuple(sorted(negative.items())), overflow)


def make_values(count: int, *, typical: int = 2_000, seed: int = 1) -> list[int]:
    """`count` plausible latencies (ticks): a narrow body and a long tail."""
    source = random.Random(seed)
    return [
        int(
            typical * source.lognormvariate(0, 0.15) * (source.random() < 0.002) * 9
            + typical * source.lognormvariate(0, 0.1)
        )
        for _ in range(count)
    ]


def make_result(
    quantity: str = "semaphore-ping",
    *,
    item: int = 0,
    measurement: str = "",
    variant: Variant | None = None,
    values: list[int] | None = None,
    typical: int = 2_000,
    count: int = 2_000,
    seed: int = 1,
) -> Result:
    """One measured quantity; `values` are the samples (single) or the totals of the sets (batch)."""
    variant = variant or Variant()
    batch = variant.pass_ == "batch"
    ops = 100 if batch else 1
    if values is None:
        values = make_values(20 if batch else count, typical=typical * ops, seed=seed)
    width = max(1, sum(values) // 50)
    maxima: dict[int, int] = {}
    at = 0
    times = []
    for value in values:
        at += max(1, value)
        times.append(at)
        maxima[at // width] = max(value, maxima.get(at // width, value))
    largest = sorted(range(len(values)), key=lambda i: -values[i])[:8]
    histogram = None if batch else make_histogram(values)
    return Result(
        item=item,
        measurement=measurement or quantity,
        quantity=quantity,
        variant=variant,
        status="ok",
        stop="count",
        cpu=1,
        priority=80,
        ops=ops,
        count=len(values),
        overflow=histogram.overflow if histogram else 0,
        min=min(values, default=None),
        max=max(values, default=None),
        sum=sum(values),
        sumsq=sum(value * value for value in values),
        elapsed=at,
        batches=tuple(values) if batch else (),
        histogram=histogram,
        extremes=tuple(Extreme(values[i], i, times[i]) for i in largest),
        windows=None if batch else Windows(width, tuple(maxima.get(i) for i in range(max(maxima, default=-1) + 1))),
        checks=(Check("switches", 2 * len(values), 2 * len(values), 4 * len(values)),),
        load=(LoadFigure(variant.load, "cpu_permille", 990),) if variant.load != "none" else (),
    )


def skipped(quantity: str, *, item: int = 0, text: str = "no such service") -> Result:
    """A quantity that the target does not have."""
    return Result(
        item=item,
        measurement=quantity,
        quantity=quantity,
        variant=Variant(),
        status="skipped",
        reason="unsupported",
        text=text,
    )


def make_session(results: tuple[Result, ...] = (), *, repetition: int = 0, seed: int = 1, **changes: object) -> Session:
    """A complete session of these results; `changes` replace any field."""
    session = Session(
        nonce=f"{seed:012x}{repetition:04x}",
        engine="0.1.0",
        port="posix",
        stream_version="1.0",
        repetition=repetition,
        seed=seed,
        env={
            "kernel.name": "Linux",
            "kernel.release": "6.1.0-18-amd64",
            "kernel.preempt": "voluntary",
            "cpu.model": "Example CPU at 2.5 GHz",
            "compiler": "gcc 12.2.0",
        },
        clocks=(calibrated(repetition),),
        calibrations=(Calibration(name="clock-read", clock=0, count=1000, total=25_000, min=20, median=24, max=90),),
        degraded=(),
        results=results,
        losses=Losses(),
        complete=True,
    )
    return msgspec.structs.replace(session, **changes)


@cache
def _usual(seed: int, count: int) -> tuple[Result, ...]:
    made: list[Result] = []
    for number, quantity in enumerate(QUANTITIES):
        for load in ("none", "cpu"):
            for pass_ in ("batch", "single"):
                result = make_result(
                    quantity,
                    item=len(made),
                    variant=Variant(pass_=pass_, load=load),
                    typical=1_000 * (number + 1) * (3 if load == "cpu" else 1),
                    count=count,
                    seed=seed + len(made),
                )
                if quantity == "semaphore-ping":
                    note = Note("substituted", "semaphore", "two semaphores, one a direction")
                    result = msgspec.structs.replace(result, notes=(note,))
                made.append(result)
    return (*made, skipped("suspend-resume", item=len(made), text="POSIX threads cannot be suspended"))


def make_run(
    run_id: str = "20261121T200000-0001",
    *,
    results: tuple[Result, ...] | None = None,
    sessions: tuple[Session, ...] | None = None,
    seed: int = 1,
    count: int = 2_000,
    **changes: object,
) -> Run:
    """A run of the local target: five quantities, single and batch, idle and under CPU load, one of them substituted,
    and one skipped. `changes` replace any field."""
    if sessions is None:
        sessions = (make_session(_usual(seed, count) if results is None else results, seed=seed),)
    run = Run(
        id=run_id,
        started="2026-11-21T20:00:00Z",
        ended="2026-11-21T20:01:00Z",
        target="local",
        label="this machine",
        studies=("sscl", "rhealstone"),
        profile="quick",
        seed=seed,
        tool="0.1.0",
        host={"hostname": "bench", "virtualization": "none"},
        sessions=sessions,
        status="complete",
        degraded=(Degraded("sched", "SCHED_FIFO is not permitted", "sudo setcap cap_sys_nice+ep rtstone-engine"),),
    )
    return msgspec.structs.replace(run, **changes)
