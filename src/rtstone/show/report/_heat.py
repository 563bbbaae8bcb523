# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Latency over time as heat maps: of all samples if saved; and of the largest in each window, a line a repetition."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rtstone.model import Result
from rtstone.show.report._reduce import is_logarithmic, ticks
from rtstone.show.report._series import ChartSeries, ReportSection
from rtstone.show.report._specs import Chart, Rows, Spec, label

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_STEPS = 48
"""Most steps of time of a repetition; a map of all samples has twice as many."""
_MOST_LEVELS = 40
_MOST_LINES = 40
"""Most repetitions that are readable in one map. Of more, only the first are drawn."""
_MOST_MAPS = 4
"""Most series of raw samples that have a map."""

_TIME: Spec = {
    "field": "x",
    "type": "quantitative",
    "scale": {"nice": False},
    "axis": {"title": "time measured (s)", "format": "~r", "grid": False},
}

HOW_TO_READ = {
    "maxima": "A line is a repetition, from its begin at the left; the darker a cell, the longer the largest sample of that time. A column"
    " that is dark in every repetition comes at a fixed time after the begin; single cells come by chance.",
    "samples": "Every sample: time to the right, latency upwards, the darker the more. A second band is a second way through the kernel;"
    " a band that moves is something periodic against the measured timer.",
}


def charts(section: ReportSection) -> Iterator[tuple[Chart, Rows]]:
    """A map of all samples for each series that has them; a map of maxima if there are several repetitions."""
    raw = [one for one in section.single if any(result.samples for result in one.results)]
    for number, one in enumerate(raw[:_MOST_MAPS], 1):
        rows, spec = _samples(one, section)
        if rows:
            name = f"{section.key}-samples-{number}"
            title = f"Latency over time: {one.label}" if len(section.single) > 1 else "Latency over time"
            yield _chart(name, "samples", title, section, spec, (one.label,)), rows
    if any(len(one.results) > 1 for one in section.single):
        rows = [row for one in section.single for row in _maxima(one, section)]
        lines = tuple(dict.fromkeys(str(row["s"]) for row in rows))[:_MOST_LINES]
        rows = [row for row in rows if row["s"] in lines]
        if rows:
            name = f"{section.key}-maxima"
            title = "Maximum over time, by repetition"
            yield _chart(name, "maxima", title, section, _maxima_spec(section, rows, lines), lines), rows


def _chart(name: str, kind: str, title: str, section: ReportSection, spec: Spec, legend: tuple[str, ...]) -> Chart:
    return Chart(
        key=name,
        kind=kind,
        title=title,
        how_to_read=HOW_TO_READ[kind],
        description=f"{title} of {section.quantity}. The table below has the figures.",
        spec={"data": {"name": name}, "width": "container", **spec},
        data=name,
        legend=legend,
    )


def _maxima(one: ChartSeries, section: ReportSection) -> Rows:
    """A row for each step of each repetition in which a sample ended."""
    to_ns = 1e9 / one.clock.hz
    rows: Rows = []
    for number, result in enumerate(one.results, 1):
        windows = result.windows
        if windows is None or not windows.maxima:
            continue
        together = math.ceil(len(windows.maxima) / _MOST_STEPS)
        step = windows.width * to_ns / 1e9
        for first in range(0, len(windows.maxima), together):
            seen = [m for m in windows.maxima[first : first + together] if m is not None]
            if seen:
                end = min(first + together, len(windows.maxima))
                y = max(seen) * to_ns / section.divisor
                rows.append({"s": f"{one.label}, {number}", "x": first * step, "x2": end * step, "y": y})
    return rows


