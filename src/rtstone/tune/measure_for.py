# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An experiment of settings that is judged by the user's own threads: each session watches them, as `rtstone attach` does."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from rtstone.attach.threads import BY_THE_USER, WITH_ITS_THREADS, Wanted, attach
from rtstone.errors import IncompleteError, RtstoneError
from rtstone.machine.settings import MachineSettings
from rtstone.measure._interrupt import Interruption
from rtstone.measure._job import Listener, save_checkpoint
from rtstone.measure._measure import Outcome
from rtstone.model import Run
from rtstone.tune.measure import Planned, facts_of, report

Watch = Callable[[Wanted], Outcome]


class _Row:
    """A row of the design: its run grows by a session a round."""

    def __init__(self, plan: Planned, number: int, *, label: str, group: str) -> None:
        self.values = {place: value for _, place, value in plan.values[number]}
        self._facts = {f"target.{key}": value for key, value in facts_of(plan, number).items()}
        self._plan, self._label, self._group = plan, label, group
        self._logs: tuple[bytes, ...] = ()
        self._owner = ""
        self.run: Run | None = None

    @property
    def sessions(self) -> int:
        """Number of measured sessions."""
        return len(self.run.sessions) if self.run is not None else 0

    def take_up(self, run: Run, logs: tuple[bytes, ...]) -> None:
        """Begins with the complete sessions of an interrupted experiment."""
        kept = 0
        while kept < min(len(run.sessions), len(logs), self._plan.rounds) and run.sessions[kept].complete:
            kept += 1
        if kept:
            self.run, self._logs = msgspec.structs.replace(run, sessions=run.sessions[:kept]), logs[:kept]

    def add(self, watched: Outcome) -> None:
        """Adds one more session."""
        before, new = self.run, watched.run
        session = msgspec.structs.replace(new.sessions[0], repetition=self.sessions)
        if not self._owner:  # the first that this command measured: a run of its own
            self._owner = watched.owner
            new = msgspec.structs.replace(
                new,
                host=new.host | self._facts,
                group=self._group,
                alternated=True,
                label=self._label,
                seed=self._plan.seed,
                planned=self._plan.rounds,
                resumes=before.id if before is not None else "",
            )
        else:
            assert before is not None  # noqa: S101 - its first session is in it
            new = msgspec.structs.replace(
                before,
                ended=new.ended,
                degraded=tuple(dict.fromkeys((*before.degraded, *new.degraded))),
                warnings=tuple(dict.fromkeys((*before.warnings, *new.warnings))),
            )
        earlier = before.sessions if before is not None else ()
        self.run = msgspec.structs.replace(new, sessions=(*earlier, session), status="incomplete")
        self._logs = (*self._logs, *watched.logs)

    def outcome(self, *, interrupted: bool, error: RtstoneError | None = None) -> Outcome | None:
        """The run so far; None before its first session."""
        if self.run is None:
            return None
        whole = self.sessions >= self._plan.rounds
        run = msgspec.structs.replace(
            self.run,
            status="complete" if whole else "interrupted" if interrupted else "incomplete",
            error=str(error) if error is not None else "",
        )
        return Outcome(run=run, logs=self._logs, owner=self._owner or secrets.token_hex(16), error=error)


def carry_out_for(
    plan: Planned,
    wanted: Wanted,
    listener: Listener,
    *,
    archive: str | None,
    label: str = "",
    group: str = "",
    taken: Mapping[int, tuple[Run, tuple[bytes, ...]]] | None = None,
    settings: MachineSettings | None = None,
    settle_s: float = 0.0,
    done: Callable[[], None] = lambda: None,
    watch: Watch = attach,
) -> tuple[Outcome, ...]:
    """Watch the threads for a session at each row of each round, in the drawn order; settings are undone whatever happens.

    `taken`: of rows the run that has sessions already, `group`: theirs. `done` is called after each session. `archive` None: nothing is
    saved on the way. An error that ends it early is in an outcome. Raises it where nothing was measured, and UsageError for a value that
    the kernel refuses.
    """
    group = group or f"group-tune-{secrets.token_hex(8)}"
    rows = [_Row(plan, number, label=label, group=group) for number in range(len(plan.rows))]
    for number, (run, logs) in (taken or {}).items():
        rows[number].take_up(run, logs)
    of = settings or MachineSettings()
    interrupted = False
    failed: RtstoneError | None = None
    try:
        with Interruption() as asked, of:
            report(listener, of, before=True)
            of.try_out(plan.trials)
            for number in _order(plan, rows):
                row = rows[number]
                of.set(row.values)
                time.sleep(settle_s)
                if asked.requested:
                    interrupted = True
                    break
                try:
                    watched = _whole(watch(wanted))
                except RtstoneError as error:
                    failed = error
                    break
                if watched is None:
                    interrupted = True
                    break
                row.add(watched)
                done()
                if (so_far := row.outcome(interrupted=False)) is not None:
                    save_checkpoint(archive, so_far, partial(_warn, listener))
    finally:
        report(listener, of, before=False)
    if failed is not None and not any(row.sessions for row in rows):
        raise failed
    made = [row.outcome(interrupted=interrupted) for row in rows]
    outcomes = [one for one in made if one is not None]
    if failed is not None:
        outcomes[0] = msgspec.structs.replace(outcomes[0], error=failed)
    return tuple(outcomes)


def _order(plan: Planned, rows: list[_Row]) -> list[int]:
    """The missing sessions, by their rows."""
    have = [row.sessions for row in rows]
    return [row for round_ in range(plan.rounds) for row in plan.order(round_) if have[row] <= round_]


def _whole(watched: Outcome) -> Outcome | None:
    """Measures a session; None where the user ended it. Raises IncompleteError where its threads ended early."""
    ended = watched.run.host.get("attach.ended", "")
    if ended == BY_THE_USER:
        return None
    if ended == WITH_ITS_THREADS:
        raise IncompleteError(
            "the watched threads have ended: start the program again, then rtstone tune --resume last"
        )
    return watched


def _warn(listener: Listener, text: str) -> None:
    listener.warning(text)
