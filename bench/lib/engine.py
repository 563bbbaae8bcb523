# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine as the bench runs it, and the programs that it is compared with."""

from __future__ import annotations

import array
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rtstone.model import Clock, Result, Session
from rtstone.stream import collect

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / os.environ.get("RTSTONE_BENCH_ENGINE", "build/bench/engine") / "rtstone-engine"

PACKAGES = {"cyclictest": "rt-tests", "ptsematest": "rt-tests", "perf": "linux-perf", "npm": "npm", "iperf3": "iperf3"}


class BenchError(Exception):
    """Something that keeps a figure from being measured; its text is for the reader."""


class AbsentError(BenchError):
    """This machine's kernel lacks what a peer needs."""


def build() -> None:
    """Bring the engine up to date with the sources."""
    output([ROOT / "bench" / "lib" / "build-engine"], timeout=300)


def program(name: str) -> str:
    """Where a peer is. Raises BenchError with the package that has it."""
    found = shutil.which(name)
    if found is None:
        raise BenchError(f"{name} is not installed: apt-get install {PACKAGES.get(name, name)}")
    return found


def output(command: Sequence[str | Path], *, timeout: float = 120, environment: Mapping[str, str] | None = None) -> str:
    """The standard output of a program; `environment` is added to ours.

    Raises BenchError if it fails or does not end.
    """
    name = Path(command[0]).name
    try:
        own = {**os.environ, **(environment or {})}
        done = subprocess.run(command, env=own, capture_output=True, text=True, check=False, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise BenchError(f"{name} did not end within {timeout:.0f} s") from None
    if done.returncode != 0:
        raise BenchError(f"{name} ended with exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def measure(options: Sequence[str], measurements: Sequence[str]) -> Session:
    """One session of the engine. Raises BenchError unless it is complete and every result is to be believed."""
    command: list[str | Path] = [ENGINE, "run", f"--with-parent={os.getpid()}", *options]
    for name in measurements:
        command += ["--measurement", name]
    sessions = collect(line.encode() + b"\n" for line in output(command).splitlines())
    if len(sessions) != 1 or not sessions[0].complete:
        raise BenchError("the engine's session is not complete")
    (session,) = sessions
    if session.degraded:
        raise BenchError(f"the engine may not do all that its peers do: {session.degraded[0].text}")
    for result in session.results:
        if result.status != "ok":
            raise BenchError(f"{result.measurement}: {result.status} ({result.text})")
    return session


def result_of(session: Session, measurement: str, quantity: str | None = None) -> tuple[Result, Clock]:
    """A result of a session, and the clock that its ticks are of."""
    for result in session.results:
        if result.measurement == measurement and quantity in (None, result.quantity):
            return result, next(clock for clock in session.clocks if clock.id == result.clock)
    raise BenchError(f"the engine did not measure {measurement} {quantity or ''}".rstrip())


def batch_ns(measurement: str, cpu: int, count: int, sets: int) -> float:
    """Nanoseconds an operation: the median over sets of `count` of them, whose sum alone is timed."""
    options = ["--pass", "batch", "--count", str(count), "--sets", str(sets), "--cpu", str(cpu)]
    result, clock = result_of(measure(options, [measurement]), measurement)
    return clock.ns(statistics.median(result.batches)) / result.ops


def samples(result: Result) -> list[int]:
    """Every sample (ticks); the engine was asked for them."""
    if result.samples is None or result.dropped:
        raise BenchError(f"{result.measurement}: {result.dropped} samples were dropped")
    values = array.array("q", result.samples)
    if sys.byteorder == "big":
        values.byteswap()
    if len(values) != result.count:
        raise BenchError(f"{result.measurement}: {len(values)} samples, {result.count} counted")
    return values.tolist()


def default_cpu() -> int:
    """The last CPU that may be used: the engine's own choice where none is isolated."""
    return max(os.sched_getaffinity(0))
