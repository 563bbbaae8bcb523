# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of docs/explanation/history-power.md: the steps that a history finds, right and false ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rtstone.stats import changes, resemble
from support.varying import LAWS

SPREAD = 0.02
"""Standard deviation from run to run."""
DRIFT = 0.001
LENGTHS = (15, 20, 40, 100)
BEHIND = (3, 4, 5, 7, 10, 20)
"""Numbers of runs after the step; at least ten runs are before it."""
_NEAR = 1
"""A step counts as found in its place if it is reported at most this many runs away from it."""

Noise = Callable[[np.random.Generator, int], NDArray[np.float64]]


def _resembling(draw: np.random.Generator, length: int, share: float) -> NDArray[np.float64]:
    """Each run has this share of the one before."""
    fresh = draw.standard_normal(length + 50)
    made = np.zeros(length + 50)
    for at in range(1, length + 50):
        made[at] = share * made[at - 1] + fresh[at]
    return np.asarray(SPREAD * np.sqrt(1 - share**2) * made[50:])


def _independent(law: str) -> Noise:
    return lambda draw, length: SPREAD * LAWS[law](draw, (length,))


NOISES: dict[str, Noise] = {law: _independent(law) for law in LAWS} | {
    "normal, drift 0.05 % a run": lambda draw, n: SPREAD * draw.standard_normal(n) + 0.0005 * np.arange(n),
    "normal, drift 0.1 % a run": lambda draw, n: SPREAD * draw.standard_normal(n) + DRIFT * np.arange(n),
    "heavy, drift 0.1 % a run": lambda draw, n: SPREAD * LAWS["heavy (Student, 3)"](draw, (n,)) + DRIFT * np.arange(n),
}
"""Noises for which the promised rate of false alarms holds."""
OTHERS: dict[str, Noise] = {
    "normal, drift 0.2 % a run": lambda draw, n: SPREAD * draw.standard_normal(n) + 2 * DRIFT * np.arange(n),
    "neighbours correlated by 0.3": lambda draw, n: _resembling(draw, n, 0.3),
    "neighbours correlated by 0.6": lambda draw, n: _resembling(draw, n, 0.6),
    "normal on a random walk, 0.5 % a run": lambda draw, n: (
        SPREAD * draw.standard_normal(n) + np.cumsum(0.005 * draw.standard_normal(n))
    ),
}
"""Noises for which it does not hold."""


class Case(NamedTuple):
    """A step to be found."""

    step: float = 0.05
    spread: float = SPREAD
    law: str = "normal"
    before: int = 10
    drift: float = DRIFT


CASES = (
    *(Case(law=law) for law in LAWS),
    Case(before=30),
    Case(drift=0.0),
    Case(spread=0.01),
    Case(spread=0.01, drift=0.0),
    Case(step=0.03),
    Case(step=0.03, spread=0.01),
    Case(step=0.1),
)


def main() -> int:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=2000, help="series simulated for each figure of false alarms")
    parser.add_argument("--tries", type=int, default=400, help="series simulated for each figure of power")
    asked = parser.parse_args()
    for line in (*false_alarms(asked.series), "", *power(asked.tries)):
        print(line, flush=True)
    return 0


def false_alarms(series: int) -> list[str]:
    """Share of series without a step in which a step was found; in brackets, only those not reported as wandering."""
    lines = [f"| noise | {' | '.join(f'{n} runs' for n in LENGTHS)} |", f"|-|{'-:|' * len(LENGTHS)}"]
    for name, noise in (NOISES | OTHERS).items():
        cells = []
        for length in LENGTHS:
            draw = np.random.default_rng([2026, length])
            wrong = silent = 0
            for _ in range(series):
                figures = noise(draw, length).tolist()
                found = changes(figures, drift=DRIFT)
                wrong += bool(found)
                silent += bool(found) and not resemble(figures, [one.at for one in found])
            cells.append(f"{wrong / series:.1%} ({silent / series:.1%})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
        sys.stderr.write(f"{lines[-1]}\n")
    return lines


def power(tries: int) -> list[str]:
    """Share of series in which a step was found, and in brackets at most one run beside its place."""
    lines = [
        f"| step | spread | law | runs before it | drift allowed | {' | '.join(f'{n} behind' for n in BEHIND)} |",
        f"|-|-|-|-|-|{'-:|' * len(BEHIND)}",
    ]
    for case in CASES:
        cells = [_found(case, behind, tries) for behind in BEHIND]
        told = f"{case.step:+.0%} | {case.spread:.0%} | {case.law} | {case.before} | {case.drift:.1%} a run"
        lines.append(f"| {told} | {' | '.join(cells)} |")
        sys.stderr.write(f"{lines[-1]}\n")
    return lines


def _found(case: Case, behind: int, tries: int) -> str:
    draw = np.random.default_rng([2027, case.before, behind, round(1000 * case.step)])
    found = place = 0
    for _ in range(tries):
        figures = case.spread * LAWS[case.law](draw, (case.before + behind,))
        figures[case.before :] += np.log1p(case.step)
        told = changes(figures.tolist(), drift=case.drift)
        found += bool(told)
        place += any(abs(one.at - case.before) <= _NEAR for one in told)
    return f"{found / tries:.0%} ({place / tries:.0%})"


if __name__ == "__main__":
    sys.exit(main())
