# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone fit`: which level of a platform (top half, bottom half, user-level ISR, thread) meets a period and a deadline."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AllowMissingLoad, AsForm, AsJson, Cpu, Label, Target, Where
from rtstone.cli._select import HELP
from rtstone.errors import InfrastructureError, UsageError, command, this_program
from rtstone.model.units import written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.judge.fit import Asked, Report
    from rtstone.model import Run
    from rtstone.show.document import Form

_CODES = {"meets": 0, "does not meet": 1, "not shown": 4, "not measured": 4}
_COUNT_MOST = (1 << 32) - 1


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("fit")(fit)


def fit(
    period: Annotated[
        str,
        typer.Option(
            "--period",
            help="Period of the interrupt: 250us, 1ms. With RUN: only results at this period are judged.",
            metavar="TIME",
        ),
    ],
    deadline: Annotated[
        str, typer.Option("--deadline", help="Longest time from the interrupt to the response: 100us.", metavar="TIME")
    ],
    references: Annotated[
        list[str] | None,
        typer.Argument(help=f"{HELP} [default: measure now]", metavar="RUN...", show_default=False),
    ] = None,
    exceedance: Annotated[
        str, typer.Option("--exceedance", help="Share that may miss the deadline: 1e-6, 1ppm, 0.01%.", metavar="SHARE")
    ] = "1e-6",
    confidence: Annotated[
        str, typer.Option("--confidence", help="Confidence of the verdicts: 95%, 0.99.", metavar="SHARE")
    ] = "95%",
    target: Target = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            "--load",
            help="Loads to measure under. [default: none,cpu; on a virtual board none,traffic]",
            metavar="NAME",
        ),
    ] = None,
    allow_missing_load: AllowMissingLoad = False,
    profile: Annotated[
        str | None, typer.Option("--profile", "-p", help="How long to measure. [default: quick]", metavar="PROFILE")
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            help="Samples of each measurement in a session, instead of the profile's number and time limit.",
        ),
    ] = None,
    cpu: Cpu = None,
    label: Label = "",
    form: AsForm = "text",
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")] = False,
    archive: Where = None,
) -> None:
    """Find which level of interrupt handling meets a deadline: top half, bottom half, user-level ISR or thread.

    A user-level ISR is a signal handler. Without RUN the command measures for about a minute, and saves the run.

    Exit codes: 0 a level meets the deadline, with the requested confidence;
    1 every measured level misses it, with that confidence; 2 usage; 3 target or archive failed; 4 undecided, or nothing measured.
    """
    from rtstone.cli._select import runs as selected
    from rtstone.cli._tables import known_form
    from rtstone.cli.archive import open_configured
    from rtstone.judge.fit import judge

    wanted = known_form(form)
    asked = _asked(period, deadline, exceedance, confidence)
    if references:
        given = {"--target": target, "--load": load, "--profile": profile, "--count": count, "--cpu": cpu}
        given["--allow-missing-load"] = allow_missing_load or None
        for option, value in given.items():
            if value is not None:
                raise UsageError(f"{option} is for a new measurement: name no runs with it")
        runs = selected(references, open_configured(archive))
        targets = _targets(runs)
    else:
        targets = [target]
        runs = [
            measure_now(
                asked,
                target,
                load,
                profile,
                count,
                cpu,
                loads_required=not allow_missing_load,
                label=label,
                archive=archive,
                quiet=quiet or as_json,
            )
        ]
    report = judge(asked, runs)
    if as_json:
        from rtstone.cli._output import print_json

        print_json(report)
    else:
        again = _again(report, targets, load)
        _print(report, again, wanted, measured_now=not references)
    raise typer.Exit(_CODES[report.outcome])


def _asked(period: str, deadline: str, exceedance: str, confidence: str) -> Asked:
    from rtstone.cli import _values
    from rtstone.judge.fit import Asked

    made = Asked(
        period_ns=_values.period_ns(period) or 0,
        deadline_ns=_values.time_ns("--deadline", deadline),
        exceedance=_values.share("--exceedance", exceedance),
        confidence=_values.share("--confidence", confidence),
    )
    if made.confidence <= 0.5:
        raise UsageError(
            f"--confidence {confidence}: a verdict that is as likely wrong as right shows nothing; 95% is usual"
        )
    if made.exceedance < 1e-9:
        raise UsageError(
            f"--exceedance: less than 1e-9 takes more samples than an item can have; see {this_program()} fit --tail"
        )
    return made


