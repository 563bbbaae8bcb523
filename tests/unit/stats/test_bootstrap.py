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
