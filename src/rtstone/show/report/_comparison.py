# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A comparison's part of the page: its table, the changes, and a chart of all ratios with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rtstone.judge.compare import Comparison, Judgement, Row
from rtstone.model import Variant
from rtstone.model.units import counted
from rtstone.show.judged import words
from rtstone.show.report._series import circumstances
from rtstone.show.report._specs import Chart, Rows

_MOST_LINES = 90
"""Most ratios that are readable in one chart. If there are more, only those that changed are drawn."""
_FARTHEST = 30.0
"""Intervals are drawn up to this ratio, and down to its inverse, or as far as the farthest ratio if that is farther."""
_LINE_HEIGHT = 15
# In the order of the palette: blue, orange, green, purple, yellow, light blue, grey, brown.
_COLOURS = (
    *("no difference shown", "regressed", "improved", "not comparable", "insufficient data"),
    *("no difference within these runs", "longer within these runs", "shorter within these runs"),
)
_CSS = {verdict: verdict.replace(" ", "-") for verdict in _COLOURS}

CUT = "The intervals of {count} reach beyond the frame and are cut there; the table has their ends."
HOW_TO_READ = (
    "Each mark is a figure of the second run divided by that of the first, on a logarithmic axis, its interval beside it. Left of 1 is"
    " shorter. An interval that holds 1 shows no difference, and its width tells how large a difference could have hidden; a maximum's is"
    " wide because one sample makes it."
)


def charts(of: Comparison) -> Iterator[tuple[Chart, Rows]]:
    """A chart of ratios for each side except the first. There is no chart if no ratio has an interval."""
    for side in range(1, len(of.sides)):
        rows, changed_only, cut = _rows(of, side)
        if not rows:
            continue
        first, other = of.sides[0].label, of.sides[side].label
        key = f"comparison-{side}"
        title = f"{other} against {first}" + (", what changed" if changed_only else "")
        chart = Chart(
            key=key,
            kind="ratios",
            title=title,
            how_to_read=" ".join(filter(None, (HOW_TO_READ, cut))),
            description=f"Ratios of the figures of {other} to those of {first} with their intervals. The table has the figures.",
            spec={"data": {"name": key}, "width": "container"} | _spec(rows),
            data=key,
            legend=tuple(verdict for verdict in _COLOURS if any(row["s"] == verdict for row in rows)),
        )
        yield chart, rows


def _rows(of: Comparison, side: int) -> tuple[Rows, bool, str]:
    """A row for each ratio that has an interval; whether the rows contain only ratios that changed; a text on cut intervals."""
    drawn = [(row, name, judgement) for row, name, judgement in _judgements(of, side) if _drawable(judgement)]
    changed_only = len(drawn) > _MOST_LINES
    if changed_only:
        drawn = [one for one in drawn if one[2].verdict in words.CHANGED][:_MOST_LINES]
    ratios = [one.change for _, _, one in drawn if one.change]
    least, most = min((1 / _FARTHEST, *ratios)), max((_FARTHEST, *ratios))
    ends = [(one.low or 0.0, one.high or 0.0) for _, _, one in drawn]
    cut = sum(low < least or high > most for low, high in ends)
    rows: Rows = [
        {
            "s": judgement.verdict,
            "q": f"{row.title}: {name}",
            "x": judgement.change,
            "lo": max(low, least),
            "hi": min(high, most),
        }
        for (row, name, judgement), (low, high) in zip(drawn, ends, strict=True)
    ]
    return rows, changed_only, CUT.format(count=counted(cut, "figure")) if cut else ""


def _judgements(of: Comparison, side: int) -> Iterator[tuple[Row, str, Judgement]]:
    for row in of.rows:
        for figure in row.figures:
            for judgement in figure.against:
                if judgement.side == side:
                    yield row, figure.name, judgement


def _drawable(judgement: Judgement) -> bool:
    return (
        judgement.relative and judgement.change is not None and judgement.low is not None and judgement.high is not None
    )


