# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws curves of the bench as line charts beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rtstone.show.report import draw


def line_chart(
    points: Sequence[Mapping[str, object]], x: tuple[str, str], y: tuple[str, str], *, title: str = "", each: str = ""
) -> dict[str, Any]:
    """A Vega-Lite chart with a line through the points. Both axes start at 0.

    `x`, `y`: a field of the points, and the title of its axis. `each`: the field by whose values there is a line each.
    """
    encoding: dict[str, Any] = {
        "x": {"field": x[0], "type": "quantitative", "title": x[1], "axis": {"tickCount": 4}},
        "y": {"field": y[0], "type": "quantitative", "title": y[1]},
    }
    if each:
        encoding["color"] = {"field": each, "type": "nominal", "sort": None, "legend": {"title": None, "columns": 3}}
    return {
        "title": title,
        "width": 320,
        "height": 260,
        "data": {"values": [dict(point) for point in points]},
        "mark": {"type": "line", "point": True},
        "encoding": encoding,
    }


def write_png(charts: Sequence[dict[str, Any]], path: Path) -> None:
    """Write the charts as one PNG picture. Makes the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    spec = {"hconcat": list(charts), "resolve": {"scale": {"color": "independent"}}, "padding": 12}
    path.write_bytes(draw(spec, "png"))
