# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tail estimates on simulated data with known tails: how often their intervals hold the truth, and their refusals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats as law

from rtstone.model import Result, Variant, Windows
from rtstone.stats import TailEstimate, TailRefusal, block_maxima, peaks_over_threshold, tail_of
from rtstone.stats._lmoments import (
    anderson_darling,
    gev_below,
    gev_fit,
    gev_quantile,
    gpd_below,
    gpd_fit,
    gpd_quantile,
    l_moments,
)
from rtstone.stats._maxima import dependence
from rtstone.stats._peaks import declustered
from rtstone.stats._tails import interval, too_coarse, too_frequent, too_heavy
from support.runs import make_result


def coverage(found: list[TailEstimate | TailRefusal], truth: float) -> tuple[float, int]:
    """Share of the estimates whose interval holds the truth, and how many refused."""
    made = [one for one in found if isinstance(one, TailEstimate)]
    return sum(one.low <= truth <= one.high for one in made) / len(made), len(found) - len(made)


@pytest.mark.parametrize("shape", [-0.2, 0.2])
def test_peaks_hold_the_truth(shape: float) -> None:
    """N = 60 runs of 5000 samples with a generalised Pareto tail, 1e-4 asked for: at least 88 % of nominal 95 %, few refused."""
    truth = 10_000 + 1_000 * law.genpareto.isf(1e-4, shape)
    runs = [np.rint(10_000 + 1_000 * law.genpareto.rvs(shape, size=5000, random_state=i)) for i in range(60)]
    share, refused = coverage([peaks_over_threshold(run, 1e-4) for run in runs], float(truth))
    assert share >= 0.88
    assert refused <= 6


def test_peaks_hold_the_truth_of_laws_that_follow_only_in_the_limit() -> None:
    """N = 60 runs of 10,000 log-normal samples, 2e-5 asked for: five times rarer than one in all of them."""
    truth = law.lognorm.isf(2e-5, 0.3, scale=10_000)
    runs = [np.rint(law.lognorm.rvs(0.3, scale=10_000, size=10_000, random_state=i)) for i in range(60)]
    assert coverage([peaks_over_threshold(run, 2e-5) for run in runs], float(truth))[0] >= 0.85


@pytest.mark.parametrize("shape", [-0.1, 0.2])
def test_maxima_hold_the_truth(shape: float) -> None:
    """N = 100 runs of 200 block maxima, 1e-3 asked for; of true laws about 5 % are refused by the fit test."""
    truth = 10_000 + 1_000 * law.genextreme.isf(1e-3, -shape)
    runs = [np.rint(10_000 + 1_000 * law.genextreme.rvs(-shape, size=200, random_state=i)) for i in range(100)]
    share, refused = coverage([block_maxima(run, 1e-3) for run in runs], float(truth))
    assert share >= 0.88
    assert refused <= 14


def refusal(found: TailEstimate | TailRefusal | None) -> str:
    assert isinstance(found, TailRefusal), found
    return found.reason


def test_what_the_peaks_refuse() -> None:
    draw = np.random.default_rng(3)
    good = np.rint(draw.exponential(1_000, 5_000))
    assert refusal(peaks_over_threshold(good[:400], 1e-3)) == "too few"
    assert refusal(peaks_over_threshold(good, 1e-6)) == "too rare"
    assert refusal(peaks_over_threshold(np.rint(good / 1_000), 1e-4)) == "discretised"
    assert refusal(peaks_over_threshold(np.concatenate([good, 3 * good]), 1e-4)) == "not stationary"
    assert refusal(peaks_over_threshold(np.rint(1_000 * draw.pareto(1.1, 5_000)), 1e-4)) == "too heavy"
    # Two samples in a thousand are of another kind: too few for a tail of their own, too many for one with the others.
    two = np.where(draw.random(20_000) < 0.002, draw.normal(50_000, 300, 20_000), draw.normal(5_000, 300, 20_000))
    assert refusal(peaks_over_threshold(np.rint(two), 1e-4)) == "fit rejected"
    with pytest.raises(ValueError, match="between 0 and 1"):
        peaks_over_threshold(good, 0)


