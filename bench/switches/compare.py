# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Thread switch, semaphore ping and process switch beside what perf bench sched pipe and ptsematest say of the same CPU."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.lib import engine, rounds
from bench.lib.estimate import median
from bench.lib.line import Line

WAYS = engine.ROOT / "build" / "bench" / "switches" / "bench_ways"
PRIORITY = 70  # the engine's tasks of middle priority have it
PASSES = 10_000
SETS = 1
LOOPS = 3000  # of ptsematest: it sleeps in each
REPETITIONS = 30

BATCHES = ("thread-switch", "semaphore-ping", "process-switch")
# What of ours is held beside what of theirs.
PAIRS = {
    "thread_switch_vs_perf_pipe": ("thread-switch", "pipe, threads, half"),
    "semaphore_ping_vs_perf_pipe": ("semaphore-ping", "pipe, threads"),
    "process_switch_vs_perf_pipe": ("process-switch", "pipe, processes, half"),
    "thread_switch_vs_ptsematest": ("thread-switch, single", "ptsematest"),
    # Why they differ: the same switch by the services that the tools use, and by nothing but the loop.
    "thread_switch_vs_bare_loop": ("thread-switch", "shared semaphore"),
    "shared_vs_private_semaphore": ("shared semaphore", "private semaphore"),
    "pipe_vs_private_semaphore": ("pipe", "private semaphore"),
    "pipe_vs_perf_pipe": ("pipe", "pipe, threads, half"),
}


def perf_pipe(cpu: int, *options: str) -> float:
    """Nanoseconds of a round trip through two pipes: two switches, two writes, two reads."""
    pinned = [engine.program("taskset"), "-c", str(cpu), engine.program("chrt"), "-f", str(PRIORITY)]
    said = engine.output([*pinned, engine.program("perf"), "bench", "sched", "pipe", "-l", str(PASSES), *options])
    found = re.search(r"([0-9.]+) usecs/op", said)
    if found is None:
        raise engine.BenchError("perf bench sched pipe did not say how long an operation takes")
    return float(found.group(1)) * 1000


def ptsematest(cpu: int) -> float:
    """Mean nanoseconds from the unlock of a mutex to its lock by the thread that waits for it; it counts in whole microseconds."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "json"
        options = ["-q", "-t1", f"-a{cpu}", f"-p{PRIORITY}", "-i1", "-d0", f"-l{LOOPS}"]
        engine.output([engine.program("ptsematest"), *options, f"--json={found}"])
        receiver = json.loads(found.read_text(encoding="utf-8"))["thread"]["0"]["receiver"]
    return float(receiver["avg"]) * 1000


def batches(cpu: int) -> dict[str, float]:
    """Nanoseconds an operation, each measurement by itself."""
    return {name: engine.batch_ns(name, cpu, PASSES, SETS) for name in BATCHES}


def single(cpu: int) -> float:
    """Mean nanoseconds of a thread switch, every one timed by itself, clock readings included, as ptsematest has it."""
    session = engine.measure(["--pass", "single", "--count", str(LOOPS), "--cpu", str(cpu)], ["thread-switch"])
    result, clock = engine.result_of(session, "thread-switch")
    return clock.ns(result.sum / result.count)


def bare_loops(cpu: int) -> dict[str, float]:
    """Nanoseconds a switch of two threads that do nothing else, by each service."""
    said = engine.output([WAYS, str(cpu), str(PRIORITY), str(PASSES), "1"])
    return dict(zip(("private semaphore", "shared semaphore", "pipe"), map(float, said.split()), strict=True))


def compare(cpu: int, repetitions: int) -> list[Line]:
    """All of them by turns."""
    arms: dict[str, Callable[[], dict[str, float]]] = {
        "batches": lambda: batches(cpu),
        "single": lambda: {"thread-switch, single": single(cpu)},
        "processes": lambda: {"pipe, processes, half": perf_pipe(cpu) / 2},
        "threads": lambda: (lambda ns: {"pipe, threads": ns, "pipe, threads, half": ns / 2})(perf_pipe(cpu, "-T")),
        "ptsematest": lambda: {"ptsematest": ptsematest(cpu)},
        "ways": lambda: bare_loops(cpu),
    }
    seen: dict[str, list[float]] = {}
    for figures in rounds.by_turns("switches", arms, repetitions).values():
        seen.update({what: [of_round[what] for of_round in figures] for what in figures[0]})
    return [
        rounds.held(
            name,
            seen[mine],
            seen[other],
            detail={f"{mine} ns": median(seen[mine]), f"{other} ns": median(seen[other])},
        )
        for name, (mine, other) in PAIRS.items()
    ]


if __name__ == "__main__":
    rounds.main(__doc__, tuple(PAIRS), REPETITIONS, compare)
