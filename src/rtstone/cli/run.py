# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone run`: measures targets by the protocols of the papers, shows the papers' tables, saves the runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from rtstone.errors import UsageError, this_program

_WHAT = "What to measure"
_MUCH = "How much"
_LOAD = "Under which load"
_HOW = "How to measure"
_SIDES = "Two sides"
_KERNEL = "Your own kernel"
_RESULT = "The result"
"""The groups of --help."""

_ROUNDS = 10
"""Repetitions of either side of a comparison: three is the least that shows anything, ten show most differences."""

_WITH_RESUME = frozenset(
    (
        "resume",
        "target",
        "label",
        "report",
        "strict",
        "no_archive",
        "archive",
        "as_json",
        "full",
        "quiet",
        "quiesce",
        "no_color",
    )
)
"""Options allowed with --resume. They change how the run is stored, not what it measures."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("run")(run)


def run(
    context: typer.Context,
    study: Annotated[
        list[str] | None,
        typer.Option(
            "--study",
            "-s",
            help="Studies to measure (rtstone list studies); repeat it, or separate with commas. [default: all]",
            metavar="ID",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    measurement: Annotated[
        list[str] | None,
        typer.Option(
            "--measurement",
            "-m",
            help="Measurements by name, instead of a study.",
            metavar="NAME",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "-t",
            help="The machine or board (rtstone list targets); repeat it. board:arm64/*: every kernel of a board. [default: local]",
            metavar="TARGET",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "-p",
            help="quick: about a minute; standard: ten; paper: the paper's sample counts. More: rtstone list profiles. [default: standard]",
            metavar="PROFILE",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            "-r",
            help="Sessions for each target. Several targets alternate, session by session. "
            "Virtual boards whose clock counts instructions do not alternate: they follow, several in parallel. "
            f"[default: the profile's number, {_ROUNDS} with --against]",
            rich_help_panel=_MUCH,
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            help="Samples of each measurement in a session, instead of the profile's number and time limit. "
            "In a batch measurement (many operations timed together): operations of each set.",
            rich_help_panel=_MUCH,
        ),
    ] = None,
    sets: Annotated[
        int | None,
        typer.Option(
            "--sets",
            help="Sets in each batch measurement. A set is many operations, timed together.",
            rich_help_panel=_MUCH,
        ),
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Save every sample as well.", rich_help_panel=_MUCH)] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all random choices.", rich_help_panel=_MUCH)] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", help="Virtual boards to run in parallel. [default: one per CPU]", rich_help_panel=_MUCH
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            help="Measure the rest of an interrupted run: last, or its id. No option that chooses a measurement is allowed with it.",
            metavar="RUN",
            rich_help_panel=_MUCH,
        ),
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            "--load",
            help="Loads to measure under (rtstone list loads); cpu+disk runs two together. [default: none,cpu]",
            metavar="NAME",
            rich_help_panel=_LOAD,
        ),
    ] = None,
    intensity: Annotated[
        int | None,
        typer.Option(
            "--intensity",
            help="How much of each load, in its own unit (rtstone list loads). [default: 1; on a board the profile's]",
            rich_help_panel=_LOAD,
        ),
    ] = None,
    load_command: Annotated[
        str | None,
        typer.Option(
            "--load-command",
            help="Any command as a load: 'stress-ng --cpu 1'.",
            metavar="COMMAND",
            rich_help_panel=_LOAD,
        ),
    ] = None,
    allow_missing_load: Annotated[
        bool,
        typer.Option(
            "--allow-missing-load",
            help="If a load cannot be started, skip its measurements and measure the rest. Its rows give the reason.",
            rich_help_panel=_LOAD,
        ),
    ] = False,
    peer: Annotated[
        str | None,
        typer.Option(
            "--peer",
            help="Another host for network measurements, where `rtstone peer` runs.",
            metavar="ADDRESS",
            rich_help_panel=_LOAD,
        ),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            help="For the study aps: record whether the IOC's clients were on a private or a public network. "
            "It does not change the measurement.",
            metavar="KIND",
            rich_help_panel=_LOAD,
        ),
    ] = None,
    period: Annotated[
        str | None,
        typer.Option(
            "--period", help="Period of the measured interrupt: 250us, 1ms.", metavar="TIME", rich_help_panel=_HOW
        ),
    ] = None,
    cpu: Annotated[
        int | None, typer.Option("--cpu", help="CPU to measure on; -1: the engine chooses.", rich_help_panel=_HOW)
    ] = None,
    timer: Annotated[
        str,
        typer.Option(
            "--timer",
            help="Source of the measured interrupt (rtstone list timers).",
            metavar="SOURCE",
            rich_help_panel=_HOW,
        ),
    ] = "default",
    clock: Annotated[
        str | None,
        typer.Option(
            "--clock",
            help="Clock that times durations (rtstone list clocks). [default: the best]",
            metavar="NAME",
            rich_help_panel=_HOW,
        ),
    ] = None,
    sched: Annotated[
        str | None,
        typer.Option(
            "--sched",
            help="Scheduling class, unless the study fixes it: fifo or other (stored as rt and ts).",
            metavar="CLASS",
            rich_help_panel=_HOW,
        ),
    ] = None,
    cache: Annotated[
        str,
        typer.Option(
            "--cache", help="CPU cache: warm, or flushed before each operation.", metavar="STATE", rich_help_panel=_HOW
        ),
    ] = "warm",
    window: Annotated[
        list[str] | None,
        typer.Option(
            "--window",
            help="Memory that the transfer-… measurements read and write: shm, or that of a device, such as pci:ADDRESS/BAR, "
            "uio:N/M or vme:N/a24/ADDR. All forms: rtstone list windows. Repeat it for several. [default: shm]",
            metavar="NAME",
            rich_help_panel=_HOW,
        ),
    ] = None,
    trace_over: Annotated[
        str | None,
        typer.Option(
            "--trace-over",
            help="With -m interrupt-split: save the kernel's events before each sample longer than this, for rtstone explain.",
            metavar="TIME",
            rich_help_panel=_HOW,
        ),
    ] = None,
    quiesce: Annotated[
        bool,
        typer.Option(
            "--quiesce",
            help="Stop timers and services that this machine can spare, for the time of the run.",
            rich_help_panel=_HOW,
        ),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Measure this target too, alternating with the first, and compare the two.",
            metavar="TARGET",
            rich_help_panel=_SIDES,
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            help="Run this command before each repetition, for example to set the machine up. "
            "With --against: only before those of the first target, for example to reset what --before-against set.",
            metavar="COMMAND",
            rich_help_panel=_SIDES,
        ),
    ] = None,
    before_against: Annotated[
        str | None,
        typer.Option(
            help="Run this command before each repetition of the --against target, for example to compare two states of one machine.",
            metavar="COMMAND",
            rich_help_panel=_SIDES,
        ),
    ] = None,
    firmware: Annotated[
        Path | None,
        typer.Option(
            "--firmware",
            help="Your own image that contains the engine (rtstone boards export), for the board of --target.",
            metavar="PATH.elf",
            rich_help_panel=_KERNEL,
        ),
    ] = None,
    kernel: Annotated[
        Path | None,
        typer.Option(
            "--kernel",
            help="Your own Linux on the board of --target: an image, a build tree, or a linux-image-*.deb.",
            metavar="PATH",
            rich_help_panel=_KERNEL,
        ),
    ] = None,
    append: Annotated[
        str | None,
        typer.Option(
            "--append", help="With --kernel: words for its command line.", metavar="WORDS", rich_help_panel=_KERNEL
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="With --kernel: its name.", metavar="ID", rich_help_panel=_KERNEL),
    ] = None,
    boards: Annotated[
        Path | None,
        typer.Option("--boards", help="A folder of boards of your own.", metavar="DIR", rich_help_panel=_KERNEL),
    ] = None,
    label: Annotated[
        str,
        typer.Option(
            "--label",
            help="Name of the run. It heads the run's columns in tables.",
            metavar="TEXT",
            rich_help_panel=_RESULT,
        ),
    ] = "",
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the HTML report here as well.", rich_help_panel=_RESULT)
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Print all tables, and fidelity sheets (which conditions of the paper the run met), instead of one screen.",
            rich_help_panel=_RESULT,
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print runs and tables as JSON.", rich_help_panel=_RESULT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only the result and errors.", rich_help_panel=_RESULT)
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours.", rich_help_panel=_RESULT)] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="A degraded run ends with exit code 4.", rich_help_panel=_RESULT)
    ] = False,
    archive: Annotated[
        str | None,
        typer.Option(
            "--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL", rich_help_panel=_RESULT
        ),
    ] = None,
    no_archive: Annotated[
        bool, typer.Option("--no-archive", help="Do not save the run.", rich_help_panel=_RESULT)
    ] = False,
) -> None:
    """Measure, show the results in one screen, and save the run.

    A study follows the protocol of one published paper. `rtstone show --tables` prints the paper's tables with a column for the run.
    A session is one start of the engine, the program that measures.

    A run is doubtful if one of its results failed a check, for example because another program disturbed it. It is degraded if the
    target could not provide something, such as a privilege.

    Exit codes: 0 measured; 2 usage; 3 the target failed; 4 incomplete, doubtful, or degraded with --strict; 130
    interrupted; complete results are saved.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli._files import require_folder
    from rtstone.cli._output import say
    from rtstone.cli._request import request
    from rtstone.cli._session import Wishes, measure_and_show, resume_and_show
    from rtstone.config import load as configuration
    from rtstone.measure import Job
    from rtstone.studies import Request
    from rtstone.studies import studies as known_studies
    from rtstone.studies import study as known_study
    from rtstone.targets import expand, is_pattern, left_out, not_installed

    if no_color:
        os.environ["NO_COLOR"] = "1"
    if quiesce:
        from rtstone.cli._quiesce import stop_units

        context.with_resource(stop_units(quiet=quiet))
    if study and measurement:
        raise UsageError("--study and --measurement exclude each other")
    settings = configuration({"cpu": cpu, "strict": strict or None, "archive": archive}).values
    kept = None if no_archive else settings.archive
    wishes = Wishes(report=report, as_json=as_json, full=full, quiet=quiet)
    if resume is not None:
        _refuse_choices(context)
        unfinished = Job(
            request=Request(), targets=choose.words(target), label=label, archive=kept, strict=settings.strict
        )
        resume_and_show(resume, unfinished, wishes)
        return
    if before_against is not None and against is None:
        raise UsageError("--before-against needs --against")
    choose.boards(boards)
    specifications = choose.words(target) or (settings.target,)
    if firmware is not None:
        specifications = (choose.firmware(firmware, specifications),)
    if (append is not None or name is not None) and kernel is None:
        raise UsageError("--append and --name need --kernel")
    if kernel is not None:
        if firmware is not None:
            raise UsageError("--kernel and --firmware exclude each other")
        specifications = (choose.kernel(kernel, append, name, specifications),)
    targets = expand(specifications)
    if against is not None:
        targets = _both(targets, expand((against,)))
    names = choose.words(study)
    measurements = choose.measurements(measurement, targets)
    studies = tuple(known_study(name) for name in names) if names else () if measurements else known_studies()
    require_folder("--report", report)
    made = request(
        targets,
        measurements=measurements,
        studies=studies,
        profile=profile or settings.profile,
        loads=load,
        usual_loads=settings.load,
        load_command=load_command,
        loads_required=not allow_missing_load,
        intensity=intensity,
        repetitions=choose.positive("--repetitions", repetitions) or _rounds(targets, against),
        count=count,
        sets=sets,
        period=period,
        cpu=settings.cpu,
        timer=timer,
        window=window,
        trace_over=trace_over,
        sched=sched,
        cache=cache,
        raw=raw,
        seed=seed,
        peer=peer,
        clock=clock,
    )
    late = left_out(specifications)
    if late and not quiet:
        say(
            f"{len(late)} kernels that take long to build are left out. To build them: {this_program()} boards --build {' '.join(late)}"
        )
    for line in () if quiet else not_installed(filter(is_pattern, specifications)):
        say(line)
    job = Job(
        request=made,
        targets=tuple(targets),
        label=label,
        archive=kept,
        strict=settings.strict,
        jobs=choose.positive("--jobs", jobs) or 0,
        against=against is not None,
        network=choose.one_of("--network", network, ("private", "public")) or "",
        before=(before or "",) * len(targets) if against is None else (before or "", before_against or ""),
    )
    measure_and_show(job, wishes)


def _refuse_choices(context: typer.Context) -> None:
    """A resumed run keeps its original request. Raises UsageError for an option that would change it."""
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if parameter.name not in _WITH_RESUME and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"--resume uses the choices of its run: {parameter.opts[0]} is not allowed with it")


def _both(targets: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """The two sides of a comparison. Raises UsageError where either is not one target."""
    if len(targets) != 1 or len(others) != 1:
        raise UsageError(
            f"--against compares one target with one other, not {', '.join(targets)} with {', '.join(others)}"
        )
    return (*targets, *others)


def _rounds(targets: tuple[str, ...], against: str | None) -> int:
    """Repetitions where none were requested; 0: each target's own."""
    from rtstone.cli._choices import by_turns

    return _ROUNDS if against is not None and any(map(by_turns, targets)) else 0
