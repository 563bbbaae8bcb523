# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tail estimates of runs whose law is known, and their refusals."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from rtstone.judge.fit import tails
from rtstone.model import Result, Run, Variant, Windows
from rtstone.show.judged.fit import tail_cells
from support.runs import make_result, make_run, make_session

COUNT = 20_000


def _result(seed: int, *, count: int = COUNT, raw: bool = True, scale: float = 5_000) -> Result:
    """Latencies (ns) of an exponential law: one in n is above 20000 + scale·ln n."""
    values = [int(20_000 + x) for x in np.random.default_rng(seed).exponential(scale, count)]
    made = make_result("interrupt-task-response", values=values, variant=Variant(period_ns=1_000_000))
    return replace(made, samples=np.asarray(values, dtype="<i8").tobytes() if raw else None)


def _run(*results: Result) -> Run:
    return make_run("r-1", sessions=tuple(make_session((r,), repetition=i) for i, r in enumerate(results)), degraded=())


def test_the_estimate_holds_the_truth_and_repetitions_are_one_series() -> None:
    made = tails([_run(_result(1), _result(2))])
    assert [tail.once_in for tail in made.tails] == [1e4, 1e5]
    for tail in made.tails:
        assert tail.samples == 2 * COUNT
        truth = 20_000 + 5_000 * np.log(tail.once_in)
        assert tail.low_ns is not None
        assert tail.high_ns is not None
        assert tail.low_ns < truth < tail.high_ns
        assert tail.model == "GPD"


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of twelve at 95 %, fewer than 9 come once in five hundred times."""
    held = 0
    for seed in range(12):
        (tail,) = tails([_run(_result(100 + seed, count=5_000))], once_in=[1e4]).tails
        truth = 20_000 + 5_000 * np.log(1e4)
        held += tail.low_ns is not None and tail.high_ns is not None and tail.low_ns <= truth <= tail.high_ns
    assert held >= 9


def test_what_is_too_rare_or_has_no_order_is_refused_with_its_reason() -> None:
    (tail,) = tails([_run(_result(1, count=5_000))], once_in=[1e9]).tails
    assert (tail.refused, tail.value_ns) == ("too rare", None)
    assert tail_cells(tail)[5] == "refused"
    bare = replace(_result(1, raw=False), windows=None)
    (tail,) = tails([_run(bare)], once_in=[1e4]).tails
    assert tail.refused == "hidden"


def _windowed(seed: int, width: int) -> Result:
    """Two hundred windows of 100 samples each, their maxima alone kept; or half as many of twice the width."""
    made = _result(seed, raw=False)
    values = np.random.default_rng(seed).exponential(5_000, COUNT)
    maxima = tuple(int(20_000 + x) for x in values.reshape(-1, width).max(axis=1))
    return replace(made, windows=Windows(width, maxima))


@pytest.mark.parametrize("other", [100, 200])
def test_window_maxima_stand_in_where_no_samples_were_kept(other: int) -> None:
    (tail,) = tails([_run(_windowed(1, 100), _windowed(2, other), _windowed(3, 100))], once_in=[1e4]).tails
    assert (tail.model, tail.refused) == ("GEV", "")
    assert tail.low_ns is not None
    assert tail.high_ns is not None
    assert tail.low_ns < 20_000 + 5_000 * np.log(1e4) < tail.high_ns


def test_windows_that_do_not_fit_each_other_are_refused() -> None:
    (tail,) = tails([_run(_windowed(1, 100), _windowed(2, 160))], once_in=[1e4]).tails
    assert tail.refused == "hidden"


def test_only_what_is_asked_for() -> None:
    run = _run(_result(1, count=1_000))
    assert tails([run], names=["something-else"]).tails == ()
    assert tails([run], names=["interrupt-task-response"]).tails
    with pytest.raises(ValueError, match="more than one"):
        tails([run], once_in=[0.5])