def test_what_the_maxima_refuse() -> None:
    draw = np.random.default_rng(4)
    good = np.rint(draw.gumbel(10_000, 1_000, 400))
    assert refusal(block_maxima([1, 2, None, 3], 0.01)) == "too few"
    assert refusal(block_maxima(good, 1e-5)) == "too rare"
    assert refusal(block_maxima(np.rint(good / 1_000), 1e-3)) == "discretised"
    assert refusal(block_maxima(np.concatenate([good, good + 3_000]), 1e-3)) == "not stationary"
    # A mode of another kind in every third block.
    mixed = np.where(np.arange(400) % 3 == 0, good + 30_000, good)
    assert refusal(block_maxima(draw.permutation(mixed), 1e-3)) == "fit rejected"
    slow = np.cumsum(draw.normal(0, 100, 150)) + 10_000
    assert refusal(block_maxima(slow, 1e-2)) in {"dependent", "not stationary"}


def test_maxima_that_depend_on_their_neighbours_are_joined() -> None:
    draw = np.random.default_rng(9)
    once = draw.gumbel(10_000, 1_000, 400)
    found = block_maxima(np.rint(np.maximum(once, np.roll(once, 1))), 1e-3)
    assert isinstance(found, TailEstimate)
    assert found.used < 400
    assert (found.count, f"blocks of {400 // found.used} " in found.choice) == (400, True)
    # Joined or not, it is a block of the caller's that passes the value.
    assert found.low <= law.gumbel_r.isf(1e-3 / 2, 10_000, 1_000) <= found.high


def test_peaks_in_clusters_count_once() -> None:
    draw = np.random.default_rng(5)
    one = np.repeat(draw.exponential(1_000, 4_000), 3)  # each sample comes three times
    above = np.flatnonzero(one > np.quantile(one, 0.98))
    index, peaks = declustered(one, above)
    assert index == pytest.approx(1 / 3, abs=0.1)
    assert peaks.size == pytest.approx(above.size / 3, rel=0.25)


def test_l_moments_by_hand_and_fits_of_large_samples() -> None:
    first, second, skewness = l_moments(np.array([[1.0, 2, 3, 4], [1, 2, 3, 10]]))
    assert first == pytest.approx([2.5, 4])
    assert second == pytest.approx([5 / 6, 7 / 3])  # half of the mean distance of two
    assert skewness == pytest.approx([0, 9 / 14])  # a third of the mean of largest - 2 middle + least of three: 1.5
    shape, scale = gpd_fit(np.sort(law.genpareto.rvs(0.2, scale=3, size=200_000, random_state=1)))
    assert (float(shape), float(scale)) == pytest.approx((0.2, 3), abs=0.05)
    fitted = gev_fit(np.sort(law.genextreme.rvs(-0.1, loc=5, scale=2, size=200_000, random_state=1)))
    assert [float(x) for x in fitted] == pytest.approx([0.1, 5, 2], abs=0.03)


def test_anderson_darling_by_hand() -> None:
    # Two points at the quartiles of the uniform law: -2 - (1/2) (ln 1/4 + ln 1/4 + 3 ln 3/4 + 3 ln 3/4).
    expected = -2 - (np.log(0.25) + 3 * np.log(0.75))
    assert float(anderson_darling(np.array([0.25, 0.75]))) == pytest.approx(expected)
    # -3 - (1/3) (1 ln (0.2 × 0.1) + 3 ln (0.4 × 0.6) + 5 ln (0.9 × 0.8))
    expected = -3 - (np.log(0.02) + 3 * np.log(0.24) + 5 * np.log(0.72)) / 3
    assert anderson_darling(np.array([[0.2, 0.4, 0.9]])) == pytest.approx([expected])
    assert np.isfinite(anderson_darling(np.array([0.0, 0.5, 1.0])))