def _spec(rows: Rows) -> dict[str, Any]:
    lows, highs = ([float(str(row[name])) for row in rows] for name in ("lo", "hi"))
    least, most = min(1 / 1.1, *lows) / 1.02, max(1.1, *highs) * 1.02
    near = (0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 5)
    far = sorted(
        step * 10.0**power for power in range(-9, 10) for step in (1, 2, 5) if not 0.4 < step * 10.0**power < 9
    )
    ticks = sorted(t for t in (*near, *far) if least <= t <= most)
    x_scale = {"type": "log", "domain": [least, most], "nice": False, "clamp": True}
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": x_scale,
        "axis": {"title": "ratio", "values": ticks, "format": "~g"},
    }
    order = list(dict.fromkeys(str(row["q"]) for row in rows))
    y = {
        "field": "q",
        "type": "nominal",
        "scale": {"domain": order},
        "sort": None,
        "axis": {"title": None, "labelLimit": 420},
    }
    verdicts = list(_COLOURS)
    color = {"field": "s", "type": "nominal", "scale": {"domain": verdicts}, "legend": None, "sort": None}
    tips = [
        {"field": "q", "type": "nominal", "title": "figure"},
        {"field": "s", "type": "nominal", "title": "verdict"},
        {"field": "x", "type": "quantitative", "title": "ratio", "format": ".4~r"},
        {"field": "lo", "type": "quantitative", "title": "from", "format": ".4~r"},
        {"field": "hi", "type": "quantitative", "title": "to", "format": ".4~r"},
    ]
    rule = {"field": "lo", "type": "quantitative", "scale": x_scale}
    return {
        "height": _LINE_HEIGHT * len(order) + 6,
        "encoding": {"y": y},
        "layer": [
            {
                "mark": {"type": "rule", "strokeDash": [4, 3], "opacity": 0.7},
                "encoding": {"x": {"datum": 1}, "y": None},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": rule | {"axis": x["axis"]}, "x2": {"field": "hi"}, "color": color},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 42, "opacity": 1},
                "encoding": {"x": x, "color": color, "tooltip": tips},
            },
        ],
    }


def shown(of: Comparison, anchors: Mapping[tuple[str, str, Variant], str], drawn: tuple[Chart, ...]) -> dict[str, Any]:
    """The values for the template. `anchors`: where the page shows a measurement, quantity and variant by itself."""
    letters = words.labelled([side.label for side in of.sides])
    level = "doubtful"
    if of.count("regressed"):
        level = "incomplete"
    elif of.count("improved") or of.count("no difference shown"):
        level = "complete"
    if words.forced(of):
        level = "doubtful"
    return {
        "level": level,
        "summary": words.summary(of),
        "sides": [
            {
                "letter": letter,
                "label": side.label,
                "kernel": side.kernel,
                "run": ", ".join(side.runs),
                "repetitions": side.repetitions,
            }
            for letter, side in zip(letters, of.sides, strict=True)
        ],
        "letters": letters,
        "unlike": [words.unlike(one, letters, forced=of.forced) for one in of.unlike],
        "charts": drawn,
        "rows": [_row(row, of, anchors) for row in of.rows],
        "missing": [f"{one.title}: not in {letters[one.side]} ({one.why})" for one in of.missing],
        "groups": _groups(of),
        "method": words.method(of),
    }


def _row(row: Row, of: Comparison, anchors: Mapping[tuple[str, str, Variant], str]) -> dict[str, Any]:
    unit, divisor = words.unit(row)
    lines = []
    for figure in row.figures:
        by_side = {judgement.side: judgement for judgement in figure.against}
        cells = []
        for side in range(1, len(of.sides)):
            judgement = by_side.get(side)
            cells.append(
                {
                    "value": words.figure(figure.values[side], divisor),
                    "change": words.change(judgement, divisor) if judgement else "",
                    "verdict": words.verdict(judgement, unit, divisor) if judgement else "",
                    "css": _CSS[judgement.verdict] if judgement else "",
                    "why": _own_reason(judgement, row, of) if judgement else "",
                }
            )
        lines.append({"name": figure.name, "value": words.figure(figure.values[0], divisor), "cells": cells})
    at = (row.measurement, row.quantity, circumstances(row.variant))
    return {
        "title": row.title,
        "unit": unit,
        "anchor": anchors.get(at, ""),
        "remarks": (*row.differs, *row.remarks),
        "lines": lines,
    }


def _own_reason(of: Judgement, row: Row, comparison: Comparison) -> str:
    """The reason of one figure. Of two sides it leaves out the differences that the row's heading gives for all figures."""
    above = row.differs if len(comparison.sides) == 2 else ()
    return "; ".join(reason for reason in of.reasons if reason not in above)


def _groups(of: Comparison) -> list[dict[str, Any]]:
    """The facts that differ, by importance."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in of.differences:
        cells = [words.shown(one, side) for side in range(len(of.sides))]
        groups.setdefault(words.HEADINGS[one.importance], []).append({"fact": one.fact, "cells": cells})
    return [{"title": title, "lines": lines} for title, lines in groups.items()]
