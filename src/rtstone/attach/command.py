# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone attach`: the wake-up latency of threads of your own program, while it runs."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AsJson, Label, NoArchive, Where
from rtstone.errors import IncompleteError, UsageError, command
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.attach.threads import AttachProgress, Wanted
    from rtstone.model import Result, Run


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("attach")(attach)


def attach(
    pid: Annotated[
        list[int] | None, typer.Option("--pid", help="Threads of this process; repeat it.", min=1, metavar="N")
    ] = None,
    comm: Annotated[
        str,
        typer.Option(
            "--comm",
            help="Threads of this name (at most 15 bytes): all, or only those that --pid, --cgroup or --unit selects.",
            metavar="NAME",
        ),
    ] = "",
    cgroup: Annotated[
        str, typer.Option("--cgroup", help="Threads of a control group and those below it.", metavar="PATH")
    ] = "",
    unit: Annotated[str, typer.Option("--unit", help="Threads of a unit of systemd.", metavar="SERVICE")] = "",
    wait: Annotated[
        bool, typer.Option("--wait", help="With --comm alone, as root: the threads need not exist yet.")
    ] = False,
    duration: Annotated[
        str, typer.Option("--duration", help="How long: 30s, 10min, 2h. Ctrl-C ends it earlier.", metavar="TIME")
    ] = "10s",
    trace_over: Annotated[
        str | None,
        typer.Option(
            "--trace-over",
            help="Save the kernel's events of each cycle whose thread starts to run more than TIME after the timer's due time "
            "(without a timer: after the waking). Also of each cycle that misses --deadline.",
            metavar="TIME",
        ),
    ] = None,
    deadline: Annotated[
        str | None,
        typer.Option("--deadline", help="Count the cycles that last longer than this.", metavar="TIME"),
    ] = None,
    cost: Annotated[bool, typer.Option("--cost", help="Report the cost of watching; needs CAP_SYS_ADMIN.")] = False,
    private: Annotated[
        bool,
        typer.Option(
            "--private",
            help="Store 'another task' instead of the name and number of other programs' tasks. "
            "Watched threads and kernel threads keep theirs.",
        ),
    ] = False,
    label: Label = "",
    no_archive: NoArchive = False,
    as_json: AsJson = False,
    archive: Where = None,
) -> None:
    """Measure the wake-up latency of threads of your own program: from the waking until the thread runs.

    BPF programs in the kernel do the measuring. rtstone's engine, which loads them, needs root, or CAP_BPF and CAP_PERFMON. The threads
    are neither stopped nor changed. New threads of a watched process are watched too.

    With --trace-over or --deadline the command also measures whole cycles of threads that a timer wakes. A cycle begins at the time
    for which the timer was set. It ends when the thread goes to sleep until its next timer. With --trace-over,
    `rtstone explain last` names the cause of each late cycle.

    Exit codes: 0 done; 2 no thread matches, or only root may watch these threads; 3 BPF is not permitted, no BTF
    (type information of the kernel), or no archive; 4 nothing woke the threads, or the counts are doubtful.
    """
    from msgspec.structs import replace

    from rtstone.attach._processes import other_threads
    from rtstone.attach.threads import attach as attached
    from rtstone.attach.threads import unseen_in_brief_threads
    from rtstone.cli import _values
    from rtstone.cli._keeping import checkpoint, end, keep, say_kept, warn
    from rtstone.config import load as configured
    from rtstone.measure import require_archive

    where = None if no_archive else configured({"archive": archive}).values.archive
    wanted = _wanted(pid or [], comm, cgroup, unit, _values.seconds("--duration", duration), cost=cost)
    if wait and (not comm or wanted.pids):
        raise UsageError("--wait is for --comm alone: there is no process to wait for in --pid, --cgroup or --unit")
    wanted = replace(
        wanted,
        wait=wait,
        private=private,
        trace_over_ns=_values.trace_over(trace_over),
        deadline_ns=_values.period_ns(deadline, "--deadline") or 0,
    )
    require_archive(where)
    outcome = attached(wanted, label=label, on_progress=_print_progress, on_checkpoint=partial(checkpoint, where))
    run = outcome.run
    kept = keep([outcome], where)
    if as_json:
        from rtstone.cli._tables import print_document

        print_document([run], ())
    else:
        _print(run)
    warn([run])
    say_kept([run], kept, where, command("explain last" if _late(run) else "show last --results"))
    end([outcome], kept, "")
    doubts = [result for result in run.results() if result.status == "invalid"]
    if doubts:
        raise IncompleteError(
            f"{counted(len(doubts), 'doubtful result')}, the first: {doubts[0].quantity}: {doubts[0].text}"
        )
    if unseen := unseen_in_brief_threads(run):
        raise IncompleteError(f"{counted(unseen, 'wake-up')} of threads that lived briefly were seen only in part")
    if not any(result.count for result in run.results()):
        others = other_threads(comm) if comm and not wanted.pids else ""
        raise IncompleteError(f"nothing woke the threads meanwhile{f'; {others}' if others else ''}")