def test_the_tail_of_a_result_by_what_it_kept() -> None:
    samples = np.rint(np.random.default_rng(8).exponential(1_000, 20_000)).astype("<i8")
    truth = 1_000 * np.log(1e5)
    kept = Result(item=0, measurement="m", quantity="m", variant=Variant(), status="ok", count=20_000)
    maxima = tuple(int(x) for x in samples.reshape(200, 100).max(axis=1))
    windows = Result(
        item=0,
        measurement="m",
        quantity="m",
        variant=Variant(),
        status="ok",
        count=20_000,
        windows=Windows(1, (None, *maxima)),
    )
    raw = Result(
        item=0, measurement="m", quantity="m", variant=Variant(), status="ok", count=20_000, samples=samples.tobytes()
    )
    for result, model in ((windows, "GEV"), (raw, "GPD")):
        found = tail_of(result, 1e-5)
        assert isinstance(found, TailEstimate)
        assert found.model == model
        assert found.low <= truth <= found.high
        assert found.exceedance == pytest.approx(1e-5 if model == "GPD" else 1 - (1 - 1e-5) ** 100)
        half = tail_of(result, 1e-5, confidence=0.5)
        assert isinstance(half, TailEstimate)
        assert half.confidence == 0.5
        assert found.low < half.low < half.high < found.high
        assert tail_of(result, 1e-5, seed=2) != found
        assert refusal(tail_of(result, 1e-5, quantum=1_000)) == "discretised"
        for impossible in (0, 1):
            with pytest.raises(ValueError, match="between 0 and 1"):
                tail_of(result, impossible)
    assert refusal(tail_of(kept, 1e-5)) == "hidden"


def test_what_every_window_passes_is_refused() -> None:
    """Of windows of many samples the rarity of one in a hundred is no tail: each holds several."""
    result = make_result(count=200_000)
    assert result.windows is not None
    for rarity in (2, 10, 100):
        assert refusal(tail_of(result, 1 / rarity)) == "too frequent"


P = np.array([0.9, 0.5, 0.01, 1e-6])


@pytest.mark.parametrize("shape", [-0.3, 0, 0.3])
def test_quantiles_of_tails_are_scipys(shape: float) -> None:
    excess = gpd_quantile(P, shape, 2.0)
    assert excess == pytest.approx(law.genpareto.isf(P, shape, scale=2))
    assert gpd_below(excess, shape, 2.0) == pytest.approx(1 - P)
    if shape:
        largest = gev_quantile(P, shape, 5.0, 2.0)
        assert largest == pytest.approx(law.genextreme.isf(P, -shape, loc=5, scale=2))
        assert gev_below(largest, shape, 5.0, 2.0) == pytest.approx(1 - P)


@pytest.mark.parametrize(
    ("counts", "quantum", "coarse"),
    [
        ([5] * 20, 1, False),
        ([5] * 19, 1, True),
        ([10, *[5] * 14, *[4] * 5], 1, False),  # 10 of 100
        ([11, *[5] * 13, *[4] * 6], 1, True),
        ([5] * 20, 1.9, False),  # their mean is 9.5 above the least
        ([5] * 20, 1.91, True),
    ],
)
def test_what_is_too_coarse_for_a_law(counts: list[int], quantum: float, coarse: bool) -> None:
    found = too_coarse(np.repeat(np.arange(100.0, 100 + len(counts)), counts), quantum)
    assert (found is not None and found.reason == "discretised") == coarse


def test_the_limits_of_a_tail() -> None:
    assert too_heavy(0.4999) is None
    assert refusal(too_heavy(0.5)) == "too heavy"
    assert too_frequent(0.7499, 4) is None
    assert refusal(too_frequent(0.75, 4)) == "too frequent"
    assert interval(np.arange(101.0), 0.9) == pytest.approx((5, 95))


def made_of(quantiles: np.ndarray, at: np.ndarray, seed: int = 1) -> np.ndarray:
    """These values in random order, but with the largest of them at these places."""
    draw, made = np.random.default_rng(seed), np.zeros(quantiles.size)
    ordered, large = np.sort(quantiles), np.zeros(quantiles.size, dtype=bool)
    large[at] = True
    made[large], made[~large] = draw.permutation(ordered[-at.size :]), draw.permutation(ordered[: -at.size])
    return made


def evenly(peaks: int, begin: int, end: int) -> np.ndarray:
    made: np.ndarray = begin + ((np.arange(peaks) + 0.5) * (end - begin) / peaks).astype(int)
    return made


