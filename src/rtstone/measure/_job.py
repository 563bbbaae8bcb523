# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A whole job: targets are prepared, measured by turns or side by side, and their runs kept. A listener is told; nothing is printed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from itertools import zip_longest
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from rtstone.errors import RtstoneError, UsageError
from rtstone.measure import _begun
from rtstone.measure._asked import Asked, ask, require_trail
from rtstone.measure._before import Before
from rtstone.measure._group import Order, alternating, interleaved, measure_group
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Measuring, Outcome
from rtstone.measure._resume import resume
from rtstone.model import Run
from rtstone.model.ids import short_id
from rtstone.stream import Progress
from rtstone.studies import Request, study
from rtstone.targets import open_target

if TYPE_CHECKING:
    from rtstone.archive import Archive

_ONE_AT_A_TIME = Lock()
"""Checkpoints of boards that are measured side by side."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be measured, and where it is kept."""

    request: Request
    targets: tuple[str, ...]
    label: str = ""
    archive: str | None = ""
    """None: not to be kept."""
    strict: bool = False
    jobs: int = 0
    """Virtual boards at a time; 0: one a CPU."""
    against: bool = False
    """Two targets, by turns whose order alternates."""
    before: tuple[str, ...] = ()
    """A command to be run before each repetition of each target; empty: none."""
    network: str = ""
    """private or public, for the record: what the load came through; empty: not told."""
    profile: str | None = None
    """As the record has it. None: the request's."""
    group: str = ""
    """Of the runs; empty: several targets get a new one."""
    factorial: bool = False
    """The targets are the rows of an experiment, whose sessions are measured in an order that is drawn."""


class Listener:
    """Is told what happens while a job is measured. This one does nothing with it."""

    def starting(self, target: str) -> None:
        """A target is being made ready: what it lacks is built or fetched."""

    def progress(self, progress: Progress) -> None:
        """An item of a target has begun or ended."""

    def session(self, measuring: Measuring) -> None:
        """One more session of a target is over. Boards that are measured side by side call it from their own threads."""

    def warning(self, text: str) -> None:
        """Something that does not end the measuring: a checkpoint that could not be saved, settings that were found changed."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the runs of a job."""

    brought_in: tuple[str, ...] = ()
    """Files that an earlier save left beside the archive, and that are in it now."""
    error: RtstoneError | None = None
    """The first that kept a run out of the archive; to be raised once the runs are shown."""


def require_archive(where: str | None) -> None:
    """Told before anything is measured, not after. None: nothing is to be kept.

    Raises InfrastructureError where something else lies at the place, or the database cannot be reached or lacks its driver.
    """
    if where is None:
        return
    from rtstone.archive import open_archive

    archive = open_archive(where)
    archive.list(1)
    archive.location.require_writable()


def prepare(job: Job) -> tuple[Asked, ...]:
    """Open the job's targets and plan their repetitions. Raises UsageError for what cannot be, InfrastructureError for its archive."""
    require_archive(job.archive)
    opened = [
        Before(open_target(target), command) if command else open_target(target)
        for target, command in zip_longest(job.targets, job.before[: len(job.targets)], fillvalue="")
    ]
    asked = tuple(ask(target, job.request) for target in opened)
    require_trail(asked, job.request)
    return asked


def take_up(reference: str, job: Job) -> tuple[Job, Run, Asked]:
    """A run of the archive that was interrupted: the job as it was asked for, that run, and the sessions that are missing.

    Its complete sessions and the rest become a run of their own; the interrupted one stays as it is. Of `job` the request and the targets
    are taken from the run. Raises UsageError for a run that is complete or cannot be taken up.
    """
    from rtstone.archive import open_archive

    if job.archive is None:
        raise UsageError("--resume takes a run out of the archive: --no-archive is not allowed with it")
    require_archive(job.archive)
    archive = open_archive(job.archive)
    reference = _begun_last(archive, job.archive) if reference == "last" else reference
    run = archive.load(reference)
    target = open_target(run.target)
    named = job.targets
    if named and named != (run.target,):
        raise UsageError(f"run {run.id} was measured on {run.target}, not on {', '.join(named)}")
    if target.capabilities.looked_at and not named:
        # The run may be somebody else's: where it says to go, nobody goes unless the user says so too.
        raise UsageError(
            f"run {run.id} was measured on another machine; name it: --resume {reference} --target {run.target}"
        )
    taken = resume(run, archive.raw_logs(reference), virtual=target.capabilities.virtual)
    request = Request(
        studies=tuple(study(name) for name in run.studies), profile=run.profile, seed=run.seed, repetitions=run.planned
    )
    again = msgspec.structs.replace(job, request=request, targets=(run.target,))
    return again, run, Asked(target, taken.plans, taken)


