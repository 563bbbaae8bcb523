# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The verdicts of comparisons of runs whose difference is known, and of runs without a difference."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rtstone.errors import UsageError
from rtstone.judge.compare import Comparison, Figure, Judgement, compare
from rtstone.model import Run
from rtstone.show.judged import words
from support.repeated import BATCH, IDLE, LOADED, by_turns, on_board, repeated, side


def _figure(of: Comparison, name: str, row: int = 0) -> Figure:
    return next(figure for figure in of.rows[row].figures if figure.name == name)


def _judged(of: Comparison, name: str, row: int = 0) -> Judgement:
    return _figure(of, name, row).against[0]


def test_a_longer_median_is_a_regression_and_the_ratio_is_the_true_one() -> None:
    made = compare([side("a"), side("b", typical=13_000, seed=2)])
    found = _judged(made, "median")
    assert (found.verdict, found.basis, found.units) == ("regressed", "runs", (5, 5))
    assert found.low is not None
    assert found.high is not None
    assert 1 < found.low < 1.3 < found.high
    assert made.count("regressed") >= 3


def test_the_same_the_other_way_round_is_an_improvement() -> None:
    made = compare([side("a", typical=13_000), side("b", seed=2)])
    assert _judged(made, "median").verdict == "improved"
    assert made.count("regressed") == 0


def test_data_that_could_show_nothing_have_no_number() -> None:
    made = compare([side("a", between_runs=2), side("b", between_runs=2, seed=2)])
    median = _judged(made, "median")
    assert median.smallest is not None
    assert median.smallest > 9
    assert words.verdict(median, "µs", 1e3) == "no difference shown (nothing could be shown: not even ×10)"
    (said, *_) = words.rest(made)
    assert said.endswith("In median, p99, p99.9, max, not even a change of ×10 would be found in half of them.")


def test_only_the_tail_changed() -> None:
    sides = [side("a", between_runs=0.005), side("b", between_runs=0.005, tail=2, seed=2)]
    made = compare(sides)
    assert _judged(made, "median").verdict == "no difference shown"
    assert _judged(made, "p99").verdict == "regressed"


def test_no_difference_tells_what_would_have_shown_and_that_does_show() -> None:
    """A difference of the reported smallest size is found four times in five, over many samples of such data."""
    shown = 0
    for seed in range(20):
        options: dict[str, Any] = {"variants": (BATCH,), "repetitions": 2}
        first = side("a", seed=100 + seed, **options)
        found = _judged(compare([first, side("b", seed=200 + seed, **options)], confidence=0.999), "mean")
        assert found.verdict == "no difference shown"
        assert found.smallest is not None
        other = side("b", typical=10_000 * (1 + found.smallest), seed=200 + seed, **options)
        shown += _judged(compare([first, other], confidence=0.999), "mean").verdict == "regressed"
    assert 12 <= shown <= 19


def test_a_board_that_does_not_vary_shows_what_is_more_than_its_clock_can_hide() -> None:
    first = on_board(repeated("a", between=0), "k-1")
    same = compare([first, on_board(repeated("b", between=0, seed=2), "k-2")])
    assert {j.verdict for row in same.rows for f in row.figures for j in f.against} == {"no difference shown"}
    longer = compare([first, on_board(repeated("b", between=0, typical=10_500), "k-2")])
    assert _judged(longer, "median").verdict == "regressed"
    assert longer.least_change == 0


def test_a_change_that_counts_as_none() -> None:
    quiet: dict[str, Any] = {"between": 0.0001, "between_runs": 0.0001}
    sides = [side("a", **quiet), side("b", typical=10_300, seed=2, **quiet)]
    assert _judged(compare(sides), "median").verdict == "regressed"
    assert _judged(compare(sides, least_change=0.05), "median").verdict == "no difference shown"


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
    assert [value.value_ns for value in figure.values] == pytest.approx(largest, rel=2e-5)
    assert figure.against[0].change != pytest.approx(largest[1] / largest[0], rel=1e-6)


def test_values_below_zero_have_a_difference_in_place_of_a_ratio() -> None:
    def early(run: Run, by: int) -> Run:
        from support.runs import make_result, make_session

        sessions = tuple(
            make_session((make_result(values=[-by + 7 * i + k for i in range(100)]),), repetition=k) for k in range(5)
        )
        return msgspec.structs.replace(run, sessions=sessions)

    made = compare([[early(repeated(f"{name}{i}"), by) for i in range(3)] for name, by in (("a", 2_000), ("b", 1_000))])
    found = _judged(made, "median")
    assert (found.relative, found.verdict) == (False, "regressed")
    assert found.change == pytest.approx(1_000, rel=0.01)


def test_three_sides_are_each_held_against_the_first() -> None:
    made = compare([side("a"), side("b", seed=2), side("c", typical=15_000, seed=3)])
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


