# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as text, the same way everywhere in the report."""

from __future__ import annotations


def figure(value: float | None) -> str:
    """A measured value with four or so significant digits; empty for None."""
    if value is None:
        return ""
    magnitude = abs(value)
    places = 0 if magnitude >= 1000 else 1 if magnitude >= 100 else 2 if magnitude >= 10 else 3
    # A value that is whole needs no zeros behind the point; a minus before a zero says nothing.
    text = f"{value:,.{places}f}"
    return text.removeprefix("-") if not any(c in "123456789" for c in text) else text.replace("-", "\N{MINUS SIGN}")


def count(value: int) -> str:
    """A whole number with separated thousands."""
    return f"{value:,d}"


def duration(seconds: float) -> str:
    """Seconds as people say them: `42 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def frequency(hz: int) -> str:
    """Hertz with the prefix that fits."""
    for name, size in (("GHz", 10**9), ("MHz", 10**6), ("kHz", 10**3)):
        if hz >= size:
            return f"{hz / size:.6g} {name}"
    return f"{hz} Hz"
