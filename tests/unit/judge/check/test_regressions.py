# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a check file that compare with a baseline: regressions, and cases with too few runs."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from scipy.stats import t, ttest_ind

from rtstone.judge.check import judge
from rtstone.model import Run
from rtstone.show.judged.check import interval
from support.judged import BASELINE, checks, exactly, outcomes, run, several
from support.runs import CLOCK, make_result, make_run, make_session


def test_a_regression_is_found_and_none_is_not() -> None:
    before = several([10_000, 10_040, 9_970, 10_010, 9_990])
    file = checks(more=BASELINE + 'statistics = ["median", "p99"]\n')
    same = judge(file, [run(10_020, 10_000, 9_980, seed=99)], {0: before, 1: before})
    assert outcomes(same) == ["pass", "pass"]
    assert "would be shown" in same.rows[0].reason
    slow = [run(11_020, 11_000, 10_980, name=f"s{i}", seed=90 + i) for i in range(3)]
    worse = judge(file, slow, {0: before, 1: before})
    assert outcomes(worse) == ["regressed", "regressed"]
    stray = judge(file, slow[:1], {0: before, 1: before})
    assert outcomes(stray) == ["inconclusive", "inconclusive"]
    assert "a stray run looks the same" in stray.rows[0].reason
    told = checks(more=BASELINE + "judged = 1\n")
    assert outcomes(judge(told, slow[:1], {0: before})) == ["regressed"]
    assert worse.rows[0].observed == pytest.approx(0.1, abs=0.01)
    better = judge(file, [run(9_020, 9_000, 8_980, seed=99)], {0: before, 1: before})
    assert outcomes(better) == ["pass", "pass"]


def test_data_that_could_show_nothing_have_no_number() -> None:
    before = several([10, 100_000, 300, 20_000, 5])
    now = several([40, 9_000, 700], seed=40)
    said = "nothing could be shown, not even a change of ×10"
    passed, undecided = (
        judge(checks(more=BASELINE + more), now, {0: before}).rows[0] for more in ("", 'detect = "10%"\n')
    )
    assert (passed.outcome, passed.reason) == ("pass", f"no regression shown; {said}")
    assert interval(passed).endswith(" … ?")
    assert (undecided.outcome, undecided.reason) == ("inconclusive", f"{said}: more runs")


def test_what_a_baseline_needs() -> None:
    now, five = [run(10_000, 10_000, 10_000, seed=9)], several([10_000, 10_010, 9_990, 10_000, 10_005])
    assert "3 are needed" in judge(checks(more=BASELINE), now, {0: five[:2]}).rows[0].reason
    assert "names no run" in judge(checks(more=BASELINE), now, {0: ()}).rows[0].reason
    assert "names no run" in judge(checks(more=BASELINE), now, {0: tuple(now)}).rows[0].reason
    ignored = checks(more=BASELINE + 'between-runs = "ignored"\n')
    assert outcomes(judge(ignored, now, {0: five[:1]})) == ["pass"]
    fine = checks(more=BASELINE + 'detect = "0.01%"\n')
    assert "could only have shown" in judge(fine, now, {0: five}).rows[0].reason
    cut = msgspec.structs.replace(five[0], status="incomplete")
    assert "incomplete" in judge(checks(more=BASELINE), now, {0: (cut, *five[1:])}).rows[0].reason


def test_a_baseline_reports_how_many_of_its_runs_are_judged() -> None:
    six = several([10_000, 10_010, 9_990, 10_000, 10_005, 10_002])
    left_out = "the baseline leaves out {}, because this check judges {}"
    for judged, whom in ((six[5:], ("1 run", "it")), (six[4:], ("2 runs", "them"))):
        said = left_out.format(*whom)
        (row,) = judge(checks(more=BASELINE), judged, {0: (*six[:2], *judged)}).rows
        assert row.outcome == "inconclusive"
        assert row.reason.startswith("insufficient data: the baseline has 2 runs with this figure; 3 are needed")
        assert row.reason.endswith(f"; {said}")
        more = {0: ("the baseline leaves out 4 runs of other machines",)}
        (row,) = judge(checks(more=BASELINE), judged, {0: (*six[:3], *judged)}, more).rows
        assert (row.outcome, row.notes) == ("pass", (f"3 against {whom[0]}", said, *more[0]))
        (row,) = judge(checks(more=BASELINE), judged, {0: judged}, more).rows
        assert row.reason == f"the baseline names no run but those that are judged; {more[0][0]}"
        cut = msgspec.structs.replace(six[0], status="incomplete")
        (row,) = judge(checks(more=BASELINE), judged, {0: (cut, *six[1:3])}, more).rows
        assert (row.outcome, row.notes) == ("inconclusive", more[0])


