# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone import`: saves measurements of other tools as runs, for the commands show, report, compare and check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AsJson, Where
from rtstone.cli.archive import open_configured
from rtstone.errors import InfrastructureError, UsageError, quoted
from rtstone.model.units import duration_ns

if TYPE_CHECKING:
    from rtstone.archive import RunStore
    from rtstone.archive.importers._read import Found

SCHEMA = "rtstone.imported"
SCHEMA_VERSION = "1.0"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("import")(import_)


def import_(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files of other tools, files of `rtstone export`, or rtstone-unsaved-<id>.json, "
            "which rtstone writes when the archive cannot be written.",
            metavar="FILE...",
        ),
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option("--tool", help="The tool that wrote them, if the content does not show it.", metavar="NAME"),
    ] = None,
    label: Annotated[str, typer.Option("--label", help="Name of the run in tables.", metavar="TEXT")] = "",
    tick: Annotated[
        str | None,
        typer.Option("--tick", help="Unit of numbers without a unit in the file: 1ns, 0.5us.", metavar="TIME"),
    ] = None,
    together: Annotated[bool, typer.Option("--together", help="Save the files as the repetitions of one run.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="List the supported tools.")] = False,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """Save measurements from files: results of other tools, and exported runs.

    A run of another tool is saved with a list of the facts missing in it, such as the order of the samples. The command
    prints this list too. Nothing is saved unless every file can be read.
    """
    from rtstone.archive.importers import Options, importers, named, read, read_together
    from rtstone.cli._output import print_json, print_table
    from rtstone.cli._run_file import own_schema, runs_of
    from rtstone.model.text import printable

    if list_all:
        known = importers()
        if as_json:
            document = [{"tool": i.name, "summary": i.summary} for i in known]
            print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "tools": document})
        else:
            print_table(("tool", "contents"), [(i.name, i.summary) for i in known])
        return
    if not files:
        raise UsageError("name the files to import; --list shows the known tools")
    chosen = named(tool) if tool is not None else None
    options = Options(tick_ns=_tick_ns(tick))
    own = [file for file in files if chosen is None and own_schema(file)]
    others = [file for file in files if file not in own]
    if own and (label or tick or together):
        raise UsageError(
            f"{own[0]} is a run of rtstone as it was: --label, --tick and --together are for other tools' files"
        )
    brought = [runs_of(file) for file in own]
    found: list[Found]
    if together:
        found = [read_together(others, chosen, options=options, label=label)]
    else:
        found = [read(file, chosen, options=options, label=label) for file in others]
    archive = open_configured(where)
    named_by = [(str(file), run.id) for file, held in zip(own, brought, strict=True) for run in held]
    _refuse_known([*named_by, *((run.host["import.files"], run.id) for run, _ in found)], archive)
    for file, held in zip(own, brought, strict=True):
        if own_schema(file) == "rtstone.run":
            archive.bring_in(file)  # with the streams that lie beside it
        else:
            for run in held:
                archive.save(run)
    for run, logs in found:
        archive.save(run, logs)
    ours = [run for held in brought for run in held]
    if as_json:
        runs = [{"id": run.id, "tool": "rtstone", "results": len(run.results())} for run in ours]
        runs += [{"id": run.id, "tool": run.host["import.tool"], "results": len(run.results())} for run, _ in found]
        print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "runs": runs})
        return
    for run in ours:
        typer.echo(printable(f"imported {run.id}"))
    for run, _ in found:
        samples = sum(result.count for result in run.results())
        about = f"{run.sessions[0].engine}, results {len(run.results())}, samples {samples}"
        typer.echo(printable(f"imported {run.id}: {about}"))
        for loss in run.degraded:
            typer.echo(printable(f"warning: {loss.text}" + (f" (fix: {loss.remedy})" if loss.remedy else "")), err=True)


def _tick_ns(text: str | None) -> float | None:
    if text is None:
        return None
    value = duration_ns(text) or 0.0
    if not 0 < value <= 1e9:
        raise UsageError(f"--tick takes a time above 0 and up to 1 s (1ns, 0.5us), not '{quoted(text)}'")
    return value


def _refuse_known(found: list[tuple[str, str]], archive: RunStore) -> None:
    """Files and the ids of their runs: no run enters the archive twice. Raises UsageError or InfrastructureError."""
    ids = [run_id for _, run_id in found]
    for number, (name, run_id) in enumerate(found):
        if run_id in ids[:number]:
            raise UsageError(f"{name} is named twice")
        try:
            there = archive.find(run_id) == run_id
        except UsageError:
            there = False
        if there:
            raise InfrastructureError(f"{name} was imported before: it is run {run_id}")
