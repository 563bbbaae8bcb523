# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Two-level fractional factorial experiments of resolution IV: the design, and the effect of each factor on a figure.

Box, Hunter & Hunter, Statistics for Experimenters (2nd ed. 2005), chapters 5 and 6. With p basic letters a design has
2^p rows. A factor is a word of an odd number of letters, so there is room for 2^(p-1) factors: 16 in 32 rows. The
product of two odd words is even. So no interaction of two factors is in any factor's own effect. A Plackett-Burman
design of 20 or 24 rows does not give this: there each interaction is in most effects. Interactions of the same even
word cannot be distinguished. They are one *string*.

Every round is a whole replicate and a block. So a drift from round to round is in none of the effects, and the
differences between rounds give the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from rtstone.stats._estimate import CONFIDENCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_FACTORS = 16
DRAWS = 9999
"""Number of permutations. The least p is 1 / (DRAWS + 1): small enough for 93 tests of an experiment to share 5 %."""
_EXACT = 1e-18
"""Residuals below this share of the total variation are rounding errors."""


class Design(msgspec.Struct, frozen=True):
    """The rows that each round measures."""

    words: tuple[int, ...]
    """For each factor: a bit for each of its letters."""
    rows: tuple[tuple[int, ...], ...]
    """For each row, the level of each factor: 0 or 1."""
    strings: tuple[tuple[tuple[int, int], ...], ...]
    """Pairs of factors whose interactions are one contrast. A string of one pair is that pair's interaction alone."""


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """The change of a figure from the low to the high level; for a string, half the change of one factor's effect."""

    value: float
    low: float
    high: float
    """Interval of this effect by itself, from the same permutations as p; infinite if these are too few to limit it."""
    p: float
    """Two-sided, of this effect by itself."""


def design(factors: int) -> Design:
    """The smallest design of resolution IV. Raises ValueError for fewer than one factor or more than 16."""
    if not 1 <= factors <= MOST_FACTORS:
        raise ValueError(f"a design is of 1 to {MOST_FACTORS} factors, not {factors}")
    letters = (factors - 1).bit_length() + 1
    odd = sorted((w for w in range(1 << letters) if w.bit_count() % 2), key=lambda w: (w.bit_count(), w))
    words = tuple(odd[:factors])
    rows = tuple(tuple((row & word).bit_count() % 2 for word in words) for row in range(1 << letters))
    strings: dict[int, list[tuple[int, int]]] = {}
    for i, j in combinations(range(factors), 2):
        strings.setdefault(words[i] ^ words[j], []).append((i, j))
    return Design(words, rows, tuple(map(tuple, strings.values())))


def effects(
    made: Design, figures: Sequence[Sequence[float]], *, draws: int = DRAWS, seed: int = 1
) -> tuple[tuple[Effect, ...], tuple[Effect, ...]]:
    """Effects of the factors, and of the strings. `figures`: for each round, a number for each row.

    p comes from permuting the residuals within rounds (ter Braak 1992; Anderson & Legendre 1999). It is the p of
    Student's ratio, and needs no assumption on the distribution of the errors. Interactions are part of the error of
    the factors' effects: they make these less sure, never surer. Without residuals, as on a board that repeats to the
    tick, an effect is exact. Raises ValueError for fewer than two rounds.
    """
    import numpy as np

    y = np.asarray(figures, dtype=np.float64)
    rounds, rows = y.shape
    if rounds < 2 or rows != len(made.rows):
        raise ValueError(f"effects are told from two rounds of {len(made.rows)} rows, not from {rounds} of {rows}")
    columns, mains = _columns(made), len(made.words)
    y = y - y.mean(axis=1, keepdims=True)
    half = y.sum(axis=0) @ columns / y.size
    left = y - half[:mains] @ columns[:, :mains].T
    rest = float((left**2).sum())
    if rest <= _EXACT * float((y**2).sum()):
        left, rest = np.zeros_like(left), 0.0
        half = np.where(np.abs(half) > 1e-9 * np.abs(half).max(initial=0.0), half, 0.0)
    ratio, error = _ratios(half[None, :], mains, y.size, rest)
    order = _orders(draws, rounds, rows, seed)
    drawn = np.take_along_axis(left[None], order, axis=2).sum(axis=1) @ columns / y.size
    if rest > 0:
        rest_drawn = rest - y.size * (drawn[:, :mains] ** 2).sum(axis=1, keepdims=True)
    else:
        rest_drawn = np.zeros((draws, 1))
    # The residuals contain none of the factors' effects, but in a drawn order they do. So these effects are subtracted.
    others, _ = _ratios(drawn, mains, y.size, rest_drawn)
    passed = (np.abs(others) >= np.abs(ratio) - 1e-9).sum(axis=0)
    # No interpolation: with few rounds of few rows some orders leave no error, so their ratios are infinite.
    least = math.ceil(CONFIDENCE * (draws + 1)) - 1
    limit = np.partition(np.abs(others), least, axis=0)[least]
    reach = np.where(error[0] > 0, limit * np.where(error[0] > 0, error[0], 1), 0.0)
    found = tuple(
        Effect(
            value=float(2 * half[i]),
            low=float(2 * (half[i] - reach[i])),
            high=float(2 * (half[i] + reach[i])),
            p=float((1 + passed[i]) / (1 + draws)),
        )
        for i in range(columns.shape[1])
    )
    return found[:mains], found[mains:]


@lru_cache(maxsize=1)
def _orders(draws: int, rounds: int, rows: int, seed: int) -> NDArray[np.intp]:
    """Random orders of each round's rows; all figures of one experiment share them."""
    import numpy as np

    return np.argsort(np.random.default_rng(seed).random((draws, rounds, rows), dtype=np.float32), axis=2)


def _columns(made: Design) -> NDArray[np.float64]:
    import numpy as np

    main = 2.0 * np.asarray(made.rows, dtype=np.float64) - 1
    pairs = [main[:, string[0][0]] * main[:, string[0][1]] for string in made.strings]
    return np.column_stack([main, *pairs])


def _ratios(
    half: NDArray[np.float64], mains: int, count: int, rest: float | NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Contrasts divided by their standard errors, and the standard errors. A string's error excludes the string.

    The degrees of freedom are left out: each contrast has the same in every order, so they cancel out.
    """
    import numpy as np

    own = np.zeros_like(half)
    own[:, mains:] = count * half[:, mains:] ** 2
    error = np.sqrt(np.maximum(rest - own, 0.0) / count)
    exact = np.where(half == 0, 0.0, np.copysign(np.inf, half))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, half / error, exact), error
