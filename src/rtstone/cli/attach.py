# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone attach`: the wake-up latency of threads of your own program, while it runs."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.errors import IncompleteError, UsageError
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.measure.attach import Progress, Wanted
    from rtstone.model import Result, Run


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("attach")(attach)


def attach(
    pid: Annotated[
        list[int] | None, typer.Option("--pid", "-p", help="Threads of this process; repeat it.", min=1, metavar="N")
    ] = None,
    comm: Annotated[
        str,
        typer.Option("--comm", help="Threads of this name, at most 15 bytes; with others: only these.", metavar="NAME"),
    ] = "",
    cgroup: Annotated[
        str, typer.Option("--cgroup", help="Threads of a control group and those below it.", metavar="PATH")
    ] = "",
    unit: Annotated[str, typer.Option("--unit", help="Threads of a unit of systemd.", metavar="SERVICE")] = "",
    duration: Annotated[
        str, typer.Option("--duration", help="How long: 30s, 10min, 2h; Ctrl-C ends it before.", metavar="TIME")
    ] = "10s",
    cost: Annotated[bool, typer.Option("--cost", help="Tell what watching costs; needs CAP_SYS_ADMIN.")] = False,
    label: Annotated[str, typer.Option("--label", help="Name of the run.", metavar="TEXT")] = "",
    no_archive: Annotated[bool, typer.Option("--no-archive", help="Do not keep the run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    archive: Annotated[
        str | None, typer.Option("--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL")
    ] = None,
) -> None:
    """Measure the wake-up latency of threads of your own program, from their waking to their switch in.

    BPF programs count in the kernel; the threads are neither stopped nor changed. New threads of a watched process are watched too.
    The run is kept as any other. Exit codes: 0 done; 2 nothing matches, or it is another user's; 3 no privilege, no BTF, archive;
    4 nothing woke the threads, or the counts are doubtful.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli._session import say
    from rtstone.config import load as configured
    from rtstone.measure import require_archive
    from rtstone.measure.attach import attach as attached

    where = None if no_archive else configured({"archive": archive}).values.archive
    wanted = _wanted(pid or [], comm, cgroup, unit, choose.seconds("--duration", duration), cost=cost)
    require_archive(where)
    run, said = attached(wanted, label=label, on_progress=_told)
    if where is not None:
        from rtstone.archive import open_archive

        kept = open_archive(where)
        kept.save(run, (said,))
        say(f"kept as {run.id} in {kept.location}; next: rtstone show last --results")
    if as_json:
        from rtstone.cli._tables import print_document

        print_document([run], ())
    else:
        _print(run)
    for lost in run.degraded:
        say(f"warning: {lost.text}")
    doubts = [result for result in run.results() if result.status == "invalid"]
    if doubts:
        raise IncompleteError(
            f"{counted(len(doubts), 'doubtful result')}, the first: {doubts[0].quantity}: {doubts[0].text}"
        )
    if not any(result.count for result in run.results()):
        raise IncompleteError("nothing woke the threads meanwhile")


def _wanted(pids: list[int], comm: str, cgroup: str, unit: str, seconds: float, *, cost: bool) -> Wanted:
    from rtstone.measure.attach import Wanted, processes_of_cgroup, processes_of_unit

    if sum(map(bool, (pids, cgroup, unit))) > 1:
        raise UsageError("--pid, --cgroup and --unit exclude each other")
    if len(comm.encode()) > 15:
        raise UsageError(f"--comm {comm}: the kernel's names of threads have at most 15 bytes")
    if not (pids or cgroup or unit or comm):
        raise UsageError("attach to what? --pid, --comm, --cgroup or --unit")
    name = "pid" if pids else f"cgroup {cgroup}" if cgroup else f"unit {unit}" if unit else ""
    if comm:
        name = f"{name} comm {comm}".strip()
    if cgroup:
        pids = list(processes_of_cgroup(cgroup))
    elif unit:
        pids = list(processes_of_unit(unit))
    return Wanted(name=name, pids=tuple(pids), comm=comm, children=bool(cgroup or unit), duration_s=seconds, cost=cost)


def _told(progress: Progress) -> None:
    end = "\r" if sys.stderr.isatty() else "\n"
    with suppress(OSError):  # a terminal that has gone
        sys.stderr.write(
            f"rtstone: {progress.at // 10**9} s: {counted(progress.threads, 'thread')}, {counted(progress.samples, 'wake-up')}{end}"
        )
        sys.stderr.flush()


def _print(run: Run) -> None:
    from rtstone.cli._output import print_table
    from rtstone.stats import percentiles

    if sys.stderr.isatty():
        sys.stderr.write("\n")
    rows = []
    for result in run.results():
        name = result.quantity.removeprefix("wakeup-latency-")
        if not result.count:
            continue
        assert result.histogram is not None  # noqa: S101 - it has samples
        p50, p99, p999 = percentiles(result.histogram, (50, 99, 99.9), minimum=result.min, maximum=result.max)
        cells = [_us(value) for value in (p50, p99, p999, result.max)]
        rows.append(
            [_figure(result, "thread"), name, str(result.priority or "–"), str(result.count), *cells, *_causes(result)]
        )
    headings = [
        "thread",
        "name",
        "priority",
        "wake-ups",
        "p50 µs",
        "p99 µs",
        "p99.9 µs",
        "max µs",
        "woken by",
        "held by",
    ]
    print_table([*headings, "moves", "faults"], rows, right=frozenset({0, *range(2, 8), 10, 11}))
    silent = sum(not result.count for result in run.results())
    if silent:
        typer.echo(f"not woken: {counted(silent, 'thread')}")
    if "attach.programs.ns" in run.host:
        elapsed = max(result.elapsed for result in run.results())
        share = 100 * int(run.host["attach.programs.ns"]) / elapsed
        typer.echo(
            f"watching took {share:.2f} % of one CPU: {counted(int(run.host['attach.programs.runs']), 'run')} of the programs"
        )


def _us(value: int | None) -> str:
    return "–" if value is None else f"{value / 1000:.1f}"


def _figure(result: Result, name: str) -> str:
    return next((str(figure.value) for figure in result.figures if figure.name == name), "–")


def _causes(result: Result) -> list[str]:
    """Who woke it most, who held the CPU longest, how often it moved, how many page faults it had."""
    firsts = []
    for kind in ("woken-by ", "held-by "):
        firsts.append(next((one.name.removeprefix(kind) for one in result.figures if one.name.startswith(kind)), "–"))
    faults = int(_figure(result, "page-faults")) + int(_figure(result, "page-faults-disk"))
    return [*firsts, _figure(result, "migrations"), str(faults)]