def exponential(count: int, peaks: int) -> np.ndarray:
    """The quantiles of an exponential law, the largest of them at like distances."""
    return made_of(law.expon.isf((np.arange(count) + 0.5) / count, scale=1_000), evenly(peaks, 0, count))


def test_an_estimate_by_peaks_names_its_data() -> None:
    samples = exponential(501, 50)
    found = peaks_over_threshold(samples, 1e-3, confidence=0.9)
    assert isinstance(found, TailEstimate)
    assert (found.model, found.exceedance, found.confidence) == ("GPD", 1e-3, 0.9)
    assert (found.used, found.count, found.extremal_index) == (50, 501, 1)
    assert (found.location, found.largest) == (np.sort(samples)[450], samples.max())
    assert found.value == pytest.approx(1_000 * np.log(1_000), rel=0.1)
    assert (found.shape, found.scale) == pytest.approx((0, 1_000), abs=100)
    assert found.shape_low < found.shape < found.shape_high
    assert found.low < found.value < found.high
    assert 0.2 < found.fit_p <= 1
    assert found.choice.endswith(" 0.9")


@pytest.mark.parametrize(
    ("count", "peaks", "quantile"), [(501, 50, 0.9), (5_001, 500, 0.9), (5_011, 501, 0.925), (10_000, 1_000, 0.95)]
)
def test_the_threshold_is_the_lowest_with_at_most_500_peaks(count: int, peaks: int, quantile: float) -> None:
    samples = exponential(count, peaks)
    found = peaks_over_threshold(samples, 1e-3)
    assert isinstance(found, TailEstimate)
    assert found.location == np.quantile(samples, quantile, method="higher")


