# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone show`: the first screen of saved runs again, or the papers' tables with their columns."""

from __future__ import annotations

from typing import Annotated

import typer

from rtstone.cli._options import FormatJson, Where
from rtstone.cli._select import HELP
from rtstone.cli.archive import open_configured
from rtstone.errors import UsageError, unknown

FORMATS = ("table", "markdown", "csv", "json")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("show")(show)


def show(
    references: Annotated[
        list[str] | None,
        typer.Argument(help=f"{HELP} [default: last]", metavar="RUN..."),
    ] = None,
    study: Annotated[
        list[str] | None,
        typer.Option(
            "--study",
            "-s",
            help="The tables of these studies. [default: of all studies that the runs measured]",
            metavar="ID",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help=f"Print the tables as {', '.join(FORMATS)}. [default: table]", metavar="NAME"),
    ] = None,
    tables: Annotated[bool, typer.Option("--tables", help="The papers' tables, with a column for each run.")] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="The papers' tables, with distributions, stages and fidelity sheets (which conditions of the paper a run met).",
        ),
    ] = False,
    results: Annotated[
        bool,
        typer.Option(
            "--results",
            help="What the run recorded of the machine, kernel and settings (the facts), and each session's results, instead of tables.",
        ),
    ] = False,
    as_json: FormatJson = False,
    normalise: Annotated[
        str,
        typer.Option(
            "--normalise",
            help="In Figure 1 of the study spring8, divide each figure of a run by the same run's figure in row ROW, such as 'D8 READ'. "
            "[default: divide by the first run's figure in the same row]",
            metavar="ROW",
        ),
    ] = "",
    where: Where = None,
) -> None:
    """Show saved runs: the summary screen that `run` printed, or tables in the form of the published papers.

    Exit codes: 0 shown; 2 usage; 3 archive or file failed; 4 a table has no value from these runs.
    """
    from rtstone.cli._select import runs as selected
    from rtstone.cli._tables import print_document, print_screen, print_views, require_figures
    from rtstone.cli._values import words
    from rtstone.show.tables import comma_separated, markdown, views
    from rtstone.studies import study as known_study

    if as_json and form not in {None, "json"}:
        raise UsageError(f"--json and --format {form} exclude each other")
    chosen = "json" if as_json else form or "table"
    if chosen not in FORMATS:
        raise unknown("format", chosen, FORMATS)
    names = tuple(known_study(name).id for name in words(study))
    archive = open_configured(where)
    runs = selected(references or ["last"], archive)
    if results:
        from rtstone.cli._held import print_held

        if form is not None or as_json or tables or full or names:
            raise UsageError("--results excludes --study, --format and --full; export writes everything as JSON")
        for run in runs:
            try:
                logs = archive.raw_logs(run.id)
            except UsageError:  # the run comes from a file, not from this archive
                logs = ()
            print_held(run, logs)
        return
    if not (tables or full or names or normalise or form or as_json):
        print_screen(runs, archive)
        return
    found = views(runs, names, normalise)
    if chosen == "json":
        print_document(runs, found)
    elif chosen == "table":
        print_views(found, full=full)
    else:
        text = markdown(found) if chosen == "markdown" else comma_separated(found)
        typer.echo(text.encode("utf-8"), nl=False)
    if all(run.status == "complete" for run in runs):  # an interrupted run has not reached every table
        require_figures(found)
