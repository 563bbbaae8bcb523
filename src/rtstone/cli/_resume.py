# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone run --resume RUN`: measures the sessions that an interrupted run has not, by the same plan."""

from __future__ import annotations

from rtstone.cli._asked import Asked
from rtstone.cli._session import Wishes, carry_out, say
from rtstone.errors import UsageError
from rtstone.measure import resume
from rtstone.studies import Request, study
from rtstone.targets import open_target


def resume_run(reference: str, wishes: Wishes, *, quiet: bool) -> None:
    """Takes up a run of the archive. Its complete sessions and the rest become a run of their own; the interrupted one stays as it is.

    Raises UsageError for a run that is complete or cannot be taken up.
    """
    from rtstone.archive import open_archive

    if wishes.archive is None:
        raise UsageError("--resume takes a run out of the archive: it does not go with --no-archive")
    archive = open_archive(wishes.archive)
    run = archive.load(reference)
    target = open_target(run.target)
    taken = resume(run, archive.raw_logs(reference), virtual=bool(getattr(target, "virtual", False)))
    if not quiet:
        say(
            f"resuming {run.id}: {len(taken.sessions)} of {run.planned} sessions are complete, {run.planned - len(taken.sessions)} to go"
        )
    request = Request(
        studies=tuple(study(name) for name in run.studies),
        profile=run.profile,
        seed=run.seed,
        repetitions=run.planned,
    )
    carry_out(request, (run.target,), wishes, Asked(target, taken.plans, taken))
