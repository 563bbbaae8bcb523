# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The cost of watching a loop, by `rtstone attach` and by perf: the time that hogs of lowest priority lose on all CPUs."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import fmean

import msgspec
from bench.lib import engine, rounds
from bench.lib.estimate import median, middle, ratio_of_medians
from bench.lib.line import Line, absent, failure
from bench.lib.size import size

LOAD = engine.ROOT / "build" / "bench" / "attach" / "load"
PRIORITY = 80
NAME = "bench-loop"
RATES = (100, 1000, 5000, 10000)
"""Cycles a second; each is two context switches."""
SETTLE_MS = 50
WINDOW_MS = {rate: max(50, size(1500 if rate == RATES[-1] else 500)) for rate in RATES}
"""Longest at the rate whose figures have a limit."""
REPETITIONS = 15
PATIENCE_S = 30

ATTACH: dict[str, tuple[str, ...]] = {
    "attach": (),
    "attach_deadline": ("--deadline", "1ms"),
    "attach_trails": ("--deadline", "1ms", "--trace-over", "300us"),
}
PERF, RTLA = "perf_sched", "rtla_timerlat"
NOTHING, AGAIN = "nothing", "nothing_again"
HALF = (-0.5, 0.5)
"""Limit of the ratio to the peer's cost at the highest rate. A cost in percent of a CPU differs between processors. The whole
interval must lie within, so that a figure which is lost in the noise does not pass."""
HELD = {f"{side}_cost_vs_{PERF}": side for side in ATTACH}
NAMES = (
    *(f"{side}_cost_{rate}" for side in (*ATTACH, PERF, AGAIN) for rate in RATES),
    f"{RTLA}_cost_{RATES[-1]}",
    *HELD,
)


class Window(msgspec.Struct, frozen=True):
    """The loop's cycles a second, and by CPU the share of time that its hog lost."""

    cycles: float
    lost: dict[int, float]
    seconds: float


Windows = dict[int, Window]
"""One for each rate."""


class Load:
    """The loop and the hogs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lot = random.Random(2)

    def _window(self, rate: int) -> Window:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{1_000_000_000 // rate} {SETTLE_MS} {WINDOW_MS[rate]}\n")
        self._process.stdin.flush()
        said = [int(word) for word in self._process.stdout.readline().split()]
        if not said:
            raise engine.BenchError("the loop and its hogs ended early")
        seconds = said[0] / 1e9
        lost = {on: ns / said[0] for on, ns in zip(said[2::2], said[3::2], strict=True)}
        return Window(cycles=said[1] / seconds, lost=lost, seconds=seconds)

    def windows(self) -> Windows:
        """A window at each rate, in a random order."""
        return {rate: self._window(rate) for rate in self._lot.sample(RATES, len(RATES))}


@contextmanager
def loaded(cpu: int) -> Iterator[Load]:
    """The loop on this CPU, and a hog on each CPU that may be used."""
    words = [str(LOAD), str(cpu), str(PRIORITY), NAME]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Load(process)
        finally:
            process.kill()


@contextmanager
def _watcher(words: Sequence[str], pass_fds: Sequence[int] = ()) -> Iterator[subprocess.Popen[str]]:
    """A program that is killed if it has not ended by itself."""
    environment = {**os.environ, "RTSTONE_ENGINE": str(engine.ENGINE)}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=pass_fds, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _interrupted(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Both outputs of a watcher that is ended as by Ctrl-C. Raises BenchError if it does not end."""
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise engine.BenchError("a watcher did not end") from None


def _require_seen(name: str, seen: int, windows: Windows) -> None:
    """A watcher that saw little cost little. Raises BenchError unless it saw the cycles of the windows."""
    cycles = sum(window.cycles * window.seconds for window in windows.values())
    if seen < 0.9 * cycles:
        raise engine.BenchError(f"{name} saw {seen} of {cycles:.0f} cycles")


def attached(load: Load, words: Sequence[str], late: list[int]) -> Windows:
    """Windows that begin once `rtstone attach` watches. Adds the number of late cycles to `late`."""
    command = [sys.executable, "-m", "rtstone", "attach", "--comm", NAME, "--duration", "1h", "--no-archive", "--json"]
    with _watcher([*command, *words]) as process:
        assert process.stderr is not None
        if ": 0 s: " not in (first := process.stderr.readline()):
            raise engine.BenchError(f"rtstone attach: {first.strip() or 'it ended early'}")
        found = load.windows()
        out, err = _interrupted(process)
    if process.returncode not in (0, 4):  # 4: a busy machine hid some wake-ups
        raise engine.BenchError(f"rtstone attach ended with exit code {process.returncode}: {err.strip()[-300:]}")
    results = {one["quantity"]: one for one in json.loads(out)["runs"][0]["sessions"][0]["results"]}
    counts = {f["name"]: int(f["value"]) for one in results.values() for f in one["figures"] if "value" in f}
    _require_seen("rtstone attach", results[f"wakeup-latency-{NAME}"]["count"], found)
    late.append(counts.get("samples-over-limit", 0) + counts.get("deadline-misses", 0))
    return found