def _maxima_spec(section: ReportSection, rows: Rows, lines: tuple[str, ...]) -> Spec:
    values = [float(str(row["y"])) for row in rows]
    y = {
        "field": "s",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": list(lines)},
        "axis": {"title": None, "labelLimit": 170},
    }
    tips = [
        {"field": "s", "type": "nominal", "title": "repetition"},
        {"field": "x", "type": "quantitative", "title": "from (s)", "format": ".4~r"},
        {"field": "y", "type": "quantitative", "title": f"maximum ({section.unit})", "format": ".4~r"},
    ]
    return {
        "height": max(120, 15 * len(lines)),
        "mark": {"type": "rect"},
        "encoding": {
            "x": _TIME,
            "x2": {"field": "x2"},
            "y": y,
            "color": _colour("y", f"maximum ({section.unit})", min(values), max(values), ",~r"),
            "tooltip": tips,
        },
    }


def _colour(field: str, title: str, low: float, high: float, form: str) -> Spec:
    scale: Spec = {"scheme": "viridis", "reverse": True}
    if is_logarithmic(low, high):
        scale["type"] = "log"
    legend: Spec = {"title": title, "orient": "bottom", "gradientLength": 160, "format": form, "titleOrient": "left"}
    if "type" in scale:
        legend |= {"values": ticks(low, high), "labelOverlap": "greedy"}
    return {"field": field, "type": "quantitative", "scale": scale, "legend": legend}


def _samples(one: ChartSeries, section: ReportSection) -> tuple[Rows, Spec]:
    """All samples of a series, its repetitions in sequence, counted in cells."""
    import numpy as np

    to_unit = 1e9 / one.clock.hz / section.divisor
    values = np.concatenate([np.frombuffer(r.samples, dtype="<i8") for r in one.results if r.samples]) * to_unit
    if not values.size:
        return [], {}
    times = _times(one.results, 1 / one.clock.hz)
    low, high = float(values.min()), float(values.max())
    logarithmic = is_logarithmic(low, high)
    edges = (
        np.geomspace(low, high, _MOST_LEVELS + 1)
        if logarithmic
        else np.linspace(low, max(high, low + 1e-9), _MOST_LEVELS + 1)
    )
    counts, at, levels = np.histogram2d(times, values, bins=(2 * _MOST_STEPS, edges))
    rows: Rows = [
        {
            "s": one.label,
            "x": float(at[i]),
            "x2": float(at[i + 1]),
            "y": float(levels[j]),
            "y2": float(levels[j + 1]),
            "n": int(counts[i, j]),
        }
        for i, j in np.argwhere(counts > 0)
    ]
    scale: Spec = (
        {"domain": [low, high], "nice": False, "type": "log"}
        if logarithmic
        else {"domain": [low, high], "nice": False, "zero": False}
    )
    y = {
        "field": "y",
        "type": "quantitative",
        "scale": scale,
        "axis": {
            "title": f"{label(section)} ({section.unit})",
            "format": ",.3~r",
            "grid": False,
            "labelOverlap": "greedy",
        }
        | ({"values": ticks(low, high)} if logarithmic else {}),
    }
    tips = [
        {"field": "x", "type": "quantitative", "title": "from (s)", "format": ".4~r"},
        {"field": "y", "type": "quantitative", "title": f"from ({section.unit})", "format": ".4~r"},
        {"field": "n", "type": "quantitative", "title": "samples", "format": ",d"},
    ]
    color = _colour("n", "samples", 1.0, float(counts.max()), ",d")
    encoding = {"x": _TIME, "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}, "color": color, "tooltip": tips}
    return rows, {"height": 220, "mark": {"type": "rect"}, "encoding": encoding}


def _times(results: tuple[Result, ...], to_s: float) -> NDArray[np.float64]:
    """The time (s) of each sample. It is not recorded, so samples are spread evenly over their repetition."""
    import numpy as np

    begin, found = 0.0, []
    for result in results:
        if result.samples:
            count = len(result.samples) // 8
            found.append(begin + np.arange(count) * (result.elapsed * to_s / count))
            begin += result.elapsed * to_s
    return np.concatenate(found)
