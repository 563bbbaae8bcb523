# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Durations and shares as people write them;
numbers as cells show them: three digits, without digits below the clock's resolution."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Mapping

TIMES_NS = {
    "ps": 1e-3,
    "ns": 1.0,
    "us": 1e3,
    "µs": 1e3,
    "μs": 1e3,
    "ms": 1e6,
    "s": 1e9,
    "min": 60e9,
    "h": 3600e9,
}
"""Unit of time -> how many nanoseconds it has."""

SHARES = {"": 1.0, "%": 1e-2, "ppm": 1e-6}
"""Unit of a share -> how much of the whole it is."""

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)([^\s0-9.]*)", re.ASCII)
_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)(%|ppm|)", re.ASCII)

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
ABSENT = "–"
_SIGNIFICANT = 3
VERDICT_DIGITS = 4
"""Significant digits of a figure that a verdict compares with a bound: with three, 1.0004 ms and a bound of 1 ms look the same."""
_PRINTED = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))


def duration_ns(text: str, *, plain: str = "") -> float | None:
    """The duration in ns that `text` writes as a number with its unit: `250us`, `1.5 ms`, `2h`.

    `plain` is the unit of a number without one; if it is empty, such a number is not a duration.
    Returns None for other text.
    """
    match = _DURATION.fullmatch(text.replace(" ", ""))
    factor = TIMES_NS.get(match[2] or plain) if match is not None else None
    return None if match is None or factor is None else float(match[1]) * factor


def share_of_one(text: str, *, plain: str = "") -> float | None:
    """The share that `text` writes: `1e-6`, `95%`, `10ppm`; 0.5 is a half.

    `plain` is the unit of a number without one. Returns None for text that is not a share; the result may exceed 1.
    """
    match = _SHARE.fullmatch(text.replace(" ", ""))
    return None if match is None else float(match[1]) * SHARES[match[2] or plain]


def number(value: float, quantum: float = 0.0, *, digits: int = _SIGNIFICANT) -> str:
    """`value` with `digits` significant digits, without decimals if these suffice,
    and without digits far below `quantum`.

    `value` and `quantum` have one unit. Raises ValueError for an infinite value and for NaN.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} is no figure for a table")
    magnitude = math.floor(math.log10(abs(value))) if value else 0
    decimals = max(0, digits - 1 - magnitude)
    if quantum > 0:
        decimals = min(decimals, max(0, math.ceil(-math.log10(quantum))))
    # Rounding may carry into the next power of ten: 9.996 is 10.0 with three digits, not 10.00.
    text = f"{value:.{decimals}f}"
    if decimals and len(text.lstrip("-").replace(".", "").lstrip("0")) > digits:
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


def in_column(value: float) -> str:
    """A figure in the unit of its column: four significant digits, three decimals at most, thousands apart."""
    text = number(value, 0.001, digits=4)
    return text if "." in text else count(int(text))


def duration(ns: float, *, digits: int = _SIGNIFICANT) -> str:
    """A measured time (ns) with `digits` significant digits, in the unit in which it is below 1000 as it is printed."""
    if not ns:
        return "0 ns"
    for unit, size in _PRINTED[:-1]:
        text = number(ns / size, digits=digits)
        if abs(float(text)) < 1000:
            return f"{text} {unit}"
    return f"{number(ns / 1e9, digits=digits)} s"


def written(ns: float) -> str:
    """A time (ns) as a user writes it, `250 µs`: all its digits and no zeros after them. `duration_ns` reads it back."""
    unit, size = next((one for one in reversed(_PRINTED) if abs(ns) >= one[1]), _PRINTED[0])
    return f"{ns / size:.12g} {unit}"


def waiting(seconds: float) -> str:
    """A time to wait, in the units in which people wait: `250 ms`, `3 s`, `10 min`, `2.0 h`, `3.5 days`."""
    if 0 < seconds < 1:
        return duration(seconds * 1e9, digits=2)
    for limit, size, form in (
        (10, 1, "{:.2g} s"),
        (90, 1, "{:.0f} s"),
        (5400, 60, "{:.0f} min"),
        (129_600, 3600, "{:.1f} h"),
    ):
        if seconds < limit:
            return form.format(seconds / size)
    return f"{count(round(seconds / 86_400))} days" if seconds >= 8_640_000 else f"{seconds / 86_400:.1f} days"


def minute(time: str) -> str:
    """A time (ISO 8601, UTC) as tables show it, to the minute: ``2026-01-31 12:00``."""
    return time[:16].replace("T", " ")


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


def counted(number: int, noun: str) -> str:
    """A number of things: 1 run, 2 runs, 12 345 quantities."""
    several = f"{noun[:-1]}ies" if noun.endswith("ty") else f"{noun}s"
    return f"{count(number)} {noun if number == 1 else several}"
