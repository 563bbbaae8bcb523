# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone tune`: which of up to 16 settings helps, by a randomised fractional factorial experiment."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rtstone.errors import IncompleteError, InfrastructureError, RtstoneError, UsageError, unknown
from rtstone.measure.tune import Told
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.judge.tune import Report
    from rtstone.measure.tune import Planned
    from rtstone.model import Run
    from rtstone.model.tuning import Experiment

    Taken: TypeAlias = dict[int, tuple[Run, tuple[bytes, ...]]]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("tune")(tune)


def tune(
    file: Annotated[Path | None, typer.Argument(help="The file with the settings.", metavar="FILE")] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="What to measure. [default: the file's, or local]", metavar="TARGET"),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option("--resume", help="Measure the rest of an interrupted experiment: any run of it.", metavar="RUN"),
    ] = None,
    show: Annotated[
        str | None, typer.Option("--show", help="Judge a kept experiment again: any run of it.", metavar="RUN")
    ] = None,
    restore: Annotated[
        bool, typer.Option("--restore", help="Only undo what a killed experiment has left changed.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the settings to keep to this file (tmpfiles.d), or a page if it ends in .html.",
            metavar="FILE",
        ),
    ] = None,
    label: Annotated[str, typer.Option("--label", help="Name of the runs.", metavar="TEXT")] = "",
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn by lot.")] = 1,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Virtual boards at a time. [default: one a CPU]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the result and errors.")] = False,
    archive: Annotated[
        str | None, typer.Option("--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL")
    ] = None,
) -> None:
    """Find which of up to 16 settings changes the latency, and by how much.

    All settings are changed at once, session by session, as a fractional factorial design has it. They are as before at the end, also after
    kill -9: then at the next start of any rtstone command.

    Exit codes: 0 measured; 2 usage, a setting that is not there, a value that the kernel refuses; 3 no privilege, target or archive;
    4 too few sessions to tell; 130 interrupted.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli._files import require_folder, write_whole
    from rtstone.cli._session import say
    from rtstone.config import load as configuration

    require_folder("--output", output)
    if sum((file is not None, resume is not None, show is not None, restore)) != 1:
        raise UsageError("one of FILE, --resume RUN, --show RUN and --restore")
    if restore:
        _restore()
        return
    values = configuration({"archive": archive, "target": target}).values
    taken: Taken = {}
    group = ""
    if file is not None:
        experiment = _of_file(file, target, values.target, values.cpu)
    else:
        experiment, taken, group = _of_archive(resume or show or "", values.archive)
    if show is None:
        plan = _planned(experiment, seed if not taken else _seed(taken))
        runs = _measured(plan, taken, group, values.archive, label, choose.positive("--jobs", jobs) or 0, quiet=quiet)
    else:
        runs = [run for run, _ in taken.values()]
    from rtstone.judge.tune import judge

    report = judge(runs)
    if as_json:
        from rtstone.cli._output import print_json

        print_json(report)
    else:
        _print(report)
    if output is not None and output.suffix == ".html":
        from rtstone.show.site.tuned import tuned_page

        write_whole(tuned_page(report, theme=values.report_theme).encode(), output)
        if not quiet:
            say(f"page: {output}")
    elif output is not None:
        from rtstone.machine.settings import places
        from rtstone.machine.system import System
        from rtstone.show.judged.tune import keep_file

        write_whole(keep_file(report, lambda name: places(System(), name)).encode(), output)
        if not quiet:
            say(f"settings to keep: {output}")


def _of_file(file: Path, target: str | None, usual: str, cpu: int) -> Experiment:
    import msgspec

    from rtstone.model.tuning import experiment

    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    made = experiment(data, str(file))
    if made.targets is not None:
        if target is not None:
            raise UsageError(f"{file} has two targets as a factor: it goes with no --target")
        return made
    return msgspec.structs.replace(made, target=target or made.target or usual, cpu=cpu if made.cpu == -1 else made.cpu)


def _of_archive(reference: str, where: str) -> tuple[Experiment, Taken, str]:
    """The experiment of a run, of each row the run that has most sessions, and the group of them all."""
    from rtstone.archive import open_archive
    from rtstone.judge.tune import of_runs

    archive = open_archive(where)
    group = archive.load(reference).group
    if not group.startswith("group-tune-"):
        raise UsageError(f"run {reference} is not of an experiment of rtstone tune")
    ids = [summary.id for summary in archive.list(group=group)]
    experiment, rows = of_runs([archive.load(one) for one in ids])
    return experiment, {row: (run, archive.raw_logs(run.id)) for row, run in rows.items()}, group


def _seed(taken: Taken) -> int:
    return next(iter(taken.values()))[0].seed


def _planned(experiment: Experiment, seed: int) -> Planned:
    from rtstone.cli import _choices as choose
    from rtstone.measure.tune import planned
    from rtstone.stats import design
    from rtstone.studies import Request

    targets = experiment.targets or (experiment.target,)
    chosen = choose.measurements([experiment.measurement], targets)
    _quantity(experiment.quantity, chosen[0].name, targets)
    request = Request(
        measurements=chosen,
        profile="quick",
        loads=choose.loads([experiment.load], "", targets),
        loads_required=True,
        count=experiment.count,
        period_ns=choose.period_ns(experiment.period),
        cpu=choose.cpu(experiment.cpu, targets),
        seed=seed,
        given=("live",) if any(map(choose.live, targets)) else (),
    )
    return planned(experiment, design(len(experiment.factors)).rows, request)


def _quantity(name: str, measurement: str, targets: Sequence[str]) -> None:
    """Raises UsageError for one that the measurement does not have; a board's is looked up in this machine's engine, if it has one."""
    from contextlib import suppress

    from rtstone.cli import _choices as choose

    known: Sequence[str] = ()
    with suppress(InfrastructureError):
        asked = choose.lists(targets) or choose.lists(["local"])
        known = next((listed.series for listed in asked[0].measurements if listed.name == measurement), ())
    if known and name not in known:
        raise unknown(f"quantity of {measurement}", name, known)


class _Telling(Told):
    """Says on standard error how far it has come."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet

    def session(self, done: int, total: int) -> None:
        if not self._quiet and sys.stderr.isatty():
            sys.stderr.write(f"\rrtstone: {done} of {total} sessions ")
            sys.stderr.flush()

    def undone(self, lines: Sequence[str]) -> None:
        from rtstone.cli._session import say

        for line in lines:
            say(f"warning: {line}")

    def no_checkpoint(self, error: RtstoneError) -> None:
        from rtstone.cli._session import say

        say(f"warning: no checkpoint: {error}")


