# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a comparison says of runs whose difference is known, and of runs that have none."""

from __future__ import annotations

import msgspec
import pytest

from rtstone.compare import Comparison, Figure, Judgement, compare
from rtstone.errors import UsageError
from rtstone.model import Run
from support.repeated import BATCH, IDLE, LOADED, on_board, repeated


def _figure(of: Comparison, name: str, row: int = 0) -> Figure:
    return next(figure for figure in of.rows[row].figures if figure.name == name)


def _judged(of: Comparison, name: str, row: int = 0) -> Judgement:
    return _figure(of, name, row).against[0]


def test_a_longer_median_is_a_regression_and_the_ratio_is_the_true_one() -> None:
    made = compare([repeated("a"), repeated("b", typical=13_000, seed=2)])
    found = _judged(made, "median")
    assert found.verdict == "regressed"
    assert found.low is not None
    assert found.high is not None
    assert 1 < found.low < 1.3 < found.high
    assert made.count("regressed") >= 3


def test_the_same_the_other_way_round_is_an_improvement() -> None:
    made = compare([repeated("a", typical=13_000), repeated("b", seed=2)])
    assert _judged(made, "median").verdict == "improved"
    assert made.count("regressed") == 0


def test_only_the_tail_changed() -> None:
    made = compare([repeated("a", between=0.005), repeated("b", between=0.005, tail=2, seed=2)])
    assert _judged(made, "median").verdict == "no difference shown"
    assert _judged(made, "p99").verdict == "regressed"


def test_no_difference_tells_what_would_have_shown_and_that_does_show() -> None:
    found = _judged(compare([repeated("a", count=200), repeated("b", count=200, seed=2)]), "median")
    assert found.verdict == "no difference shown"
    assert found.smallest is not None
    assert 0 < found.smallest < 0.5
    shown = 0
    for seed in range(20):
        other = repeated("b", typical=10_000 * (1 + found.smallest), count=200, seed=100 + seed)
        shown += _judged(compare([repeated("a", count=200, seed=200 + seed), other]), "median").verdict == "regressed"
    assert shown >= 10, "said to show four times in five"


def test_like_against_like_has_a_wrong_verdict_no_more_often_than_stated() -> None:
    """In 150 comparisons of five rows each at 95 %: 7.5 are to be expected at most; 16 would come once in a thousand times."""
    variants = (IDLE, LOADED, BATCH)
    wrong = 0
    for seed in range(150):
        runs = [
            repeated(name, seed=seed * 1_000 + offset, count=60, between=0.05, variants=variants)
            for name, offset in (("a", 1), ("b", 501))
        ]
        made = compare(runs, least_change=0)
        wrong += made.count("improved") + made.count("regressed") > 0
    assert wrong < 16


def test_a_board_that_does_not_vary_shows_what_is_more_than_its_clock_can_hide() -> None:
    first = on_board(repeated("a", between=0), "k-1")
    same = compare([first, on_board(repeated("b", between=0, seed=2), "k-2")])
    assert {j.verdict for row in same.rows for f in row.figures for j in f.against} == {"no difference shown"}
    longer = compare([first, on_board(repeated("b", between=0, typical=10_500), "k-2")])
    assert _judged(longer, "median").verdict == "regressed"
    assert longer.least_change == 0


def test_a_change_that_counts_as_none() -> None:
    runs = [repeated("a", between=0.0001), repeated("b", between=0.0001, typical=10_300, seed=2)]
    assert _judged(compare(runs), "median").verdict == "regressed"
    assert _judged(compare(runs, least_change=0.05), "median").verdict == "no difference shown"


def test_one_repetition_bears_no_verdict_but_has_a_ratio_and_says_what_its_interval_is() -> None:
    runs = [
        repeated("a", repetitions=1, variants=(IDLE, BATCH)),
        repeated("b", repetitions=1, variants=(IDLE, BATCH), typical=20_000),
    ]
    made = compare(runs)
    for row, name in ((0, "median"), (1, "mean")):
        found = _judged(made, name, row)
        assert (found.verdict, found.basis) == ("insufficient data", "one session")
        assert found.low is not None
        assert found.high is not None
        assert found.change is not None
        assert found.low < found.change < found.high
        assert found.change == pytest.approx(2, rel=0.15)
        assert "these two sessions alone" in found.reason
    assert made.figures_judged == 0


