# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the choices of every command that measures into one request: the same words plan the same measurements everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from rtstone.cli import _choices as choose
from rtstone.cli import _engine_lists, _values
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
        intensity=_values.intensity(intensity),
        repetitions=repetitions,
        targets=max(1, sum(map(by_turns, targets))),
        count=_values.positive("--count", count),
        sets=_values.positive("--sets", sets),
        period_ns=period if isinstance(period, int) else _values.period_ns(period),
        cpu=choose.cpu(cpu, targets),
        timer=choose.timer(timer, targets),
        windows=tuple(choose.window(name, targets) for name in _values.words(window)) or ("default",),
        trace_over_ns=_values.trace_over(trace_over),
        sched=choose.sched(sched),
        cache=cast("choose.Cache", _values.one_of("--cache", cache, ("warm", "flushed"))),
        raw=raw,
        seed=seed,
        given=("peer",) if peer else (),
        peer=_values.peer(peer) or "",
        load_command=load_command or "",
        clock=choose.clock(clock, targets),
        traits=_engine_lists.traits(targets),
    )


def by_turns(target: str) -> bool:
    """Whether a target shares the profile's time with others, because nothing may run in parallel:
    all but boards that count instructions."""
    from rtstone.targets import capabilities

    return not capabilities(target).virtual
