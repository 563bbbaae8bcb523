# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The report's charts for a notebook: drawn without a browser and without a network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rtstone.errors import InfrastructureError, UsageError, unknown
from rtstone.model import Run


class Plot:
    """A chart. A notebook shows it by itself; `spec` is its Vega-Lite, data included."""

    def __init__(self, spec: dict[str, Any], title: str) -> None:
        self.spec = spec
        self.title = title

    def save(self, path: str | Path) -> None:
        """Write it as .svg or .png. Raises UsageError for another suffix, InfrastructureError where it cannot be written."""
        kind = Path(path).suffix.removeprefix(".")
        if kind not in {"svg", "png"}:
            raise UsageError(f"a chart is saved as .svg or .png, not as '{path}'")
        try:
            Path(path).write_bytes(self._drawn(kind))
        except OSError as error:
            raise InfrastructureError(f"{path}: {error.strerror}") from error

    def _repr_svg_(self) -> str:
        return self._drawn("svg").decode()

    def _drawn(self, kind: str) -> bytes:
        from rtstone.show.report import draw

        return draw(self.spec, kind)

    def __repr__(self) -> str:
        return f"<rtstone.Plot {self.title}>"


def plot(runs: Sequence[Run], quantity: str, chart: str) -> Plot:
    """The chart of a quantity; several runs overlaid. Raises UsageError where the runs have none."""
    from rtstone.show.report import chart_specs

    known = ("histogram", "exceedance", "windows", "averages")
    if chart not in known:
        raise unknown("chart", chart, known)
    for title, spec in chart_specs(runs, quantity, chart):
        return Plot(spec, title)
    raise UsageError(f"there is nothing to draw as {chart} of '{quantity}' in {', '.join(run.id for run in runs)}")
