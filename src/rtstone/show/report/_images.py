# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The report's charts as files: the same specifications as on the page, drawn by vl-convert without a browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rtstone.errors import InfrastructureError
from rtstone.judge.compare import Comparison
from rtstone.model import Run
from rtstone.model.text import neutral
from rtstone.show import tables
from rtstone.show.report import _bundle, _comparison, _look, _stages
from rtstone.show.report._charts import charts
from rtstone.show.report._series import ReportSection, sections
from rtstone.show.report._specs import Chart, Rows

_WIDTH = 560
_SCALE = 2.0
"""Pixels of a PNG for each pixel of the chart: sharp on paper and on dense screens."""


def write(
    runs: Sequence[Run], folder: Path, kind: str, *, theme: str = "light", comparison: Comparison | None = None
) -> tuple[Path, ...]:
    """Write each chart as `<quantity>-<chart>.<kind>` (png or svg); returns the paths. Raises InfrastructureError."""
    if kind not in {"png", "svg"}:
        raise ValueError(f"images are png or svg, not {kind}")
    _bundle.library()  # raises an error before a folder is made
    palette = _look.DARK if theme == "dark" else _look.LIGHT
    written = []
    about = ", ".join(tables.names(runs))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for chart, rows in _comparison.charts(comparison) if comparison is not None else ():
            path = folder / f"{chart.key}.{kind}"
            path.write_bytes(_draw(_titled(chart, rows, chart.title, ""), kind, _look.config(palette)))
            written.append(path)
        found = sections(runs)
        for group in _stages.stages(found):
            for chart, rows in _stages.charts(group):
                path = folder / f"{chart.key}.{kind}"
                path.write_bytes(
                    _draw(_titled(chart, rows, f"{chart.title}: {group.title}", about), kind, _look.config(palette))
                )
                written.append(path)
        for section in found:
            for chart, rows in charts(section):
                path = folder / f"{chart.key}.{kind}"
                path.write_bytes(_draw(_complete(section, chart, rows, about), kind, _look.config(palette)))
                written.append(path)
    except OSError as error:
        raise InfrastructureError(f"{error.filename or folder}: {error.strerror}") from error
    return tuple(written)


def specs(runs: Sequence[Run], quantity: str, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Title and complete specification of each chart of a kind that the runs have of a quantity."""
    about = ", ".join(tables.names(runs))
    for section in sections(runs):
        if section.quantity == quantity:
            for chart, rows in charts(section):
                if chart.kind == kind:
                    yield f"{chart.title}: {quantity}", _complete(section, chart, rows, about)


def drawn(spec: dict[str, Any], kind: str) -> bytes:
    """A specification drawn as an image, in the light theme."""
    return _draw(spec, kind, _look.config(_look.LIGHT))


def _complete(section: ReportSection, chart: Chart, rows: Rows, about: str) -> dict[str, Any]:
    """The specification with the title, legend and data that are outside it on the page."""
    name = f"{section.quantity}, {section.variant}" if section.variant else section.quantity
    if section.virtual:
        name += f" ({section.time_unit})"
    return _titled(chart, rows, f"{chart.title}: {name}", about)


def _titled(chart: Chart, rows: Rows, text: str, about: str) -> dict[str, Any]:
    spec = _with_legend(chart.spec) if len(chart.legend) > 1 else chart.spec
    title = {"text": text, "subtitle": about}
    return spec | {"width": _WIDTH, "datasets": {chart.data: rows}, "title": title, "padding": 12}


def _with_legend(spec: Any) -> Any:
    """The specification with a legend of its colours. On the page the legend is outside the chart."""
    if isinstance(spec, list):
        return [_with_legend(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    return {
        key: {**part, "legend": {"title": None}} if key == "color" and isinstance(part, dict) else _with_legend(part)
        for key, part in spec.items()
    }


def _clean(part: Any) -> Any:
    """A specification without control characters in any text. One in a label would end the whole process."""
    if isinstance(part, str):
        return neutral(part).replace("\n", " ").replace("\t", " ")
    if isinstance(part, dict):
        return {_clean(key): _clean(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_clean(one) for one in part]
    return part


def _draw(spec: dict[str, Any], kind: str, config: dict[str, Any]) -> bytes:
    vl_convert = _bundle.library()
    spec = _clean(spec)
    if kind == "svg":
        svg: str = vl_convert.vegalite_to_svg(spec, vl_version=_bundle.VEGA_LITE, config=config)
        return svg.encode()
    png: bytes = vl_convert.vegalite_to_png(spec, vl_version=_bundle.VEGA_LITE, config=config, scale=_SCALE)
    return png
