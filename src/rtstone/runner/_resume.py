# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An interrupted run taken up again: its complete sessions, and the plans of those that are missing."""

from __future__ import annotations

import msgspec

from rtstone.errors import UsageError
from rtstone.model import Run, Session
from rtstone.plan import Plan, decode_echo
from rtstone.studies import phase_ns

SAME = ("kernel.release", "kernel.version", "cpu.model", "clock.source", "compiler")
"""Facts of the target that must be what they were: else the sessions are of two platforms."""


class Resumed(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken over of a run, and the plans of all its sessions."""

    run: Run
    logs: tuple[bytes, ...]
    sessions: tuple[Session, ...]
    """Complete, and the first of the run."""
    plans: tuple[Plan, ...]


def resume(run: Run, logs: tuple[bytes, ...], *, virtual: bool) -> Resumed:
    """Takes over the sessions that are complete, from the first on. ``logs``: the run's raw streams, one a session.

    Raises UsageError for a run that is complete, or that does not say how to go on.
    """
    if run.status == "complete":
        raise UsageError(f"run {run.id} is complete: there is nothing left to measure")
    if run.planned < 1 or not logs:
        raise UsageError(f"run {run.id} does not say what is missing of it; it cannot be taken up again")
    kept = 0
    while kept < min(len(run.sessions), len(logs), run.planned) and run.sessions[kept].complete:
        kept += 1
    if kept == run.planned:
        raise UsageError(f"run {run.id} has all of its {kept} sessions")
    first = decode_echo(logs[0])
    return Resumed(
        run=run,
        logs=logs[:kept],
        sessions=run.sessions[:kept],
        plans=tuple(_repeated(first, number, virtual=virtual) for number in range(run.planned)),
    )


def _repeated(plan: Plan, repetition: int, *, virtual: bool) -> Plan:
    items = plan.items
    if virtual:
        phased = (
            msgspec.structs.replace(item, phase_ns=phase_ns(plan.seed, repetition, item.item))
            if item.phase_ns
            else item
            for item in items
        )
        items = tuple(phased)
    return msgspec.structs.replace(plan, repetition=repetition, items=items)


def unlike(before: Session, after: Session) -> str:
    """What of the target is not as it was, as a sentence; empty where it is the same."""
    # What an older engine did not tell is no difference.
    told = ("machine.id",) if "machine.id" in before.env else ()
    for key in (*told, *SAME):
        was, now = before.env.get(key), after.env.get(key)
        if was != now:
            return f"{key} was {was or 'not told'} and is {now or 'not told'}"
    if (before.port, before.engine) != (after.port, after.engine):
        return f"the engine was {before.port} {before.engine} and is {after.port} {after.engine}"
    return ""
