# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The moving-block bootstrap: on correlated samples its interval holds the truth where that of independent draws does not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from rtstone.stats import block_bootstrap, block_length


def correlated(seed: int, count: int = 2_000, memory: float = 0.8) -> np.ndarray:
    draw = np.random.default_rng(seed)
    made: np.ndarray = lfilter([1.0], [1.0, -memory], draw.normal(size=count + 200))[200:]
    return made


def median(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.median(x, axis=-1))


def test_blocks_hold_the_median_of_correlated_samples_and_single_draws_do_not() -> None:
    """N = 60 series of 2000 with correlation 0.8 from one to the next; nominal 95 %."""
    held = {None: 0, 1: 0}
    for seed in range(60):
        for block in held:
            found = block_bootstrap(correlated(seed), median, block=block, resamples=200)
            assert found.low is not None
            assert found.high is not None
            held[block] += found.low <= 0 <= found.high
    assert held[None] / 60 >= 0.82
    assert held[1] / 60 <= 0.7


def test_the_block_grows_with_the_memory() -> None:
    independent = [block_length(np.random.default_rng(i).normal(size=2_000)) for i in range(20)]
    assert np.median(independent) <= 5
    assert block_length(correlated(1, memory=0.5)) < block_length(correlated(1, memory=0.95))
    assert block_length(np.ones(100)) == 1


def test_the_same_seed_gives_the_same_interval() -> None:
    assert block_bootstrap(correlated(1), median, seed=4) == block_bootstrap(correlated(1), median, seed=4)


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        block_bootstrap([1.0] * 49, median)
    with pytest.raises(ValueError, match="fewer than five"):
        block_bootstrap(list(range(100)), median, block=30)

    with pytest.raises(ValueError, match="fewer than five"):
        block_bootstrap(list(range(100)), median, block=0)


@pytest.mark.parametrize("block", [1, 10])
@pytest.mark.parametrize("at", [0, 49])
def test_every_block_may_be_drawn_and_the_ends_are_mirrored(at: int, block: int) -> None:
    """The maximum of samples of which only the first, or only the last, is not 0: it is in some orders, not in others."""
    samples = np.zeros(50)
    samples[at] = 1
    found = block_bootstrap(samples, lambda x: np.max(x, axis=-1), block=block)
    assert (found.value, found.low, found.high, found.confidence, found.count) == (1, 1, 2, 0.95, 50)
    assert f"blocks of {block}" in found.method


@pytest.mark.parametrize(("confidence", "reach"), [(0.5, 0.6745), (0.95, 1.96)])
def test_the_interval_of_a_mean_of_independent_samples_is_the_normal_one(confidence: float, reach: float) -> None:
    samples = np.random.default_rng(2).normal(5, 3, 400)
    found = [
        block_bootstrap(samples, lambda x: x.mean(axis=-1), block=1, resamples=4_000, confidence=confidence, seed=seed)
        for seed in (1, 2)
    ]
    assert found[0] != found[1]
    error = samples.std() / np.sqrt(400)
    for one in found:
        expected = (samples.mean(), samples.mean() - reach * error, samples.mean() + reach * error, confidence)
        assert (one.value, one.low, one.high, one.confidence) == pytest.approx(expected, abs=0.1 * error)


@pytest.mark.parametrize(("count", "length"), [(49, 1), (50, 10), (200, 40), (400, 60), (10_000, 300)])
def test_a_block_is_at_most_a_fifth_and_three_roots_of_the_samples(count: int, length: int) -> None:
    """Samples that rise all the time depend on each other from end to end. Fewer than 50 show nothing."""
    assert block_length(list(range(count))) == length


@pytest.mark.parametrize("memory", [0.5, 0.8])
def test_the_length_is_that_of_the_theory_for_a_first_order_memory(memory: float) -> None:
    """Politis & White (2004), with the known autocovariance: (3/2 (2 r / (1 - r^2))^2 n)^(1/3)."""
    found = [block_length(correlated(seed, 20_000, memory)) for seed in range(9)]
    expected = (1.5 * (2 * memory / (1 - memory**2)) ** 2 * 20_000) ** (1 / 3)
    assert np.mean(found) == pytest.approx(expected, rel=0.12)
