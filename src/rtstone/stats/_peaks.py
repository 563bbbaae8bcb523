# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tails by peaks over a threshold: the generalised Pareto law, fitted to independent peaks of samples in their order, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rtstone.stats._estimate import CONFIDENCE
from rtstone.stats._lmoments import anderson_darling, gpd_below, gpd_fit, gpd_quantile
from rtstone.stats._tails import (
    FIT_REJECTED_BELOW,
    NOT_STATIONARY_BELOW,
    REACH,
    TailEstimate,
    TailRefusal,
    drifting,
    interval,
    too_coarse,
    too_heavy,
)

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LEAST_PEAKS = 50
QUANTILES = (0.9, 0.925, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999, 0.99995, 0.99998, 0.99999)
"""Thresholds to try, the lowest first. The last has 500 peaks of 50 million samples."""
MOST_PEAKS = 500
"""With more peaks a higher threshold is used. The law holds only in the limit, and more peaks narrow the interval, not
the error."""
_RESAMPLES = 400


def peaks_over_threshold(
    samples: Sequence[float] | Floats,
    exceedance: float,
    *,
    quantum: float = 1,
    confidence: float = CONFIDENCE,
    seed: int = 1,
) -> TailEstimate | TailRefusal:
    """The value (ticks) that a sample exceeds with probability `exceedance`, from samples in order of time.

    The threshold is the lowest of the quantiles 90 … 99.999 % with at most 500 peaks at which the Anderson-Darling test
    does not reject the law. Peaks in a cluster count once. The intervals estimator finds the clusters (Ferro & Segers
    2003), and their maxima are fitted by L-moments (Hosking & Wallis 1987). The interval is by parametric bootstrap. It
    includes neither the choice of the threshold nor the fact that samples follow the law only in the limit: far beyond
    the data it is too narrow. Refused: fewer than 50 peaks, values too coarse, peaks that come more often or are larger
    in one part of the run, a shape of 0.5 or more, a fit rejected at every threshold, an exceedance more than 10 times
    rarer than one in all samples, or as frequent as the peaks. Raises ValueError outside 0 … 1.
    """
    import numpy as np

    if not 0 < exceedance < 1:
        raise ValueError(f"an exceedance lies between 0 and 1, not at {exceedance}")
    given: Floats = np.asarray(samples, dtype=np.float64)
    if (1 - QUANTILES[0]) * given.size < LEAST_PEAKS:
        return _too_few(int(given.size * (1 - QUANTILES[0])), given.size)
    if exceedance * given.size * REACH < 1:
        return TailRefusal(
            reason="too rare",
            text=f"an exceedance of {exceedance:g} is more than {REACH} times rarer than one in all {given.size} samples",
        )
    refusal: TailRefusal | None = None
    draw = np.random.default_rng(seed)
    for quantile in QUANTILES:
        threshold = float(np.quantile(given, quantile, method="higher"))
        above = np.flatnonzero(given > threshold)
        if above.size > MOST_PEAKS:
            continue
        if above.size < LEAST_PEAKS:
            refusal = refusal or _too_few(above.size, given.size)
            break
        if above.size / given.size <= exceedance:
            refusal = refusal or TailRefusal(
                reason="too frequent",
                text=f"one of {1 / exceedance:.4g} samples exceeds it: a percentile, not the tail, which begins at one of "
                f"{given.size / above.size:.4g}",
            )
            break
        found = _at(given, above, threshold, exceedance, quantum, confidence, draw, f"{quantile:.6g}")
        if isinstance(found, TailEstimate):
            return found
        refusal = found
        if refusal.reason == "too few":
            break
    return refusal or _too_few(0, given.size)


