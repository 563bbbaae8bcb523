# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of check files on runs made up from a seed: every row comes out, and none passes without enough data."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from scipy.stats import binomtest

from rtstone.errors import UsageError
from rtstone.judge.check import Known, judge, parse, require_steady
from rtstone.judge.check._bounds import Evidence
from rtstone.model import Check, Clock, Note, Result, Run, Variant
from support.judged import BASELINE, bound_of, checks, evidence, exactly, outcomes, run, with_result
from support.runs import CLOCK, make_result, make_run, make_session


def test_bounds_that_are_kept_and_bounds_that_are_passed() -> None:
    kept = (
        "p99 < 15us",
        "median < 11us",
        "mean < 11us",
        "max < 20us",
        "min > 5us",
        "exceedance(14us) < 1e-2",
        "loss = 0",
    )
    assert set(outcomes(judge(checks(*kept), [run(10_000, 10_050, 9_980)], {}))) == {"pass"}
    passed = ("p99 < 10.5us", "median < 9us", "mean <= 9us", "max < 10us", "exceedance(11us) < 1e-3")
    report = judge(checks(*passed), [run(10_000, 10_050, 9_980)], {})
    assert set(outcomes(report)) == {"exceeded"}
    assert report.summary == "f.toml: 5 rows: 5 exceeded"
    below = ("p50 > 12us", "min > 9.9us", "mean >= 11us")
    assert set(outcomes(judge(checks(*below), [run(10_000, 10_050, 9_980)], {}))) == {"exceeded"}


def test_a_percentile_that_the_samples_cannot_bear_is_inconclusive() -> None:
    report = judge(checks("p99.99 < 1ms", "exceedance(1ms) < 1e-6"), [run(10_000, 10_000, 10_000)], {})
    assert outcomes(report) == ["inconclusive"] * 2
    assert "needed 29956, there are 6000" in report.rows[0].reason
    assert "needed 2995731, there are 6000" in report.rows[1].reason
    assert report.rows[0].high is None


def test_a_bound_within_the_noise_is_neither_kept_nor_passed() -> None:
    report = judge(checks("median < 10us", "mean < 10us"), [run(9_900, 10_200, 9_950, 10_000)], {})
    assert outcomes(report) == ["inconclusive"] * 2
    assert "measure longer" in report.rows[0].reason


@pytest.mark.parametrize(
    ("require", "values", "reason"),
    [
        # Of seven samples all are beyond: p is 1/128, and twice that for two rows.
        (
            "median < 100ns",
            [200] * 7,
            "exceeded, but not for certain (p = 0.0156, corrected for all rows; a failure needs 0.01): measure longer, or repeat",
        ),
        (
            "median > 500ns",
            [200] * 7,
            "exceeded, but not for certain (p = 0.0156, corrected for all rows; a failure needs 0.01): measure longer, or repeat",
        ),
        (
            "p90 < 100ns",
            [50] * 6 + [200],
            "exceeded, but not for certain (p = 1, corrected for all rows; a failure needs 0.01): too few samples: needed 29, there are 7",
        ),
        # Of seven samples one is beyond: 8/128.
        (
            "median < 300ns",
            [200] * 6 + [400],
            "met, but not for certain (p = 0.0625; a pass needs 0.05): measure longer, or repeat",
        ),
    ],
)
def test_an_inconclusive_row_has_the_p_of_its_figures_side(require: str, values: list[int], reason: str) -> None:
    rows = judge(checks(require, "mean < 1ms"), [exactly(values)], {}).rows
    assert (rows[0].outcome, rows[0].reason) == ("inconclusive", reason)


def test_a_row_that_may_not_pass_has_the_p_for_which_it_is_no_failure() -> None:
    cut = msgspec.structs.replace(exactly([200] * 6), status="incomplete")
    (row,) = judge(checks("median < 100ns"), [cut], {}).rows
    said = "exceeded, but not for certain (p = 0.0156, corrected for all rows; a failure needs 0.01)"
    assert (row.outcome, row.reason) == ("inconclusive", f"{said}: run {cut.id} is incomplete")
    assert (row.p, row.p_adjusted, row.p_held) == pytest.approx((1 / 64, 1 / 64, 1))
    (row,) = judge(checks("median < 300ns"), [cut], {}).rows
    assert row.reason == f"run {cut.id} is incomplete"
    assert (row.p, row.p_held) == pytest.approx((1, 1 / 64))


