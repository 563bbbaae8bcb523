# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The chart of a history: a point a run, a line for each level, in the order of time."""

from __future__ import annotations

from statistics import median

from rtstone.judge.history import Series
from rtstone.model.units import counted
from rtstone.show.judged import words
from rtstone.show.report._specs import Chart, Rows
from rtstone.show.site._where import address

HOW_TO_READ = (
    "Each point is a run, in the order of time; a click opens its report. A line is the level between two steps. Numbers beside a step"
    " are those of the list below."
)


def unit_of(series: Series) -> tuple[str, float]:
    """The unit in which a series is read best, and its nanoseconds."""
    typical = abs(median(point.value_ns for point in series.points))
    return next(((name, ns) for name, ns in words.UNITS if typical >= ns), words.UNITS[-1])


def chart(series: Series, key: str) -> tuple[Chart, Rows]:
    """The chart of a series with its rows: points (k 0), levels (k 1) and steps (k 2)."""
    unit, divisor = unit_of(series)
    name = series.statistic
    rows: Rows = [
        {"s": name, "k": 0, "x": at, "y": point.value_ns / divisor, "run": point.run, "day": point.started[:16]}
        | {"to": address("run", id=point.run)}
        for at, point in enumerate(series.points, 1)
    ]
    rows += [
        {"s": name, "k": 1, "x": level.first + 0.6, "y": level.median_ns / divisor, "x2": level.last + 1.4}
        for level in series.levels
    ]
    top = max(point.value_ns for point in series.points) / divisor
    rows += [{"s": name, "k": 2, "x": step.at + 0.5, "y": top, "n": str(n)} for n, step in enumerate(series.steps, 1)]
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [0.5, len(series.points) + 0.5], "nice": False},
        "axis": {"title": "run", "format": "d", "tickMinStep": 1},
    }
    y = {"field": "y", "type": "quantitative", "scale": {"zero": False}, "axis": {"title": f"{name} ({unit})"}}
    tips = [
        {"field": "run", "type": "nominal", "title": "run"},
        {"field": "day", "type": "nominal", "title": "started"},
        {"field": "y", "type": "quantitative", "title": f"{name} ({unit})", "format": ".4~r"},
    ]

    def only(kind: int) -> list[dict[str, object]]:
        return [{"filter": {"field": "k", "equal": kind}}]

    spec = {
        "data": {"name": key},
        "width": "container",
        "height": 220,
        "encoding": {"x": x},
        "layer": [
            {
                "transform": only(2),
                "mark": {"type": "rule", "strokeDash": [4, 3], "opacity": 0.7},
            },
            {
                "transform": only(2),
                "mark": {"type": "text", "dx": 7, "fontWeight": "bold", "color": "var(--ink)"},
                "encoding": {"y": y, "text": {"field": "n"}},
            },
            {
                "transform": only(1),
                "mark": {"type": "rule", "strokeWidth": 2, "color": "var(--s2)"},
                "encoding": {"y": y, "x2": {"field": "x2"}},
            },
            {
                "transform": only(0),
                "mark": {"type": "point", "filled": True, "size": 34, "opacity": 0.9, "cursor": "pointer"},
                "encoding": {"y": y, "tooltip": tips, "href": {"field": "to"}},
            },
        ],
    }
    return Chart(
        key=key,
        kind="history",
        title=f"{name} from run to run",
        how_to_read=HOW_TO_READ,
        description=f"{counted(len(series.points), 'run')} of {series.title} with {counted(len(series.steps), 'step')}."
        " The table below has the figures.",
        spec=spec,
        data=key,
        legend=(name,),
    ), rows
