# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone export`: writes runs in formats that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._select import HELP
from rtstone.cli.archive import Where, open_configured
from rtstone.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from rtstone.archive import Archive

RAW = "raw"
"""The one format that no exporter writes: the streams are the archive's, not the run's."""


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
        typer.Option(
            "--format", "-f", help="json, csv, parquet, hdr, junit, openmetrics, latex, markdown, raw.", metavar="NAME"
        ),
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
    """Write runs for other programs. What a format cannot hold is left out; json holds everything."""
    import sys

    from rtstone.cli._files import write_whole
    from rtstone.cli._output import print_table
    from rtstone.cli._select import runs
    from rtstone.show.exporters import exporters, named

    if list_all:
        rows = [
            *((e.name, e.summary) for e in exporters()),
            (RAW, "the record streams of a run's sessions, one after the other"),
        ]
        print_table(("format", "what is written"), rows)
        return
    if form == RAW:
        archive = open_configured(where)
        write_whole(b"".join(_streams(archive, run.id) for run in runs(references or ["last"], archive)), output)
        return
    exporter = named(form)
    if form == "parquet" and str(output) == "-" and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal: name a file with -o")
    write_whole(exporter.write(runs(references or ["last"], open_configured(where))), output)


def _streams(archive: Archive, run_id: str) -> bytes:
    logs = archive.raw_logs(run_id)
    if not logs:
        raise InfrastructureError(f"run '{run_id}' was saved without a raw log")
    return b"".join(log if log.endswith(b"\n") else log + b"\n" for log in logs)