def perf_sched(load: Load, folder: Path) -> Windows:
    """Windows that begin once `perf sched record` has answered that it records, into a file in `folder`."""
    program = engine.program("perf")
    asked, ask = os.pipe()
    answer, answered = os.pipe()
    try:
        words = [program, "sched", "record", "-o", str(folder / "data"), f"--control=fd:{asked},{answered}"]
        with _watcher(words, (asked, answered)) as process:
            os.close(asked)
            os.close(answered)
            with suppress(BrokenPipeError):  # it has ended
                os.write(ask, b"ping\n")
            if not os.read(answer, 16).startswith(b"ack"):
                raise engine.BenchError(f"perf sched record: {_interrupted(process)[1].strip()[-300:]}")
            found = load.windows()
            _, err = _interrupted(process)
    finally:
        os.close(ask)
        os.close(answer)
    (folder / "data").unlink(missing_ok=True)  # before the next side pays for writing it to the disk
    samples = re.search(r"\((\d+) samples\)", err)
    _require_seen("perf sched record", int(samples[1]) if samples else 0, found)
    return found


def _comms() -> set[str]:
    """The names of all processes and threads of the kernel."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):
            found.add(file.read_text(encoding="utf-8", errors="replace").strip())
    return found


def rtla_timerlat(load: Load, cpu: int) -> Windows:
    """Windows that begin once the tracer's thread runs. It measures a timer of its own, at the highest of the rates.

    Raises AbsentError where the kernel has no such tracer.
    """
    tracers = Path("/sys/kernel/tracing/available_tracers")
    if not tracers.exists() or "timerlat" not in tracers.read_text(encoding="ascii").split():
        raise engine.AbsentError("this kernel has no tracer timerlat (CONFIG_TIMERLAT_TRACER)")
    words = [engine.program("rtla"), "timerlat", "top", "-q", "-c", str(cpu), "-p", str(1_000_000 // RATES[-1])]
    measuring = {f"timerlat/{cpu}", f"timerlatu/{cpu}"}  # a thread of the kernel; of newer versions, a process
    with _watcher(words) as process:
        give_up = time.monotonic() + PATIENCE_S
        while measuring.isdisjoint(_comms()):
            if process.poll() is not None or time.monotonic() > give_up:
                raise engine.BenchError("rtla timerlat does not start to measure")
            time.sleep(0.1)
        found = load.windows()
        _interrupted(process)
    return found


def lines(seen: dict[str, list[Windows]], cpu: int, late: dict[str, list[int]]) -> list[Line]:
    """A line for each side that was seen and each rate, and one for each way of ours beside `perf sched record`.

    A round's figure is the time that the hogs of all CPUs lost beyond what they lose without a watcher, in percent of one CPU.
    """

    def lost(side: str, without: Sequence[str], rate: int, on: int) -> list[float]:
        figures = []
        for index, windows in enumerate(seen[side]):
            unwatched = fmean(seen[one][index][rate].lost[on] for one in without)
            figures.append(100 * (windows[rate].lost[on] - unwatched))
        return figures

    found, costs = [], {}
    for side in (one for one in seen if one != NOTHING):
        without = [NOTHING] if side == AGAIN else [NOTHING, AGAIN]
        for rate in (one for one in RATES if f"{side}_cost_{one}" in NAMES):
            by_cpu = {on: lost(side, without, rate, on) for on in seen[side][0][rate].lost}
            name = f"{side}_cost_{rate}"
            costs[name] = [sum(figures) for figures in zip(*by_cpu.values(), strict=True)]
            cost = middle(costs[name])
            detail: dict[str, object] = {
                "of it on the loop's CPU": round(median(by_cpu[cpu]), 3),
                "cycles a second": round(median([windows[rate].cycles for windows in seen[side]])),
                "rounds": len(seen[side]),
            }
            if side in late and side != "attach":
                detail["late cycles a round"] = median(late[side])
            found.append(
                Line(name=name, value=cost.value, unit="%CPU", limit=None, interval=cost.interval, detail=detail)
            )
    theirs = costs.get(f"{PERF}_cost_{RATES[-1]}")
    return found + [_beside(name, costs[f"{side}_cost_{RATES[-1]}"], theirs) for name, side in HELD.items() if theirs]


def _beside(name: str, ours: list[float], theirs: list[float]) -> Line:
    try:
        cost = ratio_of_medians(ours, theirs)
    except ValueError:
        return failure(name, f"perf sched record cost {median(theirs):.2g} % of a CPU: nothing to compare with")
    detail: dict[str, object] = {"cycles a second": RATES[-1], "rounds": len(ours)}
    return Line(name=name, value=cost.value, unit="x", limit=HALF, interval=cost.interval, detail=detail)


def compare(cpu: int, repetitions: int) -> list[Line]:
    """Run all sides, nothing twice: the second time shows what the method gives for two equal sides."""
    late: dict[str, list[int]] = {side: [] for side in ATTACH}
    with loaded(cpu) as load, tempfile.TemporaryDirectory(dir=LOAD.parent) as folder:
        arms: dict[str, Callable[[], Windows]] = {
            side: partial(attached, load, words, late[side]) for side, words in ATTACH.items()
        }
        arms[AGAIN] = arms[NOTHING] = load.windows
        peers = {PERF: partial(perf_sched, load, Path(folder)), RTLA: partial(rtla_timerlat, load, cpu)}
        missing = []
        for side, arm in peers.items():
            try:
                arm()
                arms[side] = arm
            except engine.AbsentError as error:
                missing += [absent(name, str(error)) for name in NAMES if side in name]
            except engine.BenchError as error:
                missing += [failure(name, str(error)) for name in NAMES if side in name]
        seen = rounds.by_turns("attach", arms, repetitions)
    return sorted([*lines(seen, cpu, late), *missing], key=lambda line: NAMES.index(line.name))


if __name__ == "__main__":
    rounds.main(__doc__, NAMES, REPETITIONS, compare)
