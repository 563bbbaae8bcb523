# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as cells show them: three significant digits, and never a digit that the clock cannot show."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
ABSENT = "–"
_SIGNIFICANT = 3


def number(value: float, quantum: float = 0.0) -> str:
    """`value` with three significant digits, whole from 100 on, and no digit far below `quantum` (both in one unit)."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no figure for a table")
    magnitude = math.floor(math.log10(abs(value))) if value else 0
    decimals = max(0, _SIGNIFICANT - 1 - magnitude)
    if quantum > 0:
        decimals = min(decimals, max(0, math.ceil(-math.log10(quantum))))
    # Rounding may carry into the next power of ten: 9.996 is 10.0 with three digits, not 10.00.
    text = f"{value:.{decimals}f}"
    if decimals and len(text.lstrip("-").replace(".", "").lstrip("0")) > _SIGNIFICANT:
        text = f"{value:.{decimals - 1}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def cell(layout: str, figures: Mapping[str, str]) -> str:
    """A cell's text from its layout and the statistics it names."""
    return string.Formatter().vformat(layout, (), figures)


def statistics(layout: str) -> tuple[str, ...]:
    """The statistics that a layout names, in order."""
    return tuple(name for _, name, _, _ in string.Formatter().parse(layout) if name)


def marks(numbers: tuple[int, ...]) -> str:
    """Note numbers as superscripts."""
    return ",".join(str(n) for n in numbers).translate(_SUPERSCRIPTS)


def duration(ns: float) -> str:
    """A span of time (ns) in the unit that suits it."""
    for limit, unit, factor in ((1e3, "ns", 1.0), (1e6, "µs", 1e3), (1e9, "ms", 1e6)):
        if abs(ns) < limit:
            return f"{number(ns / factor)} {unit}"
    return f"{number(ns / 1e9)} s"


def frequency(hz: int) -> str:
    """A clock's rate in the unit that suits it."""
    for limit, unit in ((1_000_000_000, "GHz"), (1_000_000, "MHz"), (1_000, "kHz")):
        if hz >= limit:
            return f"{hz / limit:.4g} {unit}"
    return f"{hz} Hz"


def instruction_rate(per_second: int) -> str:
    """How many instructions make a second of instruction-time."""
    if per_second >= 1_000_000:
        return f"{per_second / 1_000_000:.6g} M instructions/s"
    return f"{per_second} instructions/s"


def count(value: int) -> str:
    """A count with its thousands apart."""
    return f"{value:,}".replace(",", " ") if value >= 10_000 else str(value)
