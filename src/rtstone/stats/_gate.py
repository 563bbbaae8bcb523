# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""One-sided tests of a stated bound, and the adjustment for several tests at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rtstone.stats._estimate import CONFIDENCE, IntervalEstimate
from rtstone.stats._estimate import share as checked
from rtstone.stats._special import special
from rtstone.stats._two import Shift, t_quantile


def p_share_above(successes: int, count: int, share: float) -> float:
    """Probability of at least `successes` if the true share is `share`: small if the true share is larger.

    Exact binomial; 1 without trials. Raises ValueError for a share outside 0 … 1.
    """
    _check_share(share)
    if count == 0 or successes == 0:
        return 1.0
    return float(special().bdtrc(successes - 1, count, share))


def p_share_below(successes: int, count: int, share: float) -> float:
    """Probability of at most `successes` if the true share is `share`: small if the true share is smaller."""
    _check_share(share)
    if count == 0 or successes >= count:
        return 1.0
    return float(special().bdtr(successes, count, share))


def p_mean_above(figures: Sequence[float], bound: float) -> float:
    """Probability of figures this far above `bound` if their true mean is not above it: Student's t, one-sided.

    Identical figures have no spread: the result is 0 if they lie above the bound, else 1. Raises ValueError for fewer
    than two figures.
    """
    n = len(figures)
    if n < 2:
        raise ValueError("a mean is tested with at least two figures")
    middle = math.fsum(figures) / n
    error = math.sqrt(math.fsum((x - middle) ** 2 for x in figures) / (n - 1) / n)
    if error == 0:
        return 0.0 if middle > bound else 1.0
    return float(special().stdtr(n - 1, -(middle - bound) / error))


def p_mean_below(figures: Sequence[float], bound: float) -> float:
    """The mirror image of :func:`p_mean_above`."""
    return p_mean_above([-x for x in figures], -bound)


def p_normal(distance: float, error: float) -> tuple[float, float]:
    """One-sided p by the normal law: of a value this far above, and of one this far below.

    `distance` and its standard `error` have the same unit.
    """
    if error == 0:
        return (0.0 if distance > 0 else 1.0), (0.0 if distance < 0 else 1.0)
    return float(special().ndtr(-distance / error)), float(special().ndtr(distance / error))


def normal_reach(confidence: float) -> float:
    """The number of standard errors that a normal interval extends to either side."""
    return t_quantile((1 + checked(confidence)) / 2, math.inf)


def one_sample_interval(figures: Sequence[float], *, confidence: float = CONFIDENCE) -> IntervalEstimate:
    """The mean of a population from its figures, with Student's interval. Raises ValueError below two figures."""
    n = len(figures)
    if n < 2:
        raise ValueError("an interval takes at least two figures")
    middle = math.fsum(figures) / n
    error = math.sqrt(math.fsum((x - middle) ** 2 for x in figures) / (n - 1) / n)
    reach = t_quantile((1 + checked(confidence)) / 2, n - 1) * error
    return IntervalEstimate(
        value=middle, low=middle - reach, high=middle + reach, confidence=confidence, count=n, method="Student's t"
    )


def p_shift_above(shift: Shift, bound: float) -> float:
    """Probability of a difference this large if the true one is `bound`: Student's t, one-sided, with Welch's error."""
    distance = shift.difference - bound
    if shift.error == 0:
        return 0.0 if distance > 1e-12 else 1.0
    return float(special().stdtr(shift.df, -distance / shift.error))


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Adjust p values for their number (Holm 1979). The order stays the same.

    If every test with an adjusted p of at most alpha is rejected, the probability of even one wrong rejection is at
    most alpha, however the tests depend on each other.
    """
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    adjusted, so_far = [0.0] * len(ps), 0.0
    for position, i in enumerate(order):
        so_far = max(so_far, min(1.0, ps[i] * (len(ps) - position)))
        adjusted[i] = so_far
    return tuple(adjusted)


def _check_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise ValueError(f"a share lies between 0 and 1, not at {share}")
