# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements that time several stages of one sample: where the time of a response goes, stage by stage.

A measurement's series are its stages; a series named for the whole path is their total. Time that no stage covers is
shown as such, and never spread over the stages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from rtstone.model import stage_chain
from rtstone.show.report._reduce import is_logarithmic, ticks
from rtstone.show.report._series import ChartSeries, ReportSection, unit_for
from rtstone.show.report._specs import Chart, Rows, Spec

TOTALS = frozenset({"interrupt-task-response"})
"""Series that time the whole path: see spec/glossary.md."""
REST = "no stage covers this"

HOW_TO_READ = {
    "spread": "One line a stage: the thin line goes from the least to the largest sample, the thick one from the median to the 99th"
    " percentile, with a mark at the median. A stage with a short thick and a long thin line is quick but for rare exceptions.",
    "share": "Means add up where percentiles do not: of which stages the mean of the whole path is made. What no stage covers is grey.",
}
TITLES = {"spread": "Stage by stage", "share": "What the mean is made of"}


class Stages(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement with several series, under circumstances that may share a chart."""

    key: str
    title: str
    sections: tuple[ReportSection, ...]
    unit: str
    divisor: float

    @property
    def axis(self) -> str:
        """The unit, and for a virtual board also its kind of time."""
        time_unit = self.sections[0].time_unit
        return f"{self.unit} of {time_unit}" if time_unit else self.unit

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the series of each stage: the loads of one run, or several runs."""
        return tuple(dict.fromkeys(series.label for section in self.sections for series in section.single))

    @property
    def quantities(self) -> tuple[str, ...]:
        """The stages, and the total, in the order of measuring, the total last."""
        names = [section.quantity for section in self.sections]
        return tuple(sorted(names, key=lambda name: name in TOTALS))


def stages(found: Sequence[ReportSection]) -> tuple[Stages, ...]:
    """The measurements that have at least two series with samples."""
    groups: dict[tuple[str, str], list[ReportSection]] = {}
    for section in found:
        if section.single:
            groups.setdefault((section.measurement, section.variant), []).append(section)
    made = []
    for number, ((measurement, variant), sections) in enumerate(groups.items(), 1):
        names = tuple(dict.fromkeys(section.quantity for section in sections))
        if len(names) < 2:
            continue
        # If stages are named as such, other series of the measurement (sums, conditions) are not part of the path.
        if chain := stage_chain(names):
            sections = [section for section in sections if section.quantity in {*chain, *TOTALS}]
        unit, divisor = unit_for([series.figures for section in sections for series in section.single])
        made.append(
            Stages(
                key=f"stages-{number}",
                title=f"{measurement}, {variant}" if variant else measurement,
                sections=tuple(sections),
                unit=unit,
                divisor=divisor,
            )
        )
    return tuple(made)


def charts(of: Stages) -> Iterator[tuple[Chart, Rows]]:
    """A chart of each stage's spread; and one of the parts of the mean, if there are at least two stages."""
    rows = [row for section in of.sections for series in section.single if (row := _spread_row(section, series, of))]
    if rows:
        yield _chart(of, "spread", _spread(of, rows), of.labels), rows
    parts = [row for label in of.labels for row in _share_rows(of, label)]
    if parts:
        yield _chart(of, "share", _share(of, parts), of.labels), parts


def _chart(of: Stages, kind: str, spec: Spec, legend: tuple[str, ...]) -> Chart:
    name = f"{of.key}-{kind}"
    return Chart(
        key=name,
        kind=f"stages-{kind}",
        title=TITLES[kind],
        how_to_read=HOW_TO_READ[kind],
        description=f"{TITLES[kind]} of {of.title}: {', '.join(of.quantities)}.",
        spec={"data": {"name": name}, "width": "container", **spec},
        data=name,
        legend=legend,
    )


def _spread_row(section: ReportSection, series: ChartSeries, of: Stages) -> dict[str, object] | None:
    f = series.figures
    if f.min is None or f.max is None:
        return None
    median, p99 = f.shown_percentile(50.0), f.shown_percentile(99.0)
    middle = f.mean if median is None else median
    high = f.max if p99 is None else p99
    if middle is None:
        return None
    values = {"lo": f.min, "mid": middle, "hi": high, "max": f.max}
    return {"s": series.label, "q": section.quantity, **{k: v / of.divisor for k, v in values.items()}}


def _spread(of: Stages, rows: Rows) -> Spec:
    low, high = min(float(str(row["lo"])) for row in rows), max(float(str(row["max"])) for row in rows)
    scale: Spec = {"domain": [low, high], "nice": False}
    if is_logarithmic(low, high):
        scale = {"type": "log", "domain": [low * 0.9, high * 1.1], "nice": False}
    axis: Spec = {"title": f"time ({of.axis})", "format": ",.3~r", "labelOverlap": "greedy"}
    if scale.get("type") == "log":
        axis["values"] = ticks(*scale["domain"])

    def x(field: str) -> Spec:
        return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}

    color = {"field": "s", "type": "nominal", "scale": {"domain": list(of.labels)}, "legend": None, "sort": None}
    y = {
        "field": "q",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": list(of.quantities)},
        "axis": {"title": None, "labelLimit": 220},
    }
    offset = {"field": "s", "type": "nominal", "sort": None, "scale": {"domain": list(of.labels), "paddingOuter": 0.35}}
    tips = [{"field": "s", "type": "nominal", "title": "series"}, {"field": "q", "type": "nominal", "title": "stage"}]
    tips += [
        {"field": f, "type": "quantitative", "title": t, "format": ",.4~r"}
        for f, t in (("lo", "min"), ("mid", "median"), ("hi", "p99"), ("max", "max"))
    ]
    return {
        "height": len(of.quantities) * (16 + 14 * len(of.labels)),
        "encoding": {"y": y, "yOffset": offset, "color": color},
        "layer": [
            {"mark": {"type": "rule", "strokeWidth": 1.2}, "encoding": {"x": x("lo"), "x2": {"field": "max"}}},
            {
                "mark": {"type": "rule", "strokeWidth": 7, "opacity": 0.45},
                "encoding": {"x": x("mid"), "x2": {"field": "hi"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"x": x("mid"), "tooltip": tips},
            },
            {"mark": {"type": "tick", "thickness": 2, "size": 11}, "encoding": {"x": x("max"), "tooltip": tips}},
        ],
    }


def _share_rows(of: Stages, label: str) -> Rows:
    """The means of one series' stages, and the rest of the total's mean; empty with fewer than two stages."""
    means = {
        section.quantity: series.figures.mean / of.divisor
        for section in of.sections
        for series in section.single
        if series.label == label and series.figures.mean is not None
    }
    total = next((mean for quantity, mean in means.items() if quantity in TOTALS), None)
    parts = {quantity: means[quantity] for quantity in of.quantities if quantity in means and quantity not in TOTALS}
    if len(parts) < 2 or any(mean < 0 for mean in parts.values()):
        return []
    if total is not None and total > sum(parts.values()):
        parts[REST] = total - sum(parts.values())
    whole = sum(parts.values()) or 1.0
    rows: Rows = []
    before = 0.0
    for quantity, mean in parts.items():
        rows.append({"s": label, "q": quantity, "x": before, "x2": before + mean, "n": mean, "p": mean / whole})
        before += mean
    return rows


def residuals(of: Stages) -> tuple[str, ...]:
    """The part of the total's mean that the stages do not cover, a sentence for each series."""
    sentences = []
    for label in of.labels:
        rows = _share_rows(of, label)
        rest = next((row for row in rows if row["q"] == REST), None)
        if rest is not None:
            sentences.append(
                f"{label}: of the mean {rest['n']:.4g} {of.unit} ({float(str(rest['p'])):.1%}) lie in no stage"
            )
    return tuple(sentences)


def _share(of: Stages, rows: Rows) -> Spec:
    order = [name for name in (*of.quantities, REST) if any(row["q"] == name for row in rows)]
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": {"nice": False},
        "axis": {"title": f"mean ({of.axis})", "format": ",.3~r"},
    }
    y = {
        "field": "s",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": list(of.labels)},
        "axis": {"title": None, "labelLimit": 220},
    }
    scale: Spec = {"domain": order}
    if REST in order:
        # The stages keep their colours of the palette. The rest is always grey.
        scale = {"domain": [name for name in order if name != REST]}
    color: Spec = {"field": "q", "type": "nominal", "sort": None, "scale": scale}
    color["legend"] = {"title": None, "orient": "bottom", "columns": 2, "labelLimit": 260}
    tips = [
        {"field": "q", "type": "nominal", "title": "stage"},
        {"field": "n", "type": "quantitative", "title": f"mean ({of.unit})", "format": ",.4~r"},
        {"field": "p", "type": "quantitative", "title": "of the whole", "format": ".1%"},
    ]
    return {
        "height": 26 + 30 * len(of.labels),
        "encoding": {"x": x, "x2": {"field": "x2"}, "y": y, "tooltip": tips},
        "layer": [
            {
                "transform": [{"filter": f"datum.q !== '{REST}'"}],
                "mark": {"type": "bar", "height": 18},
                "encoding": {"color": color},
            },
            {
                "transform": [{"filter": f"datum.q === '{REST}'"}],
                "mark": {"type": "bar", "height": 18, "opacity": 0.45, "color": "#8a8a8a"},
            },
        ],
    }
