# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The end of every command that measures: saves runs, prints warnings, and derives the exit code from the errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from rtstone.cli._output import say
from rtstone.measure import Listener, Outcome, SavedRuns, carry_out, keep_runs, save_checkpoint
from rtstone.model import short_id

if TYPE_CHECKING:
    from rtstone.cli._progress import Shown
    from rtstone.measure import Job, Progress, TargetPlans
    from rtstone.model import Run


class ProgressPrinter(Listener):
    """Draws the progress of a measurement on standard error."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def starting(self, target: str) -> None:
        """Shows which target is made ready."""
        self._shown.starting(target)

    def progress(self, progress: Progress) -> None:
        """Redraws the bar."""
        self._shown(progress)

    def warning(self, text: str) -> None:
        """Prints the warning."""
        say(f"warning: {text}")


def checkpoint(archive: str | None, outcome: Outcome) -> None:
    """Save an unfinished run; if that fails, print a warning."""
    save_checkpoint(archive, outcome, lambda text: say(f"warning: {text}"))


def keep(outcomes: Sequence[Outcome], archive: str | None) -> SavedRuns:
    """Save the runs that have sessions, and report runs that an earlier save had left in files. `archive` None: nowhere."""
    kept = keep_runs(outcomes, archive)
    if kept.brought_in:
        say(f"added runs that an earlier save had to write to files: {', '.join(kept.brought_in)}")
    return kept


def say_kept(runs: Sequence[Run], kept: SavedRuns, archive: str | None, then: str) -> None:
    """Print the short ids, the place and the next command, where runs were saved."""
    ids = [short_id(run.id) for run in runs if run.sessions]
    if archive is None or kept.error is not None or not ids:
        return
    from rtstone.archive import open_archive

    named = ", ".join(ids) if len(ids) <= _NAMED else f"{len(ids)} runs, {ids[0]} to {ids[-1]}"
    say(f"saved as {named} in {open_archive(archive).location}; next: {then}")


_NAMED = 8
"""Runs whose ids are all printed."""


def warn(runs: Iterable[Run]) -> None:
    """Print each degradation and each warning of the runs once."""
    lines = []
    for run in runs:
        for lack in run.degraded:
            remedy = f"; to fix it: {lack.remedy}" if lack.remedy else ""
            lines.append(f"degraded: {lack.text or lack.reason}{remedy}")
        lines += run.warnings
    for line in dict.fromkeys(lines):
        say(f"warning: {line}")


def end(outcomes: Sequence[Outcome], kept: SavedRuns, interrupted: str) -> None:
    """Raise the error: the measuring's first, else the archive's, else Exit(130) after the line `interrupted`."""
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    for error in errors[1:]:
        say(str(error))
    if errors:
        if kept.error is not None:
            say(str(kept.error))
        raise errors[0]
    if kept.error is not None:
        raise kept.error
    if any(outcome.run.status == "interrupted" for outcome in outcomes):
        if interrupted:
            say(interrupted)
        raise typer.Exit(130)


def measure_and_keep(job: Job, asked: TargetPlans, *, quiet: bool, next_: str) -> Run:
    """Measure one target, save the run, and return it to be judged. `next_`: the command to print next to the run's id.

    Raises the error that ended it early, after the run is saved;
    Exit with 130 after Ctrl-C: an incomplete run is not judged.
    """
    from rtstone.cli._progress import Shown

    with Shown(quiet=quiet, targets=(asked.target.name,)) as shown:
        outcomes = carry_out(job, [asked], ProgressPrinter(shown))
    kept = keep(outcomes, job.archive)
    (run,) = (outcome.run for outcome in outcomes)
    warn([run])
    if not quiet:
        say_kept([run], kept, job.archive, next_)
    end(outcomes, kept, "interrupted: complete results are saved, and not judged" if run.sessions else "interrupted")
    return run
