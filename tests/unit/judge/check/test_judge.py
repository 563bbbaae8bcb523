# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of check files on runs made up from a seed: every row comes out, and none passes without enough data."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm, t, ttest_1samp, ttest_ind

from rtstone.errors import UsageError
from rtstone.judge.check import Checks, Known, Report, Row, judge, parse, require_steady
from rtstone.judge.check._bounds import Evidence, weigh
from rtstone.judge.check._select import select
from rtstone.model import Check, Clock, Degraded, Note, Result, Run, Variant
from rtstone.show.judged.check import cells, interval, junit, workflow_commands
from support.runs import CLOCK, make_result, make_run, make_session
from support.schemas import schema

KNOWN = Known(quantities={"irq": ("irq",)}, passes={"irq": ("single", "batch")}, studies={}, loads=("none", "cpu"))


def checks(*require: str, more: str = "", head: str = "") -> Checks:
    text = f'schema = "rtstone.check"\nversion = "1.0"\n{head}\n'
    if require:
        text += '[[bound]]\nmeasurement = "irq"\nrequire = [\n' + "".join(f'"{r}",\n' for r in require) + "]\n"
    return parse(text + more, "f.toml", Path(), KNOWN)


def run(*levels: float, count: int = 2_000, name: str = "a", spread: float = 0.05, seed: int = 1) -> Run:
    """A run with a repetition for each level (ns), its samples log-normal about that."""
    draw = np.random.default_rng(seed)
    sessions = []
    for number, level in enumerate(levels):
        values = [int(v) for v in level * np.exp(draw.normal(0, spread, count))]
        sessions.append(make_session((make_result("irq", values=values),), repetition=number))
    return make_run(name, sessions=tuple(sessions))


def outcomes(report: Report) -> list[str]:
    return [row.outcome for row in report.rows]


def with_result(whole: Run, **changes: object) -> Run:
    result = msgspec.structs.replace(whole.sessions[0].results[0], **changes)
    sessions = (msgspec.structs.replace(whole.sessions[0], results=(result,)), *whole.sessions[1:])
    return msgspec.structs.replace(whole, sessions=sessions)


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


BASELINE = '[[baseline]]\nmeasurement = "irq"\nruns = ["x"]\n'


def several(levels: list[float], seed: int = 5) -> tuple[Run, ...]:
    return tuple(
        run(level, level * 1.002, level * 0.998, name=f"b{seed + i}", seed=seed + i) for i, level in enumerate(levels)
    )


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
        (row,) = judge(checks(more=BASELINE), judged, {0: (*six[:3], *judged)}).rows
        assert (row.outcome, row.notes) == ("pass", (f"3 against {whom[0]}", said))


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


def report_of_all() -> Report:
    file = checks("max < 10us", "p99.99 < 1ms", "loss = 0")
    odd = make_run(sessions=run(10_000, 10_000, 10_000).sessions, target="board\x1b[2J, 100%: x")
    return judge(file, [odd], {})


def test_junit_counts_what_came_out() -> None:
    suite = ET.fromstring(junit(report_of_all())).find("testsuite")  # noqa: S314 - our own
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    cases = suite.findall("testcase")
    assert [[child.tag for child in case] for case in cases] == [["failure"], ["error"], ["system-out"]]
    assert [case.get("line") for case in cases] == ["7", "8", "9"]


def test_annotations_name_the_line_and_escape_the_rest() -> None:
    lines = list(workflow_commands(report_of_all()))
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::notice"]
    assert lines[0].startswith("::error file=f.toml,line=7,title=irq%3A max < 10us::")
    assert "100%25" in lines[0]


def test_json_is_of_its_schema() -> None:
    jsonschema.validate(json.loads(msgspec.json.encode(report_of_all())), schema("check"))


def test_every_row_has_all_cells() -> None:
    for row in report_of_all().rows:
        assert len(cells(row)) == 8
        assert row.reason


