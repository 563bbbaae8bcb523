# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The estimate and the refusal that `peaks_over_threshold` and `block_maxima` return, and checks that both share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from rtstone.stats._estimate import share

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

FIT_REJECTED_BELOW = 0.05
"""p of the Anderson-Darling test below which a fit is rejected."""
NOT_STATIONARY_BELOW = 0.001
REACH = 10
"""An estimate may be at most this many times rarer than one in all of the data."""
HEAVIEST = 0.5
"""Limit of the shape: from here on L-moments give no sound estimate, and the law has no variance."""

Reason = Literal[
    "too few",
    "discretised",
    "not stationary",
    "dependent",
    "too heavy",
    "fit rejected",
    "too rare",
    "too frequent",
    "hidden",
]


class TailRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """The data do not allow a tail estimate."""

    reason: Reason
    text: str
    """One sentence with the figures that led to the refusal."""


class TailEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """A value that is exceeded with a stated small probability, by a law fitted to the largest samples.

    It is an estimate, not a bound.
    """

    model: Literal["GPD", "GEV"]
    exceedance: float
    """The probability, for a sample (GPD) or for a block (GEV)."""
    value: float
    low: float
    high: float
    """Interval by parametric bootstrap, in ticks."""
    confidence: float
    shape: float
    """Above 0: the law has no upper end."""
    shape_low: float
    shape_high: float
    scale: float
    location: float
    """Threshold (GPD), location (GEV)."""
    used: int
    """Number of peaks or maxima that the law was fitted to."""
    count: int
    """Number of samples or blocks that they come from."""
    fit_p: float
    """p of the Anderson-Darling test, by parametric bootstrap."""
    largest: float
    """The largest observed value (ticks), for comparison with the estimate."""
    extremal_index: float = 1.0
    """Share of independent peaks among those above the threshold."""
    choice: str = ""
    """How the threshold, or the width of the blocks, was chosen."""


def too_frequent(exceedance: float, blocks: int) -> TailRefusal | None:
    """A refusal if all blocks, or all but less than one, exceed the value. Their maxima then show nothing about it."""
    if exceedance < 1 - 1 / blocks:
        return None
    return TailRefusal(
        reason="too frequent",
        text=f"it is passed in each of the {blocks} windows: their largest samples tell nothing of it (--raw keeps all samples)",
    )


def too_coarse(values: Floats, quantum: float) -> TailRefusal | None:
    """A refusal if the values have so few different steps that no continuous law can be fitted to them."""
    import numpy as np

    distinct, counts = np.unique(values, return_counts=True)
    spread = float(values.mean() - values.min())
    if distinct.size < 20 or counts.max() > 0.1 * values.size or spread < 5 * quantum:
        return TailRefusal(
            reason="discretised",
            text=f"{values.size} values take {distinct.size} distinct ones, the most frequent of them {counts.max()} times, in steps of "
            f"{quantum:g} ticks: too coarse for a continuous law",
        )
    return None


def too_heavy(shape: float) -> TailRefusal | None:
    """A refusal if the law's tail is so heavy that the fit gives no sound estimate."""
    if shape < HEAVIEST:
        return None
    return TailRefusal(
        reason="too heavy", text=f"the shape is {shape:.2f}: with {HEAVIEST} or more there is no sound estimate"
    )


def interval(values: Floats, confidence: float) -> tuple[float, float]:
    """The middle of the resampled values, with the share `confidence` of them."""
    import numpy as np

    tail = (1 - share(confidence)) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def drifting(values: Floats, what: str) -> TailRefusal | None:
    """A refusal if the first and the second half of the values follow different laws (Kolmogorov-Smirnov)."""
    from scipy.stats import ks_2samp

    half = values.size // 2
    p = float(ks_2samp(values[:half], values[half:]).pvalue)
    if p < NOT_STATIONARY_BELOW:
        return TailRefusal(
            reason="not stationary",
            text=f"the {what} of the first half and of the second differ (Kolmogorov-Smirnov p {p:.1g})",
        )
    return None