def test_what_is_allowed_is_no_regression() -> None:
    before = several([10_000, 10_040, 9_970, 10_010, 9_990])
    file = checks(more=BASELINE + 'allow = "15%"\n')
    assert outcomes(judge(file, [run(11_000, 11_010, 10_990, seed=3)], {0: before})) == ["pass"]


def test_unlike_machines_are_not_compared() -> None:
    before = several([10_000, 10_040, 9_970])
    other = run(10_000, 10_000, 10_000)
    sessions = tuple(msgspec.structs.replace(s, env=s.env | {"cpu.model": "another"}) for s in other.sessions)
    other = msgspec.structs.replace(other, sessions=sessions)
    report = judge(checks(more=BASELINE), [other], {0: before})
    assert "not comparable: CPU: Example CPU at 2.5 GHz | another (cpu.model)" in report.rows[0].reason
    allowed = checks(more=BASELINE + 'unlike = ["cpu.model"]\n')
    assert outcomes(judge(allowed, [other], {0: before})) == ["pass"]


def test_on_a_deterministic_board_seeds_are_the_population() -> None:
    def board(level: int, name: str) -> Run:
        sessions = tuple(make_session((make_result("irq", values=[level] * 50),), repetition=i) for i in range(3))
        return make_run(name, sessions=sessions, target="board:x/k", time="instruction-time")

    file = checks(more=BASELINE, head='time = "instruction-time"')
    same = judge(file, [board(10_000, "n")], {0: (board(10_000, "a"), board(10_000, "b"))})
    assert outcomes(same) == ["pass"]
    assert same.rows[0].notes == ("3 against 3 seeds",)
    assert outcomes(judge(file, [board(10_300, "n")], {0: (board(10_000, "a"),)})) == ["regressed"]


def test_a_change_of_runs_is_tested_by_welch() -> None:
    before, now = [10_000, 10_040, 9_970, 10_010, 9_990], [10_300, 10_450, 10_350]
    clock = msgspec.structs.replace(CLOCK, resolution_ticks=10)
    sides = [[exactly([v] * 20, name=f"{v}", clock=clock) for v in values] for values in (before, now)]
    file = checks("median < 1ms", "loss = 0", more=BASELINE + 'allow = "1%"\n', head="confidence = 0.9")
    row = judge(file, sides[1], {0: tuple(sides[0])}).rows[2]
    found = ttest_ind(np.log(now), np.log(before), equal_var=False)
    ends = found.confidence_interval(0.8)
    step = math.log1p(10 / np.mean(before))
    error = (ends.high - ends.low) / 2 / t.ppf(0.9, found.df)
    ratio = np.exp(np.mean(np.log(now)) - np.mean(np.log(before)))
    hidden = step + math.log(1.01)
    assert (row.observed, row.low, row.high) == pytest.approx(
        (ratio - 1, math.expm1(ends.low - step), math.expm1(ends.high + step)), rel=1e-6
    )
    assert row.p == pytest.approx(t.sf((math.log(ratio) - hidden) / error, found.df))
    # Two rows have a p: each may use half of the 1 % of false alarms.
    reach = (t.ppf(1 - 0.005, found.df) + t.ppf(0.8, found.df)) * error
    assert row.detectable == pytest.approx(math.expm1(reach + hidden))
    assert (row.suspect, row.notes) == (False, ("5 against 3 runs",))


@pytest.mark.parametrize(
    ("now", "observed"),
    [
        ([[100], [10_000]], 0.0),  # geometric: a run of 1000 ns
        ([[0], [2_000]], 0.0),  # no logarithm of 0: arithmetic
        ([[0], [0]], None),
    ],
)
def test_the_figure_of_a_run_is_the_mean_of_its_repetitions(now: list[list[int]], observed: float | None) -> None:
    before = tuple(exactly([1_000] * 5, name=name) for name in "xyz")
    row = judge(checks(more=BASELINE), [exactly(*now)], {0: before}).rows[0]
    assert row.observed == (None if observed is None else pytest.approx(observed, abs=1e-9))
    assert row.notes == ("3 against 1 run",)
    assert row.outcome == ("inconclusive" if observed is None else "pass")


