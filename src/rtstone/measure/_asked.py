# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the request of a command into a plan for each repetition on each target."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone.errors import UsageError
from rtstone.measure._group import cpus_at_once
from rtstone.measure._measure import More
from rtstone.measure._resume import Resumed
from rtstone.stream.plan import Plan, expected_seconds, seconds_left, validate
from rtstone.studies import LIVE, Request, board_repetitions, live_sessions, make_plan
from rtstone.targets import Target

LOADS = ("none", "cpu")
"""Default loads of a live target."""
BOARD_LOADS = ("none", "traffic")
"""Default loads of virtual boards: every kernel of a board has them, so that their columns can be compared."""


class TargetPlans(msgspec.Struct, frozen=True):
    """A target and the plans of its repetitions."""

    target: Target
    plans: tuple[Plan, ...]
    resumed: Resumed | None = None
    """The run whose complete sessions answer the first of these plans."""
    more: More | None = None
    """For an open-ended measurement: makes the plan of the next session, once these plans are measured."""

    @property
    def virtual(self) -> bool:
        """Whether other targets may be measured in parallel."""
        return self.target.capabilities.virtual

    @property
    def items(self) -> int:
        """Number of items to be measured."""
        return sum(len(plan.items) for plan in self._missing)

    @property
    def seconds(self) -> float:
        """Longest time (s) that they take, by themselves."""
        if self.target.capabilities.emulated:
            # The time of an operation is unknown there, but each item ends with its budget.
            items = [item for plan in self._missing for item in plan.items]
            return sum(item.budget_ms / 1000 or expected_seconds(item) for item in items)
        return sum(seconds_left(plan.items) for plan in self._missing)

    @property
    def _missing(self) -> tuple[Plan, ...]:
        return self.plans[len(self.resumed.logs) if self.resumed is not None else 0 :]


def ask(target: Target, request: Request) -> TargetPlans:
    """Plans the repetitions of a target.
    A virtual board has its own counts and budgets, and its own default repetitions and loads.

    Raises UsageError for a period that the target cannot keep.
    """
    can = target.capabilities
    virtual, least_ns = can.virtual, can.least_period_ns
    if 0 < (request.period_ns or 0) < least_ns:
        raise UsageError(
            f"--period: the measured interrupt of {target.name} comes at periods of {least_ns // 1_000_000} ms and more"
        )
    own = msgspec.structs.replace(
        request,
        virtual=virtual,
        emulated=can.emulated,
        least_period_ns=least_ns,
        inside_ioc=can.inside_ioc,
        repetitions=request.repetitions
        or (board_repetitions(request.profile) if virtual else live_sessions(request.profile, emulated=can.emulated)),
        loads=request.loads or (BOARD_LOADS if virtual else LOADS),
        loads_given=bool(request.loads),
        given=_given(target, request),
    )
    plans = tuple(make_plan(own, repetition) for repetition in range(own.repetitions))
    for plan in plans:
        validate(plan)
    return TargetPlans(target, plans)


def require_trail(asked: Sequence[TargetPlans], request: Request) -> None:
    """Raises UsageError where event trails are requested and no measurement on any target saves them."""
    if request.trace_over_ns and not any(item.trace_over_ns for one in asked for item in one.plans[0].items):
        raise UsageError(
            "--trace-over: no measurement here saves an event trail; interrupt-split does, for the same wake-up as interrupt-response"
        )


def _given(target: Target, request: Request) -> tuple[str, ...]:
    """The requirements of variants that this target meets:
    the command's, the target's own, and `live` only on a machine of silicon."""
    can = target.capabilities
    live = (LIVE,) if can.silicon else ()
    return tuple(dict.fromkeys((*(one for one in request.given if one != LIVE), *live, *can.gives)))


def at_most_seconds(asked: Sequence[TargetPlans], jobs: int) -> float:
    """Longest time (s) of all targets: live ones one after the other, virtual ones in parallel."""
    virtual = [one.seconds for one in asked if one.virtual]
    live = sum(one.seconds for one in asked if not one.virtual)
    return live + max(max(virtual, default=0.0), sum(virtual) / (jobs or cpus_at_once()))
