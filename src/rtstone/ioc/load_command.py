# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone ioc load`: the load's clients alone, for an IOC on another host."""

from __future__ import annotations

import contextlib
import signal
import socket
import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from rtstone.cli._options import Duration, JsonAtEnd, Prefix

_LOOK_S = 0.2


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("ioc-load")(ioc_load)


def ioc_load(
    address: Annotated[str, typer.Option("--address", metavar="ADDRESS", help="Address of the IOC: its --interface.")],
    records: Annotated[
        int, typer.Option("--records", metavar="N", help="Records to write and to monitor: the IOC's --load.")
    ] = 5000,
    pause: Annotated[str, typer.Option("--pause", metavar="TIME", help="Time between two bursts; 0: no pause.")] = "5s",
    pairs: Annotated[bool, typer.Option("--pairs", help="The IOC was started with --pairs.")] = False,
    for_run: Annotated[
        bool,
        typer.Option(
            "--for-run",
            help="Load the IOC that `rtstone run --target ioc:ADDRESS/HOST` starts: send a burst when the IOC requests "
            "it, and report the counts to the IOC. --records and --pause must match the run's profile: "
            "the defaults, or for quick --records 500 --pause 500ms.",
        ),
    ] = False,
    port: Annotated[int, typer.Option("--port", metavar="PORT", help="Channel Access port of the IOC.")] = 5064,
    prefix: Prefix = "rtstone:",
    duration: Duration = None,
    as_json: JsonAtEnd = False,
) -> None:
    """Put load on an IOC of another host: write to its records in bursts, and monitor them, until Ctrl-C.

    Start the IOC on the other host: `rtstone ioc --interface ADDRESS --load N --no-clients --allow-write HOST`. HOST is the address of
    this host. With --for-run, `rtstone run` on the other host starts the IOC, once for each session.

    Exit codes:
    0 ended as asked; 2 usage; 3 the clients cannot be built, do not find the records, may not write, or ended by themselves; 4 the
    clients did not receive the last value of a record.
    """
    from rtstone.cli import _values
    from rtstone.cli._output import print_json
    from rtstone.errors import IncompleteError, UsageError
    from rtstone.ioc import IocLoad, IocSettings, OutsideClients, build
    from rtstone.ioc.command import as_interrupt

    pause_s = _values.seconds("--pause", pause, plain="s", zero=True)
    lasts_s = None if duration is None else _values.seconds("--duration", duration, plain="s")
    settings = IocSettings(prefix=prefix, interface=address, ca_port=port, pva_port=None, load=records, pairs=pairs)
    if records < 1:
        raise UsageError(f"--records: at least 1 record, not {records}")
    settings.check()
    if for_run and (pairs or as_json or prefix != "rtstone:"):
        raise UsageError("--for-run excludes --pairs, --prefix and --json: the run records the clients' work")
    folder = build()
    signal.signal(signal.SIGTERM, as_interrupt)
    until = None if lasts_s is None else time.monotonic() + lasts_s
    if for_run:
        typer.echo(f"bursts of {records} puts, {pause_s:g} s between two, when the IOC at {address}:{port} asks")
        with contextlib.suppress(KeyboardInterrupt):
            while _wait_for(address, port, until):
                with OutsideClients(records, round(pause_s * 1000), port, address=address, folder=folder) as clients:
                    clients.start()
                    if not _wait(clients.check, until, lambda: clients.ioc_ended):
                        return
                typer.echo("the session has ended; the clients wait for the run's next one, until Ctrl-C")
        return
    found: dict[str, Any] = {}
    with IocLoad(settings, folder, pause_s, on_line=None if as_json else typer.echo, as_json=as_json) as load:
        with contextlib.suppress(KeyboardInterrupt):
            _wait(load.check, until)
        found = load.finish()
    if as_json:
        print_json({"schema": "rtstone.ioc-load", "version": "1.0", "address": address, "load": found})
    if any(one.get("lost") for one in found.values()):
        raise IncompleteError("monitors of the load were lost: the last one received is not the value of the record")


def _wait_for(address: str, port: int, until: float | None) -> bool:
    """Whether a server answers there before the time is over. A client that finds none tries again only much later."""
    while until is None or time.monotonic() < until:
        try:
            with socket.create_connection((address, port), timeout=1):
                return True
        except OSError:
            time.sleep(_LOOK_S)
    return False


def _wait(check: Callable[[], Any], until: float | None, over: Callable[[], bool] = lambda: False) -> bool:
    """Whether `over` becomes true before the time is over; `check` raises when a client has ended."""
    while until is None or time.monotonic() < until:
        time.sleep(_LOOK_S)
        if over():
            return True
        check()
    return False
