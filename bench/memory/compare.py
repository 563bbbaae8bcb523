# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Block moves in memory, interleaved with a loop of memcpy.

Both have the same CPU, class and priority, lock their memory and are linked statically.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.lib import engine, rounds
from bench.lib.estimate import median
from bench.lib.line import Line

LOOP = engine.ROOT / "build" / "bench" / "memory" / "bare_moves"
PRIORITY = 70  # the engine's tasks of middle priority have it
COUNT = 20
SETS = 20
BLOCK = 1 << 20
REPETITIONS = 60
MOST = 1 / 0.95
"""Of our time over memcpy's: at least 95 % of its speed."""
LINES = ("memory_vs_memcpy", "memcpy_vs_itself")


def ours(cpu: int) -> float:
    """Nanoseconds of a block: the median over sets, each the mean of its blocks."""
    return engine.batch_ns("memory-to-memory", cpu, COUNT, SETS)


def bare(cpu: int) -> float:
    """Measure the same moves by the loop."""
    said = engine.output([LOOP, *map(str, (cpu, PRIORITY, BLOCK, COUNT, SETS))])
    return median([float(ns) for ns in said.split()])


def compare(cpu: int, repetitions: int) -> list[Line]:
    """The value is our time over memcpy's, so more than 1 is slower."""
    arms: dict[str, Callable[[], float]] = {
        "ours": lambda: ours(cpu),
        "memcpy": lambda: bare(cpu),
        "memcpy again": lambda: bare(cpu),
    }
    seen = rounds.by_turns("memory", arms, repetitions)
    mine, other, again = (seen[arm] for arm in arms)
    speed = {"ours MB/s": BLOCK / median(mine) * 1e3, "memcpy MB/s": BLOCK / median([*other, *again]) * 1e3}
    return [
        rounds.held(LINES[0], mine, other, again, limit=(0.0, MOST), detail=speed),
        rounds.held(LINES[1], other, again),
    ]


if __name__ == "__main__":
    rounds.main(__doc__, LINES, REPETITIONS, compare)
