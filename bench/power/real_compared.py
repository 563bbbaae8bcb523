# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts how often `compare` finds a difference between runs of this machine with nothing changed: sides of several runs, and turns."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rtstone.archive import open_archive
from rtstone.judge.compare import Comparison, compare
from rtstone.model import Run

SIDES = (3, 5, 10)
LOTS = 100


def main() -> int:
    """Print how many comparisons of like with like had a wrong verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "runs", help="an archive of runs that were made alike, one after the other (bench.power.real --keep)"
    )
    parser.add_argument("turns", help="an archive of pairs made by run --against")
    asked = parser.parse_args()
    for line in (*of_runs(_runs(asked.runs)), "", *of_turns(_runs(asked.turns))):
        print(line)
    return 0


def _runs(where: str) -> list[Run]:
    archive = open_archive(where)
    return [archive.load(summary.id) for summary in reversed(archive.list())]


def of_runs(runs: Sequence[Run]) -> list[str]:
    """Sides that follow each other, interleaved sides, and sides drawn by lot.

    They share runs: fewer independent tries than they seem.
    """
    draw = np.random.default_rng(1)
    lines = ["| runs a side | one side after the other | in turns (A B A B) | drawn by lot |", "|-|-:|-:|-:|"]
    for size in SIDES:
        starts = range(len(runs) - 2 * size + 1)
        after = [(runs[i : i + size], runs[i + size : i + 2 * size]) for i in starts]
        turns = [(runs[i : i + 2 * size : 2], runs[i + 1 : i + 2 * size : 2]) for i in starts]
        lots = []
        for _ in range(LOTS):
            order = draw.permutation(len(runs))[: 2 * size].tolist()
            lots.append(([runs[i] for i in order[:size]], [runs[i] for i in order[size:]]))
        lines.append(
            f"| {size} | {' | '.join(_wrong([compare(pair) for pair in pairs]) for pairs in (after, turns, lots))} |"
        )
    ones = [compare([a, b]) for a, b in pairwise(runs)]
    within = sum(one.count("longer within these runs") + one.count("shorter within these runs") > 0 for one in ones)
    lines += [
        "",
        f"One run a side: {within} of {len(ones)} pairs differ within these runs; {_wrong(ones)} are called different.",
    ]
    return lines


def of_turns(runs: Sequence[Run]) -> list[str]:
    """Pairs of runs that took turns, paired by round; and the same taken for runs by themselves."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.group, []).append(run)
    made = [compare(pair) for pair in groups.values() if len(pair) == 2]
    return [f"By turns, {len(made)} pairs of like against like: {_wrong(made)} are called different."]


def _wrong(made: Sequence[Comparison]) -> str:
    wrong = sum(one.count("improved") + one.count("regressed") > 0 for one in made)
    return f"{wrong} of {len(made)}"


if __name__ == "__main__":
    sys.exit(main())
