# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone import`: keeps what other tools measured, as runs that show, report, compare and check can use."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli.archive import AsJson, Where, open_configured
from rtstone.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from rtstone.archive import Archive
    from rtstone.archive.importers._read import Found

SCHEMA = "rtstone.imported"
SCHEMA_VERSION = "1.0"

_TICK = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ps|ns|us|µs|ms)", re.ASCII)
_NS = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("import")(import_)


def import_(
    files: Annotated[list[Path] | None, typer.Argument(help="What other tools wrote.", metavar="FILE...")] = None,
    tool: Annotated[
        str | None, typer.Option("--tool", help="Whose output it is, if that is not plain.", metavar="NAME")
    ] = None,
    label: Annotated[str, typer.Option("--label", help="What the run is called in tables.", metavar="TEXT")] = "",
    tick: Annotated[
        str | None,
        typer.Option("--tick", help="One unit of figures that are printed without one: 1ns, 0.5us.", metavar="TIME"),
    ] = None,
    together: Annotated[bool, typer.Option("--together", help="One run: the files are its repetitions.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="List the tools that are known.")] = False,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """Keep other tools' measurements as runs, each marked with what its tool does not tell.

    Nothing is kept unless every file can be read.
    """
    from rtstone.archive.importers import Options, importers, named, read, read_together
    from rtstone.cli._output import print_json, print_table, printable

    if list_all:
        known = importers()
        if as_json:
            document = [{"tool": i.name, "summary": i.summary} for i in known]
            print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "tools": document})
        else:
            print_table(("tool", "what is read"), [(i.name, i.summary) for i in known])
        return
    if not files:
        raise UsageError("import what? Name files, or see the tools that are known with --list")
    chosen = named(tool) if tool is not None else None
    options = Options(tick_ns=_tick_ns(tick))
    found: list[Found]
    if together:
        found = [read_together(files, chosen, options=options, label=label)]
    else:
        found = [read(file, chosen, options=options, label=label) for file in files]
    archive = open_configured(where)
    _refuse_known(found, archive)
    for run, logs in found:
        archive.save(run, logs)
    if as_json:
        runs = [{"id": run.id, "tool": run.host["import.tool"], "results": len(run.results())} for run, _ in found]
        print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "runs": runs})
        return
    for run, _ in found:
        samples = sum(result.count for result in run.results())
        about = f"{run.sessions[0].engine}, results {len(run.results())}, samples {samples}"
        typer.echo(printable(f"imported {run.id}: {about}"))
        for loss in run.degraded:
            typer.echo(
                printable(f"warning: {loss.text}" + (f" (mend: {loss.remedy})" if loss.remedy else "")), err=True
            )


def _tick_ns(text: str | None) -> float | None:
    if text is None:
        return None
    match = _TICK.fullmatch(text.replace(" ", ""))
    value = float(match[1]) * _NS[match[2]] if match else 0.0
    if not 0 < value <= 1e9 or not math.isfinite(value):
        raise UsageError(f"--tick takes a time above 0 and up to 1 s (1ns, 0.5us), not '{text}'")
    return value


def _refuse_known(found: list[Found], archive: Archive) -> None:
    """A run's id follows from its file: the same file twice is the same run. Raises InfrastructureError."""
    ids = [run.id for run, _ in found]
    for number, run_id in enumerate(ids):
        if run_id in ids[:number]:
            raise UsageError(f"{found[number][0].host['import.files']} is named twice")
        try:
            there = archive.find(run_id) == run_id
        except UsageError:
            there = False
        if there:
            raise InfrastructureError(
                f"{found[number][0].host['import.files']} was imported before: it is run {run_id}"
            )