def _begun_last(archive: Archive, where: str | None) -> str:
    """The run that this user's last command began. Raises UsageError where nothing of it is in the archive: an older one is not meant."""
    begun = _begun.last(where)
    if unsaved := _begun.unsaved_since(where):
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


def carry_out(
    job: Job,
    asked: Sequence[Asked],
    listener: Listener,
    *,
    order: Order | None = None,
    interruption: Interruption | None = None,
) -> tuple[Outcome, ...]:
    """Measure what was asked of each target. With one target its start-up error is raised; all other errors are in the outcomes.

    `order`: of the sessions of live targets; None: interleaved, and alternating with `against`. `interruption`: one that is entered
    already; None: SIGINT, SIGTERM and SIGHUP end the sessions that run. Checkpoints of the runs are saved in the archive: complete
    sessions, and each minute the complete items of a session that lasts longer.
    """
    labels = _labels(asked, job)
    group = job.group or (f"group-{secrets.token_hex(8)}" if len(asked) > 1 else "")
    side_by_side = all(one.virtual for one in asked) if job.factorial else any(one.virtual for one in asked)

    def outcome(measuring: Measuring, label: str) -> Outcome:
        return measuring.outcome(
            studies=tuple(one.id for one in job.request.studies),
            profile=job.request.profile if job.profile is None else job.profile,
            label=label,
            network=job.network,
            group=group,
            alternated=job.factorial or (job.against and not side_by_side),
        )

    with Interruption() if interruption is None else nullcontext(interruption) as ending:
        measurings = []
        for one, label in zip(asked, labels, strict=True):
            measurings.append(
                Measuring(
                    one.target,
                    list(one.plans),
                    ending,
                    strict=job.strict,
                    on_progress=listener.progress,
                    on_start=listener.starting,
                    on_session=listener.session,
                    checkpoint=_checkpoint(job, partial(outcome, label=label), listener),
                    last_too=len(asked) > 1,
                    # Between the sessions of several live targets little is written: it disturbs the next one.
                    sparing=len(asked) > 1 and not one.virtual and not job.factorial,
                    more=one.more,
                    resumed=one.resumed,
                )
            )
        _begun.note(job.archive, [measuring.id for measuring in measurings])
        beside = [
            m for m, one in zip(measurings, asked, strict=True) if one.virtual and (side_by_side or not job.factorial)
        ]
        measure_group(
            [m for m in measurings if m not in beside],
            beside,
            ending,
            jobs=job.jobs,
            order=order or (alternating if job.against else interleaved),
        )
        return tuple(outcome(measuring, label) for measuring, label in zip(measurings, labels, strict=True))


def _checkpoint(
    job: Job, outcome: Callable[[Measuring], Outcome], listener: Listener
) -> Callable[[Measuring], None] | None:
    """Saves a run that goes on: complete sessions and items outlive whatever ends the command. None: the run is not to be saved."""
    if job.archive is None:
        return None
    return lambda measuring: save_checkpoint(job.archive, outcome(measuring), listener.warning)


def save_checkpoint(where: str | None, outcome: Outcome, warn: Callable[[str], None]) -> None:
    """Save a run that goes on; `where` None: nowhere. What keeps it out of the archive is passed to `warn`."""
    if where is None:
        return
    from rtstone.archive import open_archive

    try:
        with _ONE_AT_A_TIME:
            open_archive(where).checkpoint(outcome.run, outcome.logs, owner=outcome.owner)
    except RtstoneError as error:
        warn(f"no checkpoint: {error}")


def _labels(asked: Sequence[Asked], job: Job) -> list[str]:
    """What the runs are called; two of one name, held against each other, are A and B."""
    if not job.against:
        return [job.label] * len(asked)
    names = [job.label or one.target.name for one in asked]
    if names[0] != names[1]:
        return [job.label] * len(asked)
    return [f"{name}, {letter}" for name, letter in zip(names, "AB", strict=True)]


def keep_runs(outcomes: Sequence[Outcome], where: str | None) -> Kept:
    """Save the runs that have sessions; `where` None: nowhere. What keeps one out is in the answer, to be raised once all are shown."""
    if where is None:
        return Kept()
    from rtstone.archive import open_archive

    error: RtstoneError | None = None
    brought_in: list[str] = []
    for outcome in outcomes:
        if not outcome.run.sessions:
            continue
        try:
            archive = open_archive(where)
            archive.save(outcome.run, outcome.logs, owner=outcome.owner)
            brought_in += map(str, archive.brought_in)
        except RtstoneError as failed:
            error = error or failed
    return Kept(brought_in=tuple(brought_in), error=error)