def test_no_sample_at_all() -> None:
    empty = Result(item=0, measurement="irq", quantity="irq", variant=Variant(), status="ok")
    assert outcomes(judge(checks("max < 1ms"), [make_run(results=(empty,))], {})) == ["inconclusive"]


def exactly(
    *repetitions: Sequence[int],
    name: str = "a",
    clock: Clock = CLOCK,
    first: int = 0,
    batch: bool = False,
    board: bool = False,
) -> Run:
    """A run of exactly these samples (ticks of 1 ns), a repetition each. Below 256 ticks, a histogram is exact."""
    variant = Variant(pass_="batch" if batch else "single")
    sessions = tuple(
        make_session((make_result("irq", values=list(values), variant=variant),), repetition=number, clocks=(clock,))
        for number, values in enumerate(repetitions, first)
    )
    run = make_run(name, sessions=sessions, degraded=())
    return msgspec.structs.replace(run, time="instruction-time", target="board:x/k") if board else run


def bound_of(require: str, *, batch: bool = False) -> Checks:
    which = "batch" if batch else "single"
    return checks(more=f'[[bound]]\nmeasurement = "irq"\npass = "{which}"\nrequire = ["{require}"]\n')


def evidence(require: str, *runs: Run, batch: bool = False) -> Evidence:
    (bound,) = bound_of(require, batch=batch).bounds
    return weigh(bound, select(runs, bound.selection, bound.load), 0.95)


TAIL = [100] * 90 + [200] * 10


@pytest.mark.parametrize(
    ("require", "beyond", "share"),
    [
        ("p90 < 200ns", 10, 0.1),
        ("p90 <= 200ns", 0, 0.1),
        ("p90 < 201ns", 0, 0.1),
        ("p90 < 100ns", 100, 0.1),
        ("p90 <= 100ns", 10, 0.1),
        ("p90 >= 200ns", 10, 0.1),
        ("p90 > 200ns", 0, 0.1),
        ("p90 > 199.5ns", 10, 0.1),
        ("median > 100ns", 10, 0.5),
        ("median >= 100ns", 100, 0.5),
        ("exceedance(199ns) < 5%", 10, 0.05),
        ("exceedance(200ns) < 5%", 0, 0.05),
        ("exceedance(100ns) <= 20%", 10, 0.2),
    ],
)
def test_samples_beyond_a_limit_are_tested_by_the_binomial_law(require: str, beyond: int, share: float) -> None:
    found = evidence(require, exactly(TAIL))
    above, below = (binomtest(beyond, 100, share, alternative=side).pvalue for side in ("greater", "less"))
    sides = (below, above) if ">" in require else (above, below)
    assert (found.p_exceeded, found.p_held) == pytest.approx(sides)
    assert found.holds is None
    if require.startswith("exceedance"):
        ends = binomtest(beyond, 100).proportion_ci(0.9, "exact")
        assert (found.observed, found.low, found.high) == pytest.approx((beyond / 100, ends.low, ends.high))


@pytest.mark.parametrize("percent", [50, 90])
def test_the_interval_of_a_percentile_is_between_samples(percent: int) -> None:
    found = evidence(f"p{percent} < 1us", exactly(range(101, 201)))
    low, high = (float(binom.ppf(p, 100, percent / 100)) for p in (0.05, 0.95))
    assert (found.observed, found.low, found.high) == (100 + percent, 100 + low, 100 + high + 1)


def test_a_percentile_lies_between_the_least_and_the_largest_sample_of_its_bucket() -> None:
    found = evidence("median < 11us", exactly([10_001] * 50))  # the bucket is 9984 ... 10047
    assert (found.observed, found.low, found.high) == (10_001, 10_001, 10_001)
    # 1.1 us are 1100.0000000000002 ns: a sample of 1100 is at that limit.
    assert evidence("median < 1.1us", exactly([1100] * 50)).p_held == 1


