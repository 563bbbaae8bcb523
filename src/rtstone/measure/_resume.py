# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Resumes an interrupted run: its complete sessions, and the plans of the missing ones."""

from __future__ import annotations

import msgspec

from rtstone.errors import UsageError
from rtstone.model import Run, Session, Variant
from rtstone.model.likeness import Read, reads, results_unlike, runs_unlike
from rtstone.model.units import counted
from rtstone.stream.plan import Plan, decode_echo, encode
from rtstone.studies import phase_ns


class Resumed(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions that are taken from an interrupted run, and the plans of all its sessions."""

    run: Run
    logs: tuple[bytes, ...]
    sessions: tuple[Session, ...]
    """The complete sessions, from the first one on."""
    plans: tuple[Plan, ...]


def resume(run: Run, logs: tuple[bytes, ...], *, virtual: bool) -> Resumed:
    """Takes the complete sessions of a run, from the first on. ``logs``: the run's raw streams, one a session.

    Raises UsageError for a run that is complete, or that lacks the plan to continue.
    """
    if run.status == "complete":
        raise UsageError(f"run {run.id} is complete: there is nothing left to measure")
    if run.planned < 1 or not logs:
        raise UsageError(f"run {run.id} does not list its missing measurements; it cannot be resumed")
    if command := run.host.get("target.before"):
        raise UsageError(
            f"run {run.id} had '{command}' run before each of its sessions; it cannot be resumed without that"
        )
    kept = 0
    while kept < min(len(run.sessions), len(logs), run.planned) and run.sessions[kept].complete:
        kept += 1
    if kept == run.planned:
        raise UsageError(f"run {run.id} has all of its {counted(kept, 'session')}")
    env = run.sessions[0].env if run.sessions else {}
    first = msgspec.structs.replace(_plan(logs[0]), clock=env.get("clock.chosen", ""))
    return Resumed(
        run=run,
        logs=logs[:kept],
        sessions=run.sessions[:kept],
        plans=tuple(_repeated(first, number, virtual=virtual) for number in range(run.planned)),
    )


_SENT = b"[plan] "
"""Marks a line of the sent plan, in the log of a session that ended before the engine had echoed it."""


def with_plan(log: bytes, plan: Plan) -> bytes:
    """The log of a session. If the session ended before the engine had echoed its plan,
    the plan is added as console text.

    A guest may be interrupted while it boots. Without its plan the run could not be resumed.
    """
    try:
        decode_echo(log)
    except UsageError:
        return log + b"".join(_SENT + line + b"\n" for line in encode(plan).splitlines())
    return log


def _plan(log: bytes) -> Plan:
    try:
        return decode_echo(log)
    except UsageError:
        sent = (line.removeprefix(_SENT) for line in log.splitlines() if line.startswith(_SENT))
        return decode_echo(b"\n".join(sent))


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


def unlike(before: Run, after: Run) -> str:
    """The differences that keep later sessions from being one run with the earlier ones; empty: they are one run."""
    found = list(runs_unlike(before, after, "one run"))
    left, right = _rows(before), _rows(after)
    for row in left.keys() & right.keys():
        found += results_unlike(left[row], right[row])
    return "; ".join(dict.fromkeys(one.text for one in found))


def _rows(run: Run) -> dict[tuple[str, str, Variant], list[Read]]:
    """The measured results, each with the facts for a comparison."""
    found: dict[tuple[str, str, Variant], list[Read]] = {}
    for session in run.sessions:
        clocks = {clock.id: clock for clock in session.clocks}
        for result in session.results:
            if result.count:
                read = reads(run, result, clocks.get(result.clock), session.engine)
                found.setdefault((result.measurement, result.quantity, result.variant), []).append(read)
    return found
