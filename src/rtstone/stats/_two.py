# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Two populations of repetition figures: whether they differ (Welch, Mann-Whitney), and by how much (differences, ratios).

A figure is one number of one repetition (its median, its p99): repetitions are the population, not the correlated samples within them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from rtstone.stats._estimate import CONFIDENCE, IntervalEstimate, share
from rtstone.stats._special import special


class TestResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a test of two populations."""

    __test__ = False
    """pytest must not collect this class."""

    statistic: float
    p: float
    """Two-sided: probability of a difference at least this large if the populations do not differ."""
    df: float | None = None
    """Degrees of freedom (Welch)."""
    method: str = ""


class Shift(msgspec.Struct, frozen=True, kw_only=True):
    """Difference of two means, with its standard error and degrees of freedom (Welch-Satterthwaite)."""

    difference: float
    """Mean of the second population less that of the first."""
    error: float
    """Standard error of the difference."""
    df: float

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Both ends of the interval of the difference, by Student's t."""
        reach = t_quantile((1 + share(confidence)) / 2, self.df) * self.error
        return self.difference - reach, self.difference + reach

    @property
    def p(self) -> float:
        """Two-sided p of no difference; 0 or 1 if the figures of each population are all the same."""
        if self.error == 0:
            return 1.0 if self.difference == 0 else 0.0
        return float(2 * special().stdtr(self.df, -abs(self.difference) / self.error))


def t_quantile(p: float, df: float) -> float:
    """Quantile of Student's t; that of the normal law if df is infinite."""
    return float(special().ndtri(p) if math.isinf(df) else special().stdtrit(df, p))


def welch_shift(first: Sequence[float], second: Sequence[float]) -> Shift:
    """Difference of the means with Welch's standard error and degrees of freedom.

    Raises ValueError for fewer than two figures on a side.
    """
    if min(len(first), len(second)) < 2:
        raise ValueError("Welch's test takes at least two figures on each side")
    means = [math.fsum(side) / len(side) for side in (first, second)]
    parts = [_variance(side) / len(side) for side in (first, second)]
    total = math.fsum(parts)
    down = sum(part**2 / (len(side) - 1) for part, side in zip(parts, (first, second), strict=True))
    return Shift(
        difference=means[1] - means[0],
        error=math.sqrt(total),
        df=total**2 / down if down > 0 else float(len(first) + len(second) - 2),
    )


def paired_shift(first: Sequence[float], second: Sequence[float]) -> Shift:
    """Mean difference of paired figures, with its standard error. A slowdown of both figures of a pair cancels out.

    It uses Student's t over pairs. Unlike a bootstrap of few rounds, this keeps its level if many rows share it. Raises
    ValueError for sides of different length, and for fewer than two pairs.
    """
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(f"pairs take as many figures on each side, two at least, not {len(first)} and {len(second)}")
    differences = [y - x for x, y in zip(first, second, strict=True)]
    n = len(differences)
    return Shift(difference=math.fsum(differences) / n, error=math.sqrt(_variance(differences) / n), df=float(n - 1))


def shift_of_runs(first: Sequence[float], second: Sequence[float]) -> Shift:
    """As :func:`welch_shift`, but one side may have a single figure: the spread of the other side then counts for both.

    With one figure on the second side, the interval is the prediction interval of one more figure of the first. Raises
    ValueError if neither side has two figures.
    """
    n, m = len(first), len(second)
    if min(n, m) >= 2:
        return welch_shift(first, second)
    if min(n, m) < 1 or max(n, m) < 2:
        raise ValueError("one side needs at least two figures, the other one")
    spread = _variance(first if n > 1 else second)
    return Shift(
        difference=math.fsum(second) / m - math.fsum(first) / n,
        error=math.sqrt(spread * (1 / n + 1 / m)),
        df=float(max(n, m) - 1),
    )


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> TestResult:
    """The Mann-Whitney U test, two-sided; the statistic is U of the second population. Raises ValueError for an empty side.

    Exact without ties and with up to 50 figures a side; else the tie-corrected normal approximation.
    """
    from scipy.stats import mannwhitneyu

    if not first or not second:
        raise ValueError("the Mann-Whitney test takes figures on both sides")
    tied = len({*first, *second}) < len(first) + len(second)
    if len({*first, *second}) == 1:
        return TestResult(statistic=len(first) * len(second) / 2, p=1.0, method="mann-whitney")
    exact = not tied and max(len(first), len(second)) <= 50
    found = mannwhitneyu(second, first, alternative="two-sided", method="exact" if exact else "asymptotic")
    return TestResult(statistic=float(found.statistic), p=float(found.pvalue), method="mann-whitney")


def ratio_of_means(
    first: Sequence[float], second: Sequence[float], *, confidence: float = CONFIDENCE
) -> IntervalEstimate:
    """The second mean divided by the first: geometric means, with Welch's interval on logarithms.

    Raises ValueError for fewer than two figures on a side, or if a figure is not above 0.
    """
    if min([*first, *second]) <= 0:
        raise ValueError("a ratio takes figures above 0")
    shift = welch_shift([math.log(x) for x in first], [math.log(y) for y in second])
    low, high = shift.interval(confidence)
    return IntervalEstimate(
        value=math.exp(shift.difference),
        low=math.exp(low),
        high=math.exp(high),
        confidence=confidence,
        count=len(first) + len(second),
        method="Welch, logarithms",
    )


def combined(figures: Sequence[float]) -> float:
    """One figure of several: their geometric mean if all are above 0, as ratios need it; else their arithmetic mean.

    Raises ValueError without figures.
    """
    if min(figures) > 0:
        return math.exp(math.fsum(map(math.log, figures)) / len(figures))
    return math.fsum(figures) / len(figures)


def minimum_detectable_shift(shift: Shift, *, alpha: float, power: float = 0.8) -> float:
    """The smallest true difference that a test at `alpha` finds with that power, for figures of this spread and number.

    It is the usual (t at 1 - alpha/2 + t at the power) standard errors. It makes no claim about smaller differences.
    """
    return (t_quantile(1 - alpha / 2, shift.df) + t_quantile(share(power), shift.df)) * shift.error


def _variance(figures: Sequence[float]) -> float:
    middle = math.fsum(figures) / len(figures)
    return math.fsum((x - middle) ** 2 for x in figures) / (len(figures) - 1)