def measure_now(
    asked: Asked,
    target: str | None,
    load: Sequence[str] | None,
    profile: str | None,
    count: int | None,
    cpu: int | None,
    *,
    loads_required: bool,
    label: str,
    archive: str | None,
    quiet: bool,
) -> Run:
    """Measure every quantity that is evidence for a level, at the requested period. Save the run, and return it.

    Raises the error that ended it early, after the run is saved.
    """
    from msgspec.structs import replace

    from rtstone.cli import _choices as choose
    from rtstone.cli._keeping import measure_and_keep
    from rtstone.cli._output import say
    from rtstone.cli._request import request
    from rtstone.config import load as configured
    from rtstone.measure import Job, prepare
    from rtstone.model.units import counted, waiting

    settings = configured({"archive": archive, "target": target}).values
    targets = (settings.target,)
    made = request(
        targets,
        measurements=tuple(
            replace(one, passes=("single",), paced=True, period_ns=asked.period_ns)
            for one in choose.measurements(_names(targets), targets)
        ),
        profile=profile or "quick",
        loads=load,
        loads_required=loads_required,
        count=count,
        period=asked.period_ns,
        cpu=settings.cpu if cpu is None else cpu,
    )
    job = Job(request=made, targets=targets, label=label, archive=settings.archive)
    (plans,) = prepare(job)
    if not quiet:
        say(
            f"measuring {counted(plans.items, 'item')} on {settings.target}, profile {made.profile}: at most {waiting(plans.seconds)}"
        )
    return measure_and_keep(
        job, plans, quiet=quiet, next_=f"{command(f'fit {_bounds(asked)} last')}, {command('report last')}"
    )


def _names(targets: Sequence[str]) -> tuple[str, ...]:
    """The useful measurements on this target. Where its engine does not answer, all: the engine skips unknown ones."""
    from rtstone.cli import _engine_lists
    from rtstone.judge.fit import MEASUREMENTS, ONLY_WITH_HANDLER
    from rtstone.targets import capabilities

    if not all(can.engine_here and can.shares_host for can in map(capabilities, targets)):
        return MEASUREMENTS
    try:
        listed = {one.name: one for one in _engine_lists.engine_list().measurements}
    except InfrastructureError:
        return MEASUREMENTS
    return tuple(
        name for name in MEASUREMENTS if name in listed and not (name in ONLY_WITH_HANDLER and listed[name].substitutes)
    )


def _targets(runs: Sequence[Run]) -> list[str | None]:
    """The targets to measure for more evidence of the kind in these runs; None: the configured one."""
    from rtstone.config import load

    usual = load().values.target
    # Nothing is at the other end of an imported run, and `fit` cannot measure the threads of an attached one.
    measured = [run.target for run in runs if not run.target.startswith(("imported:", "attached:"))]
    return [None if target == usual else target for target in dict.fromkeys(measured)]


def _bounds(asked: Asked) -> str:
    """The options of a requirement; those of the defaults are left out."""
    parts = [f"--period {_option(asked.period_ns)}", f"--deadline {_option(asked.deadline_ns)}"]
    parts += [f"--exceedance {asked.exceedance:.12g}"] if asked.exceedance != 1e-6 else []
    parts += [f"--confidence {asked.confidence:.12g}"] if f"{asked.confidence:.12g}" != "0.95" else []
    return " ".join(parts)


def _option(ns: float) -> str:
    """A time as an option takes it: `250us`."""
    return written(ns).replace(" ", "").replace("µ", "u")


def _again(report: Report, targets: Sequence[str | None], loads: list[str] | None) -> list[str]:
    """For each target, the command that measures what the rows lack, under the loads given, or else those of the runs."""
    import shlex

    from rtstone.cli._choices import COMMAND

    # A command of the user's is not on record.
    loads = loads or [name.replace(" x", ":") for name in report.loads if COMMAND not in name.split("+")]
    rest = [f"--load {shlex.quote(name)}" for name in loads]
    rest += [f"--count {min(report.count_needed, _COUNT_MOST)}"] if report.count_needed else []
    chosen = [[f"--target {shlex.quote(target)}"] if target else [] for target in targets]
    return [command(" ".join([f"fit {_bounds(report.asked)}", *one, *rest])) for one in chosen]


def _own_periods(report: Report) -> str:
    """For runs of other periods alone: the option that judges them at their own."""
    if report.outcome != "not measured":
        return ""
    rows = (row for level in report.levels for way in level.ways for row in way.rows)
    periods = sorted({row.period_ns for row in rows if row.period_ns})
    options = " or ".join(_option(period) for period in periods)
    return f"to judge the runs at their own period: --period {options}" if options else ""


def _print(report: Report, again: Sequence[str], form: Form, *, measured_now: bool) -> None:
    """Print the report, and the commands that measure what it lacks. Runs measured now lack only longer ones."""
    from rtstone.cli._tables import print_lines, print_rendered, width
    from rtstone.judge.fit import lacks_measurements
    from rtstone.show.judged.fit import document, longer, report_lines
    from rtstone.show.tables import Span

    below: list[str] = []
    if report.count_needed:
        below = [f"to decide the rest: {longer(report.asked, report.count_needed)}:", *again]
    elif not measured_now and lacks_measurements(report):
        below = [f"to measure at {written(report.asked.period_ns)}:", *again]
    below += [*filter(None, (_own_periods(report),)), *report.notes]

    def drawn() -> None:
        print_lines(report_lines(report, width()))
        for line in below:  # a command stays one line, so that it can be copied
            print_lines([[Span(text)] for text in ([line] if line in again else textwrap.wrap(line, width()))])

    print_rendered(document(report, below), form, drawn)
