# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How often a comparison calls equal kernels different, and how often it finds a difference that is there, on figures from known laws.

Bounds are those that a right comparison passes once in a thousand times by chance (binomial).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.stats import binom

from rtstone.judge.compare import CONFIDENCE, Comparison, compare
from rtstone.model import Run
from support.varying import LAWS, by_turns, sides

Pair = Sequence[Run | Sequence[Run]]


def share(
    make: Callable[[np.random.Generator], Pair],
    trials: int,
    says: Callable[[Comparison], bool],
    least_change: float | None = None,
) -> float:
    """Of how many comparisons of so many it is said."""
    draw = np.random.default_rng(12)
    return sum(says(compare(make(draw), least_change=least_change)) for _ in range(trials)) / trials


def differs(made: Comparison) -> bool:
    return made.count("improved") + made.count("regressed") > 0


def regressed(made: Comparison) -> bool:
    return made.rows[0].figures[0].against[0].verdict == "regressed"


def at_most(alpha: float, trials: int) -> float:
    return float(binom.ppf(0.999, trials, alpha)) / trials


@pytest.mark.parametrize("runs", [3, 5])
def test_equal_kernels_are_called_different_in_one_comparison_of_twenty_at_most(runs: int) -> None:
    trials = 200
    wrong = share(lambda draw: sides(draw, runs, rows=4, repetitions=3), trials, differs, 0.0)
    assert wrong <= at_most(1 - CONFIDENCE, trials)


def test_by_turns_too_however_much_drifts() -> None:
    trials = 200
    for drift in (0.0, 0.02):
        wrong = share(lambda draw, d=drift: by_turns(draw, 6, rows=4, drift=d), trials, differs, 0.0)  # type: ignore[misc]
        assert wrong <= at_most(1 - CONFIDENCE, trials)


def test_what_drifts_by_2_percent_a_round_hides_3_percent_from_runs_and_not_from_rounds() -> None:
    def one_after_the_other(draw: np.random.Generator) -> Pair:
        """The sessions of a paired comparison, each made a run of its own, so that they are not paired."""
        import msgspec

        return [
            [
                msgspec.structs.replace(run, id=f"{run.id}-{i}", sessions=(session,), group="", alternated=False)
                for i, session in enumerate(run.sessions)
            ]
            for run in by_turns(draw, 10, rows=4, drift=0.02, shift=0.03)
        ]

    trials = 60
    paired = share(lambda draw: by_turns(draw, 10, rows=4, drift=0.02, shift=0.03), trials, regressed)
    unpaired = share(one_after_the_other, trials, regressed)
    assert unpaired < 0.05
    assert paired > 0.4


def test_repetitions_within_a_run_are_never_taken_for_runs() -> None:
    """With 2 % between runs and 1 % within, repetitions make most equal kernels look different.

    The comparison claims that of these runs alone.
    """
    assert share(lambda draw: sides(draw, 1, rows=4), 60, differs) == 0
    within = share(
        lambda draw: sides(draw, 1, rows=4),
        60,
        lambda made: made.count("longer within these runs") + made.count("shorter within these runs") > 0,
    )
    assert within > 0.3


def test_power_grows_with_the_runs() -> None:
    found = [share(lambda draw, n=n: sides(draw, n, rows=1, shift=0.1), 40, regressed) for n in (3, 5, 10)]  # type: ignore[misc]
    assert found == sorted(found)
    assert found[-1] > 0.9


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("runs", [3, 5, 10])
def test_the_rate_holds_for_sixteen_rows_and_laws_that_are_not_normal(law: str, runs: int) -> None:
    trials = 1000
    wrong = share(lambda draw: sides(draw, runs, rows=16, law=law), trials, differs, 0.0)
    assert wrong <= at_most(1 - CONFIDENCE, trials)


@pytest.mark.long
def test_the_rate_holds_for_sixteen_rows_by_turns() -> None:
    trials = 1000
    for drift in (0.0, 0.005, 0.02):
        wrong = share(lambda draw, d=drift: by_turns(draw, 10, rows=16, drift=d), trials, differs, 0.0)  # type: ignore[misc]
        assert wrong <= at_most(1 - CONFIDENCE, trials)