@pytest.mark.parametrize(
    ("require", "count", "needed"),
    [
        ("p99 < 1us", 298, "299"),
        ("p99 < 1us", 299, ""),
        ("p99 > 1ns", 10, ""),
        ("exceedance(1us) < 1%", 298, "299"),
        ("exceedance(1us) < 1%", 299, ""),
    ],
)
def test_how_many_samples_an_upper_bound_needs(require: str, count: int, needed: str) -> None:
    # 0.99 to the power of 299 is the first that is below 5 %.
    assert evidence(require, exactly([100] * count)).needed.partition(",")[0] == needed


def student(figures: Sequence[float], limit: float) -> tuple[float, float, float, float]:
    """One-sided p of a mean above and below the limit, and the ends of its interval of 90 %."""
    above, below = (ttest_1samp(figures, limit, alternative=side) for side in ("greater", "less"))
    ends = ttest_1samp(figures, limit).confidence_interval(0.9)
    return float(above.pvalue), float(below.pvalue), float(ends.low), float(ends.high)


def test_a_share_is_as_sure_as_its_repetitions_are_alike() -> None:
    beyond = (0, 10, 20)
    found = evidence("exceedance(150ns) < 5%", exactly(*([100] * (100 - n) + [200] * n for n in beyond)))
    above, below, _, high = student([n / 100 for n in beyond], 0.05)
    counted = binomtest(30, 300, 0.05, alternative="greater").pvalue
    assert counted < above  # the samples alone would have shown it
    assert (found.p_exceeded, found.p_held) == pytest.approx((above, binom.cdf(30, 300, 0.05)))
    assert below < binom.cdf(30, 300, 0.05)
    assert (found.observed, found.low, found.high) == pytest.approx((0.1, 0, high))  # no share is below 0


@pytest.mark.parametrize(
    "runs",
    [
        [exactly([100] * 100, [110] * 100, [120] * 100)],
        [exactly([90] * 50, [110] * 50), exactly([100] * 50, [120] * 50), exactly([110] * 50, [130] * 50)],
    ],
)
def test_a_percentile_is_as_sure_as_its_repetitions_or_runs_are_alike(runs: list[Run]) -> None:
    named = [msgspec.structs.replace(one, id=f"r{n}") for n, one in enumerate(runs)]
    found = evidence("median < 125ns", *named)
    above, below, low, high = student([math.log(x) for x in (100, 110, 120)], math.log(125))
    assert (found.p_exceeded, found.p_held) == pytest.approx((1.0, below))
    assert (found.low, found.high) == pytest.approx((math.exp(low), math.exp(high)))
    other = evidence("median > 125ns", *named)
    assert (other.p_exceeded, other.p_held) == pytest.approx((below, 1.0))
    assert above < 1
    assert found.notes == ()


def test_like_repetitions_are_no_surer_than_their_samples() -> None:
    found = evidence("median < 170ns", exactly(range(101, 201), range(101, 201), range(101, 201)))
    low, high = (float(binom.ppf(p, 300, 0.5)) for p in (0.05, 0.95))
    assert (found.low, found.high) == (100 + math.ceil(low / 3), 100 + math.ceil((high + 1) / 3))
    assert found.p_held == pytest.approx(binom.cdf(93, 300, 0.5))


@pytest.mark.parametrize(
    ("figures", "require", "logarithms"),
    [
        ([100, 110, 120], "mean < 105ns", True),
        ([100, 110, 120], "mean >= 105ns", True),
        ([-100, 0, 100], "mean < 50ns", False),
        ([0, 100, 200], "mean > 50ns", False),
    ],
)
def test_three_means_are_tested_by_students_t(figures: list[int], require: str, logarithms: bool) -> None:
    found = evidence(require, exactly(*([value] * 20 for value in figures)))
    limit = 105.0 if "105" in require else 50.0
    above, below, low, high = student(
        [math.log(x) for x in figures] if logarithms else figures, math.log(limit) if logarithms else limit
    )
    ends = np.exp([low, high]) if logarithms else [low, high]
    sides = (below, above) if ">" in require else (above, below)
    expected = (sum(figures) / 3, *ends, *sides)
    assert (found.observed, found.low, found.high, found.p_exceeded, found.p_held) == pytest.approx(expected)
    assert (found.notes, found.needed) == ((), "")


