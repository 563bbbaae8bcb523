# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of `compare` in docs/explanation/check-power.md: equal kernels called different, and differences found.

Figures are drawn and given to the verdict that `compare` takes for each row, at that row's share of the confidence: whole runs would take
hours. That `compare` gives it the same figures is tested (tests/unit/judge/compare/test_error_rates.py).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rtstone import stats
from rtstone.judge.compare import CONFIDENCE, LEAST_CHANGE
from support.varying import LAWS, REPETITIONS

BETWEEN, WITHIN = 0.02, 0.01
ROWS = (1, 4, 16)
RUNS = (3, 5, 10, 20)
ROUNDS = (5, 10, 20)
DRIFT = 0.02
EFFECTS = (0.03, 0.05, 0.10)

Figures = NDArray[np.float64]
"""By side, unit and row."""
Make = Callable[[np.random.Generator, int], Figures]


def main() -> int:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--equal", type=int, default=1000, help="comparisons for each figure of false alarms")
    parser.add_argument("--unequal", type=int, default=300, help="comparisons for each figure of power")
    asked = parser.parse_args()
    for line in (*false_alarms(asked.equal), "", *power(asked.unequal)):
        print(line, flush=True)
    return 0


def of_runs(runs: int, law: str = "normal", shift: float = 0.0) -> Make:
    """Means of runs, each row of each with a level of its own."""

    def make(draw: np.random.Generator, rows: int) -> Figures:
        shape = (2, runs, rows)
        levels = BETWEEN * LAWS[law](draw, shape) + WITHIN / REPETITIONS**0.5 * draw.standard_normal(shape)
        levels[1] += np.log1p(shift)
        return np.asarray(np.exp(levels))

    return make


def of_rounds(rounds: int, drift: float = 0.0, shift: float = 0.0) -> Make:
    """Interleaved repetitions (A B, B A …) while all becomes slower by `drift` a round."""

    def make(draw: np.random.Generator, rows: int) -> Figures:
        levels = WITHIN * draw.standard_normal((2, rounds, rows))
        for side in (0, 1):
            slots = np.array([2 * turn + (side ^ turn % 2) for turn in range(rounds)])
            levels[side] += np.log1p(drift) * slots[:, None] / 2 + np.log1p(shift) * side
        return np.exp(levels)

    return make


def false_alarms(tries: int) -> list[str]:
    """A line for each law or drift, a column for each number of runs or rounds, with the least change that counts and without."""
    lines = []
    for least in (0.0, LEAST_CHANGE):
        lines += [f"| sixteen rows, least change {least:.0%} | {' | '.join(f'{runs} a side' for runs in RUNS)} |"]
        lines += ["|-|" + "-:|" * len(RUNS)]
        for law in LAWS:
            shares = [_share(of_runs(runs, law), 16, tries, least, _any) for runs in RUNS]
            lines.append(_line(f"runs, {law}", shares))
        for drift in (0.0, DRIFT):
            shares = [_share(of_rounds(n, drift), 16, tries, least, _any, paired=True) for n in ROUNDS]
            lines.append(_line(f"rounds (5, 10, 20), {drift:.0%} drift", [*shares, ""]))
        lines.append("")
    return lines


def power(tries: int) -> list[str]:
    """How often one row, of so many in the comparison, is found to have regressed."""
    heads = [f"{effect:+.0%}, {rows} row{'s' * (rows > 1)}" for effect in EFFECTS for rows in ROWS]
    lines = [f"| | {' | '.join(heads)} |", "|-|" + "-:|" * len(heads)]
    cases = [(effect, rows) for effect in EFFECTS for rows in ROWS]
    for runs in RUNS:
        shares = [_share(of_runs(runs, shift=e), rows, tries, LEAST_CHANGE, _mean) for e, rows in cases]
        lines.append(_line(f"{runs} runs a side", shares))
    for what, paired in (("paired", True), ("taken for runs", False)):
        for rounds in ROUNDS:
            shares = [
                _share(of_rounds(rounds, DRIFT, e), rows, tries, LEAST_CHANGE, _mean, paired=paired)
                for e, rows in cases
            ]
            lines.append(_line(f"{rounds} rounds, {DRIFT:.0%} drift a round, {what}", shares))
    return lines


def _any(findings: Sequence[str]) -> float:
    return float(any(one in ("improved", "regressed") for one in findings))


def _mean(findings: Sequence[str]) -> float:
    return findings.count("regressed") / len(findings)


def _share(
    make: Make, rows: int, tries: int, least: float, of: Callable[[Sequence[str]], float], *, paired: bool = False
) -> str:
    draw = np.random.default_rng(2026)
    alpha = stats.family_alpha(1 - CONFIDENCE, rows)
    total = 0.0
    for _ in range(tries):
        first, second = make(draw, rows)
        findings = [
            stats.verdict(
                first[:, row].tolist(),
                second[:, row].tolist(),
                alpha=alpha,
                threshold=least,
                ranks=False,
                paired=paired,
            ).finding
            for row in range(rows)
        ]
        total += of(findings)
    return f"{total / tries:.1%}"


def _line(head: str, cells: Sequence[str]) -> str:
    made = f"| {head} | {' | '.join(cells)} |"
    sys.stderr.write(f"{made}\n")
    return made


if __name__ == "__main__":
    sys.exit(main())