def _wanted(pids: list[int], comm: str, cgroup: str, unit: str, seconds: float, *, cost: bool) -> Wanted:
    from rtstone.attach._processes import processes_of_cgroup, processes_of_unit
    from rtstone.attach.threads import Wanted

    if sum(map(bool, (pids, cgroup, unit))) > 1:
        raise UsageError("--pid, --cgroup and --unit exclude each other")
    if len(comm.encode()) > 15:
        raise UsageError(f"--comm {comm}: the kernel's names of threads have at most 15 bytes")
    if not (pids or cgroup or unit or comm):
        raise UsageError("name the threads: --pid, --comm, --cgroup or --unit")
    name = "pid" if pids else f"cgroup {cgroup}" if cgroup else f"unit {unit}" if unit else ""
    if comm:
        name = f"{name} comm {comm}".strip()
    if cgroup:
        pids = list(processes_of_cgroup(cgroup))
    elif unit:
        pids = list(processes_of_unit(unit))
    return Wanted(name=name, pids=tuple(pids), comm=comm, children=bool(cgroup or unit), duration_s=seconds, cost=cost)


def _print_progress(progress: AttachProgress) -> None:
    end = "\r" if sys.stderr.isatty() else "\n"
    with suppress(OSError):  # a terminal that has gone
        sys.stderr.write(
            f"rtstone: {progress.at // 10**9} s: {counted(progress.threads, 'thread')}, {counted(progress.samples, 'wake-up')}{end}"
        )
        sys.stderr.flush()


def _print(run: Run) -> None:
    from rtstone.cli._output import print_table
    from rtstone.stats import of_result

    if sys.stderr.isatty():
        sys.stderr.write("\n")
    latencies, causes = [], []
    percents = (50, 99, 99.9)
    for session, result in ((of, result) for of in run.sessions for result in of.results):
        name = result.quantity.removeprefix("wakeup-latency-")
        of = of_result(result, session.clock(result.clock), percents)
        if of is None or name == result.quantity:
            continue
        cells = [_us(ns) for ns in (*map(of.shown_percentile, percents), of.max)]
        thread = [_figure(result, "thread"), name]
        latencies.append([*thread, str(result.priority or "–"), str(result.count), *cells])
        causes.append([*thread, *_causes(result)])
    headings = ["thread", "name", "priority", "wake-ups", "p50 µs", "p99 µs", "p99.9 µs", "max µs"]
    print_table(headings, latencies, right=frozenset({0, *range(2, 8)}))
    typer.echo("")
    headings = ["thread", "name", "woken by", "task before it on the CPU", "moves", "faults"]
    print_table(headings, causes, right=frozenset({0, 4, 5}))
    if any(_MEASURING in row for row in causes):
        typer.echo(f"{_MEASURING}: a measurement of rtstone had the CPU or woke the thread, this one or another one")
    _print_cycles(run)
    silent = sum(not result.count for result in run.results() if result.quantity.startswith("wakeup-latency-"))
    if silent:
        typer.echo(f"not woken: {counted(silent, 'thread')}")
    if "attach.programs.ns" in run.host:
        elapsed = max(result.elapsed for result in run.results())
        share = 100 * int(run.host["attach.programs.ns"]) / elapsed
        typer.echo(
            f"watching took {share:.2f} % of one CPU: {counted(int(run.host['attach.programs.runs']), 'run')} of the programs"
        )


_ENGINE, _MEASURING = "rtstone-engine", "rtstone (measuring)"
"""The engine's task as the kernel names it, and as a reader understands it."""


def _late(run: Run) -> int:
    """The number of trails to save."""
    return sum(int(_figure(result, "samples-over-limit").replace("–", "0")) for result in run.results())


def _print_cycles(run: Run) -> None:
    """For each thread that timers woke: the time from due to the switch in, and to its next sleep."""
    from rtstone.cli._output import print_table
    from rtstone.stats import of_result

    percents = (50, 99.9)
    there = {
        result.quantity: (result, made)
        for session in run.sessions
        for result in session.results
        if (made := of_result(result, session.clock(result.clock), percents)) is not None
    }
    rows = []
    for quantity, (start, started) in there.items():
        name = quantity.removeprefix("start-latency-")
        response, responded = there.get(f"response-{name}", (None, None))
        if name == quantity or response is None or responded is None:
            continue
        cells = [_us(value) for of in (started, responded) for value in (*map(of.shown_percentile, percents), of.max)]
        late = [_figure(start, "samples-over-limit"), _figure(response, "deadline-misses")]
        rows.append([name, _figure(start, "cycles"), *cells, *late])
    if rows:
        typer.echo("")
        kinds = [f"{kind} {rank} µs" for kind in ("start", "response") for rank in ("p50", "p99.9", "max")]
        print_table(["name", "cycles", *kinds, "late", "misses"], rows, right=frozenset(range(1, 10)))


def _us(value: float | None) -> str:
    return "–" if value is None else f"{value / 1000:.1f}"


def _figure(result: Result, name: str) -> str:
    return next((str(figure.value) for figure in result.figures if figure.name == name), "–")


def _causes(result: Result) -> list[str]:
    """The thread's most frequent waker, the task that had the CPU longest just before it, its migrations, and its page
    faults."""
    firsts = []
    for kind in ("woken-by ", "held-by "):
        who = next((one.name.removeprefix(kind) for one in result.figures if one.name.startswith(kind)), "–")
        firsts.append(_MEASURING if who == _ENGINE else who)
    faults = int(_figure(result, "page-faults")) + int(_figure(result, "page-faults-disk"))
    return [*firsts, _figure(result, "migrations"), str(faults)]
