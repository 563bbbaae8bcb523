# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone run`: measures targets by the protocols of the papers, shows the papers' tables, saves the runs."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from rtstone.cli._options import Cpu, NoArchive, Quiet, Seed, Timer, Where, grouped
from rtstone.errors import UsageError, this_program

_ROUNDS = 10
"""Repetitions of either side of a comparison: three is the least that shows anything, ten show most differences."""


@dataclass(frozen=True, slots=True)
class WhatToMeasure:
    """What to measure."""

    study: Annotated[
        list[str] | None,
        typer.Option(
            "--study",
            "-s",
            help="Studies to measure (rtstone list studies); repeat it, or separate with commas. [default: all]",
            metavar="ID",
        ),
    ] = None
    measurement: Annotated[
        list[str] | None,
        typer.Option(
            "--measurement",
            "-m",
            help="Measurements instead of studies (rtstone list measurements); repeat it, or separate with commas.",
            metavar="NAME",
        ),
    ] = None
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "-t",
            help="The machine or board (rtstone list targets); repeat it. board:arm64/*: every kernel of a board. [default: local]",
            metavar="TARGET",
        ),
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "-p",
            help="quick: about a minute in all, longer on a virtual board; standard: ten; paper: the paper's sample counts. "
            "More: rtstone list profiles. [default: standard]",
            metavar="PROFILE",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class HowMuch:
    """How much."""

    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            "-r",
            help="Sessions for each target. Targets alternate, session by session. "
            "Virtual boards whose clock counts instructions run last, several in parallel. "
            f"[default: the profile's number, {_ROUNDS} with --against]",
        ),
    ] = None
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            help="Samples of each measurement in a session, instead of the profile's number and time limit. "
            "In a batch measurement (see --sets): operations of each set.",
        ),
    ] = None
    sets: Annotated[
        int | None,
        typer.Option(
            "--sets", help="Number of sets in a batch measurement, which times many operations together as one set."
        ),
    ] = None
    raw: Annotated[bool, typer.Option("--raw", help="Save every sample as well.")] = False
    seed: Seed = 1
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Virtual boards to run in parallel. [default: one per CPU]")
    ] = None
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            help="Measure the rest of an interrupted run: last, or its id. A run over ssh also needs its --target. "
            "Other options allowed here: --quiesce, and those of the group 'The result'.",
            metavar="RUN",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class UnderLoad:
    """Under which load."""

    load: Annotated[
        list[str] | None,
        typer.Option(
            "--load",
            help="Loads to measure under (rtstone list loads); cpu+disk runs two together. "
            "[default: the study's, else none,cpu or, on a virtual board, none,traffic]",
            metavar="NAME",
        ),
    ] = None
    intensity: Annotated[
        int | None,
        typer.Option(
            "--intensity",
            help="Amount of each load, in the load's own unit (rtstone list loads). "
            "[default: 1; for the loads ioc and ioc-above: set by the profile]",
        ),
    ] = None
    load_command: Annotated[
        str | None,
        typer.Option(
            "--load-command",
            help="A command of yours as one more load, such as 'stress-ng --cpu 1'. Without --load: idle (none) and this command.",
            metavar="COMMAND",
        ),
    ] = None
    allow_missing_load: Annotated[
        bool,
        typer.Option(
            "--allow-missing-load",
            help="Skip the measurements of a load that cannot be started. Their rows give the reason.",
        ),
    ] = False
    peer: Annotated[
        str | None,
        typer.Option(
            "--peer", help="Another host for network measurements, where `rtstone peer` runs.", metavar="ADDRESS[:PORT]"
        ),
    ] = None
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            help="For the study aps: the kind of network between the EPICS server (IOC) and its clients, private or public. "
            "It is only recorded.",
            metavar="KIND",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class HowToMeasure:
    """How to measure."""

    period: Annotated[
        str | None,
        typer.Option(
            "--period",
            help="Period of the measured interrupt, such as 1ms. "
            "[default: the study's; else 250us, but 1ms for datagrams, edges of a GPIO or PPS signal and UIO interrupts]",
            metavar="TIME",
        ),
    ] = None
    cpu: Cpu = None
    timer: Timer = "default"
    clock: Annotated[
        str | None,
        typer.Option(
            "--clock", help="Clock that times durations (rtstone list clocks). [default: the best]", metavar="NAME"
        ),
    ] = None
    sched: Annotated[
        str | None,
        typer.Option(
            "--sched",
            help="Scheduling class: fifo or other (stored as rt and ts). "
            "Measurements for which the study demands the other class are skipped. "
            "[default: the study's, else fifo]",
            metavar="CLASS",
        ),
    ] = None
    cache: Annotated[
        str, typer.Option("--cache", help="CPU cache before each operation: warm or flushed.", metavar="STATE")
    ] = "warm"
    window: Annotated[
        list[str] | None,
        typer.Option(
            "--window",
            help="Memory that the transfer-… measurements read and write: shm, or that of a device, such as pci:ADDRESS/BAR, "
            "uio:N/M or vme:N/a24/ADDR. All forms: rtstone list windows. Repeat it for several. [default: shm]",
            metavar="NAME",
        ),
    ] = None
    trace_over: Annotated[
        str | None,
        typer.Option(
            "--trace-over",
            help="With -m interrupt-split: save the kernel's events before each sample longer than this, for rtstone explain.",
            metavar="TIME",
        ),
    ] = None
    quiesce: Annotated[
        bool,
        typer.Option(
            "--quiesce",
            help="As root: stop systemd timers and services that no measurement needs. Start them again after the run.",
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class TwoSides:
    """Two sides."""

    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Measure this target too, alternating with the first, and compare the two.",
            metavar="TARGET",
        ),
    ] = None
    before: Annotated[
        str | None,
        typer.Option(
            help="Run this command before each session, for example to set the machine up. "
            "With --against: only before sessions of the first target, for example to undo the changes of --before-against.",
            metavar="COMMAND",
        ),
    ] = None
    before_against: Annotated[
        str | None,
        typer.Option(
            help="Run this command before each session of the --against target, for example to compare two states of one machine.",
            metavar="COMMAND",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class OwnKernel:
    """Your own kernel."""

    firmware: Annotated[
        Path | None,
        typer.Option(
            "--firmware",
            help="Your own image that contains the engine (rtstone boards export), for the board of --target.",
            metavar="PATH.elf",
        ),
    ] = None
    kernel: Annotated[
        Path | None,
        typer.Option(
            "--kernel",
            help="Your own Linux on the board of --target: an image, a build tree, or a linux-image-*.deb.",
            metavar="PATH",
        ),
    ] = None
    append: Annotated[
        str | None, typer.Option("--append", help="With --kernel: words for its command line.", metavar="WORDS")
    ] = None
    name: Annotated[
        str | None, typer.Option("--name", help="With --kernel: name of this kernel in results.", metavar="ID")
    ] = None
    boards: Annotated[
        Path | None,
        typer.Option("--boards", help="A folder of boards of your own (docs/how-to/bring-your-own.md).", metavar="DIR"),
    ] = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result."""

    label: Annotated[
        str, typer.Option("--label", help="Name of the run. It heads the run's columns in tables.", metavar="TEXT")
    ] = ""
    report: Annotated[Path | None, typer.Option("--report", help="Write the HTML report here as well.")] = None
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Print all tables, and fidelity sheets (which conditions of the paper the run met), instead of one screen.",
        ),
    ] = False
    as_json: Annotated[bool, typer.Option("--json", help="Print runs and tables as JSON.")] = False
    quiet: Quiet = False
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours.")] = False
    strict: Annotated[bool, typer.Option("--strict", help="A degraded run ends with exit code 4.")] = False
    archive: Where = None
    no_archive: NoArchive = False


_WITH_RESUME = {"resume", "target", "quiesce", *(field.name for field in fields(RunResult))}
"""Options allowed with --resume. They change how the run is stored, not what it measures."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("run")(run)


@grouped
def run(
    context: typer.Context,
    what: WhatToMeasure,
    much: HowMuch,
    under: UnderLoad,
    how: HowToMeasure,
    sides: TwoSides,
    own: OwnKernel,
    result: RunResult,
) -> None:
    """Measure, show the results in one screen, and save the run.

    A study follows the protocol of one published paper. `rtstone show --tables` prints the paper's tables with a column for the run.
    A run measures one target in one or more sessions (repetitions). Each session starts the engine, the program that measures.

    A run is degraded if the target could not provide something, such as a privilege. The engine checks each result: for example,
    whether the operation happened.

    Exit codes: 0 measured, even if something disturbed the run ('Doubtful: not idle'), or if results of a degraded run failed the
    engine's checks (a warning); 2 usage; 3 the target failed; 4 a result is missing, failed the engine's checks in a run that is not
    degraded, or with --strict the run is degraded; 130 interrupted, complete results saved.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli import _values
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

    if result.no_color:
        os.environ["NO_COLOR"] = "1"
    if how.quiesce:
        from rtstone.cli._quiesce import stop_units

        context.with_resource(stop_units(quiet=result.quiet))
    if what.study and what.measurement:
        raise UsageError("--study and --measurement exclude each other")
    settings = configuration({"cpu": how.cpu, "strict": result.strict or None, "archive": result.archive}).values
    kept = None if result.no_archive else settings.archive
    wishes = Wishes(report=result.report, as_json=result.as_json, full=result.full, quiet=result.quiet)
    if much.resume is not None:
        _refuse_choices(context)
        unfinished = Job(
            request=Request(),
            targets=_values.words(what.target),
            label=result.label,
            archive=kept,
            strict=settings.strict,
        )
        resume_and_show(much.resume, unfinished, wishes)
        return
    if sides.before_against is not None and sides.against is None:
        raise UsageError("--before-against needs --against")
    specifications = _with_own(own, _values.words(what.target) or (settings.target,))
    targets = expand(specifications)
    if sides.against is not None:
        targets = _both(targets, expand((sides.against,)))
    names = _values.words(what.study)
    measurements = choose.measurements(what.measurement, targets)
    studies = tuple(known_study(name) for name in names) if names else () if measurements else known_studies()
    require_folder("--report", result.report)
    made = request(
        targets,
        measurements=measurements,
        studies=studies,
        profile=what.profile or settings.profile,
        loads=under.load,
        usual_loads=settings.load,
        load_command=under.load_command,
        loads_required=not under.allow_missing_load,
        intensity=under.intensity,
        repetitions=_values.positive("--repetitions", much.repetitions) or _rounds(targets, sides.against),
        count=much.count,
        sets=much.sets,
        period=how.period,
        cpu=settings.cpu,
        timer=how.timer,
        window=how.window,
        trace_over=how.trace_over,
        sched=how.sched,
        cache=how.cache,
        raw=much.raw,
        seed=much.seed,
        peer=under.peer,
        clock=how.clock,
    )
    late = left_out(specifications)
    if late and not result.quiet:
        say(
            f"{len(late)} kernels that take long to build are left out. To build them: {this_program()} boards --build {' '.join(late)}"
        )
    for line in () if result.quiet else not_installed(filter(is_pattern, specifications)):
        say(line)
    job = Job(
        request=made,
        targets=tuple(targets),
        label=result.label,
        archive=kept,
        strict=settings.strict,
        jobs=_values.positive("--jobs", much.jobs) or 0,
        against=sides.against is not None,
        network=_values.one_of("--network", under.network, ("private", "public")) or "",
        before=(sides.before or "",) * len(targets)
        if sides.against is None
        else (sides.before or "", sides.before_against or ""),
    )
    measure_and_show(job, wishes)


def _refuse_choices(context: typer.Context) -> None:
    """A resumed run keeps its original request. Raises UsageError for an option that would change it."""
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if parameter.name not in _WITH_RESUME and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"--resume uses the choices of its run: {parameter.opts[0]} is not allowed with it")


def _with_own(own: OwnKernel, specifications: tuple[str, ...]) -> tuple[str, ...]:
    """The targets, with the user's boards, firmware or kernel. Raises UsageError."""
    from rtstone.cli import _own_kernel

    _own_kernel.boards(own.boards)
    if own.firmware is not None:
        specifications = (_own_kernel.firmware(own.firmware, specifications),)
    if (own.append is not None or own.name is not None) and own.kernel is None:
        raise UsageError("--append and --name need --kernel")
    if own.kernel is not None:
        if own.firmware is not None:
            raise UsageError("--kernel and --firmware exclude each other")
        specifications = (_own_kernel.kernel(own.kernel, own.append, own.name, specifications),)
    return specifications


def _both(targets: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """The two sides of a comparison. Raises UsageError where either is not one target."""
    if len(targets) != 1 or len(others) != 1:
        raise UsageError(
            f"--against compares one target with one other, not {', '.join(targets)} with {', '.join(others)}"
        )
    return (*targets, *others)


def _rounds(targets: tuple[str, ...], against: str | None) -> int:
    """Repetitions where none were requested; 0: each target's own."""
    from rtstone.cli._request import by_turns

    return _ROUNDS if against is not None and any(map(by_turns, targets)) else 0