def test_repetitions_that_differ_forbid_what_their_samples_would_show() -> None:
    # Together 60 % of 10,000 samples are above the bound; but two of five repetitions have none.
    report = judge(checks("median < 10us"), [run(10_900, 9_000, 10_900, 9_000, 10_900)], {})
    assert outcomes(report) == ["inconclusive"]
    one = judge(checks("median < 10us"), [run(10_900)], {})
    assert outcomes(one) == ["exceeded"]
    assert "fewer than 3 repetitions" in one.rows[0].notes[0]


def test_runs_are_the_population_where_there_are_three() -> None:
    runs = [run(level, level, level, level, name=f"{level}") for level in (10_900, 10_400, 9_000)]
    assert outcomes(judge(checks("median < 10us"), runs, {})) == ["inconclusive"]


def test_what_is_not_whole_never_passes() -> None:
    good = run(10_000, 10_000, 10_000)
    for broken in (
        msgspec.structs.replace(good, status="incomplete"),
        with_result(good, status="incomplete", reason="lost", text="records are missing"),
        with_result(good, status="invalid", reason="samples"),
        with_result(good, status="skipped", reason="unsupported", text="no timer", count=0),
    ):
        assert outcomes(judge(checks("max < 20us", "p50 < 20us"), [broken], {})) == ["inconclusive"] * 2
    # But what was seen was seen.
    cut = msgspec.structs.replace(good, status="incomplete")
    assert outcomes(judge(checks("max < 10us"), [cut], {})) == ["exceeded"]


def test_a_row_that_no_run_has_is_inconclusive_and_says_what_there_is() -> None:
    report = judge(
        checks(more='[[bound]]\nmeasurement = "irq"\nload = "cpu"\nrequire = ["max < 1ms"]\n'), [run(10_000)], {}
    )
    assert outcomes(report) == ["inconclusive"]
    assert "it has: idle" in report.rows[0].reason


def test_losses_are_counted() -> None:
    lossy = with_result(run(10_000, 10_000), checks=(Check("periods-lost", 2, 0, 5), Check("samples", 95, 100, 100)))
    report = judge(checks("loss = 0", "loss <= 7"), [lossy], {})
    assert outcomes(report) == ["exceeded", "pass"]
    assert report.rows[0].observed == 7


def test_overflow_below_does_not_make_a_bound_fail() -> None:
    values = [-(1 << 30)] * 100 + [10_000] * 1_900
    report = judge(
        checks("p99 < 11us", "exceedance(11us) < 1e-2"), [make_run(results=(make_result("irq", values=values),))], {}
    )
    assert outcomes(report) == ["pass", "pass"]


def test_sets_are_checked_by_their_averages() -> None:
    result = make_result("irq", variant=Variant(pass_="batch"), values=[200_000] * 60)
    file = checks(
        more='[[bound]]\nmeasurement = "irq"\npass = "batch"\nrequire = ["max <= 2us", "mean < 1.9us", "median < 2.1us"]\n'
    )
    sessions = tuple(make_session((result,), repetition=i, clocks=(CLOCK,)) for i in range(3))
    assert outcomes(judge(file, [make_run(sessions=sessions)], {})) == ["pass", "exceeded", "pass"]


@pytest.mark.parametrize(
    ("head", "time", "said"),
    [("", "instruction-time", "instruction-time"), ('time = "instruction-time"', "time", "of time")],
)
def test_bounds_of_one_kind_of_time_are_not_held_against_the_other(head: str, time: str, said: str) -> None:
    whole = msgspec.structs.replace(run(10_000), time=time)
    with pytest.raises(UsageError, match=rf"f.toml:[13]: .*{said}"):
        judge(checks("max < 1ms", head=head), [whole], {})


def test_a_bound_under_the_quantum_is_refused() -> None:
    slow = Clock(id=0, name="slow", hz=1_000_000, resolution_ticks=1)
    whole = make_run(sessions=(make_session((make_result("irq", values=[3] * 100),), clocks=(slow,)),))
    with pytest.raises(
        UsageError, match=r"f.toml:7: 'max < 500ns' is below the resolution of the clock: slow .* 1000 ns"
    ):
        judge(checks("max < 500ns"), [whole], {})


def test_no_sample_at_all() -> None:
    empty = Result(item=0, measurement="irq", quantity="irq", variant=Variant(), status="ok")
    assert outcomes(judge(checks("max < 1ms"), [make_run(results=(empty,))], {})) == ["inconclusive"]


@pytest.mark.parametrize(
    ("checked", "dropped", "lost"),
    [
        ((), 3, 3),
        ((Check("periods-lost", 2, 0, 5), Check("samples", 95, 100, 100)), 1, 8),
        ((Check("samples", 105, 100, 200), Check("switches", 1, 5, 9)), 0, 0),
    ],
)
def test_what_counts_as_lost(checked: tuple[Check, ...], dropped: int, lost: int) -> None:
    run = with_result(exactly([100] * 5, [100] * 5), checks=checked, dropped=dropped)
    for require in (f"loss <= {lost}", f"loss < {lost}", f"loss = {lost}", f"loss < {lost + 1}"):
        if require != "loss < 0":
            assert evidence(require, run) == Evidence(observed=lost, holds=require != f"loss < {lost}")


