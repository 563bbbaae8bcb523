# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as the screen shows them and as users type them: µs instead of the records' nanoseconds."""

from __future__ import annotations

import math
from decimal import Decimal

NS_PER_US = 1000
NOTHING = "–"
"""Shown instead of a missing number."""

_COUNTED = ("samples", "sets", "starts", "")  # the label names the counted things


def figure_text(value: float, unit: str, precision: int) -> str:
    """A number with its unit: nanoseconds as µs with four digits or all whole ones, whole numbers with separators."""
    if math.isnan(value):
        return NOTHING
    if unit == "ns":
        us = value / NS_PER_US
        digits = next((digits for digits, below in ((3, 10), (2, 100), (1, 10_000)) if abs(us) < below), 0)
        return f"{us:,.0f} µs".replace(",", " ") if digits == 0 else f"{us:.{digits}f} µs"
    text = f"{value:,.{precision}f}".replace(",", " ")
    return text if unit in _COUNTED else f"{text} {unit}"


def typed(text: str, unit: str) -> float:
    """The typed number in the record's unit. A text that is not a number gives NaN, which the record refuses."""
    factor = NS_PER_US if unit == "ns" else 1
    bare = text.strip().removesuffix("µs").removesuffix("us").replace(",", "").replace(" ", "")
    try:
        return float(Decimal(bare) * factor)
    except (ArithmeticError, ValueError):
        return math.nan
