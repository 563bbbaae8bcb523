# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Fits tails by L-moments (Hosking 1990): sorted samples in, parameters out, many sets at once, in closed form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


def l_moments(ordered: Floats) -> tuple[Floats, Floats, Floats]:
    """First and second L-moment and the L-skewness of samples in ascending order along the last axis (unbiased)."""
    import numpy as np

    n = ordered.shape[-1]
    rank = np.arange(n, dtype=np.float64)
    b0 = ordered.mean(axis=-1)
    b1 = (ordered * rank).mean(axis=-1) / (n - 1)
    b2 = (ordered * rank * (rank - 1)).mean(axis=-1) / ((n - 1) * (n - 2))
    first, second = b0, 2 * b1 - b0
    return first, second, (6 * b2 - 6 * b1 + b0) / second


def gpd_fit(ordered: Floats) -> tuple[Floats, Floats]:
    """Shape (above 0: no upper end) and scale of the generalised Pareto law of excesses (Hosking & Wallis 1987)."""
    first, second, _ = l_moments(ordered)
    k = first / second - 2
    return -k, (1 + k) * first


def gpd_quantile(p: Floats | float, shape: Floats | float, scale: Floats | float) -> Floats:
    """The excess above which a share `p` of all excesses lies."""
    import numpy as np

    log = np.log(p)
    bent = np.where(np.abs(shape) < 1e-9, 1e-9, shape)
    found: Floats = scale * np.expm1(-bent * log) / bent
    return found


def gpd_below(x: Floats, shape: float, scale: float) -> Floats:
    """Share of excesses up to x."""
    from scipy.stats import genpareto

    found: Floats = genpareto.cdf(x, shape, scale=scale)
    return found


def gev_fit(ordered: Floats) -> tuple[Floats, Floats, Floats]:
    """Shape (above 0: no upper end), location and scale of the generalised extreme value law of maxima (Hosking, Wallis
    & Wood 1985)."""
    import numpy as np
    from scipy.special import gamma

    first, second, skewness = l_moments(ordered)
    c = 2 / (3 + skewness) - math.log(2) / math.log(3)
    k = 7.8590 * c + 2.9554 * c * c
    k = np.where(np.abs(k) < 1e-6, 1e-6, k)
    scale = second * k / ((1 - 2.0**-k) * gamma(1 + k))
    location = first - scale * (1 - gamma(1 + k)) / k
    return -k, location, scale


def gev_quantile(p: Floats | float, shape: Floats | float, location: Floats | float, scale: Floats | float) -> Floats:
    """The maximum above which a share `p` of all maxima lies."""
    import numpy as np

    y = -np.log1p(-np.asarray(p))
    found: Floats = location + scale * np.expm1(-shape * np.log(y)) / shape
    return found


def gev_below(x: Floats, shape: float, location: float, scale: float) -> Floats:
    """Share of maxima up to x."""
    from scipy.stats import genextreme

    found: Floats = genextreme.cdf(x, -shape, loc=location, scale=scale)
    return found


def anderson_darling(below: Floats) -> Floats:
    """The Anderson-Darling distance of sorted probabilities from the uniform law, along the last axis."""
    import numpy as np

    n = below.shape[-1]
    u = np.clip(below, 1e-12, 1 - 1e-12)
    weight = 2 * np.arange(1, n + 1) - 1
    distance: Floats = -n - (weight * (np.log(u) + np.log1p(-u[..., ::-1]))).sum(axis=-1) / n
    return distance
