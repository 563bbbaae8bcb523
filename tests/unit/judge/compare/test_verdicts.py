# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The verdicts of comparisons of runs whose difference is known, and of runs without a difference."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from scipy.stats import binom, t

from rtstone.errors import UsageError
from rtstone.judge.compare import Comparison, Figure, Judgement, Side, Value, compare
from rtstone.model import Degraded, Run, Variant
from rtstone.show.judged import words
from rtstone.stats import combined
from support.repeated import BATCH, IDLE, LOADED, by_turns, on_board, repeated, side
from support.runs import CLOCK, make_result, make_run, make_session


def _figure(of: Comparison, name: str, row: int = 0) -> Figure:
    return next(figure for figure in of.rows[row].figures if figure.name == name)


def _judged(of: Comparison, name: str, row: int = 0) -> Judgement:
    return _figure(of, name, row).against[0]


def _run(name: str, *repetitions: list[int], variant: Variant = IDLE) -> Run:
    """A run of these samples (ns), or totals of sets, on a clock that is calibrated once."""
    sessions = (
        make_session((make_result(variant=variant, values=values),), repetition=i, clocks=(CLOCK,))
        for i, values in enumerate(repetitions)
    )
    return make_run(name, sessions=tuple(sessions), degraded=())


def _on(run: Run, resolution_ticks: int | None) -> Run:
    clock = msgspec.structs.replace(CLOCK, resolution_ticks=resolution_ticks)
    return msgspec.structs.replace(
        run, sessions=tuple(msgspec.structs.replace(session, clocks=(clock,)) for session in run.sessions)
    )


def test_a_longer_median_is_a_regression_and_the_ratio_is_the_true_one() -> None:
    made = compare([side("a"), side("b", typical=13_000, seed=2)])
    found = _judged(made, "median")
    assert (found.verdict, found.basis, found.units) == ("regressed", "runs", (5, 5))
    assert found.low is not None
    assert found.high is not None
    assert 1 < found.low < 1.3 < found.high
    assert found.p is not None
    assert found.p < 0.01
    assert found.relative
    assert made.count("regressed") >= 3
    assert sum(count for _, count in made.counts) == len(made.rows[0].figures) == made.figures_judged


def test_the_same_the_other_way_round_is_an_improvement() -> None:
    made = compare([side("a", typical=13_000), side("b", seed=2)])
    assert _judged(made, "median").verdict == "improved"
    assert made.count("regressed") == 0


def test_data_that_could_show_nothing_have_no_number() -> None:
    made = compare([side("a", between_runs=2), side("b", between_runs=2, seed=2)])
    median = _judged(made, "median")
    assert median.smallest is not None
    assert median.smallest > 9
    assert words.verdict(median, "µs", 1e3) == "no difference shown (not even ×10 would be shown)"
    (said, *_) = words.rest(made)
    assert said.endswith("In half of median, p99, p99.9, max, not even ×10 would have shown.")


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
    coarse = [_on(run, 2_000) for run in (first, on_board(repeated("b", between=0, typical=10_500), "k-2"))]
    assert _judged(compare(coarse), "median").verdict == "no difference shown"


@pytest.mark.parametrize("name", ["median", "max"])
def test_a_clock_of_unknown_resolution_has_a_quantum_of_one_tick(name: str) -> None:
    judged = [
        _judged(compare([_on(run, resolution) for run in (repeated("a"), repeated("b", seed=2))]), name)
        for resolution in (1, 0, None)
    ]
    assert judged[0] == judged[1] == judged[2]


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


_SPREAD = [round(100_000 * x) for x in np.random.default_rng(3).lognormal(0, 0.1, 60)]


