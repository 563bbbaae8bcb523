# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tail estimates on simulated data with known tails: how often their intervals hold the truth, and their refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as law

from rtstone.model import Result, Variant, Windows
from rtstone.stats import TailEstimate, TailRefusal, block_maxima, peaks_over_threshold, tail_of
from rtstone.stats._lmoments import anderson_darling, gev_fit, gpd_fit, l_moments
from rtstone.stats._peaks import declustered
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


def refusal(found: TailEstimate | TailRefusal) -> str:
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
    assert "blocks of" in found.choice
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
    first, second, skewness = (float(x) for x in l_moments(np.array([1.0, 2, 3, 4])))
    assert (first, second, skewness) == pytest.approx((2.5, 5 / 6, 0))
    shape, scale = gpd_fit(np.sort(law.genpareto.rvs(0.2, scale=3, size=200_000, random_state=1)))
    assert (float(shape), float(scale)) == pytest.approx((0.2, 3), abs=0.05)
    fitted = gev_fit(np.sort(law.genextreme.rvs(-0.1, loc=5, scale=2, size=200_000, random_state=1)))
    assert [float(x) for x in fitted] == pytest.approx([0.1, 5, 2], abs=0.03)


def test_anderson_darling_by_hand() -> None:
    # Two points at the quartiles of the uniform law: -2 - (1/2) (ln 1/4 + ln 1/4 + 3 ln 3/4 + 3 ln 3/4).
    expected = -2 - (np.log(0.25) + 3 * np.log(0.75))
    assert float(anderson_darling(np.array([0.25, 0.75]))) == pytest.approx(expected)


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
    assert refusal(tail_of(kept, 1e-5)) == "hidden"


def test_what_every_window_passes_is_refused() -> None:
    """Of windows of many samples the rarity of one in a hundred is no tail: each holds several."""
    result = make_result(count=200_000)
    assert result.windows is not None
    for rarity in (2, 10, 100):
        assert refusal(tail_of(result, 1 / rarity)) == "too frequent"
