# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Forks and signals, beside a C loop that does nothing else: same CPU, class and priority, memory locked, linked statically, by turns."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable

from bench.lib import engine
from bench.lib.estimate import median, ratio
from bench.lib.line import Line, failure, tell
from bench.lib.progress import Steps

LOOPS = engine.ROOT / "build" / "bench" / "processes" / "bare_loops"
PRIORITY = 70  # the engine's tasks of middle priority have it
FORKS = 1000
SIGNALS = 20_000
REPETITIONS = 20
NAMES = ("fork", "signal-intercept")
LINES = tuple(
    line
    for name in NAMES
    for line in (f"{name.split('-')[0]}_vs_bare_loop", f"{name.split('-')[0]}_bare_loop_vs_itself")
)


def ours(cpu: int) -> dict[str, float]:
    """Mean nanoseconds of each, over one batch set."""
    found = {}
    for name, count in zip(NAMES, (FORKS, SIGNALS), strict=True):
        options = ["--pass", "batch", "--count", str(count), "--sets", "1", "--cpu", str(cpu)]
        result, clock = engine.result_of(engine.measure(options, [name]), name)
        found[name] = clock.ns(result.sum) / result.ops
    return found


def bare(cpu: int) -> dict[str, float]:
    """The same by the loop."""
    said = engine.output([LOOPS, str(cpu), str(PRIORITY), str(FORKS), str(SIGNALS)])
    return dict(zip(NAMES, map(float, said.split()), strict=True))


def compare(cpu: int, repetitions: int) -> list[Line]:
    """By turns, the order of each round drawn by lot; the loop twice a round, for what the method makes of two that are surely alike."""
    arms: dict[str, Callable[[int], dict[str, float]]] = {"ours": ours, "bare loop": bare, "bare loop again": bare}
    lot = random.Random(1)
    seen: dict[str, dict[str, list[float]]] = {arm: {name: [] for name in NAMES} for arm in arms}
    steps = Steps("processes", repetitions)
    for _ in range(repetitions):
        for arm in lot.sample(list(arms), len(arms)):
            for name, ns in arms[arm](cpu).items():
                seen[arm][name].append(ns)
        steps.step()
    lines = []
    for name in NAMES:
        mine, other, again = (seen[arm][name] for arm in arms)
        found, itself = ratio(mine, other, again), ratio(other, again)
        detail: dict[str, object] = {
            "ours ns": median(mine),
            "bare loop ns": median([*other, *again]),
            "rounds": repetitions,
        }
        word = name.split("-")[0]
        lines += [
            Line(
                name=f"{word}_vs_bare_loop",
                value=found.value,
                unit="x",
                limit=(0.9, 1.1),
                interval=found.interval,
                detail=detail,
            ),
            Line(
                name=f"{word}_bare_loop_vs_itself", value=itself.value, unit="x", limit=None, interval=itself.interval
            ),
        ]
    return lines


def main() -> None:
    """All lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    repetitions = parser.parse_args().repetitions
    try:
        engine.build()
        lines = compare(engine.default_cpu(), repetitions)
    except engine.BenchError as error:
        lines = [failure(name, str(error)) for name in LINES]
    for line in lines:
        tell(line)


if __name__ == "__main__":
    main()
