# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The chart of a history: a point for each run, in order of time, and a line for each level."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.judge.history import Series
from rtstone.model.units import counted
from rtstone.show.judged import words
from rtstone.show.report._specs import Chart, Rows
from rtstone.show.site._where import address

HOW_TO_READ = (
    "Each point is a run, in the order of time, with the date on which it started below; a click opens its report. A line is the level"
    " between two steps. Numbers beside a step are those of the list below."
)


_DATES = 7
"""Most dates on the axis: a narrow page has room for this many."""


def _dates(started: Sequence[str]) -> dict[str, object]:
    """An axis of runs, evenly spaced, that names dates. Where all runs started on one day it names their times."""
    days = {text[:10] for text in started}
    count = min(_DATES, len(started))
    chosen = sorted({1 + round(at * (len(started) - 1) / max(1, count - 1)) for at in range(count)})
    labels = {at: started[at - 1][11:16] if len(days) == 1 else started[at - 1][:10] for at in chosen}
    # Two neighbouring labels with the same date are written once.
    shown = {
        at: text if number == 0 or labels[chosen[number - 1]] != text else ""
        for number, (at, text) in enumerate(labels.items())
    }
    said = ",".join(f"'{at}':'{''.join(c for c in text if c in '0123456789-:')}'" for at, text in shown.items())
    return {
        "title": f"run, by the time it started on {min(days)} (UTC)"
        if len(days) == 1
        else "run, by the date on which it started",
        "values": chosen,
        "labelExpr": f"({{{said}}})[datum.value]",
        "labelOverlap": "greedy",
        "labelFlush": True,
    }


def chart(series: Series, key: str) -> tuple[Chart, Rows]:
    """The chart of a series with its rows: points (k 0), levels (k 1) and steps (k 2)."""
    unit, divisor = words.unit_of_series(series)
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
        "axis": _dates([point.started for point in series.points]),
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
