# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The chart that compares a run with publications: rows of the studies on one logarithmic axis.

Published platforms are points, our figures are bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rtstone.model import Run
from rtstone.model.units import counted, duration
from rtstone.show import tables
from rtstone.show.report._reduce import ticks
from rtstone.show.report._specs import Chart, Rows
from rtstone.studies import Study, Table

_PUBLISHED, _OURS = 0, 1
_TALLEST, _TALLEST_OF_SEVERAL = 520, 440
"""Most pixels of the chart, so that it fits into the first screen of 900. Several runs need more room above it."""
_LEAST_STEP, _SERIES_STEP = 17, 5
_GAP = 0.25
"""Share of a line's height that is empty."""
_MOST_SERIES = 8
"""Most series: the number of colours."""
PUBLISHED = "published"

CIRCLES = "A circle is what a paper prints for a platform."
HOW_TO_READ = (
    "A bar is ours, from the median (dot) over the 99.9th percentile (end of the thick"
    " part) to the maximum observed (end of the line). The axis is logarithmic."
)

ONE_BY_ONE = (
    "A bar is of operations that were timed one by one: each contains {cost}. The papers' tables average sets of operations, with one"
    " reading for a set, so a short operation is shorter there."
)


def overview(
    runs: Sequence[Run], studies: Sequence[Study], key: str, *, only: Table | None = None
) -> tuple[Chart, Rows, str] | None:
    """The chart with its rows, and a text on the parts that had no room; None if no time was measured."""
    lines = tables.charted(runs, studies, only=only)
    every = list(dict.fromkeys(bar.series for line in lines for bar in line.bars))
    if not every:
        return None
    series = every[:_MOST_SERIES]
    if len(every) > _MOST_SERIES and len(runs) > 1:
        # For each run its first circumstance, which is idle if the run was measured idle.
        first = {bar.run: bar.series for line in reversed(lines) for bar in reversed(line.bars)}
        series = [name for name in every if name in first.values()][:_MOST_SERIES]
    step = max(_LEAST_STEP, _SERIES_STEP * len(series) + 4)
    shown = [line for line in lines if any(bar.series in series for bar in line.bars)]
    most = len(shown) if only is not None else max(1, (_TALLEST if len(runs) == 1 else _TALLEST_OF_SEVERAL) // step)
    left = len(shown) - most
    shown = shown[:most]
    series = [name for name in series if any(bar.series == name for line in shown for bar in line.bars)]
    rows: Rows = []
    for line in shown:
        for one in line.published:
            of = f"{one.platform}, {one.condition}" if one.condition else one.platform
            tip = f"{of}: {one.value} µs ({one.study})"
            rows.append({"s": PUBLISHED, "k": _PUBLISHED, "q": line.label, "x": one.us, "tip": tip})
        bars = [bar for bar in line.bars if bar.series in series]
        for position, bar in enumerate(sorted(bars, key=lambda one: series.index(one.series))):
            middle = bar.p50 if bar.p999 is None else max(bar.p999, bar.p50)
            # A line's bars are centred on its label, for any number of series.
            offset = (position - (len(bars) - 1) / 2) * _SERIES_STEP
            rows.append(
                {"s": bar.series, "k": _OURS, "q": line.label, "o": offset, "x": bar.p50, "m": middle, "hi": bar.max}
                | {"tip": _tip(bar)}
            )
    what = [
        f"{counted(left, 'more quantity')}" if left > 0 else "",
        f"{len(every) - len(series)} of {len(every)} series" if len(every) > len(series) else "",
    ]
    rest = " and ".join(filter(None, what))
    published = any(row["k"] == _PUBLISHED for row in rows)
    title = "How this compares" if only is None else "Beside the published figures"
    both = any(line.in_sets and not bar.sets for line in shown for bar in line.bars)
    texts = (CIRCLES if published else "", HOW_TO_READ, ONE_BY_ONE.format(cost=_reading(runs)) if both else "")
    chart = Chart(
        key=key,
        kind="overview",
        title=title if published else "On one axis",
        how_to_read=" ".join(filter(None, texts)),
        description=f"{counted(len(shown), 'quantity')} on one logarithmic axis: {', '.join(series)}"
        f"{', and what papers print' if published else ''}. The tables have all.",
        spec={"data": {"name": key}, "width": "container"} | _spec(rows, [line.label for line in shown], series, step),
        data=key,
        legend=(PUBLISHED, *series),
    )
    return chart, rows, rest


def _reading(runs: Sequence[Run]) -> str:
    """One reading of the clock in words, with its cost if a single run recorded it."""
    for session in runs[0].sessions if len(runs) == 1 else ():
        rates = {clock.id: clock for clock in session.clocks}
        for one in session.calibrations:
            if one.name == "clock-read" and one.clock in rates:
                return f"a reading of the clock ({duration(rates[one.clock].ns(one.median))})"
    return "a reading of the clock"


def _tip(bar: tables.QuantityBar) -> str:
    middle = "" if bar.p999 is None else f", p99.9 {bar.p999:.4g}"
    first = "average of sets" if bar.sets else "p50"
    doubt = ", doubtful" if bar.invalid else ""
    return f"{bar.series}: {first} {bar.p50:.4g}{middle}, max {bar.max:.4g} µs{doubt}"


def _spec(rows: Rows, order: list[str], series: list[str], step: int) -> dict[str, Any]:
    values = [float(str(row[name])) for row in rows for name in ("x", "hi") if row.get(name) is not None]
    low, high = min(values) / 1.2, max(values) * 1.2
    scale = {"type": "log", "domain": [low, high], "nice": False}
    axis = {"title": "µs", "values": ticks(low, high), "format": ",~g", "orient": "bottom", "labelOverlap": "greedy"}
    x = {"field": "x", "type": "quantitative", "scale": scale, "axis": axis}
    y = {
        "field": "q",
        "type": "nominal",
        "scale": {"domain": order, "paddingInner": _GAP},
        "sort": None,
        "axis": {"title": None, "labelLimit": 290, "grid": True, "tickBand": "extent", "ticks": False},
    }
    color = {"field": "s", "type": "nominal", "scale": {"domain": series}, "legend": None, "sort": None}
    half = step * (1 - _GAP) / 2
    offset = {"field": "o", "type": "quantitative", "scale": {"domain": [-half, half], "nice": False, "zero": False}}
    tip = [{"field": "q", "type": "nominal", "title": "row"}, {"field": "tip", "type": "nominal", "title": " "}]
    ours = [{"filter": {"field": "k", "equal": _OURS}}]
    to = {"color": color, "yOffset": offset, "tooltip": tip}
    published = [
        {
            "transform": [{"filter": {"field": "k", "equal": _PUBLISHED}}],
            "mark": {"type": "point", "size": 38, "opacity": 0.85, "strokeWidth": 1.3, "color": "var(--faint)"},
            "encoding": {"x": x, "tooltip": tip},
        }
    ]
    if not any(row["k"] == _PUBLISHED for row in rows):
        published = []
    return {
        "height": step * len(order),
        "encoding": {"y": y},
        "layer": [
            {
                "transform": ours,
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {"x": x, "x2": {"field": "hi"}, **to},
            },
            {
                "transform": ours,
                "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "butt"},
                "encoding": {"x": x, "x2": {"field": "m"}, **to},
            },
            {
                "transform": ours,
                "mark": {"type": "tick", "thickness": 1.5, "size": 7},
                "encoding": {"x": x | {"field": "hi"}, **to},
            },
            {
                "transform": ours,
                "mark": {"type": "point", "filled": True, "size": 34, "opacity": 1},
                "encoding": {"x": x, **to},
            },
            *published,
        ],
    }
