# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Forks, signals and threads, interleaved with a C loop that does nothing else.

Both have the same CPU, class, priority and linking, and lock their memory.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from bench.lib import engine, rounds
from bench.lib.estimate import median
from bench.lib.line import Limit, Line

LOOPS = engine.ROOT / "build" / "bench" / "processes" / "bare_loops"
PRIORITY = 70  # the engine's tasks of middle priority have it
REPETITIONS = 40


class Operation(msgspec.Struct, frozen=True):
    """One operation, done `count` times in a window, in `sets` windows. The figure is the median window's mean."""

    measurement: str
    count: int
    sets: int
    limit: Limit


OPERATIONS = {
    "fork": Operation("fork", 50, 20, rounds.ALIKE),
    "signal": Operation("signal-intercept", 1000, 20, rounds.ALIKE),
    "thread": Operation("task-create-delete", 16, 40, None),  # a batch has no more
}
LINES = tuple(line for word in OPERATIONS for line in (f"{word}_vs_bare_loop", f"{word}_bare_loop_vs_itself"))


def ours(cpu: int) -> dict[str, float]:
    """Nanoseconds of each operation."""
    return {word: engine.batch_ns(what.measurement, cpu, what.count, what.sets) for word, what in OPERATIONS.items()}


def bare(cpu: int) -> dict[str, float]:
    """Measure the same operations by the C loop."""
    found = {}
    for word, what in OPERATIONS.items():
        said = engine.output([LOOPS, *map(str, (cpu, PRIORITY, word, what.count, what.sets))])
        found[word] = median([float(ns) for ns in said.split()])
    return found


def compare(cpu: int, repetitions: int) -> list[Line]:
    """Run all arms. The loop runs twice a round, to show the method's result for two that are certainly alike."""
    arms: dict[str, Callable[[], dict[str, float]]] = {
        "ours": lambda: ours(cpu),
        "loop": lambda: bare(cpu),
        "loop again": lambda: bare(cpu),
    }
    seen = rounds.by_turns("processes", arms, repetitions)
    lines = []
    for word, what in OPERATIONS.items():
        mine, other, again = ([figures[word] for figures in seen[arm]] for arm in arms)
        detail = {"ours ns": median(mine), "bare loop ns": median([*other, *again])}
        lines += [
            rounds.held(f"{word}_vs_bare_loop", mine, other, again, limit=what.limit, detail=detail),
            rounds.held(f"{word}_bare_loop_vs_itself", other, again),
        ]
    return lines


if __name__ == "__main__":
    rounds.main(__doc__, LINES, REPETITIONS, compare)