def _at(
    given: Floats,
    above: NDArray[np.int64],
    threshold: float,
    exceedance: float,
    quantum: float,
    confidence: float,
    draw: np.random.Generator,
    quantile: str,
) -> TailEstimate | TailRefusal:
    import numpy as np

    if refusal := _not_stationary(above, given):
        return refusal
    index, peaks = declustered(given, above)
    if peaks.size < LEAST_PEAKS:
        return _too_few(peaks.size, given.size)
    # Half a step: a peak of one tick above the threshold lies anywhere within that tick.
    excess = np.sort(peaks - threshold) - quantum / 2
    if refusal := too_coarse(excess, quantum) or drifting(peaks, "peaks"):
        return refusal
    shape, scale = (float(x) for x in gpd_fit(excess))
    if refusal := too_heavy(shape):
        return refusal
    fitted = float(anderson_darling(gpd_below(excess, shape, scale)))
    again = _resampled(shape, scale, excess.size, draw)
    shapes, scales = gpd_fit(again)
    distances = _distances(again, shapes, scales)
    fit_p = float((1 + (distances >= fitted).sum()) / (1 + distances.size))
    if fit_p < FIT_REJECTED_BELOW:
        return TailRefusal(
            reason="fit rejected",
            text=f"{excess.size} peaks above {threshold:g} ticks follow no generalised Pareto law (Anderson-Darling p {fit_p:.2g})",
        )
    rate = above.size / given.size
    # The number of samples above the threshold is random too.
    rates = np.maximum(draw.binomial(given.size, rate * index, shapes.size) / index / given.size, exceedance)
    values = threshold + gpd_quantile(exceedance / rates, shapes, scales)
    low, high = interval(values, confidence)
    shape_low, shape_high = interval(shapes, confidence)
    return TailEstimate(
        model="GPD",
        exceedance=exceedance,
        value=threshold + float(gpd_quantile(exceedance / rate, shape, scale)),
        low=low,
        high=high,
        confidence=confidence,
        shape=shape,
        shape_low=shape_low,
        shape_high=shape_high,
        scale=scale,
        location=threshold,
        used=int(peaks.size),
        count=int(given.size),
        fit_p=fit_p,
        largest=float(given.max()),
        extremal_index=index,
        choice=f"lowest of the quantiles {QUANTILES[0]} … {QUANTILES[-1]} at which the fit is not rejected: {quantile}",
    )


def declustered(given: Floats, above: NDArray[np.int64]) -> tuple[float, Floats]:
    """The extremal index (Ferro & Segers 2003) and the maxima of independent clusters of the samples at these positions."""
    import numpy as np

    gaps = np.diff(above).astype(np.float64)
    if gaps.size < 2 or gaps.max() <= 2:  # the estimator for gaps of 1 and 2 alone never falls below 1
        return 1.0, given[above]
    estimate = 2 * (gaps - 1).sum() ** 2 / (gaps.size * ((gaps - 1) * (gaps - 2)).sum())
    index = float(min(1.0, estimate))
    clusters = int(index * above.size)  # two at least, because the estimate is more than 2 / gaps.size
    if clusters >= above.size:
        return 1.0, given[above]
    # The longest gaps separate the clusters. If more gaps tie than are needed, none of that length separates.
    parting = np.sort(gaps)[::-1][clusters - 1]
    starts = np.concatenate(([0], np.flatnonzero(gaps > parting) + 1))
    return index, np.maximum.reduceat(given[above], starts)


def _not_stationary(above: NDArray[np.int64], given: Floats) -> TailRefusal | None:
    """A refusal if peaks are not equally frequent in all tenths of the run. The counts are scaled from peaks to
    clusters, because clusters make counts of peaks vary more."""
    import numpy as np
    from scipy.stats import chisquare

    index, _ = declustered(given, above)
    counts = np.histogram(above, bins=10, range=(0, given.size))[0] * index
    p = float(chisquare(counts).pvalue)
    if p < NOT_STATIONARY_BELOW:
        return TailRefusal(
            reason="not stationary",
            text=f"of {above.size} peaks the tenths of the run have from {counts.min() / index:.0f} to "
            f"{counts.max() / index:.0f} (chi-square p {p:.1g})",
        )
    return None


def _resampled(shape: float, scale: float, size: int, draw: np.random.Generator) -> Floats:
    import numpy as np

    made: Floats = np.sort(gpd_quantile(1 - draw.random((_RESAMPLES, size)), shape, scale), axis=-1)
    return made


def _distances(again: Floats, shapes: Floats, scales: Floats) -> Floats:
    import numpy as np

    # The distribution function of the law, for many sets at once; scipy's takes twenty times longer.
    z = shapes[:, None] * again / scales[:, None]
    log = np.log1p(np.maximum(z, -1 + 1e-12))
    below = -np.expm1(-np.where(np.abs(z) < 1e-12, again / scales[:, None], log / shapes[:, None]))
    return anderson_darling(below)


def _too_few(peaks: int, count: int) -> TailRefusal:
    return TailRefusal(
        reason="too few",
        text=f"{count} samples give {peaks} independent peaks; it takes {LEAST_PEAKS} to fit a law to them",
    )
