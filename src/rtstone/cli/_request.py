# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the choices of every command that measures into one request: the same words plan the same measurements everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from rtstone.cli import _choices as choose
from rtstone.studies import Request
from rtstone.studies import profile as known_profile

if TYPE_CHECKING:
    from rtstone.studies import Chosen, Study


def request(
    targets: Sequence[str],
    *,
    measurements: tuple[Chosen, ...] = (),
    studies: tuple[Study, ...] = (),
    profile: str = "standard",
    loads: Sequence[str] | None = None,
    usual_loads: str = "",
    load_command: str | None = None,
    loads_required: bool = True,
    intensity: int | None = None,
    repetitions: int = 0,
    count: int | None = None,
    sets: int | None = None,
    period: str | int | None = None,
    cpu: int = -1,
    timer: str = "default",
    window: Sequence[str] | None = None,
    trace_over: str | None = None,
    sched: str | None = None,
    cache: str = "warm",
    raw: bool = False,
    seed: int = 1,
    peer: str | None = None,
    clock: str | None = None,
) -> Request:
    """The request of a command for these targets; each option as the user wrote it.

    `measurements` come from `_choices.measurements`. `repetitions` 0: each target's own number. `usual_loads`: those of rtstone.toml.
    `period`: a time, or nanoseconds. Raises UsageError for a choice that a target cannot have, and lists the valid ones.
    """
    return Request(
        studies=studies,
        measurements=measurements,
        profile=known_profile(profile).name,
        loads=choose.load_command(load_command, choose.loads(loads, usual_loads, targets), targets),
        loads_required=loads_required,
        intensity=choose.intensity(intensity),
        repetitions=repetitions,
        targets=max(1, sum(map(choose.by_turns, targets))),
        count=choose.positive("--count", count),
        sets=choose.positive("--sets", sets),
        period_ns=period if isinstance(period, int) else choose.period_ns(period),
        cpu=choose.cpu(cpu, targets),
        timer=choose.timer(timer, targets),
        windows=tuple(choose.window(name, targets) for name in choose.words(window)) or ("default",),
        trace_over_ns=choose.trace_over(trace_over),
        sched=choose.sched(sched),
        cache=cast("choose.Cache", choose.one_of("--cache", cache, ("warm", "flushed"))),
        raw=raw,
        seed=seed,
        given=("peer",) if peer else (),
        peer=choose.peer(peer) or "",
        load_command=load_command or "",
        clock=choose.clock(clock, targets),
        traits=choose.traits(targets),
    )