def test_another_tools_losses_are_not_known() -> None:
    for service, outcome in (("loss", "inconclusive"), ("semaphore", "pass")):
        run = with_result(exactly([100] * 5, [100] * 5), notes=(Note("approximate", service, "of another tool"),))
        assert outcomes(judge(checks("loss = 0"), [run], {})) == [outcome]


@pytest.mark.parametrize(
    ("head", "require", "outcome"),
    [
        ("false-alarms = 0.25", "median < 100ns", "exceeded"),  # p of both of two samples beyond is exactly 0.25
        ("false-alarms = 0.24", "median < 100ns", "inconclusive"),
        ("confidence = 0.75", "median < 300ns", "pass"),
        ("confidence = 0.76", "median < 300ns", "inconclusive"),
    ],
)
def test_p_may_be_as_large_as_the_file_says(head: str, require: str, outcome: str) -> None:
    assert outcomes(judge(checks(require, head=head), [exactly([200, 200])], {})) == [outcome]


def test_rows_are_adjusted_for_their_number() -> None:
    require = ("p90 < 100ns", "median < 200ns", "max < 1us", "median <= 99ns", "p90 < 200ns")
    # Of six samples one lies at 200 ns; the rest at 100 ns.
    rows = judge(checks(*require), [exactly([100] * 5 + [200])], {}).rows
    beyond = [(6, 0.1), (1, 0.5), (6, 0.5), (1, 0.1)]
    ps = [binomtest(k, 6, share, alternative="greater").pvalue for k, share in beyond]
    assert [row.p for row in rows if row.p is not None] == pytest.approx(ps)
    adjusted = [row.p_adjusted for row in rows]
    # Holm: the smallest p four times, the next three times, and so on, never less than the one before.
    third = 2 * ps[3]
    assert adjusted == [pytest.approx(x) if x else None for x in (4 * ps[0], max(third, ps[1]), None, 3 * ps[2], third)]
    assert [row.outcome for row in rows] == ["exceeded", "inconclusive", "pass", "inconclusive", "inconclusive"]


@pytest.mark.parametrize(
    ("require", "batch", "resolution", "refused"),
    [
        ("max < 1us", False, 1, False),  # a step of 1 us
        ("max < 999ns", False, 1, True),
        ("max < 1us", False, None, False),
        ("max < 2us", False, 3, True),
        ("max < 3us", False, 3, False),
        ("mean < 10ns", True, 1, False),  # of 100 operations
        ("mean < 9ns", True, 1, True),
        ("exceedance(999ns) < 10%", False, 1, True),
        ("exceedance(1us) < 10%", False, 1, False),
        ("sd < 1ns", False, 1, False),
        ("loss = 0", False, 1, False),
    ],
)
def test_which_bounds_the_clock_can_resolve(require: str, batch: bool, resolution: int | None, refused: bool) -> None:
    slow = Clock(id=0, name="slow", hz=1_000_000, resolution_ticks=resolution)
    run = exactly([3] * 10, clock=slow, batch=batch)
    file = bound_of(require, batch=batch)
    if refused:
        with pytest.raises(UsageError, match=r"f.toml:7: .* below the resolution"):
            judge(file, [run], {})
    else:
        assert len(judge(file, [run], {}).rows) == 1


@pytest.mark.parametrize(
    ("require", "statistics", "line"),
    [
        ("min < 1us", "min", 0),
        ("median < 1us", "p50", 0),
        ("p90 < 1us", "min", 7),
        ("max < 1us", "min", 7),
        ("mean < 1us", "min", 7),
        ("loss = 0", "min", 7),
        ("exceedance(1us) < 10%", "min", 7),
        ("min < 1us", "max", 12),
        ("min < 1us", "p51", 12),
    ],
)
def test_only_figures_that_another_build_does_not_move_are_bisected(require: str, statistics: str, line: int) -> None:
    more = BASELINE + f'statistics = ["{statistics}"]\n'
    file = checks(require, more=more, head='time = "instruction-time"')
    if line:
        with pytest.raises(UsageError, match=f"f.toml:{line}: "):
            require_steady(file)
    else:
        require_steady(file)
    with pytest.raises(UsageError, match=r"f.toml:1: .*instruction-time"):
        require_steady(checks(require, more=more))


