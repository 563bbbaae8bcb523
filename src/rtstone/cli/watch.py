# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone watch`: measures until Ctrl-C, or for a time, and shows on the terminal what is known so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.errors import IncompleteError, UsageError
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.cli._watching import Watched
    from rtstone.studies import Chosen


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("watch")(watch)


def watch(
    measurement: Annotated[
        list[str] | None,
        typer.Option(
            "--measurement", "-m", help="Measurements, in turns. [default: interrupt-response]", metavar="NAME"
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="What to measure. [default: local]", metavar="TARGET")
    ] = None,
    load: Annotated[
        list[str] | None, typer.Option("--load", help="Loads, in turns. [default: none]", metavar="NAME")
    ] = None,
    for_: Annotated[
        str | None, typer.Option("--for", help="How long: 30s, 10min, 2h. [default: until Ctrl-C]", metavar="TIME")
    ] = None,
    period: Annotated[
        str | None, typer.Option("--period", help="Period of the measured interrupt: 250us, 1ms.", metavar="TIME")
    ] = None,
    cpu: Annotated[int | None, typer.Option("--cpu", help="CPU to measure on; -1: the port's choice.")] = None,
    timer: Annotated[
        str, typer.Option("--timer", help="Source of the measured interrupt (rtstone list timers).", metavar="SOURCE")
    ] = "default",
    allow_missing_load: Annotated[
        bool, typer.Option("--allow-missing-load", help="Measure the rest where a load cannot be started.")
    ] = False,
    label: Annotated[str, typer.Option("--label", help="Name of the run.", metavar="TEXT")] = "",
    no_archive: Annotated[bool, typer.Option("--no-archive", help="Do not keep the run.")] = False,
    archive: Annotated[
        str | None, typer.Option("--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL")
    ] = None,
) -> None:
    """Measure and watch: percentiles, histogram, the largest sample and its stage, loads, interrupts.

    It measures in slices until Ctrl-C, and keeps the run. Each slice is a session of its own. The first Ctrl-C ends it after the
    slice, the second at once. Where there is no terminal it prints a line every few seconds.

    Exit codes: 0 ended as asked; 2 usage; 3 target or archive failed; 4 results
    are doubtful; 130 cut short.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli._watching import Watching
    from rtstone.config import load as configured
    from rtstone.measure import require_archive
    from rtstone.studies import Request

    settings = configured({"archive": archive, "target": target}).values
    targets = (settings.target,)
    names = choose.measurements(measurement or ["interrupt-response"], targets)
    for name in names:
        if "single" not in name.passes:
            raise UsageError(f"{name.name} is measured in batches only: there is no distribution to watch")
    request = Request(
        measurements=tuple(_single(name) for name in names),
        profile="quick",
        loads=choose.loads(load, "none", targets),
        loads_required=not allow_missing_load,
        repetitions=1,
        period_ns=choose.period_ns(period),
        cpu=choose.cpu(settings.cpu if cpu is None else cpu, targets),
        timer=choose.timer(timer, targets),
    )
    require_archive(None if no_archive else settings.archive)
    seconds = None if for_ is None else choose.seconds("--for", for_)
    watched = Watching(settings.target, request, seconds, label=label).carry_out()
    _keep(watched, None if no_archive else settings.archive)


def _single(chosen: Chosen) -> Chosen:
    import msgspec

    return msgspec.structs.replace(chosen, passes=("single",))


def _keep(watched: Watched, archive: str | None) -> None:
    """Keep the run, say so, and end with the right code."""
    from rtstone.cli._session import say

    run = watched.outcome.run
    if archive is not None and any(session.results for session in run.sessions):
        from rtstone.archive import open_archive

        kept = open_archive(archive)
        kept.save(run, watched.outcome.logs)
        say(f"kept as {run.id} in {kept.location}; next: rtstone show last, rtstone tails last")
    for warning in run.warnings:
        say(f"warning: {warning}")
    if watched.outcome.error is not None:
        raise watched.outcome.error
    if run.status == "interrupted":
        raise typer.Exit(130)
    results = run.results()
    if not any(result.count for result in results):
        raise IncompleteError(f"nothing was measured: {next(iter(watched.state.skipped), 'no slice was complete')}")
    if watched.state.doubts:
        text, times = next(iter(watched.state.doubts.items()))
        raise IncompleteError(
            f"{counted(sum(watched.state.doubts.values()), 'doubtful result')}, {times} of them: {text}"
        )