def test_a_figure_needs_a_sample_beyond_it() -> None:
    found = _judged(compare([repeated("a", count=999), repeated("b", count=999, seed=2)]), "p99.9")
    assert found.verdict == "insufficient data"
    assert "needs 1000 samples" in found.reason
    assert _judged(compare([repeated("a"), repeated("b", seed=2)]), "p99.9").verdict != "insufficient data"


def test_a_run_that_is_not_complete_is_shown_and_never_judged() -> None:
    broken = repeated("b", typical=20_000, status="incomplete")
    found = _judged(compare([repeated("a"), broken]), "median")
    assert found.verdict == "insufficient data"
    assert found.reason == "run b is incomplete"
    assert found.change is not None


def test_repetitions_that_may_not_be_believed_are_left_out_and_told() -> None:
    run = repeated("b", seed=2)
    cut = msgspec.structs.replace(run.sessions[1], complete=False)
    bad = msgspec.structs.replace(run.sessions[2].results[0], status="invalid", text="switches do not agree")
    sessions = (run.sessions[0], cut, msgspec.structs.replace(run.sessions[2], results=(bad,)), *run.sessions[3:])
    made = compare([repeated("a"), msgspec.structs.replace(run, sessions=sessions)])
    assert _figure(made, "median").values[1].repetitions == 3
    assert any("2 of 5 repetitions left out: the session is incomplete" in remark for remark in made.rows[0].remarks)


def test_maximum_is_the_largest_of_all_and_its_ratio_of_the_repetitions() -> None:
    runs = [repeated("a"), repeated("b", seed=2)]
    figure = _figure(compare(runs), "max")
    largest = [max(r.max or 0 for r in run.results()) for run in runs]
    assert [value.value_ns for value in figure.values] == largest
    assert figure.against[0].change != pytest.approx(largest[1] / largest[0], rel=1e-6)


def test_values_below_zero_have_a_difference_in_place_of_a_ratio() -> None:
    def early(run: Run, by: int) -> Run:
        from support.runs import make_result, make_session

        sessions = tuple(
            make_session((make_result(values=[-by + 7 * i + k for i in range(100)]),), repetition=k) for k in range(5)
        )
        return msgspec.structs.replace(run, sessions=sessions)

    made = compare([early(repeated("a"), 2_000), early(repeated("b"), 1_000)])
    found = _judged(made, "median")
    assert (found.relative, found.verdict) == (False, "regressed")
    assert found.change == pytest.approx(1_000, rel=0.01)


def test_three_sides_are_each_held_against_the_first() -> None:
    made = compare([repeated("a"), repeated("b", seed=2), repeated("c", typical=15_000, seed=3)])
    verdicts = {j.side: j.verdict for j in _figure(made, "median").against}
    assert verdicts == {1: "no difference shown", 2: "regressed"}


def test_confidence_is_shared_among_all_figures() -> None:
    few = compare([repeated("a"), repeated("b", seed=2)], statistics=("median",))
    many = compare([repeated("a", variants=(IDLE, LOADED)), repeated("b", seed=2, variants=(IDLE, LOADED))])
    assert (few.figures_judged, many.figures_judged) == (1, 8)
    narrow, wide = (_judged(made, "median") for made in (few, many))
    assert narrow.high is not None
    assert narrow.low is not None
    assert wide.high is not None
    assert wide.low is not None
    assert wide.high / wide.low > narrow.high / narrow.low


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"confidence": 1.0}, "confidence lies between 0 and 1"),
        ({"least_change": -0.1}, "not negative"),
        ({"statistics": ("p100",)}, "'p100' is no statistic"),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        compare([repeated("a"), repeated("b")], **arguments)  # type: ignore[arg-type]


def test_one_run_is_no_comparison() -> None:
    with pytest.raises(UsageError, match="at least two"):
        compare([repeated("a")])
