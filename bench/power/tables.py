# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of docs/explanation/check-power.md by simulation.

They show how often check files fail wrongly, and which changes they find.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from bench.power.simulated import failed, file_of

from support.varying import LAWS

BETWEEN = (0.002, 0.01, 0.05, 0.2)
RUNS = ((1, 5), (1, 10), (3, 5), (5, 5), (5, 10))
"""Judged, and of the baseline."""
POWER_BETWEEN = (0.0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)


def main() -> int:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000, help="check files simulated for each figure of false alarms")
    parser.add_argument("--tries", type=int, default=200, help="check files simulated for each figure of power")
    asked = parser.parse_args()
    for line in (*false_alarms(asked.files), "", *power(asked.tries, 0.05), "", *power(asked.tries, 0.2)):
        print(line, flush=True)
    return 0


def false_alarms(files: int) -> list[str]:
    """A line for each law and number of runs, a column for each variation from run to run."""
    checks = file_of()
    lines = [_head("law of the variation | runs: judged, baseline", BETWEEN), _rule(2, len(BETWEEN))]
    for law in LAWS:
        for runs in RUNS if law == "normal" else (RUNS[0], RUNS[2], RUNS[3]):
            cells = []
            for between in BETWEEN:
                draw = np.random.default_rng([2026, runs[0], runs[1], round(1000 * between)])
                wrong = sum(failed(draw, checks, runs, between, law=law)[0] for _ in range(files))
                cells.append(f"{wrong / files:.1%}")
            lines.append(f"| {law} | {runs[0]}, {runs[1]} | {' | '.join(cells)} |")
            sys.stderr.write(f"{lines[-1]}\n")
    return lines


def power(tries: int, shift: float) -> list[str]:
    """How often one row of a file with ten is found to have regressed by `shift`."""
    checks = file_of(baselines=10, bounds=0)
    lines = [_head(f"{shift:+.0%} | runs: judged, baseline", POWER_BETWEEN), _rule(2, len(POWER_BETWEEN))]
    for runs in RUNS:
        cells = []
        for between in POWER_BETWEEN:
            draw = np.random.default_rng([2027, runs[0], runs[1], round(1000 * between), round(100 * shift)])
            # All ten are slower: the chance of the first is that of any.
            found = sum(failed(draw, checks, runs, between, shift=shift)[1] for _ in range(tries))
            cells.append(f"{found / tries:.0%}")
        lines.append(f"| | {runs[0]}, {runs[1]} | {' | '.join(cells)} |")
        sys.stderr.write(f"{lines[-1]}\n")
    return lines


def _head(first: str, columns: tuple[float, ...]) -> str:
    return f"| {first} | " + " | ".join(f"{between:.1%}" for between in columns) + " |"


def _rule(left: int, columns: int) -> str:
    return "|" + "-|" * left + "-:|" * columns


if __name__ == "__main__":
    sys.exit(main())
