# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The look of charts: colours, axes and type, as a Vega-Lite configuration. On the page a style sheet sets colours."""

from __future__ import annotations

from typing import Any

import msgspec


class Palette(msgspec.Struct, frozen=True):
    """Colours of a chart's parts."""

    ink: str
    faint: str
    line: str
    grid: str
    ground: str | None
    series: tuple[str, ...]


ON_SCREEN = Palette(
    "var(--ink)", "var(--faint)", "var(--line)", "var(--grid)", None, tuple(f"var(--s{i})" for i in range(1, 9))
)
"""Variables of page.css. With them a chart follows the page from light to dark, and to paper, without a new drawing."""

# Okabe and Ito's palette, as in page.css.
LIGHT = Palette(
    "#1b1f24",
    "#59636e",
    "#d8dde3",
    "#e7eaee",
    "#ffffff",
    ("#0072b2", "#d55e00", "#009e73", "#b0568d", "#b88700", "#3f9bd0", "#4d4d4d", "#8a6d1d"),
)
DARK = Palette(
    "#e3e7ec",
    "#9aa5b1",
    "#353d46",
    "#252b32",
    "#14171b",
    ("#4ba6e3", "#f0803c", "#35c597", "#dd8fbe", "#e6b93a", "#8fd0f5", "#c3c9d0", "#c9a94f"),
)

THOUSANDS = "\N{NO-BREAK SPACE}"
"""Separator of thousands on axes: a space, as in tables."""

_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif'


def config(palette: Palette) -> dict[str, Any]:
    """A Vega-Lite configuration in these colours."""
    return {
        "background": palette.ground,
        "locale": {"number": {"decimal": ".", "thousands": THOUSANDS, "grouping": [3], "currency": ["", ""]}},
        "font": _FONT,
        "view": {"stroke": palette.line},
        "axis": {
            "labelColor": palette.ink,
            "titleColor": palette.faint,
            "titleFontWeight": "normal",
            "titleFontSize": 12,
            "labelFontSize": 11.5,
            "titlePadding": 8,
            "gridColor": palette.grid,
            "domainColor": palette.line,
            "tickColor": palette.line,
            "tickCount": 6,
        },
        "title": {"color": palette.ink, "fontSize": 14, "anchor": "start", "subtitleColor": palette.faint},
        "legend": {"labelColor": palette.ink, "titleColor": palette.faint, "labelLimit": 400, "orient": "bottom"},
        "range": {"category": list(palette.series)},
        "point": {"color": palette.series[0]},
    }