@pytest.mark.parametrize("sets", [2, 20, 49])
def test_the_interval_of_one_session_of_sets_is_students(sets: int) -> None:
    """Each side has half of the error: 97.5 % for 95 %."""
    totals = [_SPREAD[:sets], [round(1.5 * x) + 300 for x in _SPREAD[:sets]]]
    if sets == 2:
        totals = [[100_000, 100_500], [150_000, 150_300]]
    found = _judged(compare([_run("a", totals[0], variant=BATCH), _run("b", totals[1], variant=BATCH)]), "mean")
    middles = [np.mean(side) for side in totals]
    reaches = [t.ppf(0.9875, sets - 1) * np.std(side, ddof=1) / np.sqrt(sets) for side in totals]
    assert found.change == pytest.approx(middles[1] / middles[0])
    assert found.low == pytest.approx((middles[1] - reaches[1]) / (middles[0] + reaches[0]))
    assert found.high == pytest.approx((middles[1] + reaches[1]) / (middles[0] - reaches[0]))


def test_the_interval_of_one_session_of_many_sets_is_drawn_and_about_as_long() -> None:
    found = _judged(compare([_run(name, _SPREAD, variant=BATCH) for name in "ab"]), "mean")
    reach = t.ppf(0.9875, 59) * np.std(_SPREAD, ddof=1) / np.sqrt(60) / np.mean(_SPREAD)
    assert found.low is not None
    assert found.high is not None
    assert (found.low, found.high) == pytest.approx((1 - 2 * reach, 1 + 2 * reach), abs=reach)


def test_the_interval_of_one_sessions_median_is_of_order_statistics() -> None:
    low, high = binom.ppf(0.0125, 200, 0.5), binom.ppf(0.9875, 200, 0.5) + 1
    found = _judged(compare([_run("a", list(range(1, 201))), _run("b", list(range(51, 251)))]), "median")
    assert (found.low, found.high) == pytest.approx(((50 + low) / high, (50 + high) / low))


@pytest.mark.parametrize(
    ("first", "second", "name", "change", "relative"),
    [
        ([[50_000, 150_000]], [[100_000, 100_100]], "mean", 1.0005, True),
        ([[100_000]], [[150_000]], "mean", 1.5, True),
        ([[1_000] * 200], [[2_000] * 200], "p99", 2, True),
        ([[1_000] * 200], [[2_000] * 200], "max", 2, True),
        ([[-2_000] * 200], [[-1_000] * 200], "max", 1_000, False),
        ([[-2_000] * 200], [[1_000] * 200], "median", 3_000, False),
        ([[1_000] * 200] * 2, [[2_000] * 200], "median", 2, True),
        ([[1_000] * 200], [[2_000] * 200] * 2, "median", 2, True),
    ],
)
def test_a_change_without_an_interval(
    first: list[list[int]], second: list[list[int]], name: str, change: float, relative: bool
) -> None:
    """A mean that may be 0, one set, too few samples beyond it, figures below 0, more than one session on a side."""
    variant = BATCH if name == "mean" else IDLE
    sides = [_run("a", *first, variant=variant), _run("b", *second, variant=variant)]
    found = _judged(compare(sides, statistics=(name,)), name)
    assert (found.verdict, found.basis, found.low, found.high) == ("insufficient data", "none", None, None)
    assert found.relative == relative
    assert found.change == pytest.approx(change)


@pytest.mark.parametrize(("name", "needed"), [("p5", 20), ("p90", 10), ("p99", 100), ("p99.9", 1_000)])
def test_a_figure_needs_a_sample_beyond_it(name: str, needed: int) -> None:
    enough = repeated("a", count=needed), repeated("b", count=needed, seed=2)
    assert _judged(compare(enough, statistics=(name,)), name).verdict == "no difference within these runs"
    few = repeated("c", count=needed - 1, seed=3)
    made = compare([enough[0], enough[1], few], statistics=(name,))
    found = _figure(made, name)
    assert found.values[2] == Value(samples=5 * (needed - 1))
    why = f"a repetition needs {needed} samples for this figure, and has {needed - 1}"
    assert found.against[1] == Judgement(side=2, verdict="insufficient data", reasons=(why,))


def test_a_run_that_is_not_complete_is_shown_and_never_judged() -> None:
    broken = repeated("b", typical=20_000, status="incomplete")
    for sides in ([repeated("a"), broken, repeated("c", seed=2)], [broken, repeated("a")]):
        found = _judged(compare(sides), "median")
        assert found.verdict == "insufficient data"
        assert found.reason == "run b is incomplete"
        assert found.change is not None
    other = _figure(compare([repeated("a"), broken, repeated("c", seed=2)]), "median").against[1]
    assert other.verdict == "no difference within these runs"


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


