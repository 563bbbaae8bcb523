# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone config manual`: writes the man pages, made from the commands' own definition."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rtstone.errors import InfrastructureError, UsageError

FORMATS = {"man": "1", "markdown": "md"}
"""Format → suffix of its files."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("manual")(manual)


def manual(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for the pages. man finds them in ~/.local/share/man/man1."
        ),
    ],
    format_: Annotated[str, typer.Option("--format", help=f"{' or '.join(FORMATS)}.", metavar="NAME")] = "man",
) -> None:
    """Write a manual page for each command."""
    from rtstone.cli import _manual
    from rtstone.version import __version__

    if format_ not in FORMATS:
        raise UsageError(f"no format '{format_}'; there is: {', '.join(FORMATS)}")
    pages = _manual.pages()
    try:
        output.mkdir(parents=True, exist_ok=True)
        for page in pages:
            text = _manual.man(page, __version__) if format_ == "man" else _manual.markdown(page)
            (output / f"{page.name}.{FORMATS[format_]}").write_text(text, encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(f"{error.filename or output}: {error.strerror}") from error
    typer.echo(f"{len(pages)} pages in {output}")
