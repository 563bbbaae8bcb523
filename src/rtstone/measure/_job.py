# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A whole job: targets are prepared, measured by turns or side by side, and their runs kept. A listener is told; nothing is printed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from itertools import zip_longest
from threading import Lock

import msgspec

from rtstone.errors import RtstoneError, UsageError
from rtstone.measure._asked import Asked, ask, require_trail
from rtstone.measure._before import Before
from rtstone.measure._group import measure_group
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Measuring, Outcome
from rtstone.measure._resume import resume
from rtstone.model import Run
from rtstone.stream import Progress
from rtstone.studies import Request, study
from rtstone.targets import open_target


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


class Listener:
    """Is told what happens while a job is measured. This one does nothing with it."""

    def starting(self, target: str) -> None:
        """A target is being made ready: what it lacks is built or fetched."""

    def progress(self, progress: Progress) -> None:
        """An item of a target has begun or ended."""

    def no_checkpoint(self, error: RtstoneError) -> None:
        """A complete session could not be kept on the way; the run will be once more at its end."""


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
        raise UsageError("--resume takes a run out of the archive: it does not go with --no-archive")
    require_archive(job.archive)
    archive = open_archive(job.archive)
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


def carry_out(job: Job, asked: Sequence[Asked], listener: Listener) -> tuple[Outcome, ...]:
    """Measure what was asked of each target. With one target its start-up error is raised; all other errors are in the outcomes."""
    with Interruption() as interruption:
        keep = _checkpoint(job, listener)
        measurings = [
            Measuring(
                one.target,
                list(one.plans),
                interruption,
                strict=job.strict,
                on_progress=listener.progress,
                on_start=listener.starting,
                # Between the turns of live targets nothing is written: it would be in the next one's way.
                on_session=keep if len(asked) == 1 or one.virtual else None,
                last_too=len(asked) > 1,
                resumed=one.resumed,
            )
            for one in asked
        ]
        measure_group(
            [m for m, one in zip(measurings, asked, strict=True) if not one.virtual],
            [m for m, one in zip(measurings, asked, strict=True) if one.virtual],
            interruption,
            jobs=job.jobs,
            alternate=job.against,
        )
        group = f"group-{secrets.token_hex(8)}" if len(asked) > 1 else ""
        return tuple(
            measuring.outcome(
                studies=tuple(one.id for one in job.request.studies),
                profile=job.request.profile,
                label=label,
                network=job.network,
                group=group,
                alternated=job.against and not any(one.virtual for one in asked),
            )
            for measuring, label in zip(measurings, _labels(asked, job), strict=True)
        )


def _checkpoint(job: Job, listener: Listener) -> Callable[[Measuring], None] | None:
    """Keeps a run of several sessions after each: what is complete outlives whatever ends the command. None: nothing is to be kept."""
    if job.archive is None:
        return None
    from rtstone.archive import open_archive

    where = job.archive
    one_at_a_time = Lock()  # boards that are measured side by side

    def keep(measuring: Measuring) -> None:
        outcome = measuring.outcome(
            studies=tuple(one.id for one in job.request.studies),
            profile=job.request.profile,
            label=job.label,
            network=job.network,
        )
        try:
            with one_at_a_time:
                open_archive(where).checkpoint(outcome.run, outcome.logs, owner=outcome.owner)
        except RtstoneError as error:
            listener.no_checkpoint(error)

    return keep


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