def test_the_value_of_a_side_is_of_all_its_repetitions() -> None:
    first = [_run("a1", [1_000] * 100, [2_000] * 100), _run("a2", [4_000] * 100)]
    made = compare([first, _run("b", [1_000] * 100)], statistics=("median", "max"))
    expected = Value(value_ns=2_000, least_ns=1_000, largest_ns=4_000, runs=2, repetitions=3, samples=300)
    for name, of_all in (("median", 2_000.0), ("max", 4_000.0)):
        found = _figure(made, name).values[0]
        assert found.value_ns == pytest.approx(of_all)
        assert msgspec.structs.replace(found, value_ns=2_000) == expected


@pytest.mark.parametrize(("figures", "expected"), [((1, 2, 4), 2), ((0, 4), 2), ((-1, 3), 1)])
def test_a_mean_is_geometric_where_a_ratio_is_possible(figures: tuple[float, ...], expected: float) -> None:
    assert combined(figures) == pytest.approx(expected)


def test_a_side_is_told_by_its_first_run_and_by_the_ends_of_all() -> None:
    first, second = repeated("a1", repetitions=3, seed=7), repeated("a2", repetitions=2)
    cut = (msgspec.structs.replace(second.sessions[0], complete=False), second.sessions[1])
    lack = Degraded("sched", "SCHED_FIFO is not permitted")
    runs = [
        msgspec.structs.replace(
            first, started="2026-11-22T03", ended="2026-11-22T04", profile="full", target="ssh:x", seed=7
        ),
        msgspec.structs.replace(
            second, started="2026-11-22T01", ended="2026-11-22T02", sessions=cut, status="incomplete", degraded=(lack,)
        ),
    ]
    made = compare([runs, on_board(repeated("b"), "k-1")])
    assert msgspec.structs.replace(made.sides[0], label="") == Side(
        label="",
        run="a1",
        runs=("a1", "a2"),
        target="ssh:x",
        kernel="Linux 6.1.0-18-amd64",
        started="2026-11-22T01",
        ended="2026-11-22T04",
        profile="full",
        status="incomplete, degraded",
        repetitions=4,
        seed=7,
        time="time",
        unit_of_time="",
    )
    board = made.sides[1]
    assert (board.run, board.status, board.time) == ("b", "complete", "instruction-time")
    assert board.unit_of_time.startswith("instruction-time at ")


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
    assert found.low is not None
    assert found.high is not None
    assert (found.low + found.high) / 2 == pytest.approx(found.change)


def test_three_sides_are_each_held_against_the_first() -> None:
    made = compare([side("a"), side("b", seed=2), side("c", typical=15_000, seed=3)])
    verdicts = {j.side: j.verdict for j in _figure(made, "median").against}
    assert verdicts == {1: "no difference shown", 2: "regressed"}


def test_a_row_that_one_side_of_three_lacks_is_judged_on_the_other() -> None:
    both = (IDLE, LOADED)
    made = compare([repeated("a", variants=both), repeated("b", seed=2), repeated("c", variants=both, seed=3)])
    assert [len(row.figures[0].against) for row in made.rows] == [2, 1]
    found = _figure(made, "median", 1)
    assert [one.side for one in found.against] == [2]
    assert found.values[1] == Value()
    assert [value.repetitions for value in found.values] == [5, 0, 5]
    assert [(one.variant, one.side) for one in made.missing] == [(LOADED, 1)]


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
        ({"confidence": 0.0}, "confidence lies between 0 and 1"),
        ({"least_change": -0.1}, "not negative"),
        ({"least_change": 10.0}, "least change"),
        ({"statistics": ("p100",)}, "'p100' is no statistic"),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        compare([repeated("a"), repeated("b")], **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("board", "engines", "asked", "expected"),
    [
        (False, 1, None, 0.01),
        (False, 1, 0.0, 0.0),
        (False, 1, 9.99, 9.99),
        (True, 1, None, 0.0),
        (True, 2, None, 0.01),
        (True, 1, 0.05, 0.05),
    ],
)
def test_the_least_change(board: bool, engines: int, asked: float | None, expected: float) -> None:
    """Nothing varies on a board, unless another build of the engine was linked in another way."""
    runs = [repeated(name, repetitions=3) for name in "ab"]
    if board:
        runs = [on_board(run, f"k-{run.id}") for run in runs]
    if engines > 1:
        other = tuple(msgspec.structs.replace(session, engine="0.2.0") for session in runs[1].sessions)
        runs[1] = msgspec.structs.replace(runs[1], sessions=other)
    assert compare(runs, least_change=asked).least_change == expected


