# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone doctor priorities`: the order of real-time threads by priority, and common mistakes in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._elsewhere import HELP, looked_at
from rtstone.cli._options import AsJson
from rtstone.errors import UsageError

if TYPE_CHECKING:
    from rtstone.machine.priorities import Thread


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("priorities")(priorities)


def priorities(
    target: Annotated[str, typer.Option("--target", "-t", help=HELP, metavar="TARGET")] = "local",
    cpu: Annotated[
        int | None, typer.Option("--cpu", help="Only threads that may run on this CPU.", min=0, metavar="N")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List every real-time thread and every interrupt thread by precedence, the highest first.

    Two threads compete only where both may run: see their CPUs. After the list: common mistakes, each with the command that fixes it.
    Nothing is changed.
    """
    from rtstone.machine.doctor.checks.topology import parse_cpus
    from rtstone.machine.priorities import Priorities, examine, look

    with looked_at(target) as system:
        online = parse_cpus(system.text("/sys/devices/system/cpu/online") or "")
        if cpu is not None and online and cpu not in online:
            raise UsageError(f"--cpu {cpu}: the machine has the CPUs {', '.join(map(str, sorted(online)))}")
        threads = tuple(one for one in look(system) if cpu is None or cpu in parse_cpus(one.cpus))
        findings = examine(system, threads)
    if as_json:
        from rtstone.cli._output import print_json

        print_json(Priorities(threads=threads, findings=findings))
        return
    from rtstone.cli._findings import print_findings
    from rtstone.cli._output import print_table

    print_table(
        ["class", "priority", "CPUs", "thread", "name", "process", "serves"],
        [_row(thread) for thread in threads],
        right=frozenset({1, 3, 5}),
    )
    typer.echo("")
    print_findings(findings)


def _row(thread: Thread) -> list[str]:
    priority = str(thread.priority or "–")
    if thread.deadline_ns:
        priority = f"{thread.deadline_ns / 1000:g} µs"
    served = [*thread.serves.split(","), f"network {thread.network}" if thread.network else ""]
    number = f"interrupt {thread.interrupt}" if thread.interrupt is not None else ""
    return [
        thread.policy,
        priority,
        thread.cpus,
        str(thread.tid),
        thread.name,
        "kernel" if thread.kernel else str(thread.pid),
        ", ".join(filter(None, (number, *served))),
    ]
