# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Mean and standard deviation from the exact sums that an engine keeps."""

from __future__ import annotations

import math
from fractions import Fraction


def mean(count: int, total: int) -> float | None:
    """The arithmetic mean (ticks) of `count` values that add up to `total`; None without values."""
    return None if count == 0 else float(Fraction(total, count))


def sd(count: int, total: int, squares: int) -> float | None:
    """The sample standard deviation (ticks; n - 1 in the denominator) from count, sum and sum of squares.

    Whole numbers to the last step: nothing cancels, however large the sums are. None below two values. Raises ValueError for sums that no
    values have.
    """
    if count < 2:
        return None
    numerator = count * squares - total * total
    if numerator < 0:
        raise ValueError("no values have this sum and this sum of squares")
    return math.sqrt(Fraction(numerator, count * (count - 1)))
