# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Carries out a `rtstone run` command:
measures, saves and shows, prints the next command, and ends with the right exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from rtstone.archive import open_archive
from rtstone.cli._keeping import ProgressPrinter, end, keep, say_kept, warn
from rtstone.cli._output import say
from rtstone.cli._progress import Shown
from rtstone.cli._tables import print_document, print_lines, print_screen, print_views, require_figures, width
from rtstone.cli.report import compared, write_page
from rtstone.errors import IncompleteError, command, this_program
from rtstone.judge.compare import LEAST_REPETITIONS, Comparison
from rtstone.measure import (
    Job,
    Outcome,
    SavedRuns,
    TargetPlans,
    at_most_seconds,
    carry_out,
    prepare,
    resume_run,
)
from rtstone.model import Run, short_id
from rtstone.model.units import counted, waiting
from rtstone.show.judged.comparison import lines
from rtstone.show.tables import StudyView, views


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """How to show the runs."""

    report: Path | None = None
    as_json: bool = False
    full: bool = False
    """Show all tables and sheets instead of the first screen."""
    quiet: bool = False


def measure_and_show(job: Job, wishes: Wishes) -> None:
    """Runs the whole command.
    Raises the error that ended the run early, once everything complete is saved and shown."""
    asked = prepare(job)
    if not wishes.quiet:
        say(_announcement(job, asked))
    _measure_and_show(job, asked, wishes)


def resume_and_show(reference: str, job: Job, wishes: Wishes) -> None:
    """Resumes an interrupted run of the archive: measures its missing sessions by the same plan, and shows the run."""
    job, run, asked = resume_run(reference, job)
    if not wishes.quiet:
        complete = len(asked.resumed.sessions) if asked.resumed is not None else 0
        say(
            f"resuming {run.id}: {complete} of {counted(run.planned, 'session')} complete, {run.planned - complete} to go"
        )
        say(_announcement(job, [asked]))
    _measure_and_show(job, [asked], wishes)


def _measure_and_show(job: Job, asked: Sequence[TargetPlans], wishes: Wishes) -> None:
    with Shown(quiet=wishes.quiet, targets=tuple(one.target.name for one in asked)) as shown:
        outcomes = carry_out(job, asked, ProgressPrinter(shown))
    runs = [outcome.run for outcome in outcomes]
    kept = keep(outcomes, job.archive)
    measured = any(run.sessions for run in runs)
    comparable = len(runs) > 1 and all(run.sessions for run in runs)
    comparison = compared(runs) if comparable and (job.against or wishes.report is not None) else None
    found = views(runs) if measured or wishes.as_json else ()
    if wishes.as_json:
        print_document(runs, found)
    elif job.against and comparison is not None:
        print_lines(lines(comparison, width(), full=wishes.full))
    elif measured:
        print_views(found) if wishes.full else print_screen(runs, open_archive(job.archive))
    _report(runs, wishes, comparison)
    warn(runs)
    if not wishes.quiet:
        _say_what_next(runs, job, wishes, kept=kept)
    _end(outcomes, found, kept)


def _announcement(job: Job, asked: Sequence[TargetPlans]) -> str:
    targets = ", ".join(job.targets)
    if all(one.target.capabilities.replays for one in asked):
        return f"reading {targets}: each answers the plan of its own time"
    items, time_left = sum(one.items for one in asked), waiting(at_most_seconds(asked, job.jobs))
    return f"measuring {counted(items, 'item')} on {targets}, profile {job.request.profile}: at most {time_left}"


def _report(runs: Sequence[Run], wishes: Wishes, comparison: Comparison | None) -> None:
    if wishes.report is None or not any(run.sessions for run in runs):
        return
    write_page(runs, wishes.report.absolute(), comparison=comparison)  # a file's name, even if it is `-`


def _say_what_next(runs: Sequence[Run], job: Job, wishes: Wishes, *, kept: SavedRuns) -> None:
    if wishes.report is not None and any(run.sessions for run in runs):
        say(f"report: {wishes.report}")
    then = f"{command('show last')} (this screen; --tables: the papers' tables), {command('report last')}"
    if job.against and all(run.sessions for run in runs):
        then = command(f"compare {' '.join(short_id(run.id) for run in runs)} -o comparison.html")
    say_kept(runs, kept, job.archive, then)
    complete = [sum(session.complete for session in run.sessions) for run in runs]
    if 0 < min(complete, default=0) < LEAST_REPETITIONS:
        say(
            f"compare needs {LEAST_REPETITIONS} repetitions of each run:"
            f" {command(f'run --repetitions {LEAST_REPETITIONS}')} measures them"
        )


def _how_to_go_on(outcomes: Sequence[Outcome]) -> str:
    """The command that measures the missing sessions, if some sessions are complete and others are not."""
    run = outcomes[0].run
    complete = sum(session.complete for session in run.sessions)
    if len(outcomes) > 1 or run.planned < 2 or not complete:
        return ""
    return f"; {complete} of {counted(run.planned, 'session')}: {command(f'run --resume {short_id(run.id)}')} measures the rest"


def _end(outcomes: Sequence[Outcome], found: Sequence[StudyView], kept: SavedRuns) -> None:
    """Ends the command: the most serious error decides."""
    results = [result for outcome in outcomes for result in outcome.run.results()]
    complete = sum(result.status in {"ok", "skipped"} for result in results)
    end(
        outcomes,
        kept,
        f"interrupted: {complete} of {counted(len(results), 'result')} complete, shown and saved{_how_to_go_on(outcomes)}",
    )
    for outcome in outcomes:
        if outcome.run.status == "incomplete":
            problems = [problem for session in outcome.run.sessions for problem in session.problems]
            raise IncompleteError(
                f"{outcome.run.target}: the run is incomplete: {'; '.join(problems[:3]) or 'sessions are missing'}"
            )
    doubtful = [result for result in results if result.status not in {"ok", "skipped"}]
    excused = all(outcome.run.degraded for outcome in outcomes) and all(r.status == "invalid" for r in doubtful)
    if doubtful and excused:
        # The consequence of a refused service:
        # each cell and the warning above report it, and the warning names the remedy.
        say(f"warning: doubtful, marked ! in the tables: {len(doubtful)} of {counted(len(results), 'result')}")
    elif doubtful:
        first = doubtful[0]
        raise IncompleteError(
            f"doubtful: {len(doubtful)} of {counted(len(results), 'result')},"
            f" first {first.quantity}: {first.text or first.reason}"
        )
    if not any(result.count for result in results):
        why = next((result.text for result in results if result.text), f"{this_program()} list measurements says why")
        raise IncompleteError(f"nothing was measured: every item was skipped ({why})")
    require_figures(found)
