# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone stimulus`: times the responses of another host, by this one's clock."""

from __future__ import annotations

import socket
from typing import Annotated

import typer

from rtstone.cli._options import Cpu, NoArchive, Quiet, Where
from rtstone.errors import UsageError

_LEAST_PERIOD_NS = 100_000


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("stimulus")(stimulus)


def stimulus(
    host: Annotated[
        str,
        typer.Argument(
            help="The measured machine, where the run waits. Append :PORT for another port.", metavar="HOST"
        ),
    ],
    count: Annotated[int, typer.Option("--count", help="Number of round trips.")] = 10_000,
    period: Annotated[
        str,
        typer.Option("--period", help="Mean time between two datagrams.", metavar="TIME"),
    ] = "1ms",
    cpu: Cpu = None,
    sched: Annotated[str, typer.Option("--sched", help="fifo or other.", metavar="CLASS")] = "fifo",
    raw: Annotated[bool, typer.Option("--raw", help="Save every sample as well.")] = False,
    label: Annotated[
        str, typer.Option("--label", help="Name of the run. It heads the run's columns in tables.", metavar="TEXT")
    ] = "",
    no_archive: NoArchive = False,
    archive: Where = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the run and its tables as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure response times of another host by this host's clock: send datagrams and wait for the answers.

    First, on the measured machine, run `rtstone run -m datagram-response --timer net:HOST --load none -r 1 --count 10000`. HOST is that
    machine's own IPv4 address. Give the same --period and --count on both hosts. Then start this command within 20 s. The run is shown
    and saved.

    Exit codes: 0 measured; 2 usage, no such host; 3 target or archive failed; 4 the measured machine does not answer, or stopped answering;
    130 interrupted.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli import _values
    from rtstone.cli._request import request
    from rtstone.cli._session import Wishes, measure_and_show
    from rtstone.config import load as configuration
    from rtstone.measure import Job

    settings = configuration({"cpu": cpu, "archive": archive}).values
    targets = ("local",)
    period_ns = _values.period_ns(period) or 0
    if period_ns < _LEAST_PERIOD_NS:
        raise UsageError(f"--period: at most a datagram each 100us, not each {period}")
    made = request(
        targets,
        measurements=choose.measurements(["datagram-round-trip"], targets),
        loads=["none"],
        repetitions=1,
        count=count,
        period=period_ns,
        cpu=settings.cpu,
        timer=choose.NET + _address(host),
        sched=sched,
        raw=raw,
    )
    kept = None if no_archive else settings.archive
    job = Job(request=made, targets=targets, label=label, archive=kept)
    measure_and_show(job, Wishes(as_json=as_json, full=True, quiet=quiet))


def _address(host: str) -> str:
    """The host's IPv4 address, with the port that follows its name. Raises UsageError if there is no address."""
    name, colon, port = host.partition(":")
    try:
        found = socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"there is no host '{name}' with an IPv4 address: {error}") from error
    return f"{found[0][4][0]}{colon}{port}"
