# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The figures of a bound and how sure they are, against their known laws."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm, ttest_1samp

from rtstone.judge.check import judge
from rtstone.judge.check._bounds import Evidence
from rtstone.model import Clock, Run
from support.judged import checks, evidence, exactly, outcomes, with_result
from support.runs import CLOCK

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
