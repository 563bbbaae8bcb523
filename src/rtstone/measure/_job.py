# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A whole job: prepares targets, measures them interleaved or in parallel, and saves their runs.
It reports to a listener, prints nothing."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import zip_longest
from threading import Lock

import msgspec

from rtstone.errors import RtstoneError, UsageError
from rtstone.measure._asked import TargetPlans, ask, require_trail
from rtstone.measure._before import Before
from rtstone.measure._group import Order, alternating, interleaved, measure_group
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Measuring, Outcome
from rtstone.measure._resume import find_last, note_begun, resume
from rtstone.model import Run
from rtstone.stream import Progress
from rtstone.studies import Request, study
from rtstone.targets import open_target

_ONE_AT_A_TIME = Lock()
"""Lock for the checkpoints of boards that are measured in parallel."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure, and where to save it."""

    request: Request
    targets: tuple[str, ...]
    label: str = ""
    archive: str | None = ""
    """Where runs are saved; None: they are not saved."""
    strict: bool = False
    jobs: int = 0
    """Virtual boards measured at a time; 0: one for each CPU."""
    against: bool = False
    """Two targets, interleaved in alternating order."""
    before: tuple[str, ...] = ()
    """Commands that run before each repetition, one for each target; empty: none."""
    network: str = ""
    """Kind of network that the load came through, private or public, for the record; empty: not known."""
    profile: str | None = None
    """The profile's name for the record. None: the request's."""
    group: str = ""
    """Group id of the runs; empty: several targets get a new one."""
    factorial: bool = False
    """The targets are the rows of an experiment, whose sessions are measured in a random order."""


class Listener:
    """Receives the events of a job while it is measured. This one ignores them."""

    def starting(self, target: str) -> None:
        """A target is being made ready: its missing parts are built or fetched."""

    def progress(self, progress: Progress) -> None:
        """An item of a target has begun or ended."""

    def session(self, measuring: Measuring) -> None:
        """One more session of a target is over. Boards that are measured in parallel call it from their own threads."""

    def warning(self, text: str) -> None:
        """A problem that does not end the measuring:
        a checkpoint that could not be saved, or settings that were found changed."""


class SavedRuns(msgspec.Struct, frozen=True, kw_only=True):
    """Result of saving the runs of a job."""

    brought_in: tuple[str, ...] = ()
    """Files that an earlier save left next to the archive, and that are in it now."""
    error: RtstoneError | None = None
    """The first error that kept a run out of the archive; to be raised once the runs are shown."""


def require_archive(where: str | None) -> None:
    """Checks the archive before anything is measured. None: nothing is to be saved.

    Raises InfrastructureError where something else exists at that place, or the database is unreachable or lacks its
    driver.
    """
    if where is None:
        return
    from rtstone.archive import open_archive

    archive = open_archive(where)
    archive.list(1)
    archive.location.require_writable()


def prepare(job: Job) -> tuple[TargetPlans, ...]:
    """Open the job's targets and plan their repetitions.
    Raises UsageError for an invalid request, InfrastructureError for its archive."""
    require_archive(job.archive)
    opened = [
        Before(open_target(target), command) if command else open_target(target)
        for target, command in zip_longest(job.targets, job.before[: len(job.targets)], fillvalue="")
    ]
    asked = tuple(ask(target, job.request) for target in opened)
    require_trail(asked, job.request)
    return asked


def resume_run(reference: str, job: Job) -> tuple[Job, Run, TargetPlans]:
    """Resumes an interrupted run of the archive: returns the job as originally requested, that run, and the missing
    sessions.

    The complete sessions and the rest become a new run; the interrupted one stays unchanged. The request and the
    targets come from the run, not from `job`. Raises UsageError for a run that is complete or cannot be resumed.
    """
    from rtstone.archive import open_archive

    if job.archive is None:
        raise UsageError("--resume takes a run out of the archive: --no-archive is not allowed with it")
    require_archive(job.archive)
    archive = open_archive(job.archive)
    reference = find_last(archive, job.archive) if reference == "last" else reference
    run = archive.load(reference)
    target = open_target(run.target)
    named = job.targets
    if named and named != (run.target,):
        raise UsageError(f"run {run.id} was measured on {run.target}, not on {', '.join(named)}")
    if target.capabilities.looked_at and not named:
        # The run may come from somebody else: the user must name the machine before the tool connects to it.
        raise UsageError(
            f"run {run.id} was measured on another machine; name it: --resume {reference} --target {run.target}"
        )
    taken = resume(run, archive.raw_logs(reference), virtual=target.capabilities.virtual)
    request = Request(
        studies=tuple(study(name) for name in run.studies), profile=run.profile, seed=run.seed, repetitions=run.planned
    )
    again = msgspec.structs.replace(job, request=request, targets=(run.target,))
    return again, run, TargetPlans(target, taken.plans, taken)


def carry_out(
    job: Job,
    asked: Sequence[TargetPlans],
    listener: Listener,
    *,
    order: Order | None = None,
    interruption: Interruption | None = None,
) -> tuple[Outcome, ...]:
    """Measures the requested items on each target. With one target its start-up error is raised; all other errors are
    in the outcomes.

    `order`: of the sessions of live targets; None: interleaved, and alternating with `against`. `interruption`: one
    that is entered already; None: SIGINT, SIGTERM and SIGHUP end the sessions that run. Checkpoints of the runs are
    saved in the archive: complete sessions, and each minute the complete items of a longer session.
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
                    # Writes little between the sessions of several live targets, because writing disturbs the next
                    # session.
                    sparing=len(asked) > 1 and not one.virtual and not job.factorial,
                    more=one.more,
                    resumed=one.resumed,
                )
            )
        note_begun(job.archive, [measuring.id for measuring in measurings])
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
    """Saves a checkpoint of an unfinished run: complete sessions and items survive if the command ends. None: the run
    is not saved."""
    if job.archive is None:
        return None
    return lambda measuring: save_checkpoint(job.archive, outcome(measuring), listener.warning)


def save_checkpoint(where: str | None, outcome: Outcome, warn: Callable[[str], None]) -> None:
    """Save a checkpoint of an unfinished run; `where` None: nowhere. An error that prevents it is passed to `warn`."""
    if where is None:
        return
    from rtstone.archive import open_archive

    try:
        with _ONE_AT_A_TIME:
            open_archive(where).checkpoint(outcome.run, outcome.logs, owner=outcome.owner)
    except RtstoneError as error:
        warn(f"no checkpoint: {error}")


def _labels(asked: Sequence[TargetPlans], job: Job) -> list[str]:
    """The labels of the runs. If two compared runs would have one name, they get A and B."""
    if not job.against:
        return [job.label] * len(asked)
    names = [job.label or one.target.name for one in asked]
    if names[0] != names[1]:
        return [job.label] * len(asked)
    return [f"{name}, {letter}" for name, letter in zip(names, "AB", strict=True)]


def keep_runs(outcomes: Sequence[Outcome], where: str | None) -> SavedRuns:
    """Save the runs that have sessions; `where` None: nowhere.
    The result holds the error that kept a run out, to be raised later."""
    if where is None:
        return SavedRuns()
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
    return SavedRuns(brought_in=tuple(brought_in), error=error)
