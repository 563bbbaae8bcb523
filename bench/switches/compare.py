# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares thread switch, semaphore ping and process switch with perf bench sched pipe and ptsematest on the same CPU.

Also compares the switch after a timer, as the paper of SLAC has it, with a thread switch: the difference is the
instrument's.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.lib import engine, rounds
from bench.lib.estimate import median
from bench.lib.line import Line, failure

from rtstone.errors import InfrastructureError
from rtstone.ioc import build_engine
from rtstone.model import Session
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan, encode

WAYS = engine.ROOT / "build" / "bench" / "switches" / "bench_ways"
PRIORITY = 70  # the engine's tasks of middle priority have it
PASSES = 10_000
SETS = 1
LOOPS = 3000  # of ptsematest: it sleeps in each
REPETITIONS = 30

DELAY_PERIOD_NS = 250_000  # the paper's
DELAY_SAMPLES = 400
DELAY_MOST = 2.0
DELAY_SOURCES = ("nanosleep-pair", "timerfd", "nanosleep")
PAPERS_NAME, ANOTHER_NAME = "context-switch-delay", "arm-and-switch-delay"

BATCHES = ("thread-switch", "semaphore-ping", "process-switch")
# Pairs to compare: our figure, then the other program's.
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
    # The paper's row "Context Switching" by each source that it may be measured with. By `nanosleep` the series has another name.
    "switch_delay_nanosleep_pair_vs_thread_switch": ("delay, nanosleep-pair", "thread-switch, median"),
    "switch_delay_timerfd_vs_thread_switch": ("delay, timerfd", "thread-switch, median"),
    "switch_delay_epics_timer_vs_thread_switch": ("delay, epicsTimer", "thread-switch, epics"),
    "arm_and_switch_delay_nanosleep_vs_thread_switch": ("delay, nanosleep", "thread-switch, median"),
}
EPICS = "switch_delay_epics_timer_vs_thread_switch"
BOUNDED = frozenset(name for name in PAIRS if name.startswith("switch_delay_"))


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


def _middle(session: Session, measurement: str, *quantities: str) -> float:
    """Median nanoseconds of the first of these series that the session has."""
    found = next(q for q in quantities if q in {r.quantity for r in session.results if r.measurement == measurement})
    result, clock = engine.result_of(session, measurement, found)
    return clock.ns(median(engine.samples(result)))


def delay(cpu: int, source: str) -> dict[str, float]:
    """Median nanoseconds from the release by the thread in the handler's place to the task, at the paper's 4 kHz."""
    how = f"--pass single --raw 1 --timer {source} --period-ns {DELAY_PERIOD_NS} --count {DELAY_SAMPLES} --cpu {cpu}"
    session = engine.measure(how.split(), ["interrupt-response"])
    return {f"delay, {source}": _middle(session, "interrupt-response", PAPERS_NAME, ANOTHER_NAME)}


def median_switch(cpu: int) -> float:
    """Median nanoseconds of a thread switch, every one timed by itself."""
    how = f"--pass single --raw 1 --count {DELAY_SAMPLES} --cpu {cpu}"
    return _middle(engine.measure(how.split(), ["thread-switch"]), "thread-switch", "thread-switch")


def epics(program: Path, cpu: int) -> dict[str, float]:
    """Both by EPICS's interface, whose timer and whose switch have libCom's price."""
    items = tuple(
        Item(item=n, measurement=name, count=DELAY_SAMPLES, period_ns=DELAY_PERIOD_NS, cpu=cpu, raw=1)
        for n, name in enumerate(("interrupt-response", "thread-switch"))
    )
    plan = Plan(seed=1, repetition=0, items=items)
    with tempfile.NamedTemporaryFile() as file:
        file.write(encode(plan))
        file.flush()
        said = engine.output([program, "run", "--plan", file.name])
    (session,) = collect([line.encode() + b"\n" for line in said.splitlines()], plan)
    return {
        "delay, epicsTimer": _middle(session, "interrupt-response", PAPERS_NAME),
        "thread-switch, epics": _middle(session, "thread-switch", "thread-switch"),
    }


def bare_loops(cpu: int) -> dict[str, float]:
    """Nanoseconds a switch of two threads that do nothing else, by each service."""
    said = engine.output([WAYS, str(cpu), str(PRIORITY), str(PASSES), "1"])
    return dict(zip(("private semaphore", "shared semaphore", "pipe"), map(float, said.split()), strict=True))


def compare(cpu: int, repetitions: int) -> list[Line]:
    """Run all arms, interleaved, and return their lines."""
    pairs = dict(PAIRS)
    lacking: list[Line] = []
    try:
        program = build_engine()
    except InfrastructureError as error:
        lacking = [failure(EPICS, str(error))]
        del pairs[EPICS]
    arms: dict[str, Callable[[], dict[str, float]]] = {
        "batches": lambda: batches(cpu),
        "single": lambda: {"thread-switch, single": single(cpu)},
        "processes": lambda: {"pipe, processes, half": perf_pipe(cpu) / 2},
        "threads": lambda: (lambda ns: {"pipe, threads": ns, "pipe, threads, half": ns / 2})(perf_pipe(cpu, "-T")),
        "ptsematest": lambda: {"ptsematest": ptsematest(cpu)},
        "ways": lambda: bare_loops(cpu),
        "switch": lambda: {"thread-switch, median": median_switch(cpu)},
        **{source: partial(delay, cpu, source) for source in DELAY_SOURCES},
    }
    if not lacking:
        arms["epics"] = partial(epics, program, cpu)
    seen: dict[str, list[float]] = {}
    for figures in rounds.by_turns("switches", arms, repetitions).values():
        seen.update({what: [of_round[what] for of_round in figures] for what in figures[0]})
    return [
        rounds.held(
            name,
            seen[mine],
            seen[other],
            limit=DELAY_MOST if name in BOUNDED else None,
            detail={f"{mine} ns": median(seen[mine]), f"{other} ns": median(seen[other])},
        )
        for name, (mine, other) in pairs.items()
    ] + lacking


if __name__ == "__main__":
    rounds.main(__doc__, tuple(PAIRS), REPETITIONS, compare)
