# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone worker`: carries out what waits in an archive's queue, one measurement after the other."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli import _choices as choose

if TYPE_CHECKING:
    from rtstone.measure.worker import Work
    from rtstone.studies import Request

_AWAY_EVERY_S = 10.0


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("worker")(worker)


def worker(
    batch: Annotated[
        str, typer.Option(help="Only this batch, as measure-all names it. [default: all]", metavar="ID")
    ] = "",
    until_done: Annotated[bool, typer.Option("--until-done", help="End when nothing is left to be measured.")] = False,
    lease: Annotated[
        str, typer.Option(help="So long it keeps what it has taken when it says nothing.", metavar="TIME")
    ] = "60s",
    archive: Annotated[
        str | None, typer.Option("--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors.")] = False,
) -> None:
    """Carry out what measure-all put into the archive's queue, one measurement at a time, until Ctrl-C.

    Start as many as you like, on any machine that reaches the archive and the targets. No two measure on one place at a time.

    Exit codes: 0 ended by Ctrl-C or SIGTERM, or all is done; 2 usage; 3 no archive.
    """
    from rtstone.cli._session import say
    from rtstone.config import load as configuration
    from rtstone.errors import RtstoneError
    from rtstone.measure.worker import Listener, Worker

    class Telling(Listener):
        def __init__(self) -> None:
            self._away = 0.0

        def ended(self, work: Work, result: str) -> None:
            if not quiet:
                say(f"{work.target}, {work.study or work.measurement}: {result}")

        def away(self, error: RtstoneError) -> None:
            if time.monotonic() - self._away > _AWAY_EVERY_S:
                self._away = time.monotonic()
                say(f"{error}; trying again")

    where = configuration({"archive": archive}).values.archive
    seconds = choose.seconds("--lease", lease)
    Worker(where, request_of, Telling(), lease_s=seconds).work(batch, until_done=until_done)


def request_of(work: Work) -> Request:
    """What a piece of work asks of its target, as `rtstone run` would. Raises UsageError for what cannot be."""
    from rtstone.studies import Request, profile, study

    targets = (work.target,)
    return Request(
        studies=(study(work.study),) if work.study else (),
        measurements=choose.measurements([work.measurement], targets) if work.measurement else (),
        profile=profile(work.profile).name,
        loads=choose.loads([work.load] if work.load else None, "", targets),
        loads_required=True,
        repetitions=1,
        count=work.count or None,
        seed=work.seed,
        given=("live",) if choose.live(work.target) else (),
    )
