# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the sessions of one target, saves complete results, and reports incomplete ones."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, nullcontext, suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Self, cast

import msgspec

from rtstone.errors import GuestError, IncompleteError, InfrastructureError, RtstoneError, UsageError
from rtstone.measure import host
from rtstone.measure._interrupt import Interruption
from rtstone.measure._resume import Resumed, unlike, with_plan
from rtstone.model import Degraded, Run, RunStatus, RunTime, Session, new_id
from rtstone.model.quota import throttling
from rtstone.stream import Collector, Progress
from rtstone.stream.plan import Plan, seconds_left, validate
from rtstone.targets import LookedAt, Target, open_target
from rtstone.version import __version__

OnProgress = Callable[[Progress], None]
More = Callable[[tuple[Session, ...]], Plan | None]
"""From the sessions measured so far, makes the plan of one more session; None: no further session."""

CHECKPOINT_S = 60.0
"""Longest time (s) between the end of an item and the checkpoint before it."""
_SAVING_SHARE = 20
"""After a checkpoint within a session, measuring goes on for at least this multiple of its saving time: a long record
saves slowly."""

_SAID_CHARACTERS = 100
"""Longest part of a console line that an error message quotes."""
_RATE_DIGITS = 15
"""Most digits of a rate of instructions; a longer number is not accepted as a rate."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A run, and data that belong to it but are not part of it."""

    run: Run
    logs: tuple[bytes, ...]
    """The stream of each repetition as received, lines ended by LF."""
    owner: str = ""
    """Secret of the run's writer, with which it can continue its checkpoints in an archive."""
    error: RtstoneError | None = None
    """Error that ended the run early; to be raised once the run is saved and shown."""


def measure(
    target: str | Target,
    plan_for_repetition: Callable[[int], Plan],
    repetitions: int,
    *,
    studies: tuple[str, ...] = (),
    profile: str = "",
    label: str = "",
    group: str = "",
    strict: bool = False,
    on_progress: OnProgress | None = None,
    interruption: Interruption | None = None,
) -> Outcome:
    """Measures a target ``repetitions`` times.

    Raises UsageError for an invalid target or plan, InfrastructureError when the target cannot be made ready, and
    IncompleteError when ``strict`` and the target is degraded; the last before anything is measured. The outcome
    reports a later failure, with everything that was measured until then. The caller has entered ``interruption``
    already.
    """
    if repetitions < 1:
        raise UsageError(f"repetitions: {repetitions} is not a positive number")
    plans = [plan_for_repetition(number) for number in range(repetitions)]
    for plan in plans:
        validate(plan)
    opened = open_target(target) if isinstance(target, str) else target
    with (
        nullcontext(interruption) if interruption is not None else Interruption() as asked,
        Measuring(opened, plans, asked, strict=strict, on_progress=on_progress) as measuring,
    ):
        while measuring.next():
            pass
        return measuring.outcome(studies=studies, profile=profile, label=label, group=group)