def _measured(
    plan: Planned, taken: Taken, group: str, archive: str, label: str, jobs: int, *, quiet: bool
) -> list[Run]:
    """Measure what is missing, keep it, and return the runs. Raises what ended it before its time once all is kept; Exit with 130."""
    from rtstone.cli._progress import left
    from rtstone.cli._session import say
    from rtstone.measure import at_most_seconds, keep_runs, require_archive
    from rtstone.measure.tune import asked_of, carry_out
    from rtstone.model import short_id
    from rtstone.model.units import duration_ns

    require_archive(archive)
    settle_s = (duration_ns(plan.experiment.settle) or 0.0) / 1e9 if plan.trials else 0.0
    total = plan.rounds * len(plan.rows)
    if not quiet:
        settings = len(plan.experiment.factors)
        have = sum(len(run.sessions) for run, _ in taken.values())
        seconds = at_most_seconds(asked_of(plan, None, 0.0), jobs) + total * settle_s
        say(
            f"{counted(settings, 'setting')}, {plan.rounds} rounds of {len(plan.rows)} sessions"
            f"{f', {have} of them complete' if have else ''}: at most {left(seconds)} of measuring"
        )
    told = _Telling(quiet=quiet)
    outcomes = carry_out(
        plan, told, archive=archive, label=label, jobs=jobs, group=group, taken=taken, settle_s=settle_s
    )
    if not quiet and sys.stderr.isatty():
        sys.stderr.write("\n")
    kept = keep_runs(outcomes, archive)
    runs = [outcome.run for outcome in outcomes]
    some = next((run for run in runs if run.sessions), None)
    if some is not None and not quiet:
        say(
            f"kept as {counted(sum(bool(run.sessions) for run in runs), 'run')}; again: rtstone tune --show {short_id(some.id)}"
        )
    error = next((outcome.error for outcome in outcomes if outcome.error is not None), kept.error)
    if error is not None:
        raise error
    if any(run.status == "interrupted" for run in runs):
        go_on = f"; rtstone tune --resume {short_id(some.id)} measures the rest" if some is not None else ""
        say(f"interrupted: {sum(len(run.sessions) for run in runs)} of {total} sessions are kept{go_on}")
        raise typer.Exit(130)
    if not any(run.sessions for run in runs):
        raise IncompleteError("nothing was measured")
    for lack in dict.fromkeys(lack for run in runs for lack in run.degraded):
        say(f"warning: degraded: {lack.text or lack.reason}")
    return runs


def _print(report: Report) -> None:
    import textwrap

    from rtstone.cli._output import print_table
    from rtstone.cli._tables import print_lines, width
    from rtstone.show.judged.tune import HEADINGS, rows, sentences
    from rtstone.show.tables import Span

    print_table(HEADINGS, list(rows(report)))
    print_lines([[Span(text)] for line in sentences(report) for text in textwrap.wrap(line, width() or 10_000)])


def _restore() -> None:
    """Undo what the journal has; also done at the start of every experiment."""
    from rtstone.cli._session import say
    from rtstone.machine.settings import Settings

    with Settings() as settings:
        done = settings.before
    for line in done.others:
        say(line)
    if done.undone:
        typer.echo(f"undone: {', '.join(done.undone)}")
    elif not done.others:
        typer.echo("nothing to undo")
