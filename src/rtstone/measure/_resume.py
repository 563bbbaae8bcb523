# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Resumes an interrupted run: its complete sessions, and the plans of the missing ones.

Remembers which runs this user's last command began, for `run --resume last`, even if nothing of them could be saved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rtstone.config import base_folder
from rtstone.errors import UsageError
from rtstone.model import Run, Session, Variant
from rtstone.model.ids import short_id
from rtstone.model.likeness import Read, reads, results_unlike, runs_unlike
from rtstone.model.units import counted
from rtstone.stream.plan import Plan, decode_echo, encode
from rtstone.studies import phase_ns

if TYPE_CHECKING:
    from rtstone.archive import RunStore


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


def find_last(archive: RunStore, where: str | None) -> str:
    """The run that `--resume last` names: the one that this user's last command began, or "last" where none is remembered.

    Raises UsageError where the archive does not have it: an older run is no substitute.
    """
    begun = last_begun(where)
    if unsaved := _unsaved_since(where):
        raise UsageError(
            f"the run that was started last, {short_id(unsaved)}, was not to be saved (--no-archive). "
            "Start it again; an older run is resumed by its id"
        )
    for run_id in reversed(begun):
        with suppress(UsageError):
            return archive.find(run_id)
    if begun:
        raise UsageError(
            f"the run that was started last, {short_id(begun[-1])}, is not in the archive: it ended before anything of it was saved. "
            "Start it again; an older run is resumed by its id"
        )
    return "last"


def note_begun(where: str | None, runs: Sequence[str]) -> None:
    """Remember the ids of the runs that begin now, to be saved in this archive; None: nowhere.
    Does nothing if the file is unwritable."""
    with suppress(OSError):
        place = _begun_file(where)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join(runs), encoding="utf-8")


def last_begun(where: str | None) -> tuple[str, ...]:
    """The ids of the runs of this archive that began last; empty where none are remembered."""
    with suppress(OSError, UnicodeDecodeError):
        return tuple(_begun_file(where).read_text(encoding="utf-8").split())
    return ()


def _unsaved_since(where: str | None) -> str:
    """The id of a run that was not to be saved, if it began after the last one of this archive; empty: no such run."""
    with suppress(OSError, UnicodeDecodeError):
        place, began = _begun_file(None), _begun_file(where)
        if not began.exists() or place.stat().st_mtime_ns >= began.stat().st_mtime_ns:
            return (place.read_text(encoding="utf-8").split() or [""])[-1]
    return ""


def _begun_file(where: str | None) -> Path:
    from rtstone.archive import open_archive

    of = "unsaved" if where is None else hashlib.sha256(str(open_archive(where).location).encode()).hexdigest()[:16]
    return base_folder("XDG_STATE_HOME", ".local/state") / "rtstone" / "begun" / of