@pytest.mark.parametrize(("operator", "held"), [("<", False), ("<=", True), (">", False), (">=", True)])
@pytest.mark.parametrize(("statistic", "repetitions"), [("mean", 3), ("max", 1), ("min", 1)])
def test_figures_exactly_at_a_limit(statistic: str, repetitions: int, operator: str, held: bool) -> None:
    for limit, kept in ((100, held), (101, "<" in operator), (99, ">" in operator)):
        found = judge(checks(f"{statistic} {operator} {limit}ns"), [exactly(*[[100] * 20] * repetitions)], {})
        assert outcomes(found) == ["pass" if kept else "exceeded"], limit


def test_the_extreme_of_all_repetitions_is_observed() -> None:
    run = exactly([110, 120], [100, 130])
    assert evidence("max < 200ns", run) == Evidence(observed=130, holds=True)
    assert evidence("min > 105ns", run) == Evidence(observed=100, holds=False)


@pytest.mark.parametrize(
    ("clock", "batch", "scale"),
    [(CLOCK, False, 1), (CLOCK, True, 100), (msgspec.structs.replace(CLOCK, hz=2_000_000_000), True, 200)],
)
@pytest.mark.parametrize("repetitions", [1, 2])
def test_a_mean_of_few_repetitions_is_tested_by_its_samples(
    clock: Clock, batch: bool, scale: int, repetitions: int
) -> None:
    run = exactly(*[[value * scale for value in TAIL]] * repetitions, clock=clock, batch=batch)
    error = float(np.std(TAIL * repetitions, ddof=1)) / math.sqrt(100 * repetitions)
    for require, side in (("mean < 105ns", 1), ("mean > 105ns", -1)):
        found = evidence(require, run, batch=batch)
        assert (found.p_exceeded, found.p_held) == pytest.approx(
            (norm.sf(side * 5 / error), norm.cdf(side * 5 / error))
        )
        ends = norm.interval(0.9, 110, error)
        assert (found.observed, found.low, found.high) == pytest.approx((110, *ends))
        assert len(found.notes) == 2


def test_what_a_spread_or_a_mean_needs() -> None:
    spread = float(np.std(TAIL, ddof=1))
    two = evidence("sd < 20ns", exactly(TAIL, TAIL))
    assert two.observed == pytest.approx(spread)
    assert (two.p_held, bool(two.needed)) == (None, True)
    three = evidence("sd < 40ns", exactly(TAIL, TAIL, [100] * 89 + [200] * 11))
    assert three.p_held is not None
    assert three.p_held < 0.01
    one = evidence("mean < 105ns", exactly([100]))
    assert (one.observed, one.p_held, bool(one.needed)) == (100, None, True)
    assert evidence("sd < 40ns", exactly([100], [100])) == Evidence()
    assert outcomes(judge(checks("sd < 1us", "mean < 1us"), [exactly([100])], {})) == ["inconclusive"] * 2


def test_a_limit_between_two_ticks() -> None:
    clock = msgspec.structs.replace(CLOCK, hz=2_500_000_000)
    found = evidence("exceedance(43ns) < 50%", exactly([108] * 10, clock=clock))  # 107.5 ticks
    assert (found.observed, found.p_exceeded) == pytest.approx((1, 0.5**10))


def test_without_a_histogram_no_sample_is_known_to_be_beyond_or_not() -> None:
    bare = with_result(exactly(TAIL, TAIL), histogram=None, extremes=())
    both = evidence("p90 < 150ns", with_result(exactly(TAIL), histogram=None, extremes=()))
    assert (both.observed, both.low, both.high, both.p_exceeded, both.p_held) == (None, None, None, 1, 1)
    some = evidence("p90 < 250ns", bare)
    assert (some.observed, some.low, some.high, some.p_exceeded) == (100, None, None, 1)


