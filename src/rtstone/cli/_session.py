# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Carries out what `rtstone run` was asked for: measure, show, keep, say what comes next, end with the right code."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from threading import Lock

import msgspec
import typer

from rtstone.cli._asked import Asked, ask, at_most_seconds, require_trail
from rtstone.cli._output import printable
from rtstone.cli._progress import Shown, left
from rtstone.cli._tables import print_document, print_lines, print_screen, print_views, require_figures, width
from rtstone.cli.report import compared, write_page
from rtstone.errors import IncompleteError, RtstoneError
from rtstone.judge.compare import Comparison
from rtstone.measure import Before, Interruption, Measuring, Outcome, measure_group
from rtstone.model import Run, short_id
from rtstone.show.judged.comparison import lines
from rtstone.show.tables import StudyView, views
from rtstone.studies import Request
from rtstone.targets import open_target


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done with the runs."""

    label: str = ""
    report: Path | None = None
    archive: str | None = ""
    """None: not to be kept."""
    strict: bool = False
    jobs: int = 0
    """Virtual boards at a time; 0: one a CPU."""
    against: bool = False
    """Two targets, by turns whose order alternates; their comparison is shown."""
    before: tuple[str, ...] = ()
    """A command to be run before each repetition of each target; empty: none."""
    as_json: bool = False
    full: bool = False
    """All tables and sheets, in place of the first screen."""
    quiet: bool = False


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


def carry_out(request: Request, targets: Sequence[str], wishes: Wishes, resumed: Asked | None = None) -> None:
    """All of a command; ``resumed`` in place of what the request would ask. Raises what ended it before its time once everything complete
    is kept and shown."""
    require_archive(wishes.archive)
    opened = (
        []
        if resumed is not None
        else [
            Before(open_target(target), command) if command else open_target(target)
            for target, command in zip_longest(targets, wishes.before[: len(targets)], fillvalue="")
        ]
    )
    asked = [resumed] if resumed is not None else [ask(target, request) for target in opened]
    require_trail(asked, request)
    if not wishes.quiet:
        say(_announcement(request, asked, targets, wishes.jobs))
    outcomes = _measure(request, asked, wishes)
    runs = [outcome.run for outcome in outcomes]
    trouble = _keep(outcomes, wishes)
    comparable = len(runs) > 1 and all(run.sessions for run in runs)
    comparison = compared(runs) if comparable and (wishes.against or wishes.report is not None) else None
    found = views(runs) if any(run.sessions for run in runs) or wishes.as_json else ()
    if wishes.as_json:
        print_document(runs, found)
    elif wishes.against and comparison is not None:
        print_lines(lines(comparison, width()))
    elif any(run.sessions for run in runs):
        print_views(found) if wishes.full else print_screen(runs)
    _report(runs, wishes, comparison)
    _warn(runs)
    if not wishes.quiet:
        _say_what_next(runs, wishes, kept=trouble is None)
    _end(outcomes, found, trouble)


def _announcement(request: Request, asked: Sequence[Asked], targets: Sequence[str], jobs: int) -> str:
    if all(getattr(one.target, "replays", False) for one in asked):
        return f"reading {', '.join(targets)}: each answers the plan of its own time"
    items, time_left = sum(one.items for one in asked), left(at_most_seconds(asked, jobs))
    return f"measuring {items} items on {', '.join(targets)}, profile {request.profile}: at most {time_left}"


def say(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"rtstone: {printable(text)}\n")
    sys.stderr.flush()


def _measure(request: Request, asked: Sequence[Asked], wishes: Wishes) -> list[Outcome]:
    """The targets' sessions."""
    with ExitStack() as stack:
        shown = stack.enter_context(Shown(quiet=wishes.quiet, targets=tuple(one.target.name for one in asked)))
        interruption = stack.enter_context(Interruption())
        keep = _checkpoint(request, wishes)
        measurings = [
            Measuring(
                one.target,
                list(one.plans),
                interruption,
                strict=wishes.strict,
                on_progress=shown,
                on_start=shown.starting,
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
            jobs=wishes.jobs,
            alternate=wishes.against,
        )
        group = f"group-{secrets.token_hex(8)}" if len(asked) > 1 else ""
        return [
            measuring.outcome(
                studies=tuple(study.id for study in request.studies),
                profile=request.profile,
                label=label,
                group=group,
                alternated=wishes.against and not any(one.virtual for one in asked),
            )
            for measuring, label in zip(measurings, _labels(asked, wishes), strict=True)
        ]


def _checkpoint(request: Request, wishes: Wishes) -> Callable[[Measuring], None] | None:
    """Keeps a run of several sessions after each: what is complete outlives whatever ends the command. None: nothing is to be kept."""
    if wishes.archive is None:
        return None
    from rtstone.archive import open_archive

    where = wishes.archive
    one_at_a_time = Lock()  # boards that are measured side by side

    def keep(measuring: Measuring) -> None:
        outcome = measuring.outcome(
            studies=tuple(study.id for study in request.studies), profile=request.profile, label=wishes.label
        )
        try:
            with one_at_a_time:
                open_archive(where).checkpoint(outcome.run, outcome.logs, owner=outcome.owner)
        except RtstoneError as error:
            say(f"warning: no checkpoint: {error}")

    return keep


def _labels(asked: Sequence[Asked], wishes: Wishes) -> list[str]:
    """What the runs are called; two of one name, held against each other, are A and B."""
    if not wishes.against:
        return [wishes.label] * len(asked)
    names = [wishes.label or one.target.name for one in asked]
    if names[0] != names[1]:
        return [wishes.label] * len(asked)
    return [f"{name}, {letter}" for name, letter in zip(names, "AB", strict=True)]


def _keep(outcomes: Sequence[Outcome], wishes: Wishes) -> RtstoneError | None:
    """Saves the runs; what goes wrong is told once everything is shown."""
    if wishes.archive is None:
        return None
    from rtstone.archive import open_archive

    trouble: RtstoneError | None = None
    for outcome in outcomes:
        if not outcome.run.sessions:
            continue
        try:
            archive = open_archive(wishes.archive)
            archive.save(outcome.run, outcome.logs, owner=outcome.owner)
            if archive.brought_in:
                say(f"brought in what an earlier save had to keep in files: {', '.join(archive.brought_in)}")
        except RtstoneError as error:
            trouble = trouble or error
    return trouble


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


def _say_what_next(runs: Sequence[Run], wishes: Wishes, *, kept: bool) -> None:
    if wishes.report is not None and any(run.sessions for run in runs):
        say(f"report: {wishes.report}")
    if wishes.archive is not None and kept:
        from rtstone.archive import open_archive

        ids = [short_id(run.id) for run in runs if run.sessions]
        if not ids:
            return
        then = "rtstone show last (the papers' tables; --full: all there is), rtstone report last"
        if wishes.against and len(ids) == len(runs):
            then = f"rtstone compare {' '.join(ids)} -o comparison.html"
        say(f"kept as {', '.join(ids)} in {open_archive(wishes.archive).location}; next: {then}")


def _how_to_go_on(outcomes: Sequence[Outcome]) -> str:
    """The command that measures what is missing, where some sessions are complete and others were still to come."""
    run = outcomes[0].run
    complete = sum(session.complete for session in run.sessions)
    if len(outcomes) > 1 or run.planned < 2 or not complete:
        return ""
    return f"; {complete} of {run.planned} sessions: rtstone run --resume {short_id(run.id)} measures the rest"


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
            f"interrupted: {complete} of {len(results)} results are complete; they are shown and kept{_how_to_go_on(outcomes)}"
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
        say(f"warning: {len(doubtful)} of {len(results)} results are not to be believed, marked ! in the tables")
    elif doubtful:
        first = doubtful[0]
        raise IncompleteError(
            f"{len(doubtful)} of {len(results)} results are not to be believed, first {first.quantity}: {first.text or first.reason}"
        )
    if not any(result.count for result in results):
        raise IncompleteError("nothing was measured: every item was skipped (rtstone list measurements says why)")
    require_figures(found)
