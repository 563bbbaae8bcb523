# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone export`: writes runs in formats that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rtstone.cli._options import Where
from rtstone.cli._select import HELP
from rtstone.cli.archive import open_configured


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("export")(export)


def export(
    references: Annotated[
        list[str] | None,
        typer.Argument(help=f"{HELP} [default: last]", metavar="RUN..."),
    ] = None,
    form: Annotated[
        str,
        typer.Option("--format", "-f", help="A format, as --list prints them.", metavar="NAME"),
    ] = "json",
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="A file, written whole or not at all; - is standard output.", metavar="FILE"
        ),
    ] = Path("-"),
    list_all: Annotated[bool, typer.Option("--list", help="List the formats.")] = False,
    where: Where = None,
) -> None:
    """Write runs for other programs. json holds everything; the other formats leave out fields that they cannot hold."""
    from rtstone.cli._exported import RAW, write_runs
    from rtstone.cli._output import print_table
    from rtstone.show.exporters import exporters

    if list_all:
        rows = [
            *((e.name, e.summary) for e in exporters()),
            (RAW, "the record streams of a run's sessions, one after the other"),
        ]
        print_table(("format", "contents"), rows)
        return
    write_runs(references or ["last"], form, output, open_configured(where))