def test_a_statistic_that_is_named_twice_is_judged_once() -> None:
    made = compare([repeated("a"), repeated("b", seed=2)], statistics=("p50", "max", "median"))
    assert [figure.name for figure in made.rows[0].figures] == ["median", "max"]
    assert made.figures_judged == 2


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


def _groups(name: str, levels: list[float], repetitions: int, groups: str = "xyz") -> list[Run]:
    """Runs at these levels, each alternated with one of the other side, of the group at its place."""
    return [
        msgspec.structs.replace(
            repeated(f"{name}{i}", repetitions=repetitions, typical=level, between=0.003, seed=i + 1),
            group=group,
            alternated=True,
        )
        for i, (group, level) in enumerate(zip(groups, levels, strict=False))
    ]


def test_pairs_of_runs_at_unlike_levels_are_held_pair_by_pair() -> None:
    """The second side is given in another order: the runs themselves name their pairs."""
    first = _groups("a", [10_000, 20_000, 40_000], 2)
    second = _groups("b", [11_000, 22_000, 44_000], 2)[::-1]
    found = _judged(compare([first, second], statistics=("median",)), "median")
    assert (found.basis, found.units, found.verdict) == ("rounds", (3, 3), "regressed")
    assert found.change == pytest.approx(1.1, abs=0.01)


@pytest.mark.parametrize(
    ("groups", "repetitions", "basis", "units"),
    [("xyz", 1, "rounds", 3), ("xy", 2, "rounds", 4), ("xy", 1, "none", 0), ("xxx", 1, "runs", 3)],
)
def test_the_population_of_runs_that_took_turns(groups: str, repetitions: int, basis: str, units: int) -> None:
    sides = [_groups(name, [10_000, 10_000, 10_000], repetitions, groups) for name in "ab"]
    found = _judged(compare(sides, statistics=("median",)), "median")
    assert (found.basis, found.units) == (basis, (units, units))


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
    unpaired = _judged(compare([first, other]), "median")
    assert (unpaired.verdict, unpaired.basis, unpaired.units) == ("no difference shown", "seeds", (3, 3))
    again = msgspec.structs.replace(first, id="c")
    assert _judged(compare([[first, again], second]), "median").units == (3, 3)


def test_one_side_after_the_other_is_said_and_turns_are_not() -> None:
    def at(runs: tuple[Run, ...], hours: tuple[int, ...]) -> list[Run]:
        return [
            msgspec.structs.replace(r, started=f"2026-11-22T{h:02}:00:00Z", ended=f"2026-11-22T{h:02}:30:00Z")
            for r, h in zip(runs, hours, strict=True)
        ]

    sides = side("a", 3), side("b", 3, seed=2)
    said = "the drift counts as a difference"
    after = compare([at(sides[0], (1, 2, 3)), at(sides[1], (4, 5, 6))])
    turns = compare([at(sides[0], (1, 3, 5)), at(sides[1], (2, 4, 6))])
    assert any(said in text for text in words.method(after))
    assert not any(said in text for text in words.method(turns))


def test_a_run_on_both_sides_is_refused() -> None:
    runs = side("a", 3)
    with pytest.raises(UsageError, match="run a1 is on two sides"):
        compare([runs, [runs[1], repeated("b")]])


def test_one_run_is_no_comparison() -> None:
    for others in ([], [()]):
        with pytest.raises(UsageError, match="at least two"):
            compare([repeated("a"), *others])
