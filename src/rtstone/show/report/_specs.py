# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The charts of a section: Vega-Lite specifications that name their data sets, and the data sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from rtstone.show.report._reduce import is_logarithmic, ticks
from rtstone.show.report._series import ChartSeries, ReportSection

Spec = dict[str, Any]
Rows = list[dict[str, object]]

FLOOR = 0.6
"""Lower end of bars on the logarithmic axis of counts. It lies below one sample, so that one sample is visible."""

HOW_TO_READ = {
    "histogram": "How often each latency came. The count is logarithmic, so that a single late sample is as visible as the bulk;"
    " what lies at the right edge, however low, is what a deadline meets.",
    "exceedance": "How large a share of samples took longer than a value. Read across at 0.1%: one in a thousand was longer than this."
    " A curve that falls steeply is predictable; a long flat tail is not.",
    "windows": "The largest sample in each stretch of time. Even height means steady; steps, trends or regular spikes point to"
    " something periodic or to something that changed in mid-run.",
    "averages": "Each mark is the average of one set of operations, the figure that the papers print. Wide spread means that"
    " sets differ, not that single operations do: see the histogram for those.",
}

TITLES = {
    "histogram": "Latency histogram",
    "exceedance": "Exceedance",
    "windows": "Maximum over time",
    "averages": "Averages of sets",
}


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A chart: `spec` draws the data set that it names."""

    key: str
    kind: str
    title: str
    how_to_read: str
    description: str
    """Text for readers who cannot see the chart."""
    spec: Spec
    data: str
    legend: tuple[str, ...]


def charts(section: ReportSection) -> Iterator[tuple[Chart, Rows]]:
    """The charts of a section, each with the rows of its data set. There is no chart without data."""
    for kind, series, rows, spec in (
        ("histogram", section.single, _histogram_rows, _histogram),
        ("exceedance", section.single, _exceedance_rows, _exceedance),
        ("windows", section.single, _window_rows, _windows),
        ("averages", section.batch, _average_rows, _averages),
    ):
        found = [row for one in series for row in rows(one, section)]
        if not found:
            continue
        name = f"{section.key}-{kind}"
        labels = tuple(dict.fromkeys(str(row["s"]) for row in found))
        chart = Chart(
            key=name,
            kind=kind,
            title=TITLES[kind],
            how_to_read=HOW_TO_READ[kind],
            description=f"{TITLES[kind]} of {section.quantity}: {', '.join(labels)}. The table below has the figures.",
            spec=_common(name) | spec(section, series),
            data=name,
            legend=labels,
        )
        yield chart, found


def _common(name: str) -> Spec:
    return {"data": {"name": name}, "width": "container", "height": 220}


def _color(section: ReportSection) -> Spec:
    """One colour for each series, the same in all charts of a section."""
    labels = list(drawn_labels(section))
    return {"field": "s", "type": "nominal", "scale": {"domain": labels}, "legend": None, "sort": None}


def _axis(section: ReportSection, title: str, scale: Spec) -> Spec:
    # The heading gives the rate of instruction-time: with it the title would be wider than a narrow page.
    kind = label(section)
    unit = f"{section.unit} of {kind}" if section.virtual and title != kind else section.unit
    axis: Spec = {"title": f"{title} ({unit})", "labelOverlap": "greedy"}
    if scale.get("type") != "log":
        return axis | {"format": ",~f"}  # enough digits for labels that differ
    # A logarithmic axis within one decade would have no labels of its own.
    return axis | {"format": ",.3~r", "values": ticks(*scale["domain"])}


def drawn_labels(section: ReportSection) -> tuple[str, ...]:
    """The series that appear in some chart of the section, in the order of their colours."""
    shown = [one.label for one in section.single if one.bins or one.exceedance or one.windows]
    return tuple(dict.fromkeys([*shown, *(one.label for one in section.batch if one.averages)]))


def _time_scale(series: tuple[ChartSeries, ...], section: ReportSection) -> Spec:
    lows = [one.bins[0].low for one in series if one.bins]
    highs = [one.bins[-1].high for one in series if one.bins]
    for one in series:
        # A bin is placed by the middle of its buckets, so the least and the largest sample may lie outside the bins. Overflow is not drawn.
        if one.bins and not one.figures.overflow and one.figures.min is not None and one.figures.max is not None:
            lows.append(one.figures.min)
            highs.append(one.figures.max)
    low, high = min(lows, default=0), max(highs, default=1)
    scale: Spec = {"domain": [low / section.divisor, high / section.divisor], "nice": False}
    if is_logarithmic(low, high):
        scale["type"] = "log"
    else:
        scale["zero"] = False
    return scale


def label(section: ReportSection) -> str:
    return section.time_unit.partition(" at ")[0] if section.virtual else "latency"


def _tooltip(*fields: tuple[str, str, str]) -> list[Spec]:
    tips: list[Spec] = [{"field": "s", "type": "nominal", "title": "series"}]
    return tips + [{"field": f, "type": "quantitative", "title": t, "format": p} for f, t, p in fields]


def _histogram_rows(one: ChartSeries, section: ReportSection) -> Rows:
    """The steps of a histogram: a row at each bin's low edge, and one at the floor before and after adjoining bins."""
    rows: Rows = []
    for position, b in enumerate(one.bins):
        before = one.bins[position - 1] if position else None
        after = one.bins[position + 1] if position + 1 < len(one.bins) else None
        if before is None or before.high < b.low * 0.999999:
            rows.append({"s": one.label, "x": b.low / section.divisor, "y": FLOOR, "n": 0})
        rows.append({"s": one.label, "x": b.low / section.divisor, "y": b.count, "n": b.count})
        if after is None or after.low > b.high * 1.000001:
            rows.append({"s": one.label, "x": b.high / section.divisor, "y": FLOOR, "n": 0})
    return rows


