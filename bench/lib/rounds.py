# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Interleaved measurements: rounds in which each arm runs once, their lines, and the main program of such a part."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from bench.lib import engine
from bench.lib.estimate import ratio
from bench.lib.line import Limit, Line, failure, tell
from bench.lib.progress import Steps

Figure = TypeVar("Figure")

ALIKE = (0.9, 1.1)
"""Where the interval of a ratio must lie for two programs to pass as equally fast."""


def by_turns(
    what: str, arms: Mapping[str, Callable[[], Figure]], rounds: int, seed: int = 1
) -> dict[str, list[Figure]]:
    """The figures of each arm, one a round; the order within a round is drawn by lot."""
    lot = random.Random(seed)
    seen: dict[str, list[Figure]] = {arm: [] for arm in arms}
    steps = Steps(what, rounds)
    for _ in range(rounds):
        for arm in lot.sample(list(arms), len(arms)):
            seen[arm].append(arms[arm]())
        steps.step()
    return seen


def held(
    name: str,
    ours: Sequence[float],
    *theirs: Sequence[float],
    limit: Limit = None,
    detail: Mapping[str, object] | None = None,
) -> Line:
    """The line of how many times `theirs` `ours` is, a figure a round of each."""
    found = ratio(ours, *theirs)
    of_all = {**(detail or {}), "rounds": len(ours)}
    return Line(name=name, value=found.value, unit="x", limit=limit, interval=found.interval, detail=of_all)


def main(
    about: str | None,
    names: Sequence[str],
    repetitions: int,
    compare: Callable[[int, int], Sequence[Line]],
) -> None:
    """The program of a part: builds the engine, compares on its CPU, prints the lines; where it cannot, a failed one of each name."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--repetitions", type=int, default=repetitions, help="rounds")
    rounds = parser.parse_args().repetitions
    try:
        engine.build()
        lines = compare(engine.default_cpu(), rounds)
    except engine.BenchError as error:
        lines = [failure(name, str(error)) for name in names]
    for line in lines:
        tell(line)
