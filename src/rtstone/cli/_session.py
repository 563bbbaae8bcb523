# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Carries out what `rtstone run` was asked for: has it measured and kept, shows it, says what comes next, ends with the right code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import typer

from rtstone.cli._output import printable
from rtstone.cli._progress import Shown, left
from rtstone.cli._tables import print_document, print_lines, print_screen, print_views, require_figures, width
from rtstone.cli.report import compared, write_page
from rtstone.errors import IncompleteError, RtstoneError
from rtstone.judge.compare import Comparison
from rtstone.measure import (
    Asked,
    Job,
    Listener,
    Outcome,
    Progress,
    at_most_seconds,
    carry_out,
    keep_runs,
    prepare,
    take_up,
)
from rtstone.model import Run, short_id
from rtstone.model.units import counted
from rtstone.show.judged.comparison import lines
from rtstone.show.tables import StudyView, views


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """How the runs are to be shown."""

    report: Path | None = None
    as_json: bool = False
    full: bool = False
    """All tables and sheets, in place of the first screen."""
    quiet: bool = False


def measure_and_show(job: Job, wishes: Wishes) -> None:
    """All of a command. Raises what ended it before its time once everything complete is kept and shown."""
    asked = prepare(job)
    if not wishes.quiet:
        say(_announcement(job, asked))
    _measure_and_show(job, asked, wishes)


def resume_and_show(reference: str, job: Job, wishes: Wishes) -> None:
    """The same for an interrupted run of the archive: the sessions that it has not, by the same plan."""
    job, run, asked = take_up(reference, job)
    if not wishes.quiet:
        complete = len(asked.resumed.sessions) if asked.resumed is not None else 0
        say(
            f"resuming {run.id}: {complete} of {counted(run.planned, 'session')} complete, {run.planned - complete} to go"
        )
        say(_announcement(job, [asked]))
    _measure_and_show(job, [asked], wishes)


class _Telling(Listener):
    """Draws what happens while it is measured."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def starting(self, target: str) -> None:
        self._shown.starting(target)

    def progress(self, progress: Progress) -> None:
        self._shown(progress)

    def no_checkpoint(self, error: RtstoneError) -> None:
        say(f"warning: no checkpoint: {error}")


def _measure_and_show(job: Job, asked: Sequence[Asked], wishes: Wishes) -> None:
    with Shown(quiet=wishes.quiet, targets=tuple(one.target.name for one in asked)) as shown:
        outcomes = carry_out(job, asked, _Telling(shown))
    runs = [outcome.run for outcome in outcomes]
    kept = keep_runs(outcomes, job.archive)
    if kept.brought_in:
        say(f"brought in what an earlier save had to keep in files: {', '.join(kept.brought_in)}")
    measured = any(run.sessions for run in runs)
    comparable = len(runs) > 1 and all(run.sessions for run in runs)
    comparison = compared(runs) if comparable and (job.against or wishes.report is not None) else None
    found = views(runs) if measured or wishes.as_json else ()
    if wishes.as_json:
        print_document(runs, found)
    elif job.against and comparison is not None:
        print_lines(lines(comparison, width()))
    elif measured:
        print_views(found) if wishes.full else print_screen(runs)
    _report(runs, wishes, comparison)
    _warn(runs)
    if not wishes.quiet:
        _say_what_next(runs, job, wishes, kept=kept.error is None)
    _end(outcomes, found, kept.error)


def _announcement(job: Job, asked: Sequence[Asked]) -> str:
    targets = ", ".join(job.targets)
    if all(one.target.capabilities.replays for one in asked):
        return f"reading {targets}: each answers the plan of its own time"
    items, time_left = sum(one.items for one in asked), left(at_most_seconds(asked, job.jobs))
    return f"measuring {counted(items, 'item')} on {targets}, profile {job.request.profile}: at most {time_left}"


def say(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"rtstone: {printable(text)}\n")
    sys.stderr.flush()


def _report(runs: Sequence[Run], wishes: Wishes, comparison: Comparison | None) -> None:
    if wishes.report is None or not any(run.sessions for run in runs):
        return
    write_page(runs, wishes.report.absolute(), comparison=comparison)  # a file's name, even if it is `-`


def _warn(runs: Sequence[Run]) -> None:
    for run in runs:
        for lack in run.degraded:
            remedy = f"; what mends it: {lack.remedy}" if lack.remedy else ""
            say(f"warning: degraded: {lack.text or lack.reason}{remedy}")
        for warning in run.warnings:
            say(f"warning: {warning}")


def _say_what_next(runs: Sequence[Run], job: Job, wishes: Wishes, *, kept: bool) -> None:
    if wishes.report is not None and any(run.sessions for run in runs):
        say(f"report: {wishes.report}")
    if job.archive is not None and kept:
        from rtstone.archive import open_archive

        ids = [short_id(run.id) for run in runs if run.sessions]
        if not ids:
            return
        then = "rtstone show last (the papers' tables; --full: all there is), rtstone report last"
        if job.against and len(ids) == len(runs):
            then = f"rtstone compare {' '.join(ids)} -o comparison.html"
        say(f"kept as {', '.join(ids)} in {open_archive(job.archive).location}; next: {then}")


def _how_to_go_on(outcomes: Sequence[Outcome]) -> str:
    """The command that measures what is missing, where some sessions are complete and others were still to come."""
    run = outcomes[0].run
    complete = sum(session.complete for session in run.sessions)
    if len(outcomes) > 1 or run.planned < 2 or not complete:
        return ""
    return (
        f"; {complete} of {counted(run.planned, 'session')}: rtstone run --resume {short_id(run.id)} measures the rest"
    )


def _end(outcomes: Sequence[Outcome], found: Sequence[StudyView], trouble: RtstoneError | None) -> None:
    """Ends the command: what went wrong most comes first."""
    results = [result for outcome in outcomes for result in outcome.run.results()]
    complete = sum(result.status in {"ok", "skipped"} for result in results)
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    for error in errors[1:]:
        say(str(error))
    if errors:
        raise errors[0]
    if trouble is not None:
        raise trouble
    if any(outcome.run.status == "interrupted" for outcome in outcomes):
        say(
            f"interrupted: {complete} of {counted(len(results), 'result')} complete, shown and kept{_how_to_go_on(outcomes)}"
        )
        raise typer.Exit(130)
    for outcome in outcomes:
        if outcome.run.status == "incomplete":
            problems = [problem for session in outcome.run.sessions for problem in session.problems]
            raise IncompleteError(
                f"{outcome.run.target}: the run is incomplete: {'; '.join(problems[:3]) or 'sessions are missing'}"
            )
    doubtful = [result for result in results if result.status not in {"ok", "skipped"}]
    excused = all(outcome.run.degraded for outcome in outcomes) and all(r.status == "invalid" for r in doubtful)
    if doubtful and excused:
        # The price of what was refused: said at each cell and in the warning above, which names the remedy.
        say(
            f"warning: not to be believed, marked ! in the tables: {len(doubtful)} of {counted(len(results), 'result')}"
        )
    elif doubtful:
        first = doubtful[0]
        raise IncompleteError(
            f"not to be believed: {len(doubtful)} of {counted(len(results), 'result')},"
            f" first {first.quantity}: {first.text or first.reason}"
        )
    if not any(result.count for result in results):
        why = next((result.text for result in results if result.text), "rtstone list measurements says why")
        raise IncompleteError(f"nothing was measured: every item was skipped ({why})")
    require_figures(found)
