# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone ioc`: the EPICS IOC that measures itself, and its load."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rtstone.cli._options import Duration, JsonAtEnd, Prefix, grouped
from rtstone.errors import this_program
from rtstone.model.units import duration_ns

if TYPE_CHECKING:
    from rtstone.ioc import Ioc, IocLoad, IocSettings, Showing

SCHEMA = "rtstone.ioc"
SCHEMA_VERSION = "1.0"

_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class PutLoad:
    """The load."""

    load: Annotated[
        int | None,
        typer.Option(
            "--load",
            metavar="N",
            help="Load the IOC: clients write N records (named values of the IOC) and monitor N records. "
            "The paper of the study aps used 5000.",
        ),
    ] = None
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Use pairs of records for the load. Clients write the first record of each pair, which updates the second "
            "(by a forward link). They monitor the second.",
        ),
    ] = False
    pause: Annotated[
        str, typer.Option("--pause", metavar="TIME", help="Time between two bursts of the load; 0: no pause.")
    ] = "5s"
    no_clients: Annotated[
        bool,
        typer.Option(
            "--no-clients", help="Start no clients of the load here. Run `rtstone ioc load` on another host instead."
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class HowMeasured:
    """How to measure."""

    sampler: Annotated[
        str,
        typer.Option(
            "--sampler",
            metavar="NAME",
            help="What is measured. engine: a timer that wakes a thread, timed in user space. split: the kernel's timer interrupt, "
            "timed in the kernel (needs root). probe: the interrupt of rtstone's kernel module rtstone_probe.",
        ),
    ] = "engine"
    period: Annotated[
        str, typer.Option("--period", metavar="TIME", help="Time between two interrupts: 250us, 1ms.")
    ] = "1ms"
    period_us: Annotated[int | None, typer.Option("--period-us", metavar="N", hidden=True, help="The same in µs.")] = (
        None
    )
    cpu: Annotated[int, typer.Option("--cpu", metavar="CPU", help="CPU to measure on; -1: the engine chooses.")] = -1
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            metavar="N",
            help="Upper limit of the record 'samples', the number of samples in a set (1000 at first). A set is served as a whole.",
        ),
    ] = 10_000
    scan: Annotated[
        str,
        typer.Option(
            "--scan",
            metavar="PERIOD",
            help="How often a set is measured: '.5 second' (as EPICS writes it), or Passive: "
            "only when a client writes the record startOnce or start.",
        ),
    ] = "2 second"
    user_isr: Annotated[
        bool,
        typer.Option(
            "--user-isr",
            help="With --sampler probe: handle the interrupt in a user-level interrupt service routine too, "
            "and measure the delay until it runs.",
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class HowServed:
    """How to serve."""

    prefix: Prefix = "rtstone:"
    interface: Annotated[
        str | None,
        typer.Option(
            "--interface",
            metavar="ADDRESS",
            help="Address to serve on. [default: EPICS_CAS_INTF_ADDR_LIST, else 127.0.0.1]",
        ),
    ] = None
    allow_write: Annotated[
        list[str] | None,
        typer.Option("--allow-write", metavar="HOST", help="Address of another host that may write; repeat it."),
    ] = None
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="PORT", help="Port of Channel Access. [default: EPICS_CA_SERVER_PORT, else 5064]"
        ),
    ] = None
    pva_port: Annotated[
        int | None,
        typer.Option(
            "--pva-port",
            metavar="PORT",
            help="Port of PV Access; 0: Channel Access only. [default: EPICS_PVA_SERVER_PORT, else 5075]",
        ),
    ] = None
    script: Annotated[
        Path | None, typer.Option("--script", metavar="FILE", help="Your own start-up script instead of rtstone's.")
    ] = None
    keep: Annotated[
        Path | None,
        typer.Option(
            "--settings",
            metavar="FILE",
            help="Save the scan period and the records 'samples' and 'limit' (the delay above which an alarm is raised) in this file, "
            "in the format of EPICS' module autosave. The next start restores them.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class WhatStarts:
    """What to start, and for how long."""

    shell: Annotated[
        bool, typer.Option("--shell", help="Open the IOC's shell in this terminal. `exit` ends the IOC.")
    ] = False
    boot: Annotated[
        Path | None,
        typer.Option(
            "--boot",
            metavar="DIR",
            help="Start nothing: write EPICS's file envPaths and a start-up script to this folder.",
        ),
    ] = None
    duration: Duration = None
    display: Annotated[
        bool, typer.Option("--display", help="Open an operator's screen of the IOC (PyDM), in a separate process.")
    ] = False
    attach: Annotated[
        bool,
        typer.Option(
            "--attach",
            help="Start no IOC: only open the screen of the running IOC at --interface and --port, with --prefix.",
        ),
    ] = False
    build_only: Annotated[
        bool, typer.Option("--build", help="Only build the IOC and its clients, and print where they are.")
    ] = False
    print_env: Annotated[
        bool,
        typer.Option(
            "--print-env", help="Start nothing: print the environment variables for the IOC's start-up script."
        ),
    ] = False
    as_json: JsonAtEnd = False


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("ioc")(ioc)


@grouped
def ioc(under: PutLoad, how: HowMeasured, serving: HowServed, what: WhatStarts) -> None:
    """Serve this machine's interrupt latencies from an IOC, a server of the control system EPICS.

    The IOC serves over Channel Access and PV Access, on the loopback interface only, unless --interface or
    EPICS_CAS_INTF_ADDR_LIST names another address. Every client may read. Only this machine, and hosts that --allow-write names, may
    write.

    Exit codes:
    0 ended as asked; 2 usage; 3 the IOC, its load or its display cannot be built or started, or ended by itself; 4 the clients of the
    load did not receive the last value of a record.
    """
    import os
    from contextlib import ExitStack

    from rtstone.cli import _values
    from rtstone.errors import IncompleteError, InfrastructureError, UsageError
    from rtstone.ioc import (
        Ioc,
        IocSettings,
        Showing,
        access_rules,
        build,
        check_display,
        from_variables,
        run_shell,
        write_boot,
    )

    if under.load is not None and under.load < 1:
        raise UsageError(f"--load: at least 1 record, not {under.load}")
    pause_s = _values.seconds("--pause", under.pause, plain="s", zero=True)
    lasts_s = None if what.duration is None else _values.seconds("--duration", what.duration, plain="s")
    where = from_variables(
        os.environ,
        interface=serving.interface,
        ca_port=serving.port,
        pva_port=serving.pva_port,
        serving=not what.attach,
    )
    settings = IocSettings(
        prefix=serving.prefix,
        sampler=cast(Any, how.sampler),  # judged by check
        period_us=_period_us(how.period) if how.period_us is None else how.period_us,
        cpu=how.cpu,
        samples=how.samples,
        scan=how.scan,
        user_isr=how.user_isr,
        load=under.load or 0,
        allow=tuple(_values.words(serving.allow_write)),
        pairs=under.pairs,
        script=serving.script,
        keep=serving.keep,
        **where | {"pva_port": where["pva_port"] or None},
    )
    settings.check()
    if what.attach:
        _attach(settings, lasts_s, ioc_options=bool(under.load or serving.script or what.build_only or what.as_json))
        return
    if what.shell and (what.display or what.as_json or what.duration or (under.load and not under.no_clients)):
        raise UsageError("--shell excludes --display, --json and --duration; with --load it needs --no-clients")
    if not (what.build_only or what.print_env or what.boot):
        settings.check_here()
    if what.display:
        check_display()
    if what.boot is not None:
        script_of_boot = write_boot(build(), settings, what.boot)
        typer.echo(f"{script_of_boot} starts it, by hand or from procServ or systemd")
        return
    if under.no_clients and not under.load:
        raise UsageError("--no-clients needs --load N: the number of records that clients elsewhere write")
    if serving.allow_write and serving.script is None:
        # Printed before they apply: the user may still end the command.
        typer.echo(f"the access rules:\n{access_rules(settings)}", err=what.as_json, nl=False)
    folder = build()
    if what.print_env:
        _print_environment(settings, folder)
        return
    if what.build_only:
        typer.echo(f"the IOC and its clients are in {folder}\n{this_program()} ioc starts it")
        return
    if what.shell:
        code = run_shell(folder, settings)
        if code != 0:
            raise InfrastructureError(f"the IOC ended with exit code {code}")
        return
    signal.signal(signal.SIGTERM, as_interrupt)
    with ExitStack() as stack:
        running = stack.enter_context(Ioc(folder, settings, on_line=_on_line("ioc")))
        if not what.as_json:
            _greet(running)
        screen = stack.enter_context(Showing(settings)) if what.display else None
        if screen is not None and not what.as_json:
            typer.echo("the display is open")
        figures = _run(
            running, folder, pause_s, lasts_s, as_json=what.as_json, screen=screen, clients=not under.no_clients
        )
    if what.as_json:
        _print_document(running, settings, figures)
    if figures and any(one.get("lost") for one in figures.values()):
        raise IncompleteError("monitors of the load were lost: the last one received is not the value of the record")
    if screen is not None and screen.failed():
        raise InfrastructureError(f"the display ended by itself: {screen.said()}")


def _print_environment(settings: IocSettings, folder: Path) -> None:
    """Environment for a shell, as lines, followed by the command that uses it.
    The load's records go into files of their own."""
    import shlex

    from rtstone.ioc import by_hand, start_script

    if settings.load or settings.allow:
        from rtstone.errors import UsageError

        raise UsageError("--print-env excludes --load and --allow-write, which make files: use --boot")
    for name, value in sorted(by_hand(folder, settings, "").items()):
        typer.echo(f"export {name}={shlex.quote(value)}")
    typer.echo(f"# then: {shlex.quote(str(folder / 'rtstone-ioc'))} {shlex.quote(str(start_script(settings)))}")


def _period_us(text: str) -> int:
    """Whole microseconds, the IOC's unit; 0, with the probe: no period. Raises UsageError, also for a number above 0 without a unit."""
    from rtstone.errors import UsageError, quoted

    value = 0.0 if text.strip() == "0" else duration_ns(text)
    if value is None or value % 1000:
        raise UsageError(
            f"--period takes a time with its unit, of whole microseconds (250us, 1ms), not '{quoted(text)}'"
        )
    return int(value / 1e3)


def _attach(settings: IocSettings, duration: float | None, *, ioc_options: bool) -> None:
    """Show the screen of a running IOC, until its window is closed or the time is over."""
    from rtstone.errors import InfrastructureError, UsageError
    from rtstone.ioc import Showing

    if ioc_options:
        raise UsageError("--attach starts no IOC: it excludes --load, --script, --build and --json")
    signal.signal(signal.SIGTERM, as_interrupt)
    until = None if duration is None else time.monotonic() + duration
    with Showing(settings) as screen:
        typer.echo(
            f"showing {settings.prefix}* of {settings.client_environment()['EPICS_CA_ADDR_LIST']}:{settings.ca_port}"
        )
        try:
            while screen.poll() is None and (until is None or time.monotonic() < until):
                time.sleep(_LOOK_S)
        except KeyboardInterrupt:
            return
        if screen.failed():
            raise InfrastructureError(f"the display ended by itself: {screen.said()}")


def as_interrupt(number: int, frame: object) -> None:
    """A signal's handler that ends a command as Ctrl-C does."""
    raise KeyboardInterrupt


def _on_line(name: str) -> Any:
    from rtstone.model.text import printable

    return lambda line: typer.echo(f"{name}: {printable(line)}", err=True)


def _greet(running: Ioc) -> None:
    settings = running.settings
    pva = f"; PV Access {settings.pva_interface}:{settings.pva_port}" if settings.pva_port else ""
    typer.echo(f"serving {settings.prefix}* by Channel Access {settings.interface}:{settings.ca_port}{pva}")
    if settings.script is None:
        typer.echo(f"sampler {settings.sampler}, every {settings.period_us} µs; a set: {settings.scan}")
        if settings.sampler != "probe":
            typer.echo(
                "a timer has no bottom half of its own and sends no signal: three of the five delays have a value"
            )
        typer.echo(_standing(running))
        for line in (line for line in running.lines if "; the IOC goes on without it" in line):
            typer.echo(f"WARNING: {line}")
        found = settings.client_environment()
        names = ("EPICS_CA_ADDR_LIST", "EPICS_CA_AUTO_ADDR_LIST", "EPICS_CA_SERVER_PORT")
        where = " ".join(f"{name}={found[name]}" for name in names)
        typer.echo(
            f"to see it: {where} camonitor {settings.prefix}totalResponse:median {settings.prefix}totalResponse:percent"
        )


def _fifo(running: Ioc) -> int | None:
    """The priority of the sampling thread in SCHED_FIFO, 0: not in it; None where the IOC did not report it."""
    import re

    for line in running.lines:
        found = re.search(r"SCHED_FIFO (-?\d+)$", line)
        if found:
            return int(found[1])
    return None


def _standing(running: Ioc) -> str:
    fifo = _fifo(running)
    if fifo:
        return f"real-time: SCHED_FIFO {fifo}"
    return "WARNING: not real-time; every figure is of an ordinary thread (docs/how-to/run-the-ioc.md says how it is granted)"


def _run(
    running: Ioc,
    folder: Path,
    pause: float,
    duration: float | None,
    *,
    as_json: bool,
    screen: Showing | None,
    clients: bool,
) -> dict[str, dict[str, Any]]:
    """Wait for the end; returns the counts of the load's clients, by name."""
    from rtstone.ioc import IocLoad

    until = None if duration is None else time.monotonic() + duration
    if not (running.settings.load and clients):
        _wait(running, None, until, screen)
        return {}
    with IocLoad(
        running.settings,
        folder,
        pause,
        on_line=None if as_json else typer.echo,
        as_json=as_json,
        gone=lambda: running.poll() is not None,
    ) as load:
        _wait(running, load, until, screen)
        return load.finish()


def _wait(running: Ioc, load: IocLoad | None, until: float | None, screen: Showing | None) -> None:
    """Wait until the time is over or Ctrl-C. Closing the screen's window does not end the IOC or the measurement."""
    from rtstone.errors import InfrastructureError

    try:
        while until is None or time.monotonic() < until:
            time.sleep(_LOOK_S)
            if screen is not None and screen.poll() is not None:
                how = f"ended by itself: {screen.said()}" if screen.failed() else "was closed"
                typer.echo(f"the display {how}; the IOC goes on, Ctrl-C ends it", err=True)
                screen = None
            if running.poll() is not None:
                raise InfrastructureError(
                    f"the IOC ended by itself: {running.lines[-1] if running.lines else 'it said nothing'}"
                )
            if load is not None:
                load.check()
    except KeyboardInterrupt:
        return


def _print_document(running: Ioc, settings: IocSettings, figures: dict[str, dict[str, Any]]) -> None:
    from rtstone.cli._output import print_json

    print_json(
        {
            "schema": SCHEMA,
            "version": SCHEMA_VERSION,
            "prefix": settings.prefix,
            "sampler": settings.sampler,
            "fifo_priority": _fifo(running),
            "environment": settings.client_environment(),
            "load": figures,
            "measured": running.figures,
        }
    )
