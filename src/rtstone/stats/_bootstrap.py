# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Intervals for dependent samples. The bootstrap draws whole blocks of neighbours, which preserves their dependence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rtstone.stats._estimate import CONFIDENCE, IntervalEstimate, share

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LEAST = 50
"""Fewest samples: fewer give too few blocks to draw from."""
_AT_ONCE = 1 << 20
"""Samples drawn in one step: 8 MiB."""


def block_bootstrap(
    samples: Sequence[float] | Floats,
    figure: Callable[[Floats], Floats],
    *,
    block: int | None = None,
    resamples: int = 1000,
    confidence: float = CONFIDENCE,
    seed: int = 1,
) -> IntervalEstimate:
    """A figure of samples in their order, with its interval by the moving-block bootstrap (Künsch 1989).

    The samples are raw samples or window maxima. `figure` receives many rows of samples at once, along their last axis.
    `block` is the number of neighbours drawn together; None: :func:`block_length`. The interval is the basic one: both
    ends are mirrored about the figure. The same seed gives the same interval. Raises ValueError for fewer than 50
    samples, or if fewer than five blocks fit.
    """
    import numpy as np

    given: Floats = np.asarray(samples, dtype=np.float64)
    count = given.size
    if count < LEAST:
        raise ValueError(f"{count} samples are too few to draw blocks from; it takes {LEAST}")
    length = block_length(given) if block is None else block
    if not 1 <= length <= count // 5:
        raise ValueError(f"blocks of {length} in {count} samples: fewer than five do not show how they vary")
    draw = np.random.default_rng(seed)
    blocks, within = math.ceil(count / length), np.arange(length)
    starts = draw.integers(0, count - length + 1, size=(resamples, blocks, 1))
    rows = max(1, _AT_ONCE // count)
    found = np.concatenate(
        [
            figure(given[(part + within).reshape(len(part), -1)[:, :count]])
            for part in (starts[i : i + rows] for i in range(0, resamples, rows))
        ]
    )
    value = float(figure(given))
    tail = (1 - share(confidence)) / 2
    low, high = (float(x) for x in np.quantile(found, [tail, 1 - tail]))
    return IntervalEstimate(
        value=value,
        low=2 * value - high,
        high=2 * value - low,
        confidence=confidence,
        count=count,
        method=f"moving-block bootstrap, blocks of {length}",
    )


def block_length(samples: Sequence[float] | Floats) -> int:
    """The number of neighbours that depend on each other, for :func:`block_bootstrap` (Politis & White 2004, corrected
    2009).

    It is computed from the samples' ranks, because one sample of a heavy tail would hide the dependence of the others.
    It lies between 1 (independent) and a fifth of the samples.
    """
    import numpy as np
    from scipy.stats import rankdata

    x = rankdata(np.asarray(samples, dtype=np.float64))
    count = x.size
    x = x - x.mean()
    variance = float(x @ x) / count
    if variance == 0 or count < LEAST:
        return 1
    most = min(count // 5, math.ceil(3 * math.sqrt(count)))
    run = max(5, math.ceil(math.sqrt(math.log10(count))))
    reach = min(count - 1, 2 * most + run)
    spectrum = np.abs(np.fft.rfft(x, 2 * count)) ** 2
    covariance = np.fft.irfft(spectrum)[: reach + 1] / count
    small = np.abs(covariance[1:] / variance) < 2 * math.sqrt(math.log10(count) / count)
    # The first lag after which `run` successive correlations are insignificant. The window is twice as wide.
    quiet = (lag for lag in range(reach - run + 1) if small[lag : lag + run].all())
    window = min(reach, 2 * max(1, next(quiet, most)))
    lags = np.arange(1, window + 1)
    taper = np.clip(2 * (1 - lags / window), 0, 1)
    bent = 2 * float(np.sum(taper * lags * covariance[1 : window + 1]))
    level = variance + 2 * float(np.sum(taper * covariance[1 : window + 1]))
    if level <= 0:
        return 1
    length = (2 * bent**2 / (4 / 3 * level**2)) ** (1 / 3) * count ** (1 / 3)
    return int(min(most, max(1, math.ceil(length))))
