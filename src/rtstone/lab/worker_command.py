# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone measure-all worker`: measures the queue of an archive, one measurement after the other."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli import _choices as choose
from rtstone.cli import _values
from rtstone.cli._options import Lease, MaxLost, Where

if TYPE_CHECKING:
    from rtstone.lab.worker import Work
    from rtstone.studies import Request

_AWAY_EVERY_S = 10.0


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("worker")(worker)


def worker(
    batch: Annotated[
        str,
        typer.Option(
            help="Only the measurements of one measure-all command: the group-… that it prints. [default: all]",
            metavar="ID",
        ),
    ] = "",
    place: Annotated[
        str | None,
        typer.Option(
            help="Name of this machine. The worker then also measures the target local@NODE. '-': no name. "
            "[default: the variable RTSTONE_MACHINE]",
            metavar="NODE",
        ),
    ] = None,
    until_done: Annotated[bool, typer.Option("--until-done", help="End when nothing is left to be measured.")] = False,
    lease: Lease = "60s",
    max_lost: MaxLost = 5,
    archive: Where = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors.")] = False,
) -> None:
    """Carry out the queued measurements of measure-all, one at a time, until Ctrl-C.

    Start any number of workers, on any machine that reaches the archive and the targets. A target is measured by one worker at a time.
    In the file of measure-all, the target local@NODE is the machine named NODE. Start one worker on that machine, with --place NODE.

    A queued measurement that cannot be read is marked as failed, with the reason. Measurements queued by a newer rtstone wait for a newer
    worker.

    Exit codes: 0 ended by Ctrl-C or SIGTERM, or all is done; 2 usage; 3 no archive.
    """
    from rtstone.cli._output import say
    from rtstone.config import load as configuration
    from rtstone.errors import RtstoneError
    from rtstone.lab.worker import Worker, WorkerListener
    from rtstone.model.units import counted

    class WorkerPrinter(WorkerListener):
        def __init__(self) -> None:
            self._away = 0.0
            self._held = ""

        def ended(self, work: Work, result: str) -> None:
            if not quiet:
                say(f"{work.target}, {work.study or work.measurement}: {result}")

        def unreadable(self, number: int, reason: str) -> None:
            if not quiet:
                say(f"measurement {number} of the queue has failed: {reason}")

        def held(self, place: str, other: str) -> None:
            if self._held != other:
                self._held = other
                say(
                    f"another worker ({other}) serves {place}, so this one waits until that one ends: "
                    "give each node a --place of its own"
                )

        def away(self, error: RtstoneError) -> None:
            if time.monotonic() - self._away > _AWAY_EVERY_S:
                self._away = time.monotonic()
                say(f"{error}; trying again")

    where = configuration({"archive": archive}).values.archive
    seconds = _values.seconds("--lease", lease)
    node = (
        os.environ.get("RTSTONE_MACHINE", "")
        if place is None
        else ""
        if place == "-"
        else _values.node("--place", place)
    )
    made = Worker(where, request_of, WorkerPrinter(), lease_s=seconds, most_lost=max_lost, node=node)
    newer = made.work(batch, until_done=until_done)
    if newer:
        say(f"{counted(newer, 'measurement')} left: a newer rtstone put them in, and can read them")


def request_of(work: Work) -> Request:
    """The request of a piece of work for its target, as `rtstone run` would make it.
    Raises UsageError for an invalid one."""
    from rtstone.cli._request import request
    from rtstone.studies import study

    targets = (work.target,)
    return request(
        targets,
        studies=(study(work.study),) if work.study else (),
        measurements=choose.measurements([work.measurement], targets) if work.measurement else (),
        profile=work.profile,
        loads=[work.load] if work.load else None,
        repetitions=1,
        count=work.count or None,
        seed=work.seed,
        cpu=work.cpu,
    )
