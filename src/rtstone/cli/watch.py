# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone watch`: measures until Ctrl-C, or for a time, and shows the results so far on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AllowMissingLoad, Cpu, Label, NoArchive, Target, Timer, Where
from rtstone.errors import IncompleteError, UsageError, command
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.cli._watching import WatchedRun
    from rtstone.studies import Chosen


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("watch")(watch)


def watch(
    measurement: Annotated[
        list[str] | None,
        typer.Option(
            "--measurement",
            "-m",
            help="Measurements, one after the other; separate with commas. [default: interrupt-response]",
            metavar="NAME",
        ),
    ] = None,
    target: Target = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            "--load", help="Loads, one after the other; separate with commas. [default: none]", metavar="NAME"
        ),
    ] = None,
    for_: Annotated[
        str | None, typer.Option("--duration", help="How long: 30s, 10min, 2h. [default: until Ctrl-C]", metavar="TIME")
    ] = None,
    period: Annotated[
        str | None,
        typer.Option(
            "--period",
            help="Period of the measured interrupt, such as 1ms. "
            "[default: 250us; for datagrams, edges of a GPIO or PPS signal and UIO interrupts 1ms]",
            metavar="TIME",
        ),
    ] = None,
    cpu: Cpu = None,
    timer: Timer = "default",
    allow_missing_load: AllowMissingLoad = False,
    label: Label = "",
    no_archive: NoArchive = False,
    archive: Where = None,
) -> None:
    """Measure, and show live percentiles, a histogram, loads, interrupts, and where the time of the largest sample went.

    The command measures in slices until Ctrl-C, updates the figures after each slice, and saves the run. A slice takes one second at
    first, and longer later. Each slice is one session (engine start) of the run. The first Ctrl-C ends the command after
    the current slice, the second at once. Without a terminal the command prints a line every few seconds.

    Exit codes: 0 ended by --duration or the first Ctrl-C, even if the machine was not idle; 2 usage; 3 target or archive failed;
    4 a result is missing or failed the engine's checks, also in a degraded run; 130 ended by the second Ctrl-C.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli import _values
    from rtstone.cli._request import request
    from rtstone.cli._watching import Watching
    from rtstone.config import load as configured
    from rtstone.measure import Job, require_archive

    settings = configured({"archive": archive, "target": target}).values
    targets = (settings.target,)
    names = choose.measurements(measurement or ["interrupt-response"], targets)
    for name in names:
        if "single" not in name.passes:
            raise UsageError(f"{name.name} is measured in batches only: there is no distribution to watch")
    made = request(
        targets,
        measurements=tuple(_single(name) for name in names),
        profile="quick",
        loads=load,
        usual_loads="none",
        loads_required=not allow_missing_load,
        repetitions=1,
        period=period,
        cpu=settings.cpu if cpu is None else cpu,
        timer=timer,
    )
    job = Job(
        request=made,
        targets=targets,
        label=label,
        archive=None if no_archive else settings.archive,
        profile="",  # the counts of a slice come from no profile
    )
    require_archive(job.archive)
    seconds = None if for_ is None else _values.seconds("--duration", for_)
    _end(Watching(job, seconds).carry_out(), job.archive)


def _single(chosen: Chosen) -> Chosen:
    import msgspec

    return msgspec.structs.replace(chosen, passes=("single",))


def _end(watched: WatchedRun, archive: str | None) -> None:
    """Save the run, report it, and end with the right code."""
    from rtstone.cli._keeping import end, keep, say_kept, warn

    run = watched.outcome.run
    kept = keep([watched.outcome], archive)
    warn([run])
    say_kept([run], kept, archive, f"{command('show last')}, {command('fit --tail last')}")
    end([watched.outcome], kept, "")
    results = run.results()
    if not any(result.count for result in results):
        raise IncompleteError(f"nothing was measured: {next(iter(watched.state.skipped), 'no slice was complete')}")
    if watched.state.doubts:
        text, times = next(iter(watched.state.doubts.items()))
        raise IncompleteError(
            f"{counted(sum(watched.state.doubts.values()), 'doubtful result')}, {times} of them: {text}"
        )
