# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A bar chart that needs no script: positions are percentages, so it fits any page width."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

_ROW, _BAR, _AXIS = 20, 18, 18
"""Heights in pixels: a row of bars or a row's name, a bar, the axis."""
_MOST_TICKS = 5
_WIDE = 1100
"""Width in pixels of a chart on a wide page. A bar has no name in it if it would not show three letters there."""
_LETTER = 7


class Bar(msgspec.Struct, frozen=True):
    """A bar from `at`, with a length; both in the chart's unit."""

    name: str
    at: float
    length: float
    title: str
    """Text of the tooltip."""
    colour: int
    """Number of the colour in the palette, from 1."""
    dot: float | None = None
    """Position of a dot on the chart; None: no dot."""


Row: TypeAlias = tuple[str, Sequence[Bar]]
"""A name above the bars, and the bars. An empty name takes no room."""
Mark: TypeAlias = tuple[str, str, str]
"""A mark of the axis: position, label and anchor."""


def drawn(
    rows: Iterable[Row], whole: float, axis: Sequence[Mark], legend: Sequence[tuple[int, str]] = ()
) -> dict[str, Any]:
    """The template's values of a chart; `whole` is its length in its unit."""
    names, found, top = [], [], _AXIS
    for name, bars in rows:
        if name:
            names.append((top + _BAR - 4, name))
            top += _ROW
        for bar in bars:
            share = 100 * bar.length / whole
            found.append(
                {
                    "bar": bar,
                    "x": _percent(bar.at / whole),
                    "width": _percent(bar.length / whole),
                    "top": top,
                    "named": share * _WIDE / 100 >= 3 * _LETTER,
                    "dot": None if bar.dot is None else _percent(bar.dot / whole),
                }
            )
        top += _ROW
    return {"height": top, "bar": _BAR, "names": names, "bars": found, "axis": axis, "legend": legend}


def _percent(share: float) -> str:
    return f"{100 * share:.5f}%"


def marks(whole: float, unit: str) -> Iterator[Mark]:
    """Marks at round numbers, from 0."""
    rough = whole / _MOST_TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    for number in range(int(whole / step + 1e-9) + 1):
        yield mark(number * step / whole, f"{number * step:,.10g}".replace(",", " ") + ("" if number else f" {unit}"))


def mark(share: float, label: str) -> Mark:
    """A mark at a share of the chart's length."""
    return _percent(share), label, "start" if share < 0.05 else "end" if share > 0.95 else "middle"
