# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone ioc-load`: the load's clients by themselves, for an IOC on another host."""

from __future__ import annotations

import signal
import socket
import time
from typing import Annotated, Any

import typer

_LOOK_S = 0.2


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("ioc-load")(ioc_load)


def ioc_load(
    address: Annotated[
        str, typer.Option("--address", metavar="ADDRESS", help="Where the IOC serves: its --interface.")
    ],
    records: Annotated[
        int, typer.Option("--records", metavar="N", help="Records to write and to monitor: the IOC's --load.")
    ] = 5000,
    pause: Annotated[str, typer.Option("--pause", metavar="TIME", help="Between two bursts; 0: back to back.")] = "5s",
    pairs: Annotated[bool, typer.Option("--pairs", help="The IOC has the load's records in pairs.")] = False,
    for_run: Annotated[
        bool,
        typer.Option(
            "--for-run",
            help="The IOC is that of `rtstone run --target ioc:…`: burst when it asks, and tell it of each.",
        ),
    ] = False,
    port: Annotated[int, typer.Option("--port", metavar="PORT", help="Its port of Channel Access.")] = 5064,
    prefix: Annotated[
        str, typer.Option("--prefix", metavar="TEXT", help="What the records' names begin with.")
    ] = "rtstone:",
    duration: Annotated[
        str | None, typer.Option("--duration", metavar="TIME", help="How long: 30s, 2h. [default: until Ctrl-C]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document at the end.")] = False,
) -> None:
    """Load an IOC on another host: write to its records in bursts, and monitor them, until Ctrl-C.

    The IOC is started there with `rtstone ioc --interface ADDRESS --load N --no-clients --allow-write` and this host's address.

    Exit codes:
    0 ended as asked; 2 usage; 3 the clients cannot be built, do not find the records, may not write, or ended by themselves; 4 monitors
    were lost.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli._output import print_json
    from rtstone.cli.ioc import as_interrupt
    from rtstone.errors import IncompleteError, UsageError
    from rtstone.ioc import Load, OutsideClients, Settings, build

    pause_s = choose.seconds("--pause", pause, plain="s", zero=True)
    lasts_s = None if duration is None else choose.seconds("--duration", duration, plain="s")
    settings = Settings(prefix=prefix, interface=address, ca_port=port, pva_port=None, load=records, pairs=pairs)
    if records < 1:
        raise UsageError(f"--records: at least 1 record, not {records}")
    settings.check()
    if for_run and (pairs or as_json or prefix != "rtstone:"):
        raise UsageError("--for-run goes without --pairs, --prefix and --json: the run keeps what the clients did")
    folder = build()
    signal.signal(signal.SIGTERM, as_interrupt)
    until = None if lasts_s is None else time.monotonic() + lasts_s
    if for_run:
        with OutsideClients(records, round(pause_s * 1000), port, address=address, folder=folder) as clients:
            typer.echo(f"bursts of {records} puts, {pause_s:g} s between two, when the IOC at {address}:{port} asks")
            try:
                _wait_for(address, port, until)
            except KeyboardInterrupt:
                return
            clients.start()
            _wait(clients.check, until)
        return
    found: dict[str, Any] = {}
    with Load(settings, folder, pause_s, on_line=None if as_json else typer.echo, as_json=as_json) as load:
        _wait(load.check, until)
        found = load.finish()
    if as_json:
        print_json({"schema": "rtstone.ioc-load", "version": "1.0", "address": address, "load": found})
    if any(one.get("lost") for one in found.values()):
        raise IncompleteError("monitors of the load were lost: the last that came is not what the record has")


def _wait_for(address: str, port: int, until: float | None) -> None:
    """Until somebody serves there: a client that has asked in vain asks again much later."""
    while until is None or time.monotonic() < until:
        try:
            with socket.create_connection((address, port), timeout=1):
                return
        except OSError:
            time.sleep(_LOOK_S)


def _wait(check: Any, until: float | None) -> None:
    """Until the time is over or Ctrl-C; `check` raises when a client has ended."""
    try:
        while until is None or time.monotonic() < until:
            time.sleep(_LOOK_S)
            check()
    except KeyboardInterrupt:
        return