def test_a_percentile_of_sets_is_the_mean_of_the_repetitions() -> None:
    run = exactly(range(10_000, 20_000, 1_000), range(20_000, 30_000, 1_000), batch=True)
    found = evidence("p90 <= 280ns", run, batch=True)
    assert (found.observed, found.low, found.high) == ((180 + 280) / 2, None, None)
    sides = binomtest(1, 20, 0.1, alternative="greater").pvalue, binom.cdf(1, 20, 0.1)
    assert (found.p_exceeded, found.p_held) == pytest.approx(sides)
    alone = exactly([10_000] * 5, [20_000] * 5, [30_000] * 5, batch=True)
    three = evidence("median < 400ns", alone, batch=True)
    assert (three.observed, three.low, three.high) == (200, None, None)


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


def test_a_report_has_every_figure_of_its_rows() -> None:
    lacks = (Degraded("sched", "no real time", ""), Degraded("irq", "", ""), Degraded("sched", "no real time", ""))
    coarse = msgspec.structs.replace(CLOCK, resolution_ticks=100)
    now = msgspec.structs.replace(exactly(*[[10_000] * 50] * 3, name="n", clock=coarse), degraded=lacks)
    fine = msgspec.structs.replace(CLOCK, resolution_ticks=50)
    before = tuple(exactly([10_000] * 20, name=name, clock=fine) for name in "xyz")
    before = tuple(msgspec.structs.replace(one, degraded=lacks) for one in before)
    file = checks("max < 9us", "p90 <= 20us", more=BASELINE + 'allow = "2%"\n', head="confidence = 0.9")
    report = judge(file, [now], {0: before})
    assert all(row.reason for row in report.rows)
    same = {"target": "local", "measurement": "irq", "quantity": "irq", "load": "none", "reason": ""}
    expected = [
        Row(
            **same,  # type: ignore[arg-type]
            kind="bound",
            line=7,
            requirement="max < 9us",
            outcome="exceeded",
            observed=10_000,
            limit=9_000,
            samples=150,
            repetitions=3,
        ),
        Row(
            **same,  # type: ignore[arg-type]
            kind="bound",
            line=8,
            requirement="p90 <= 20us",
            outcome="pass",
            observed=10_000,
            low=10_000,
            high=10_000,
            limit=20_000,
            samples=150,
            repetitions=3,
            p=1,
            p_adjusted=1,
            p_held=0.9**150,
        ),
        Row(
            **same,  # type: ignore[arg-type]
            kind="baseline",
            line=10,
            requirement="median no worse than baseline within 2%",
            outcome="pass",
            unit="change",
            observed=0,
            low=1 / 1.01 - 1,  # the coarser clock steps by 100 of 10,000 ns
            high=0.01,
            limit=0.02,
            samples=150,
            repetitions=3,
            p=1,
            p_adjusted=1,
            detectable=1.01 * 1.02 - 1,
            suspect=True,
            notes=("3 against 1 run",),
        ),
    ]
    for row, known in zip(report.rows, expected, strict=True):
        bare = msgspec.structs.asdict(msgspec.structs.replace(row, reason=""))
        rounded = {name: round(value, 9) if isinstance(value, float) else value for name, value in bare.items()}
        assert rounded == {
            n: round(v, 9) if isinstance(v, float) else v for n, v in msgspec.structs.asdict(known).items()
        }
    assert msgspec.structs.replace(report, rows=()) == Report(
        file="f.toml",
        runs=("n",),
        outcome="exceeded",
        summary="f.toml: 3 rows: 2 pass, 1 exceeded",
        false_alarms=0.01,
        confidence=0.9,
        degraded=("no real time", "irq"),
        rows=(),
    )


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
