# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The report: archived runs in; out come one self-contained HTML page, or the charts as PNG and SVG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rtstone.compare import Comparison
from rtstone.model import Run

__all__ = ["render_html", "write_images"]


def render_html(
    runs: Sequence[Run], *, theme: str = "auto", made: str = "", comparison: Comparison | None = None
) -> str:
    """The page for these runs, overlaid where there are several, and beneath their verdict the `comparison` made of them.

    `theme`: auto, light or dark. Raises ValueError without runs.
    """
    from rtstone.report._page import render

    return render(runs, theme=theme, made=made, comparison=comparison)


def write_images(
    runs: Sequence[Run], folder: Path, kind: str, *, theme: str = "light", comparison: Comparison | None = None
) -> tuple[Path, ...]:
    """Write each chart as a file of `kind` (png or svg) into the folder; returns the paths. Raises InfrastructureError."""
    from rtstone.report._images import write

    return write(runs, folder, kind, theme=theme, comparison=comparison)