def test_who_lacks_the_figure() -> None:
    before = tuple(exactly([1_000] * 5, name=name) for name in "xyz")
    file = checks(more=BASELINE + 'statistics = ["sd"]\n')
    now, then = (judge(file, [exactly(one)], {0: before}).rows[0] for one in ([1_000], [1_000, 1_001]))
    assert "the runs that are checked" in now.reason
    assert now.notes == ("3 against 0 runs",)
    assert "above 0" in then.reason


@pytest.mark.parametrize(
    ("more", "before", "now", "outcome"),
    [
        ("", 3, 3, "regressed"),
        ("", 3, 2, "inconclusive"),
        ("", 2, 3, "inconclusive"),
        ("judged = 2\n", 3, 2, "regressed"),
        ("judged = 2\n", 3, 1, "inconclusive"),
        ('between-runs = "ignored"\n', 1, 1, "regressed"),
        ('allow = "29.9%"\n', 3, 3, "regressed"),
        ('allow = "30%"\n', 3, 3, "pass"),
    ],
)
def test_how_many_runs_a_regression_takes(more: str, before: int, now: int, outcome: str) -> None:
    sides = [[exactly(*[[v] * 5] * 3, name=f"{v}{n}") for n in range(k)] for v, k in ((10_000, before), (13_000, now))]
    assert outcomes(judge(checks(more=BASELINE + more), sides[1], {0: tuple(sides[0])})) == [outcome]


@pytest.mark.parametrize(("before", "now", "passes"), [(3, 3, True), (2, 3, False), (3, 2, False)])
def test_three_repetitions_or_seeds_make_a_population(before: int, now: int, passes: bool) -> None:
    ignored = checks(more=BASELINE + 'between-runs = "ignored"\n')
    of_board = checks(more=BASELINE, head='time = "instruction-time"')
    for file, unit, board in ((ignored, "repetitions", False), (of_board, "seeds", True)):
        sides = [exactly(*[[1_000] * 5] * count, name=name, board=board) for name, count in (("r", before), ("s", now))]
        (row,) = judge(file, [sides[1]], {0: (sides[0],)}).rows
        assert (row.outcome == "pass", row.suspect) == (passes, False)
        assert row.notes == (f"{before} against {now} {unit}",)


@pytest.mark.parametrize(("detect", "outcome"), [("2.02%", "pass"), ("2.01%", "inconclusive"), ("0%", "inconclusive")])
def test_a_row_that_could_not_show_what_it_must_does_not_pass(detect: str, outcome: str) -> None:
    runs = [exactly([10_000] * 5, name=name) for name in "xyzn"]
    file = checks(more=BASELINE + f'allow = "2%"\ndetect = "{detect}"\n')  # it shows 2 % and a step of 1 in 10,000
    assert outcomes(judge(file, runs[3:], {0: tuple(runs[:3])})) == [outcome]


def test_another_run_of_the_same_seeds_is_no_new_sample() -> None:
    levels = [[100] * 20, [110] * 20, [120] * 20, [130] * 20, [105] * 20, [115] * 20]
    whole = exactly(*levels, name="w", board=True)
    parts = [exactly(*levels[n : n + 2], name=f"p{n}", first=n, board=True) for n in (0, 2, 4)]
    file = checks("mean < 125ns", "median < 125ns", head='time = "instruction-time"')
    alone = judge(file, [whole], {}).rows
    assert judge(file, [whole, msgspec.structs.replace(whole, id="again")], {}).rows == alone
    assert judge(file, parts, {}).rows == alone
    assert alone[0].repetitions == 6


def test_runs_that_are_not_one_population_show_nothing_together() -> None:
    runs = []
    for machine in "ab":
        one = exactly([100] * 50, [100] * 50, [100] * 50, name=machine)
        sessions = tuple(msgspec.structs.replace(s, env=s.env | {"machine.id": machine * 9}) for s in one.sessions)
        runs.append(msgspec.structs.replace(one, sessions=sessions))
    for more, outcome in (("", "inconclusive"), ('unlike = ["machine"]\n', "pass")):
        text = f'[[bound]]\nmeasurement = "irq"\nrequire = ["max < 1us"]\n{more}'
        (row,) = judge(checks(more=text), runs, {}).rows
        assert row.outcome == outcome
        assert ("machine" in row.reason) == (not more)