def _histogram(section: ReportSection, series: tuple[ChartSeries, ...]) -> Spec:
    scale = _time_scale(series, section)
    x = {"field": "x", "type": "quantitative", "scale": scale, "axis": _axis(section, label(section), scale)}
    most = max((b.count for one in series for b in one.bins), default=1)
    top = max(most * 1.5, 12)
    y_scale = {"type": "log", "domain": [FLOOR, top], "nice": False, "clamp": True}
    powers = [10**n for n in range(len(str(int(top))))]
    y = {
        "field": "y",
        "type": "quantitative",
        "scale": y_scale,
        "axis": {"title": "samples", "format": ",d", "values": powers},
    }
    tips = _tooltip(("x", f"from ({section.unit})", ",.4~r"), ("n", "samples", ",d"))
    area = {"type": "area", "interpolate": "step-after", "fillOpacity": 0.22 if len(series) < 4 else 0.08, "clip": True}
    line = {"type": "line", "interpolate": "step-after", "strokeWidth": 1.25, "clip": True}
    color = _color(section)
    return {
        "encoding": {"x": x},
        "layer": [
            {"mark": area, "encoding": {"y": y | {"stack": None}, "y2": {"datum": FLOOR}, "color": color}},
            {"mark": line, "encoding": {"y": y, "color": color}},
            {"mark": {"type": "point", "opacity": 0, "size": 60, "clip": True}, "encoding": {"y": y, "tooltip": tips}},
        ],
    }


def _exceedance_rows(one: ChartSeries, section: ReportSection) -> Rows:
    return [{"s": one.label, "x": value / section.divisor, "y": share} for value, share in one.exceedance]


def _exceedance(section: ReportSection, series: tuple[ChartSeries, ...]) -> Spec:
    least = min((share for one in series for _, share in one.exceedance), default=0.1)
    scale = _time_scale(series, section)
    x = {"field": "x", "type": "quantitative", "scale": scale, "axis": _axis(section, label(section), scale)}
    y_axis = {
        "title": "share of samples that took longer",
        "format": "~%",
        "values": ticks(least / 1.6, 1),
        "labelOverlap": "greedy",
    }
    y_scale = {"type": "log", "domain": [least / 1.6, 1], "nice": False}
    y = {"field": "y", "type": "quantitative", "scale": y_scale, "axis": y_axis}
    tips = _tooltip(("x", f"longer than ({section.unit})", ",.4~r"), ("y", "share", ".3~p"))
    line = {"type": "line", "interpolate": "step-after", "strokeWidth": 1.8, "clip": True}
    return {
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": line, "encoding": {"color": _color(section)}},
            {"mark": {"type": "point", "opacity": 0, "size": 60, "clip": True}, "encoding": {"tooltip": tips}},
        ],
    }


def _window_rows(one: ChartSeries, section: ReportSection) -> Rows:
    _, seconds = _clockface(section)
    return [{"s": one.label, "x": w.at / seconds, "y": w.largest / section.divisor} for w in one.windows]


def _clockface(section: ReportSection) -> tuple[str, float]:
    """The unit of the time axis, and how many seconds it has."""
    longest = max((w.at for one in section.single for w in one.windows), default=0.0)
    return ("s", 1.0) if longest >= 1 else ("ms", 1e-3)


def _windows(section: ReportSection, series: tuple[ChartSeries, ...]) -> Spec:
    values = [w.largest / section.divisor for one in series for w in one.windows]
    low, high = min(values, default=0.0), max(values, default=1.0)
    y_scale: Spec = {"zero": True, "nice": True}
    if is_logarithmic(low, high):
        y_scale = {"type": "log", "domain": [low * 0.8, high * 1.25], "nice": False}
    second, seconds = _clockface(section)
    x_axis = {"title": f"time measured ({second})", "format": ",~f"}
    longest = max((w.at / seconds for one in series for w in one.windows), default=0.0) or 1.0
    x = {"field": "x", "type": "quantitative", "axis": x_axis, "scale": {"domain": [0, longest], "nice": False}}
    y = {"field": "y", "type": "quantitative", "scale": y_scale, "axis": _axis(section, "maximum", y_scale)}
    tips = _tooltip(("x", f"at ({second})", ",.4~r"), ("y", f"maximum ({section.unit})", ",.4~r"))
    return {
        "encoding": {"x": x, "y": y, "color": _color(section)},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 0.8, "opacity": 0.55}},
            {"mark": {"type": "point", "filled": True, "size": 14, "opacity": 0.9}, "encoding": {"tooltip": tips}},
        ],
    }


def _average_rows(one: ChartSeries, section: ReportSection) -> Rows:
    return [{"s": one.label, "x": average / section.divisor} for average in one.averages]


def _averages(section: ReportSection, series: tuple[ChartSeries, ...]) -> Spec:
    labels = [one.label for one in series if one.averages]
    scale: Spec = {"zero": False, "nice": True}
    x = {"field": "x", "type": "quantitative", "scale": scale, "axis": _axis(section, "average", scale)}
    y = {
        "field": "s",
        "type": "nominal",
        "scale": {"domain": labels},
        "axis": {"title": None, "labelLimit": 160},
        "sort": None,
    }
    tips = _tooltip(("x", f"average of a set ({section.unit})", ",.4~r"))
    return {
        "height": 34 + 26 * len(labels),
        "mark": {"type": "tick", "thickness": 2, "size": 16, "opacity": 0.65},
        "encoding": {"x": x, "y": y, "color": _color(section), "tooltip": tips},
    }
