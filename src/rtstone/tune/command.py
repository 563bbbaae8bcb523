# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone tune`: which of up to 16 settings helps, by a randomised fractional factorial experiment."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rtstone.cli._options import AsForm, AsJson, Quiet, Seed, Where
from rtstone.errors import IncompleteError, InfrastructureError, UsageError, command, unknown
from rtstone.measure import Listener, Measuring
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.attach.threads import Wanted
    from rtstone.model import Run
    from rtstone.show.document import Form
    from rtstone.tune.experiment import Experiment
    from rtstone.tune.judge import Report
    from rtstone.tune.measure import Planned

    Taken: TypeAlias = dict[int, tuple[Run, tuple[bytes, ...]]]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("tune")(tune)


def tune(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="The settings and their levels (docs/how-to/find-the-setting-that-helps.md). "
            "Needed without --resume, --show and --restore.",
            metavar="FILE",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="This machine (local), or a virtual board. A board needs a file with the section [words] (its boot parameters). "
            "[default: the file's, or local]",
            metavar="TARGET",
        ),
    ] = None,
    for_: Annotated[
        str | None,
        typer.Option(
            "--for",
            help="Judge by the latency of your own threads of this name, measured as by rtstone attach.",
            metavar="comm=NAME",
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume", help="Measure the rest of an interrupted experiment. RUN is any of its runs.", metavar="RUN"
        ),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option("--show", help="Judge a saved experiment again. RUN is any of its runs.", metavar="RUN"),
    ] = None,
    restore: Annotated[
        bool, typer.Option("--restore", help="Only restore the settings that a killed experiment left changed.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the levels that reduce the latency, for /etc/tmpfiles.d. If the name ends in .html: a page with the results.",
            metavar="FILE",
        ),
    ] = None,
    label: Annotated[str, typer.Option("--label", help="Name of the runs.", metavar="TEXT")] = "",
    seed: Seed = 1,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Virtual boards to run in parallel. [default: one per CPU]")
    ] = None,
    form: AsForm = "text",
    as_json: AsJson = False,
    quiet: Quiet = False,
    archive: Where = None,
) -> None:
    """Find which of up to 16 settings changes the latency, and by how much.

    The command measures combinations of the settings' levels, chosen by a fractional factorial design. It measures each
    combination in several sessions, and saves these as one run. The command restores the settings at the end; after kill -9, the same
    user's next rtstone command does. Your own threads (--for) must run until the end. Settings of this machine need root.

    Exit codes: 0 measured; 2 usage, a setting that does not exist, a value that the kernel refuses; 3 no privilege, target or archive;
    4 too few sessions to judge; 130 interrupted.
    """
    from rtstone.cli import _values
    from rtstone.cli._files import require_folder, write_whole
    from rtstone.cli._output import say
    from rtstone.cli._tables import known_form
    from rtstone.config import load as configuration

    wanted = known_form(form)
    require_folder("--output", output)
    if sum((file is not None, resume is not None, show is not None, restore)) != 1:
        raise UsageError("one of FILE, --resume RUN, --show RUN and --restore")
    if for_ is not None and file is None:
        raise UsageError("--for belongs to FILE: a saved experiment has its threads already")
    if restore:
        _restore()
        return
    values = configuration({"archive": archive, "target": target}).values
    taken: Taken = {}
    group = ""
    if file is not None:
        experiment = _of_file(file, target, for_, values.target, values.cpu)
    else:
        experiment, taken, group = _of_archive(resume or show or "", values.archive)
    if show is None:
        plan = _planned(experiment, seed if not taken else _seed(taken))
        runs = _measured(plan, taken, group, values.archive, label, _values.positive("--jobs", jobs) or 0, quiet=quiet)
    else:
        runs = [run for run, _ in taken.values()]
    from rtstone.tune.judge import judge

    report = judge(runs)
    if as_json:
        from rtstone.cli._output import print_json

        print_json(report)
    else:
        _print(report, wanted)
    if output is not None and output.suffix == ".html":
        from rtstone.tune.page import tuned_page

        write_whole(tuned_page(report, theme=values.report_theme).encode(), output)
        if not quiet:
            say(f"page: {output}")
    elif output is not None:
        from rtstone.machine.settings import places
        from rtstone.machine.system import System
        from rtstone.tune.document import keep_file

        write_whole(keep_file(report, lambda name: places(System(), name)).encode(), output)
        if not quiet and any(one.keep in {"high", "low"} for one in report.settings):
            say(f"settings to keep: {output}")
        elif not quiet:
            say(f"no setting is shown to help: {output} changes none")


def _of_file(file: Path, target: str | None, for_: str | None, usual: str, cpu: int) -> Experiment:
    import msgspec

    from rtstone.tune.experiment import experiment

    kind, _, comm = (for_ or "").partition("=")
    if for_ is not None and (kind != "comm" or not comm):
        raise UsageError(f"--for {for_}: the threads are named as comm=NAME")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    made = experiment(data, str(file), comm=comm, target=target or "")
    if made.comm:
        return msgspec.structs.replace(made, target="local")
    if made.targets is not None:
        if target is not None:
            raise UsageError(f"{file} has two targets as a factor: --target is not allowed with it")
        return made
    return msgspec.structs.replace(made, target=target or made.target or usual, cpu=cpu if made.cpu == -1 else made.cpu)


