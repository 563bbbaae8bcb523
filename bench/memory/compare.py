# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Block moves in memory, beside a loop of memcpy: same CPU, class and priority, memory locked, linked statically, by turns."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable

from bench.lib import engine
from bench.lib.estimate import median, ratio
from bench.lib.line import Line, failure, tell
from bench.lib.progress import Steps

LOOP = engine.ROOT / "build" / "bench" / "memory" / "bare_moves"
PRIORITY = 70  # the engine's tasks of middle priority have it
COUNT = 400
BLOCK = 1 << 20
REPETITIONS = 16
MOST = 1 / 0.95
"""Of our time over memcpy's: at least 95 % of its speed."""
LINES = ("memory_vs_memcpy", "memcpy_vs_itself")


def ours(cpu: int) -> float:
    """Mean nanoseconds of a block, over one batch set."""
    options = ["--pass", "batch", "--count", str(COUNT), "--sets", "1", "--cpu", str(cpu)]
    result, clock = engine.result_of(engine.measure(options, ["memory-to-memory"]), "memory-to-memory")
    return clock.ns(result.sum) / result.ops


def bare(cpu: int) -> float:
    """The same by the loop."""
    return float(engine.output([LOOP, str(cpu), str(PRIORITY), str(BLOCK), str(COUNT)]))


def compare(cpu: int, repetitions: int) -> list[Line]:
    """By turns; the value is our time over memcpy's, so more than 1 is slower."""
    arms: dict[str, Callable[[int], float]] = {"ours": ours, "memcpy": bare, "memcpy again": bare}
    lot = random.Random(1)
    seen: dict[str, list[float]] = {arm: [] for arm in arms}
    steps = Steps("memory", repetitions)
    for _ in range(repetitions):
        for arm in lot.sample(list(arms), len(arms)):
            seen[arm].append(arms[arm](cpu))
        steps.step()
    mine, other, again = (seen[arm] for arm in arms)
    found, itself = ratio(mine, other, again), ratio(other, again)
    speed = {"ours MB/s": BLOCK / median(mine) * 1e3, "memcpy MB/s": BLOCK / median([*other, *again]) * 1e3}
    detail: dict[str, object] = {**speed, "rounds": repetitions}
    return [
        Line(name=LINES[0], value=found.value, unit="x", limit=(0.0, MOST), interval=found.interval, detail=detail),
        Line(name=LINES[1], value=itself.value, unit="x", limit=None, interval=itself.interval),
    ]


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
