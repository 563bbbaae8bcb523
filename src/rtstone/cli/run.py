# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone run`: measures targets by the protocols of the papers, shows the papers' tables, keeps the runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, cast

import typer

from rtstone.errors import UsageError

_ROUNDS = 10
"""Repetitions of either side of a comparison: three are the least that show anything, ten show most of what is there."""

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
"""What may be said of a run that is taken up again: what becomes of it, not what is measured."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("run")(run)


def run(
    context: typer.Context,
    study: Annotated[
        list[str] | None,
        typer.Option(
            "--study", "-s", help="Studies to follow; repeat it, or separate with commas. [default: all]", metavar="ID"
        ),
    ] = None,
    measurement: Annotated[
        list[str] | None,
        typer.Option("--measurement", "-m", help="Measurements by name, in place of a study.", metavar="NAME"),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "-t",
            help="What to measure (rtstone list targets); repeat it. board:arm64/* is all of a board. [default: local]",
            metavar="TARGET",
        ),
    ] = None,
    firmware: Annotated[
        Path | None,
        typer.Option(
            "--firmware", help="Your own image with the engine in it, on the board of --target.", metavar="PATH.elf"
        ),
    ] = None,
    kernel: Annotated[
        Path | None,
        typer.Option(
            "--kernel",
            help="Your own Linux on the board of --target: an image, a build tree, or a linux-image-*.deb.",
            metavar="PATH",
        ),
    ] = None,
    append: Annotated[
        str | None, typer.Option("--append", help="With --kernel: words for its command line.", metavar="WORDS")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="With --kernel: what it is called.", metavar="ID")] = None,
    boards: Annotated[
        Path | None, typer.Option("--boards", help="A folder of boards of your own.", metavar="DIR")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Measure this target too, in turns with the first, and compare the two.",
            metavar="TARGET",
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            help="A command to run before each repetition. It sets the machine up, or undoes what --before-against did.",
            metavar="COMMAND",
        ),
    ] = None,
    before_against: Annotated[
        str | None, typer.Option(help="The same for --against: one machine in two states.", metavar="COMMAND")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "-p",
            help="quick: about a minute; standard: about ten; paper: its own counts. [default: standard]",
            metavar="PROFILE",
        ),
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            "--load",
            help="Loads to measure under (rtstone list loads); cpu+disk runs two together. [default: none,cpu]",
            metavar="NAME",
        ),
    ] = None,
    intensity: Annotated[
        int | None,
        typer.Option(
            "--intensity",
            help="How much of each load, in its own unit (rtstone list loads). [default: 1; on a board the profile's]",
        ),
    ] = None,
    load_command: Annotated[
        str | None,
        typer.Option("--load-command", help="Any command as a load: 'stress-ng --cpu 1'.", metavar="COMMAND"),
    ] = None,
    allow_missing_load: Annotated[
        bool,
        typer.Option("--allow-missing-load", help="Measure the rest where a load cannot be started. Its rows say why."),
    ] = False,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            "-r",
            help=f"Sessions a target, taking turns. [default: 1, {_ROUNDS} with --against; a virtual board: the profile's]",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Virtual boards at a time. [default: one a CPU]")
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", help="Samples, or operations of a set, of each item; no time budget then.")
    ] = None,
    sets: Annotated[int | None, typer.Option("--sets", help="Sets of operations in each batch item.")] = None,
    period: Annotated[
        str | None, typer.Option("--period", help="Period of the measured interrupt: 250us, 1ms.", metavar="TIME")
    ] = None,
    cpu: Annotated[int | None, typer.Option("--cpu", help="CPU to measure on; -1: the port's choice.")] = None,
    timer: Annotated[
        str, typer.Option("--timer", help="Source of the measured interrupt (rtstone list timers).", metavar="SOURCE")
    ] = "default",
    window: Annotated[
        list[str] | None,
        typer.Option(
            "--window",
            help="What data transfers reach: shm, pci:ADDRESS/BAR[/kernel], uio:N/M, vme:N/a24/ADDR[/map]; repeat it. [default: shm]",
            metavar="NAME",
        ),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            "--clock",
            help="Time durations by this clock: tsc, monotonic, monotonic-raw, gettimeofday, hpet, ptp. [default: the best]",
            metavar="NAME",
        ),
    ] = None,
    trace_over: Annotated[
        str | None,
        typer.Option(
            "--trace-over",
            help="Keep what the kernel did before each sample of interrupt-split above this.",
            metavar="TIME",
        ),
    ] = None,
    sched: Annotated[
        str | None,
        typer.Option(
            "--sched", help="fifo or other (stored as rt and ts), where the study leaves it open.", metavar="CLASS"
        ),
    ] = None,
    cache: Annotated[
        str, typer.Option("--cache", help="warm, or flushed before each operation.", metavar="STATE")
    ] = "warm",
    peer: Annotated[
        str | None,
        typer.Option(
            "--peer", help="Another host for network measurements, where `rtstone peer` runs.", metavar="ADDRESS"
        ),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            help="For the record: the network that clients of the load came through, private or public.",
            metavar="KIND",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn by lot.")] = 1,
    raw: Annotated[bool, typer.Option("--raw", help="Keep every sample as well.")] = False,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            help="Measure the rest of an interrupted run: last, or its id. It takes no other choice of what to measure.",
            metavar="RUN",
        ),
    ] = None,
    label: Annotated[str, typer.Option("--label", help="Name of the run's columns.", metavar="TEXT")] = "",
    report: Annotated[Path | None, typer.Option("--report", help="Write the HTML report here as well.")] = None,
    quiesce: Annotated[
        bool,
        typer.Option(
            "--quiesce", help="Stop timers and services that this machine can spare, for the time of the run."
        ),
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="A degraded run ends with exit code 4.")] = False,
    no_archive: Annotated[bool, typer.Option("--no-archive", help="Do not keep the run.")] = False,
    archive: Annotated[
        str | None, typer.Option("--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All tables and sheets in place of the first screen.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print runs and tables as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the result and errors.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours.")] = False,
) -> None:
    """Measure, show what came out in one screen, and keep the run. `rtstone show` prints the papers' tables.

    Exit codes: 0 measured; 2 usage; 3 the target failed; 4 incomplete, not to be believed, or degraded with --strict; 130
    interrupted, with what was complete kept.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli._files import require_folder
    from rtstone.cli._session import Wishes, measure_and_show, resume_and_show, say
    from rtstone.config import load as configuration
    from rtstone.measure import Job
    from rtstone.studies import Request
    from rtstone.studies import profile as known_profile
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
        raise UsageError("--before-against goes with --against")
    choose.boards(boards)
    specifications = choose.words(target) or (settings.target,)
    if firmware is not None:
        specifications = (choose.firmware(firmware, specifications),)
    if (append is not None or name is not None) and kernel is None:
        raise UsageError("--append and --name go with --kernel")
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
    choose.peer(peer)
    loads = choose.load_command(load_command, choose.loads(load, settings.load, targets), targets)
    request = Request(
        studies=studies,
        measurements=measurements,
        profile=known_profile(profile or settings.profile).name,
        loads=loads,
        intensity=choose.intensity(intensity),
        loads_required=not allow_missing_load,
        repetitions=choose.positive("--repetitions", repetitions) or _rounds(targets, against),
        targets=max(1, sum(map(choose.by_turns, targets))),
        count=choose.positive("--count", count),
        sets=choose.positive("--sets", sets),
        period_ns=choose.period_ns(period),
        cpu=choose.cpu(settings.cpu, targets),
        timer=choose.timer(timer, targets),
        windows=tuple(choose.window(name, targets) for name in choose.words(window)) or ("default",),
        trace_over_ns=choose.trace_over(trace_over),
        sched=choose.sched(sched),
        cache=cast("choose.Cache", choose.one_of("--cache", cache, ("warm", "flushed"))),
        raw=raw,
        seed=seed,
        peer=peer or "",
        load_command=load_command or "",
        clock=choose.clock(clock, targets),
        given=(*(("peer",) if peer else ()), *(("live",) if any(map(choose.live, targets)) else ())),
    )
    late = left_out(specifications)
    if late and not quiet:
        say(
            f"{len(late)} that take long to build are left out; to have them too: rtstone boards --build {' '.join(late)}"
        )
    for line in () if quiet else not_installed(filter(is_pattern, specifications)):
        say(line)
    job = Job(
        request=request,
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
    """An interrupted run is measured to its end as it was asked for. Raises UsageError for an option that would say otherwise."""
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if parameter.name not in _WITH_RESUME and source is not None and source.name == "COMMANDLINE":
            raise UsageError(
                "--resume measures what that run was asked for: it goes with no other choice of what to measure, "
                f"as {parameter.opts[0]} is"
            )


def _both(targets: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """The two sides of a comparison. Raises UsageError where either is not one target."""
    if len(targets) != 1 or len(others) != 1:
        raise UsageError(
            f"--against holds one target against one other, not {', '.join(targets)} against {', '.join(others)}"
        )
    return (*targets, *others)


def _rounds(targets: tuple[str, ...], against: str | None) -> int:
    """Repetitions where none were asked for; 0: each target's own."""
    from rtstone.cli._choices import by_turns

    return _ROUNDS if against is not None and any(map(by_turns, targets)) else 0