class Measuring:
    """Measures a target session by session, so that the repetitions of several targets can be interleaved."""

    def __init__(
        self,
        target: Target,
        plans: list[Plan],
        interruption: Interruption,
        *,
        strict: bool = False,
        on_progress: OnProgress | None = None,
        on_start: Callable[[str], None] | None = None,
        on_session: Callable[[Measuring], None] | None = None,
        checkpoint: Callable[[Measuring], None] | None = None,
        last_too: bool = False,
        sparing: bool = False,
        more: More | None = None,
        resumed: Resumed | None = None,
    ) -> None:
        """`on_start` receives the target's name before the target is made ready, which may take long if something must
        be built.

        `on_session` is called after each session. `checkpoint` is called after each session but the last, and with
        `last_too` after that too, for when other targets are still being measured. It is also called within a session,
        when an item ends a minute after the last checkpoint. `sparing`: the same minute applies after a session. `more`
        gives the plan of another session once all plans are measured, or None. `resumed`: its sessions are this run's
        first, and only the rest is measured.
        """
        self._target = target
        self._plans = plans
        self._interruption = interruption
        self._strict = strict
        self._on_progress = on_progress
        self._on_start = on_start
        self._sessions: list[Session] = []
        self._logs: list[bytes] = []
        self._error: RtstoneError | None = None
        self._interrupted = False
        self._on_session = on_session
        self._checkpoint = checkpoint
        self._last_too = last_too
        self._sparing = sparing
        self._save_from = 0.0
        """Earliest time of the next checkpoint within a session, by the monotonic clock (s)."""
        self._under_way: tuple[tuple[Session, ...], bytes] | None = None
        """The unfinished session so far, while a checkpoint of it is saved."""
        self._more = more
        self._resumed = resumed
        if resumed is not None:
            self._sessions.extend(resumed.sessions)
            self._logs.extend(resumed.logs)
        self._started = datetime.now(UTC)
        self._id = new_id(self._started)
        self._owner = secrets.token_hex(16)
        self._ended: datetime | None = None
        self._usage: list[host.Usage] = []
        self._far: dict[str, str] | None = None
        """Facts of the target's machine, if it is another machine whose system can be inspected."""
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._started = datetime.now(UTC)
        if self._on_start is not None:
            self._on_start(self._target.name)
        with ExitStack() as stack, suppress(KeyboardInterrupt):
            with self._interruption.breaks():
                stack.enter_context(self._target)
                self._target.deploy()
                if self._target.capabilities.looked_at:
                    with self._looked_at.system() as system:
                        self._far = host.look(system)
            self._stack = stack.pop_all()
            return self
        self._interrupted = True  # interrupted before the target was ready: nothing is measured
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        self._ended = datetime.now(UTC)

    def next(self) -> bool:
        """Runs the next repetition; False when there is none left, or another one would be useless.

        Raises IncompleteError when ``strict`` and the target is degraded.
        """
        number = len(self._logs)
        if self.over:
            return False
        plan = self._plans[number]
        collector = Collector(None if self._target.capabilities.replays else plan, self._progress(number))
        log = bytearray()
        self._interruption.on_request(self._target.stop)
        before = host.Snapshot.now()
        self._save_from = self._save_from or time.monotonic() + CHECKPOINT_S
        try:
            self._read(collector, plan, log)
        except InfrastructureError as error:
            self._error = error
        except KeyboardInterrupt:
            self._interrupted = True
        finally:
            self._interruption.forget(self._target.stop)
            replays = self._target.capabilities.replays
            self._logs.append(bytes(log) if replays else with_plan(bytes(log), plan))
        sessions = collector.finish()
        self._note_usage(before)
        self._sessions.extend(sessions)
        self._judge(sessions)
        self._compare_with_before(sessions)
        if self._on_session is not None:
            self._on_session(self)
        self._plan_more()
        is_asked = self._last_too or len(self._logs) < len(self._plans)
        if is_asked and self._error is None and not (self._sparing and time.monotonic() < self._save_from):
            self._save()
        return not self._stopped()

    def _save(self) -> None:
        if self._checkpoint is None:
            return
        begun = time.monotonic()
        self._checkpoint(self)
        ended = time.monotonic()
        self._save_from = ended + max(CHECKPOINT_S, _SAVING_SHARE * (ended - begun))

    def _save_within(self, collector: Collector, plan: Plan, log: bytearray) -> None:
        """A checkpoint with the complete items of the current session.
        The next checkpoint, or the end, replaces this session."""
        stream = bytes(log)
        self._under_way = collector.so_far(), stream if self._target.capabilities.replays else with_plan(stream, plan)
        try:
            self._save()
        finally:
            self._under_way = None

    def _plan_more(self) -> None:
        """Adds the next plan of an open-ended run. Until the run ends, one more session is planned than measured."""
        if self._more is None or len(self._logs) < len(self._plans) or self._error is not None:
            return
        if self._interruption.ending or self._stopped():
            return
        plan = self._more(tuple(self._sessions))
        if plan is not None:
            self._plans.append(plan)

    @property
    def id(self) -> str:
        """The run's id, known from the beginning."""
        return self._id

    @property
    def over(self) -> bool:
        """Whether no further session follows."""
        return len(self._logs) >= len(self._plans) or self._error is not None or self._stopped()

    @property
    def _looked_at(self) -> LookedAt:
        return cast("LookedAt", self._target)

    def _note_usage(self, before: host.Snapshot) -> None:
        """Records the load of the measured machine during a session:
        this machine, or the target's, if the target reports counters."""
        if not self._target.capabilities.looked_at:
            self._usage.append(host.Usage.between(before, host.Snapshot.now()))
            return
        counters = self._looked_at.counters()
        if all(counters):
            self._usage.append(host.Usage.between(*map(host.Snapshot.of_counters, counters)))

    def _compare_with_before(self, sessions: tuple[Session, ...]) -> None:
        if self._resumed is None or not self._resumed.sessions or not sessions or self._error is not None:
            return
        if not sessions[0].env:
            return  # the session was cut before it identified its target, which is reported elsewhere
        difference = unlike(
            *(
                msgspec.structs.replace(
                    run, sessions=own, degraded=tuple(dict.fromkeys(d for s in own for d in s.degraded))
                )
                for run, own in ((self._resumed.run, self._resumed.sessions), (self.outcome().run, sessions))
            )
        )
        if difference:
            self._error = IncompleteError(
                f"{self._target.name} is not the target of run {self._resumed.run.id} any more: {difference}"
            )
            del self._sessions[len(self._resumed.sessions) :]
            del self._logs[len(self._resumed.logs) :]

    def _stopped(self) -> bool:
        self._interrupted = self._interrupted or self._interruption.requested
        return self._interrupted

    def _read(self, collector: Collector, plan: Plan, log: bytearray) -> None:
        lines: Iterator[bytes] = self._target.start(plan)
        saved = 0
        try:
            for line in lines:
                log += line
                log += b"\n"
                collector.feed(line)
                if collector.items_ended > saved and time.monotonic() >= self._save_from:
                    # Saved at an item's end, after the next item's load has started, so that little of the saving
                    # overlaps its samples.
                    saved = collector.items_ended
                    self._save_within(collector, plan, log)
                if self._strict and collector.degraded:
                    raise IncompleteError(_strictly(collector.degraded[0]))
                if self._interruption.requested:
                    # The first request may have come before anything ran; a second one is harmless.
                    self._target.stop()
        finally:
            # Closed at once: else the engine would run on until a garbage collection.
            if isinstance(lines, Generator):
                lines.close()

    def _judge(self, sessions: tuple[Session, ...]) -> None:
        if self._stopped():
            return
        refusals = [session.refusal for session in sessions if session.refusal]
        if refusals:
            # The refusal explains more than its exit code.
            way_out = "; --allow-missing-load measures the rest" if refusals[0].startswith("the load ") else ""
            self._error = GuestError(f"{self._target.name}: the engine refused to measure: {refusals[0]}{way_out}")
        elif self._error is not None:
            return
        elif not sessions or not any(session.stream_version for session in sessions):
            said = [_short(line) for session in sessions for line in session.console if line.strip()][-5:]
            last = f"; it said last: {' | '.join(said)}" if said else ""
            self._error = GuestError(f"{self._target.name}: not one record stream came from it{last}")
        elif any(session.losses.refused for session in sessions):
            self._error = GuestError(
                f"{self._target.name}: its record stream is of version {sessions[-1].stream_version}; "
                f"rtstone {__version__} reads 1.x: update the older one"
            )

    def _progress(self, number: int) -> OnProgress | None:
        on_progress = self._on_progress
        if on_progress is None:
            return None
        later = sum(seconds_left(plan.items) for plan in self._plans[number + 1 :])

        def with_repetition(progress: Progress) -> None:
            on_progress(
                msgspec.structs.replace(
                    progress,
                    seconds_left=progress.seconds_left + later,
                    repetition=number,
                    repetitions=len(self._plans),
                    target=self._target.name,
                )
            )

        return with_repetition

    def outcome(
        self,
        *,
        studies: tuple[str, ...] = (),
        profile: str = "",
        label: str = "",
        network: str = "",
        group: str = "",
        alternated: bool = False,
    ) -> Outcome:
        """The run as measured so far. `network`: the kind of network that the load came through, for the record;
        empty: not known."""
        if self._resumed is not None and not network:
            network = self._resumed.run.host.get("network", "")
        shares_host = self._target.capabilities.shares_host or self._far is not None
        sessions, logs = self._so_far()
        run = Run(
            id=self._id,
            group=group,
            alternated=alternated,
            started=_utc(self._started),
            ended=_utc(self._ended or datetime.now(UTC)),
            target=self._target.name,
            label=label,
            studies=studies,
            profile=profile,
            seed=self._plans[0].seed,
            tool=__version__,
            host=host.facts(self._usage, self._sessions if shares_host else (), self._far)
            | described(self._target)
            | ({"network": network} if network else {}),
            sessions=sessions,
            status=self._status(),
            degraded=tuple(dict.fromkeys(d for session in sessions for d in session.degraded)),
            warnings=self._warnings(shares_host=shares_host),
            error=str(self._error or ""),
            planned=len(self._plans),
            resumes=self._resumed.run.id if self._resumed is not None else "",
            time=self._time(),
            instructions_per_second=self._instructions_per_second(),
        )
        return Outcome(run=run, logs=logs, owner=self._owner, error=self._error)

    def _so_far(self) -> tuple[tuple[Session, ...], tuple[bytes, ...]]:
        """The sessions and their logs; while a checkpoint is saved within a session, that session too."""
        sessions, log = self._under_way or ((), b"")
        return (*self._sessions, *sessions), (*self._logs, *((log,) if log else ()))

    def _warnings(self, *, shares_host: bool) -> tuple[str, ...]:
        """Reasons to doubt the run's figures.
        The host's own counters count only if the host is the measured machine."""
        stopped = throttling(self._sessions)
        return (
            *((stopped.text,) if stopped is not None else ()),
            *(host.warnings(self._usage, self._sessions) if shares_host else ()),
        )

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The sessions measured so far."""
        return tuple(self._sessions)

    @property
    def failed(self) -> bool:
        """Whether an error ended the run early."""
        return self._error is not None

    def fail(self, error: RtstoneError) -> None:
        """Records the error that prevented the measuring, or ended it early. The first error is kept."""
        self._error = self._error or error

    def _time(self) -> RunTime:
        """An emulated board reports what its clock counts, even over a serial line or in a recording."""
        units = {session.env.get("unit", "").partition(":")[0] for session in self._sessions}
        return "instruction-time" if "instruction-time" in units else time_of(self._target)

    def _instructions_per_second(self) -> int:
        """The target's rate, or the one that a remote emulated board reports;
        0 where it is unknown, or sessions disagree."""
        rates = {session.env.get("board.instructions_per_second", "") for session in self._sessions}
        own = self._target.capabilities.instructions_per_second
        only = rates.pop() if len(rates) == 1 else ""
        return own or (int(only) if only.isdecimal() and len(only) <= _RATE_DIGITS else 0)

    def _status(self) -> RunStatus:
        if self._interrupted:
            return "interrupted"
        enough = len(self._sessions) >= len(self._plans)
        return "complete" if enough and all(session.complete for session in self._sessions) else "incomplete"


def time_of(target: Target) -> RunTime:
    """What the clocks of a target count, as the target declares it."""
    if target.capabilities.virtual:
        return "instruction-time"
    return "emulated-time" if target.capabilities.emulated else "time"


def described(target: Target) -> dict[str, str]:
    """A target's facts as a run stores them. Facts of a board keep their own prefix `board.` among the host's."""
    facts = target.describe().items()
    return {key if key.startswith("board.") else f"target.{key}": value for key, value in facts}


def _short(line: str) -> str:
    return line if len(line) <= _SAID_CHARACTERS else f"{line[:_SAID_CHARACTERS]}…"


def _utc(when: datetime) -> str:
    return f"{when:%Y-%m-%dT%H:%M:%S}Z"


def _strictly(degraded: Degraded) -> str:
    remedy = f"; to fix it: {degraded.remedy}" if degraded.remedy else ""
    return f"nothing was measured, since the target is degraded and the run strict: {degraded.text or degraded.reason}{remedy}"