def _of_archive(reference: str, where: str) -> tuple[Experiment, Taken, str]:
    """The experiment of a run, for each row the run with the most sessions, and the group of all of them."""
    from rtstone.archive import open_archive
    from rtstone.tune.judge import of_runs

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
    from rtstone.cli._request import request
    from rtstone.stats import design
    from rtstone.tune.measure import planned

    targets = experiment.targets or (experiment.target,)
    chosen = choose.measurements([experiment.measurement], targets)
    if not experiment.comm:
        _quantity(experiment.quantity, chosen[0].name, targets)
    made = request(
        targets,
        measurements=chosen,
        profile="quick",
        loads=[experiment.load],
        repetitions=1,
        count=experiment.count,
        period=experiment.period,
        cpu=experiment.cpu,
        seed=seed,
    )
    return planned(experiment, design(len(experiment.factors)).rows, made)


def _quantity(name: str, measurement: str, targets: Sequence[str]) -> None:
    """Raises UsageError for a quantity that the measurement does not have.
    A board's is checked with this machine's engine, if any."""
    from contextlib import suppress

    from rtstone.cli import _engine_lists

    known: Sequence[str] = ()
    with suppress(InfrastructureError):
        asked = _engine_lists.lists(targets) or _engine_lists.lists(["local"])
        known = next((listed.series for listed in asked[0].measurements if listed.name == measurement), ())
    if known and name not in known:
        raise unknown(f"quantity of {measurement}", name, known)


class _SessionCount(Listener):
    """Shows on standard error how many sessions are complete."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self._total = total
        self._done = count(1)
        self._quiet = quiet

    def session(self, measuring: Measuring) -> None:
        self.one_more()

    def one_more(self) -> None:
        """Counts a session that is complete."""
        if not self._quiet and sys.stderr.isatty():
            sys.stderr.write(f"\rrtstone: {next(self._done)} of {self._total} sessions ")
            sys.stderr.flush()

    def warning(self, text: str) -> None:
        from rtstone.cli._output import say

        say(f"warning: {text}")


def _measured(
    plan: Planned, taken: Taken, group: str, archive: str, label: str, jobs: int, *, quiet: bool
) -> list[Run]:
    """Measure the missing sessions, save them, and return the runs.
    Raises the error that ended it early once all is saved; Exit with 130."""
    from rtstone.cli._keeping import end, keep, say_kept, warn
    from rtstone.cli._output import say
    from rtstone.measure import at_most_seconds, require_archive
    from rtstone.model import short_id
    from rtstone.model.units import duration_ns, waiting
    from rtstone.tune.measure import asked_of, carry_out
    from rtstone.tune.measure_for import carry_out_for

    require_archive(archive)
    settle_s = (duration_ns(plan.experiment.settle) or 0.0) / 1e9 if plan.trials else 0.0
    total = plan.rounds * len(plan.rows)
    if not quiet:
        settings = len(plan.experiment.factors)
        have = sum(len(run.sessions) for run, _ in taken.values())
        watched_s = (duration_ns(plan.experiment.duration) or 0.0) / 1e9
        if plan.experiment.comm:
            seconds = (total - have) * (watched_s + settle_s)
        else:
            seconds = at_most_seconds(asked_of(plan, None, 0.0), jobs) + total * settle_s
        say(
            f"{counted(settings, 'setting')}, {plan.rounds} rounds of {len(plan.rows)} sessions"
            f"{f', {have} of them complete' if have else ''}: at most {waiting(seconds)} of measuring"
        )
    telling = _SessionCount(total, quiet=quiet)
    if plan.experiment.comm:
        outcomes = carry_out_for(
            plan,
            _wanted(plan.experiment),
            telling,
            archive=archive,
            label=label,
            group=group,
            taken=taken,
            settle_s=settle_s,
            done=telling.one_more,
        )
    else:
        outcomes = carry_out(
            plan, telling, archive=archive, label=label, jobs=jobs, group=group, taken=taken, settle_s=settle_s
        )
    if not quiet and sys.stderr.isatty():
        sys.stderr.write("\n")
    kept = keep(outcomes, archive)
    runs = [outcome.run for outcome in outcomes]
    warn(runs)
    some = next((short_id(run.id) for run in runs if run.sessions), "")
    if not quiet:
        say_kept(runs, kept, archive, command(f"tune --show {some}"))
    go_on = f"; {command(f'tune --resume {some}')} measures the rest" if some else ""
    end(outcomes, kept, f"interrupted: {sum(len(run.sessions) for run in runs)} of {total} sessions are saved{go_on}")
    if not some:
        raise IncompleteError("nothing was measured")
    return runs


def _wanted(experiment: Experiment) -> Wanted:
    from rtstone.attach.threads import Wanted
    from rtstone.model.units import duration_ns

    return Wanted(
        name=f"comm {experiment.comm}",
        comm=experiment.comm,
        duration_s=(duration_ns(experiment.duration) or 0.0) / 1e9,
        deadline_ns=round(duration_ns(experiment.deadline) or 0) if experiment.deadline else 0,
    )


def _print(report: Report, form: Form) -> None:
    import textwrap

    from rtstone.cli._output import print_table
    from rtstone.cli._tables import print_lines, print_rendered, width
    from rtstone.show.tables import Span
    from rtstone.tune.document import HEADINGS, document, rows, sentences

    def drawn() -> None:
        print_table(HEADINGS, list(rows(report)))
        print_lines([[Span(text)] for line in sentences(report) for text in textwrap.wrap(line, width())])

    print_rendered(document(report), form, drawn)


def _restore() -> None:
    """Undo the changes in the journal; also done at the start of every experiment."""
    from rtstone.cli._output import say
    from rtstone.machine.settings import MachineSettings

    with MachineSettings() as settings:
        done = settings.before
    for line in done.others:
        say(line)
    if done.undone:
        typer.echo(f"undone: {', '.join(done.undone)}")
    elif not done.others:
        typer.echo("nothing to undo")