@pytest.mark.parametrize(
    "changed",
    [{"count": 0}, {"clock": 7}, {"status": "invalid", "reason": "samples"}, {"status": "skipped", "count": 0}],
)
def test_a_repetition_that_is_missing_is_not_passed_over(changed: dict[str, object]) -> None:
    good = exactly([100] * 50, [100] * 60, [100] * 70)
    (row,) = judge(checks("max < 1us"), [with_result(good, **changed)], {}).rows
    assert (row.outcome, row.repetitions, row.samples) == ("inconclusive", 2, 130)
    stopped = msgspec.structs.replace(CLOCK, hz=0)
    assert outcomes(judge(checks("max < 1us"), [good, exactly([100], name="b", clock=stopped)], {})) == ["inconclusive"]
    assert outcomes(judge(checks("max < 1us"), [good, make_run("b", results=())], {})) == ["inconclusive"]


TWO = Known(
    quantities={"irq": ("task", "service")}, passes={"irq": ("single", "batch")}, studies={}, loads=("none", "cpu")
)


@pytest.mark.parametrize(
    ("more", "other"),
    [
        ("", {"load": "cpu"}),
        ("", {"pass_": "batch"}),
        ("", {"sched": "ts"}),
        ("", {"cache": "flushed"}),
        ("", {"timer": "hpet"}),
        ("period-ns = 0\n", {"period_ns": 1_000}),
        ('window = "default"\n', {"window": "long"}),
        ("trace-over-ns = 0\n", {"trace_over_ns": 1_000}),
        ('load = "cpu"\n', {"load": "cpu", "intensity": 2}),
        ('load = "cpu"\nintensity = 2\n', {"load": "cpu", "intensity": 1}),
        ('load = ["none", "cpu"]\nintensity = 2\n', {"load": "cpu", "intensity": 1}),
        ('measurement = "irq"\nquantity = "service"\n', {}),
    ],
)
def test_a_row_takes_only_the_results_that_it_names(more: str, other: dict[str, object]) -> None:
    where = "" if "quantity" in more else 'measurement = "irq"\nquantity = "task"\n'
    text = f'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\n{where}{more}require = ["max < 1us"]\n'
    file = parse(text, "f.toml", Path(), TWO)
    wanted = file.bounds[0].selection
    results = []
    for quantity, variant, value in (
        (wanted.quantity, None, 100),
        (wanted.quantity if other else "task", Variant(**other), 200),  # type: ignore[arg-type]
    ):
        for bound in file.bounds:
            intensity = wanted.intensity if bound.load != "none" else 1
            meant = Variant(load=bound.load, intensity=intensity)
            made = make_result(quantity, measurement="irq", values=[value] * 10, variant=variant or meant)
            results.append(made)
    assert [row.observed for row in judge(file, [make_run(results=tuple(results))], {}).rows] == [100] * len(
        file.bounds
    )


def test_a_skipped_result_counts_for_all_quantities_of_its_measurement() -> None:
    text = 'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\nmeasurement = "irq"\nquantity = "task"\nrequire = ["max < 1us"]\n'
    skipped = Result(
        item=0, measurement="irq", quantity="service", variant=Variant(), status="skipped", text="no timer"
    )
    for result, said in (
        (skipped, "no timer"),
        (msgspec.structs.replace(skipped, measurement="ping"), "no such result"),
        (msgspec.structs.replace(skipped, status="ok"), "no such result"),
    ):
        (row,) = judge(parse(text, "f.toml", Path(), TWO), [make_run(results=(result,))], {}).rows
        assert row.outcome == "inconclusive"
        assert said in row.reason


def test_variants_that_a_row_does_not_tell_apart_are_not_judged_together() -> None:
    def of(name: str, *periods: int) -> Run:
        made = (make_result("irq", values=[1_000] * 9, variant=Variant(period_ns=period)) for period in periods)
        return make_run(name, results=tuple(made))

    bound = '[[bound]]\nmeasurement = "irq"\nrequire = ["max < 2us"]\n'
    assert outcomes(judge(checks(more=bound), [of("a", 5_000, 6_000)], {})) == ["inconclusive"]
    assert outcomes(judge(checks(more=bound + "period-ns = 5000\n"), [of("a", 5_000, 6_000)], {})) == ["pass"]
    before = tuple(of(name, 5_000) for name in "xyz")
    assert outcomes(judge(checks(more=BASELINE), [of("n", 5_000)], {0: before})) == ["pass"]
    for now, said in ((of("n", 6_000), "not comparable: period"), (of("n", 5_000, 6_000), "several variants")):
        (row,) = judge(checks(more=BASELINE), [now], {0: before}).rows
        assert row.outcome == "inconclusive"
        assert said in row.reason
