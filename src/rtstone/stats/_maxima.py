# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tails by block maxima: the generalised extreme value law, fitted to the largest samples of windows of time, or refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rtstone.stats._estimate import CONFIDENCE
from rtstone.stats._lmoments import anderson_darling, gev_below, gev_fit, gev_quantile
from rtstone.stats._tails import (
    FIT_REJECTED_BELOW,
    REACH,
    TailEstimate,
    TailRefusal,
    drifting,
    interval,
    too_coarse,
    too_frequent,
    too_heavy,
)

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LEAST_BLOCKS = 50
_RESAMPLES = 400
_DEPENDENT_Z = 4.0
"""Standard errors of the rank correlation of neighbours above which they count as dependent."""


def block_maxima(
    maxima: Sequence[int | float | None] | Floats,
    exceedance: float,
    *,
    quantum: float = 1,
    confidence: float = CONFIDENCE,
    seed: int = 1,
) -> TailEstimate | TailRefusal:
    """The value (ticks) that the largest sample of a block exceeds with probability `exceedance`.

    `maxima` are those of the blocks, in order of time. Maxima of windows without samples (None) are left out. If
    neighbours depend on each other, two, four … of them are joined to one block until they do not, and the exceedance
    is converted to the joined blocks. The fit is by L-moments (Hosking, Wallis & Wood 1985), the interval by parametric
    bootstrap. Refused: fewer than 50 blocks, values too coarse, halves that differ, dependence that joining does not
    end, a shape of 0.5 or more, a fit that the Anderson-Darling test rejects, an exceedance more than 10 times rarer
    than one in all blocks, or a value that all blocks exceed. Raises ValueError outside 0 … 1.
    """
    import numpy as np

    if not 0 < exceedance < 1:
        raise ValueError(f"an exceedance lies between 0 and 1, not at {exceedance}")
    given: Floats = np.asarray([x for x in maxima if x is not None], dtype=np.float64)
    if given.size < LEAST_BLOCKS:
        return _too_few(given.size)
    if exceedance * given.size * REACH < 1:
        return TailRefusal(
            reason="too rare",
            text=f"an exceedance of {exceedance:g} is more than {REACH} times rarer than one in all {given.size} blocks",
        )
    if refusal := drifting(given, "maxima"):
        return refusal
    joined = 1
    blocks = given
    while dependence(blocks) > _DEPENDENT_Z:
        joined *= 2
        whole = given.size // joined * joined
        blocks = given[:whole].reshape(-1, joined).max(axis=1)
        if blocks.size < LEAST_BLOCKS:
            return TailRefusal(
                reason="dependent",
                text=f"neighbouring maxima depend on each other even {joined // 2} joined; fewer than {LEAST_BLOCKS} blocks are left",
            )
    # The largest of `joined` blocks exceeds the value with this probability, if each block does with `exceedance`.
    together = -math.expm1(joined * math.log1p(-exceedance))
    if refusal := too_frequent(together, blocks.size):
        return refusal
    return _fitted(blocks, exceedance, together, quantum, confidence, np.random.default_rng(seed), joined)


def dependence(values: Floats) -> float:
    """The rank correlation of neighbours, in standard errors above zero."""
    import numpy as np
    from scipy.stats import rankdata

    ranks = rankdata(values)
    ranks = ranks - ranks.mean()
    variance = float(ranks @ ranks)
    return float(ranks[:-1] @ ranks[1:]) / variance * math.sqrt(values.size) if variance > 0 else float(np.inf)


def _fitted(
    blocks: Floats,
    exceedance: float,
    together: float,
    quantum: float,
    confidence: float,
    draw: np.random.Generator,
    joined: int,
) -> TailEstimate | TailRefusal:
    import numpy as np

    ordered = np.sort(blocks)
    if refusal := too_coarse(ordered, quantum):
        return refusal
    shape, location, scale = (float(x) for x in gev_fit(ordered))
    if refusal := too_heavy(shape):
        return refusal
    fitted = float(anderson_darling(gev_below(ordered, shape, location, scale)))
    law = (shape, location, scale)
    again = np.sort(gev_quantile(draw.random((_RESAMPLES, ordered.size)), *law), axis=-1)
    shapes, locations, scales = gev_fit(again)
    z = np.maximum(1 + shapes[:, None] * (again - locations[:, None]) / scales[:, None], 1e-12)
    distances = anderson_darling(np.exp(-(z ** (-1 / shapes[:, None]))))
    fit_p = float((1 + (distances >= fitted).sum()) / (1 + distances.size))
    if fit_p < FIT_REJECTED_BELOW:
        return TailRefusal(
            reason="fit rejected",
            text=f"{ordered.size} maxima follow no generalised extreme value law (Anderson-Darling p {fit_p:.2g})",
        )
    values = gev_quantile(together, shapes, locations, scales)
    low, high = interval(values, confidence)
    shape_low, shape_high = interval(shapes, confidence)
    return TailEstimate(
        model="GEV",
        exceedance=exceedance,
        value=float(gev_quantile(together, *law)),
        low=low,
        high=high,
        confidence=confidence,
        shape=shape,
        shape_low=shape_low,
        shape_high=shape_high,
        scale=scale,
        location=location,
        used=int(ordered.size),
        count=int(blocks.size * joined),
        fit_p=fit_p,
        largest=float(ordered[-1]),
        choice=f"blocks of {joined} windows",
    )


def _too_few(blocks: int) -> TailRefusal:
    return TailRefusal(reason="too few", text=f"{blocks} blocks; it takes {LEAST_BLOCKS} to fit a law to their maxima")
