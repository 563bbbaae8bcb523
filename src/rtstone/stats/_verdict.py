# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The verdict on two populations of repetition figures: improved, regressed, no difference shown, or insufficient data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from rtstone.model.units import counted
from rtstone.stats._two import Shift, mann_whitney, minimum_detectable_shift, paired_shift, welch_shift

Finding = Literal["improved", "regressed", "no difference shown", "insufficient data"]

ALPHA = 0.01
POWER = 0.8
_ROUNDING = 1e-12
"""In logarithms: figures that are exactly one step apart do not count as different."""
LARGEST_DETECTABLE = 9.0
"""Relative change (×10). Data that could not have shown even this one show nothing, and texts report so instead of the number."""
MIN_REPETITIONS = 3
"""Fewest figures on a side: with two, Student's t at 1 % is 10 standard errors, and a bound would show as much."""


class PopulationVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on two populations of figures.

    Changes are relative (0.05: 5 % more) if `relative`, else in the figures' unit.
    """

    finding: Finding
    reason: str
    """One clause: the reason for the finding."""
    first: int
    second: int
    """Number of figures on each side."""
    alpha: float
    """Probability of a wrong `improved` or `regressed` if there is no difference."""
    relative: bool = True
    change: float | None = None
    low: float | None = None
    high: float | None = None
    """Interval of the change at 1 - alpha: Welch's, or Student's for pairs, widened by the figures' resolution."""
    detectable: float | None = None
    """The smallest change that such data show in four of five cases."""
    p: float | None = None
    """p of Welch's test; for pairs, of Student's."""
    p_ranks: float | None = None
    """p of the Mann-Whitney test, for information. The verdict does not use it."""


def verdict(
    first: Sequence[float],
    second: Sequence[float],
    *,
    alpha: float = ALPHA,
    threshold: float = 0.0,
    resolution: float = 0.0,
    lower_is_better: bool = True,
    min_repetitions: int = MIN_REPETITIONS,
    ranks: bool = True,
    paired: bool = False,
) -> PopulationVerdict:
    """Whether the second population of figures differs from the first. Each figure is of one unit: a run, a repetition.

    The populations differ if the whole interval of the change lies beyond `threshold` (relative; absolute changes
    ignore it). The interval is Welch's at confidence 1 - alpha, on logarithms. If some figures are not above 0, it is
    on the figures themselves, and the change is absolute. It is widened by `resolution`: the step, in the figures'
    unit, below which figures cannot differ (the clock's quantum, a bucket's width). If no population varies, as on a
    deterministic board, the interval is that step alone. With several verdicts at once each gets its part of alpha
    (:func:`family_alpha`). Without `ranks`, the Mann-Whitney test is left out. `paired`: figures at the same position
    belong together (a round, a seed), and the interval is Student's over their differences. Raises ValueError for an
    impossible alpha, threshold or resolution, and for sides that do not form pairs.
    """
    if not 0 < alpha < 1 or threshold < 0 or resolution < 0:
        raise ValueError("alpha lies between 0 and 1; threshold and resolution are not negative")
    sizes = {"first": len(first), "second": len(second), "alpha": alpha}
    if min(len(first), len(second)) < max(2, min_repetitions):
        fewest = f"{len(first)} against {counted(len(second), 'repetition')}; it takes {max(2, min_repetitions)} on each side"
        return PopulationVerdict(finding="insufficient data", reason=fewest, **sizes)  # type: ignore[arg-type]
    relative = min([*first, *second]) > 0
    shift_of = paired_shift if paired else welch_shift
    if relative:
        shift = shift_of([math.log(x) for x in first], [math.log(y) for y in second])
        step = math.log1p(resolution / min(_mean(first), _mean(second)))
    else:
        shift, step, threshold = shift_of(first, second), resolution, 0.0
    low, high = shift.interval(1 - alpha)
    low, high = low - step, high + step
    finding, reason = _finding(low, high, math.log1p(threshold), lower_is_better=lower_is_better)
    shown = math.expm1 if relative else float
    return PopulationVerdict(
        finding=finding,
        reason=reason,
        relative=relative,
        change=shown(shift.difference),
        low=shown(low),
        high=shown(high),
        detectable=shown(_detectable(shift, alpha, step + math.log1p(threshold))),
        p=shift.p,
        p_ranks=mann_whitney(first, second).p if ranks else None,
        **sizes,  # type: ignore[arg-type]
    )


def family_alpha(alpha: float, rows: int) -> float:
    """The alpha of each of `rows` verdicts, such that all together are wrong with a probability of at most `alpha`
    (Bonferroni)."""
    return alpha / max(1, rows)


def _finding(low: float, high: float, threshold: float, *, lower_is_better: bool) -> tuple[Finding, str]:
    threshold += _ROUNDING
    if low > threshold:
        return ("regressed" if lower_is_better else "improved"), "the whole interval of the change lies above"
    if high < -threshold:
        return ("improved" if lower_is_better else "regressed"), "the whole interval of the change lies below"
    return "no difference shown", "the interval of the change holds what counts as none"


def _detectable(shift: Shift, alpha: float, hidden: float) -> float:
    return minimum_detectable_shift(shift, alpha=alpha, power=POWER) + hidden


def _mean(figures: Sequence[float]) -> float:
    return math.fsum(figures) / len(figures)
