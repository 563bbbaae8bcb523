# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds where the level of a series of figures changed: one figure a run, in order of time.

The search tries all places to cut the series, and takes the clearest step. A permutation test (Antoch and Huskova 2001)
compares it with the clearest steps of the same series in random order. The test uses van der Waerden's normal scores,
so outliers count little (as with the ranks of Pettitt 1979). If the step is too clear for chance, the series is cut
there, and both parts are searched in the same way (binary segmentation: Vostrikova 1981).

A slow drift is not a step. Two tests share the probability of error, and each allows for a drift in its own way. The
first subtracts the steepest allowed drift, in the direction of the step: this loses little power in short series. The
second tests how much better a step fits than a line of any slope: this loses little power in long series.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from rtstone.stats._special import special

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Measure = Callable[[NDArray[np.float64]], NDArray[np.float64]]

ALPHA_CHANGE = 0.01
"""Probability that a series without a change is reported to have one."""
LEAST_FOR_CHANGE = 12
"""Fewest figures: with fewer, no order is rare enough to show a change at 1 %."""
LEAST_SIDE = 3
"""Fewest figures on either side of a cut: one or two outliers are not a level."""
_ORDERS = 3999
"""Number of random orders that a series is compared with; they are the same each time."""
_NEIGHBOURS_Z = 2.326
"""Standard errors above which neighbours count as similar: one series of a hundred in random order exceeds this."""


class LevelChange(msgspec.Struct, frozen=True):
    """A place where the level changed by a step."""

    at: int
    """The position of the first figure of the new level."""
    p: float
    """Probability of such a clear step by chance, anywhere in the part of the series that was cut here."""


def changes(figures: Sequence[float], *, alpha: float = ALPHA_CHANGE, drift: float = 0.0) -> tuple[LevelChange, ...]:
    """The steps in the level of a series, in order; empty for fewer than :data:`LEAST_FOR_CHANGE` figures.

    `drift`: a figure may rise or fall this much from one run to the next without a step. It has the unit of the figures
    (for logarithms 0.001 is 0.1 %). At most a share `alpha` of series without a step yields one, if their figures are
    exchangeable apart from the drift, whatever their distribution. Figures that resemble their neighbours
    (:func:`resemble`) yield more.
    """
    import numpy as np

    values = np.asarray(figures, dtype=np.float64)
    found: list[LevelChange] = []
    parts = [(0, len(values))]
    while parts:
        start, end = parts.pop()
        one = _largest(values[start:end], alpha, drift)
        if one is None:
            continue
        found.append(msgspec.structs.replace(one, at=start + one.at))
        parts += [(start, start + one.at), (start + one.at, end)]
    return tuple(sorted(found, key=lambda change: change.at))


def resemble(figures: Sequence[float], cuts: Sequence[int] = ()) -> bool:
    """Whether neighbouring figures are more similar than in all but one of a hundred random series.

    Correlates each score with the next, around the medians between the `cuts`, and tests this by Bartlett's law. If the
    result is True, a step may be only slow variation of the series.
    """
    import numpy as np

    ends = (0, *cuts, len(figures))
    values = np.asarray(figures, dtype=np.float64)
    if len(values) < LEAST_FOR_CHANGE:
        return False
    rest = np.concatenate([values[a:b] - np.median(values[a:b]) for a, b in itertools.pairwise(ends)])
    scores = _scores(rest)
    total = float(scores @ scores)
    if total == 0:
        return False
    correlation = float(scores[1:] @ scores[:-1]) / total
    return correlation + 1 / len(scores) > _NEIGHBOURS_Z / math.sqrt(len(scores))


def _largest(values: NDArray[np.float64], alpha: float, drift: float) -> LevelChange | None:
    """The clearest step of this part; None if chance explains it."""
    import numpy as np

    size = len(values)
    if size < LEAST_FOR_CHANGE:
        return None
    time = np.arange(size, dtype=np.float64)
    found = []
    for sign in (1, -1):
        rest = sign * values - drift * time
        found.append(_test(_scores(rest), _upwards, share=4))
    found.append(_test(_scores(values - _slope(values) * time), _beyond_a_line, share=2))
    p, at = min(found)
    return LevelChange(at, min(1.0, p)) if p <= alpha else None


def _test(scores: NDArray[np.float64], measure: Measure, share: int) -> tuple[float, int]:
    """The probability of the clearest cut by chance, times `share`, the number of such tests; and its position."""
    seen = measure(scores[None, :])[0]
    by_chance = _by_chance(tuple(sorted(scores.tolist())), measure)
    return share * _share_at_least(by_chance, float(seen.max())), int(seen.argmax()) + LEAST_SIDE


def _share_at_least(by_chance: NDArray[np.float64], seen: float) -> float:
    return float((1 + (by_chance >= seen - 1e-9).sum()) / (1 + len(by_chance)))


def _scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Van der Waerden's scores; ties have the score of their mean rank. scipy.stats ranks too, but takes half a second to
    load."""
    import numpy as np

    _, place, ties = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]
    scores = np.asarray(special().ndtri(ranks / (len(values) + 1)), dtype=np.float64)
    return np.asarray(scores - scores.mean())


def _slope(values: NDArray[np.float64]) -> float:
    """The median slope of all pairs (Theil and Sen), which is robust against outliers."""
    import numpy as np

    first, second = np.triu_indices(len(values), 1)
    return float(np.median((values[second] - values[first]) / (second - first)))


def _cuts(size: int) -> NDArray[np.int64]:
    import numpy as np

    return np.arange(LEAST_SIDE, size - LEAST_SIDE + 1)


def _upwards(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each row and cut: the mean after the cut less the mean before it, scaled by its spread in random order."""
    import numpy as np

    size = scores.shape[1]
    cut = _cuts(size)
    sums = scores.cumsum(axis=1)
    before = sums[:, cut - 1]
    after = sums[:, -1:] - before
    return np.asarray((after / (size - cut) - before / cut) / np.sqrt(1 / cut + 1 / (size - cut)))


def _beyond_a_line(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each row and cut: the size of the step that no line explains, scaled by its spread in random order."""
    import numpy as np

    size = scores.shape[1]
    time = np.arange(size, dtype=np.float64) - (size - 1) / 2
    time /= np.sqrt(time @ time)
    cut = _cuts(size)
    steps = (np.arange(size)[None, :] >= cut[:, None]).astype(np.float64)
    steps -= steps.mean(axis=1, keepdims=True)
    steps -= (steps @ time)[:, None] * time[None, :]
    steps /= np.sqrt((steps**2).sum(axis=1, keepdims=True))
    return np.asarray(np.abs(scores @ steps.T))


@lru_cache(maxsize=1024)
def _by_chance(scores: tuple[float, ...], measure: Measure) -> NDArray[np.float64]:
    """The clearest cut of these scores in each of the random orders."""
    import numpy as np

    return np.asarray(measure(_in_random_order(np.array(scores))).max(axis=1))


def _in_random_order(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    draw = np.random.default_rng(len(scores))  # the same orders each time, on purpose
    return draw.permuted(np.tile(scores, (_ORDERS, 1)), axis=1)
