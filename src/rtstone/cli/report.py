# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone report`: writes the page of a run, or of several overlaid, or their charts as images."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import Theme, Where
from rtstone.cli._select import HELP
from rtstone.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.judge.compare import Comparison
    from rtstone.model import Run

FORMATS = ("html", "png", "svg")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("report")(report)


def report(
    references: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"{HELP} Several are overlaid and compared with the first. [default: last]", metavar="RUN..."
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option("--format", help="html: one page; png, svg: a file for each chart.", metavar="NAME")
    ] = "html",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The page's file (- for standard output), or the images' folder. [default: rtstone-ID.html, rtstone-ID-charts]",
            metavar="PATH",
        ),
    ] = None,
    theme: Theme = None,
    where: Where = None,
) -> None:
    """Write a report: one self-contained HTML page, or the charts as images."""
    from rtstone.cli._select import runs as selected
    from rtstone.cli.archive import open_configured
    from rtstone.config import load

    if kind not in FORMATS:
        raise unknown("format", kind, FORMATS)
    settings = load({"archive": where, "report.theme": theme}).values
    runs = selected(references or ["last"], open_configured(where))
    comparison = compared(runs)
    if kind == "html":
        target = output or (
            Path(settings.report_output) if settings.report_output else Path(f"rtstone-{_name(runs)}.html")
        )
        write_page(runs, target, theme=settings.report_theme, comparison=comparison)
        if str(target) != "-":
            typer.echo(target)
        return
    from rtstone.show.report import write_images

    folder = output or Path(f"rtstone-{_name(runs)}-charts")
    for path in write_images(runs, folder, kind, theme=settings.report_theme, comparison=comparison):
        typer.echo(path)


def compared(runs: Sequence[Run]) -> Comparison | None:
    """Compares several runs with the first, each as a side of its own; None for one run."""
    if len(runs) < 2:
        return None
    from rtstone.judge.compare import compare

    return compare(runs)


def write_page(runs: Sequence[Run], target: Path, *, theme: str = "auto", comparison: Comparison | None = None) -> None:
    """Write the page of these runs to a file, whole or not at all; `-` is standard output. Raises InfrastructureError."""
    from rtstone.cli._files import write_whole
    from rtstone.show.report import render_html

    page = render_html(runs, theme=theme, made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", comparison=comparison)
    write_whole(page.encode(), target)


def _name(runs: Sequence[Run]) -> str:
    """A name that is safe for a file: ids may come from anywhere."""
    name = runs[0].id if len(runs) == 1 else f"{runs[0].id}-and-{len(runs) - 1}-more"
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)[:100]