@pytest.mark.parametrize(
    ("count", "exceedance", "reason"),
    [
        (500, 1e-3, "too few"),
        (501, 0.09, ""),
        (501, 50 / 501, "too frequent"),  # as rare as the lowest threshold
        (501, 0.2, "too frequent"),
        (10_000, 0.05, "too frequent"),  # up to 95 % there are more than 500 peaks
        (10_000, 0.049, ""),
        (1_024, 0.1 / 1_024, ""),
        (1_024, 0.099 / 1_024, "too rare"),
    ],
)
def test_the_limits_of_an_estimate_by_peaks(count: int, exceedance: float, reason: str) -> None:
    found = peaks_over_threshold(exponential(count, count // 10), exceedance)
    assert (found.reason if isinstance(found, TailRefusal) else "") == reason


def test_half_a_million_samples_and_more_have_a_tail() -> None:
    samples = np.random.default_rng(1).exponential(1_000, 600_000)
    found = peaks_over_threshold(samples, 1e-6)
    assert isinstance(found, TailEstimate)
    assert found.location == np.quantile(samples, 0.9995, method="higher")
    assert found.low <= 1_000 * np.log(1e6) <= found.high
    assert found.choice.endswith(" 0.9995")


def test_clusters_leave_too_few_peaks() -> None:
    """Each of 200 values comes three times in a row: 57 samples above the threshold, in 19 clusters."""
    samples = np.repeat(exponential(200, 19), 3)
    assert refusal(peaks_over_threshold(samples, 1e-3)) == "too few"


def test_a_tenth_of_the_run_with_more_peaks_is_told() -> None:
    at = np.concatenate([*(evenly(2, 50 * tenth, 50 * tenth + 50) for tenth in range(9)), evenly(32, 451, 501)])
    found = peaks_over_threshold(made_of(law.expon.isf((np.arange(501) + 0.5) / 501, scale=1_000), at), 1e-2)
    assert refusal(found) == "not stationary"
    assert isinstance(found, TailRefusal)
    assert "from 2 to 32 " in found.text


@pytest.mark.parametrize(
    ("above", "index", "clusters"),
    [
        ([7], 1, [[7]]),
        ([7, 90], 1, [[7], [90]]),
        ([1, 2, 4, 5], 1, [[1], [2], [4], [5]]),
        # One gap of 1000 and 18 of 1: 2 × 999² / (19 × 999 × 998).
        ([*range(10), *range(1_009, 1_019)], 2 * 999 / (19 * 998), [range(10), range(1_009, 1_019)]),
        # One gap of 3: 2 × 2² / (19 × 2 × 1).
        ([*range(10), *range(12, 22)], 8 / 38, [range(10), range(12, 22)]),
        # Gaps of 10, 12, 14 and 1000: 2 × 1032² / (19 × (72 + 110 + 156 + 997,002)) of 20 peaks are two clusters.
        (
            [start + i for start in (0, 13, 28, 45, 1_048) for i in range(4)],
            2 * 1_032**2 / (19 * 997_340),
            [[start + i for start in (0, 13, 28, 45) for i in range(4)], range(1_048, 1_052)],
        ),
        # Three gaps of 96 and 16 of 1: 2 × 285² / (19 × 3 × 95 × 94).
        (
            [start + i for start in (0, 100, 200, 300) for i in range(5)],
            2 * 285**2 / (19 * 3 * 95 * 94),
            [range(start, start + 5) for start in (0, 100, 200, 300)],
        ),
    ],
)
def test_clusters_by_hand(above: list[int], index: float, clusters: list[Sequence[int]]) -> None:
    given = np.random.default_rng(1).random(1_100)
    found, peaks = declustered(given, np.array(above))
    assert found == pytest.approx(index)
    assert peaks.tolist() == [max(given[i] for i in cluster) for cluster in clusters]


def gumbel(count: int) -> np.ndarray:
    """The quantiles of a Gumbel law in random order."""
    return np.random.default_rng(1).permutation(law.gumbel_r.ppf((np.arange(count) + 0.5) / count, 10_000, 1_000))


def test_an_estimate_by_maxima_names_its_data() -> None:
    maxima = gumbel(50)
    found = block_maxima([None, *maxima, None], 1e-2, confidence=0.9)
    assert isinstance(found, TailEstimate)
    assert (found.model, found.exceedance, found.confidence) == ("GEV", 1e-2, 0.9)
    assert (found.used, found.count, found.largest, found.extremal_index) == (50, 50, maxima.max(), 1)
    assert found.value == pytest.approx(law.gumbel_r.isf(1e-2, 10_000, 1_000), rel=0.05)
    assert (found.location, found.scale) == pytest.approx((10_000, 1_000), abs=100)
    assert found.shape == pytest.approx(0, abs=0.1)
    assert found.shape_low < found.shape < found.shape_high
    assert found.low < found.value < found.high
    assert 0.2 < found.fit_p <= 1
    assert "blocks of 1 " in found.choice


@pytest.mark.parametrize(
    ("count", "exceedance", "reason"),
    [
        (49, 1e-2, "too few"),
        (50, 0.97, ""),
        (50, 0.98, "too frequent"),
        (64, 0.1 / 64, ""),
        (64, 0.099 / 64, "too rare"),
    ],
)
def test_the_limits_of_an_estimate_by_maxima(count: int, exceedance: float, reason: str) -> None:
    found = block_maxima(gumbel(count), exceedance)
    assert (found.reason if isinstance(found, TailRefusal) else "") == reason


def test_a_slow_wave_is_dependent_however_many_are_joined() -> None:
    """Each half of it is the same. Joined by 8, fewer than 50 blocks are left."""
    found = block_maxima(10_000 + 1_000 * np.sin(np.arange(200) * 2 * np.pi / 50), 1e-2)
    assert refusal(found) == "dependent"
    assert isinstance(found, TailRefusal)
    assert " 4 joined" in found.text


def test_dependence_by_hand() -> None:
    """Ranks -1.5 … 1.5: (0.75 - 0.25 + 0.75) / 5 × 2 standard errors."""
    assert dependence(np.array([10.0, 20, 40, 80])) == pytest.approx(0.5)
    assert dependence(np.ones(4)) == np.inf


@pytest.mark.parametrize("impossible", [0, 1])
def test_an_exceedance_that_cannot_be(impossible: float) -> None:
    for estimate in (peaks_over_threshold, block_maxima):
        with pytest.raises(ValueError, match="between 0 and 1"):
            estimate(np.arange(1_000.0), impossible)
