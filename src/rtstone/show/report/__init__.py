# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The report: one self-contained HTML page of archived runs, or its charts as PNG and SVG files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rtstone.judge.compare import Comparison
from rtstone.model import Run

if TYPE_CHECKING:
    from rtstone.archive import GateVerdict

__all__ = ["chart_specs", "draw", "render_html", "warm", "write_images"]


def render_html(
    runs: Sequence[Run],
    *,
    theme: str = "auto",
    made: str = "",
    comparison: Comparison | None = None,
    links: Sequence[tuple[str, str]] = (),
    gate: GateVerdict | None = None,
) -> str:
    """The page for these runs. Several runs share its charts; the `comparison` made of them is under their verdict.

    `theme`: auto, light or dark. `links`: title and address of pages that come first in the contents. `gate`: the verdict of
    `rtstone check` on the run. Raises ValueError without runs.
    """
    from rtstone.show.report._page import PageLink, render

    return render(
        runs, theme=theme, made=made, comparison=comparison, links=[PageLink(*link) for link in links], gate=gate
    )


def warm() -> None:
    """Make the charts' library, load the templates, and import the modules that pages need. Call this once, before the
    first page."""
    from rtstone.show.report import _bundle, _page

    _bundle.script()
    _page.load_templates()


def write_images(
    runs: Sequence[Run], folder: Path, kind: str, *, theme: str = "light", comparison: Comparison | None = None
) -> tuple[Path, ...]:
    """Write each chart as a file of `kind` (png or svg) into the folder; returns the paths. Raises InfrastructureError."""
    from rtstone.show.report._images import write

    return write(runs, folder, kind, theme=theme, comparison=comparison)


def chart_specs(runs: Sequence[Run], quantity: str, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Title and Vega-Lite specification, with data, of each chart of a kind that these runs have of a quantity."""
    from rtstone.show.report._images import specs

    yield from specs(runs, quantity, kind)


def draw(spec: dict[str, Any], kind: str) -> bytes:
    """A specification drawn as png or svg."""
    from rtstone.show.report._images import drawn

    return drawn(spec, kind)