def test_two_runs_show_what_these_runs_show_and_no_row_says_improved_or_regressed() -> None:
    for typical, says in ((13_000, "longer"), (7_000, "shorter"), (10_000, "no difference")):
        made = compare([repeated("a"), repeated("b", typical=typical, seed=2)])
        found = _judged(made, "median")
        assert (found.verdict, found.basis, found.units) == (f"{says} within these runs", "repetitions", (5, 5))
        assert not {j.verdict for row in made.rows for f in row.figures for j in f.against} & {"improved", "regressed"}
        assert any(text.startswith("Within these runs: ") for text in words.method(made))
    two = compare([side("a", 2), side("b", 2, typical=13_000, seed=2)])
    assert _judged(two, "median").verdict == "longer within these runs"
    uneven = compare([side("a", 5), side("b", 2, typical=13_000, seed=2)])
    assert _judged(uneven, "median").verdict == "longer within these runs"


def test_runs_are_the_unit_and_not_their_repetitions() -> None:
    """Two groups of runs that overlap, each so exact that its repetitions would show any difference."""
    levels = ((10_000, 10_400, 10_900), (10_300, 10_700, 11_200))
    sides = [
        [repeated(f"{name}{i}", typical=level, between=0.0005, seed=i + 1) for i, level in enumerate(own)]
        for name, own in zip("ab", levels, strict=True)
    ]
    found = _judged(compare(sides, statistics=("median",)), "median")
    assert (found.verdict, found.units) == ("no difference shown", (3, 3))
    assert found.change == pytest.approx(1.028, abs=0.005)


def test_rounds_by_turns_are_paired_and_what_drifts_is_in_neither() -> None:
    first, second = by_turns(ratio=1.03, drift=0.02, between=0.003)
    found = _judged(compare([first, second], statistics=("median",)), "median")
    assert (found.verdict, found.basis, found.units) == ("regressed", "rounds", (10, 10))
    assert found.change == pytest.approx(1.03, abs=0.005)
    alone = [msgspec.structs.replace(run, alternated=False) for run in (first, second)]
    unpaired = _judged(compare(alone, statistics=("median",)), "median")
    assert (unpaired.verdict, unpaired.basis) == ("no difference within these runs", "repetitions")


def test_rounds_of_one_side_that_is_missing_are_left_out_of_the_pairs() -> None:
    first, second = by_turns(ratio=1.03, drift=0.02, between=0.003)
    cut = msgspec.structs.replace(first, sessions=(*first.sessions[:4], *first.sessions[5:]))
    found = _judged(compare([cut, second], statistics=("median",)), "median")
    assert found.units == (9, 9)
    assert found.change == pytest.approx(1.03, abs=0.005)


def test_runs_of_unlike_groups_are_no_pair() -> None:
    first, _ = by_turns(group="group-1")
    _, second = by_turns(group="group-2")
    assert _judged(compare([first, second]), "median").basis == "repetitions"


def test_three_pairs_of_runs_are_paired_by_pair() -> None:
    pairs = [by_turns(4, ratio=1.1, group=f"group-{i}", seed=i + 1, between=0.003) for i in range(3)]
    found = _judged(compare([[a for a, _ in pairs], [b for _, b in pairs]], statistics=("median",)), "median")
    assert (found.basis, found.units, found.verdict) == ("rounds", (3, 3), "regressed")


def test_a_boards_seeds_are_paired_and_those_of_unlike_seeds_are_not() -> None:
    def board(name: str, kernel: str, levels: list[int], seed: int = 1) -> Run:
        single = [repeated(name, repetitions=1, between=0, typical=level, seed=seed) for level in levels]
        sessions = tuple(msgspec.structs.replace(run.sessions[0], repetition=i) for i, run in enumerate(single))
        return on_board(msgspec.structs.replace(single[0], sessions=sessions), kernel)

    first = board("a", "k-1", [10_000, 20_000, 15_000])
    second = board("b", "k-2", [10_300, 20_600, 15_450])
    found = _judged(compare([first, second]), "median")
    assert (found.basis, found.verdict) == ("seeds", "regressed")
    assert found.change == pytest.approx(1.03, abs=0.01)
    other = board("b", "k-2", [10_300, 20_600, 15_450], seed=2)
    assert _judged(compare([first, other]), "median").verdict == "no difference shown"
    again = msgspec.structs.replace(first, id="c")
    assert _judged(compare([[first, again], second]), "median").units == (3, 3)


def test_one_side_after_the_other_is_said_and_turns_are_not() -> None:
    def at(runs: tuple[Run, ...], hours: tuple[int, ...]) -> list[Run]:
        return [
            msgspec.structs.replace(r, started=f"2026-11-22T{h:02}:00:00Z", ended=f"2026-11-22T{h:02}:30:00Z")
            for r, h in zip(runs, hours, strict=True)
        ]

    sides = side("a", 3), side("b", 3, seed=2)
    said = "drift between"
    after = compare([at(sides[0], (1, 2, 3)), at(sides[1], (4, 5, 6))])
    turns = compare([at(sides[0], (1, 3, 5)), at(sides[1], (2, 4, 6))])
    assert any(said in text for text in words.method(after))
    assert not any(said in text for text in words.method(turns))


def test_a_run_on_both_sides_is_refused() -> None:
    runs = side("a", 3)
    with pytest.raises(UsageError, match="run a1 is on two sides"):
        compare([runs, [runs[1], repeated("b")]])


def test_one_run_is_no_comparison() -> None:
    with pytest.raises(UsageError, match="at least two"):
        compare([repeated("a")])
