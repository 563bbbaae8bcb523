# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone reference`: prints the papers' published figures, as tables to read or as data to use."""

from __future__ import annotations

import csv
import io
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import FormatJson
from rtstone.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rtstone.studies.reference import PublishedFigure, ReferenceTable

SCHEMA = "rtstone.reference"
SCHEMA_VERSION = "1.0"
FORMATS = ("table", "csv", "json", "markdown")
CSV_COLUMNS = ("study", "table", "row", "platform", "condition", "statistic", "value", "unit")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("reference")(reference)


def reference(
    study: Annotated[
        list[str] | None,
        typer.Option("--study", help="Only these papers; repeat it, or separate with commas.", metavar="ID"),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            help="Only these tables, by number. figure1 is the Figure 1 of SPring-8's paper.",
            metavar="NUMBER",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--format", help=f"How to print: {', '.join(FORMATS)}. [default: table]", metavar="NAME"),
    ] = None,
    as_json: FormatJson = False,
    notes: Annotated[
        bool,
        typer.Option(
            "--notes",
            help="Show the notes on the values: why one is in doubt or missing, or was measured in another way.",
        ),
    ] = False,
) -> None:
    """Print the results of the papers that the studies follow, exactly as published."""
    chosen = _format(output, as_json)
    figures = _select(_split(study), _split(table))
    if chosen == "csv":
        text = _csv(figures, with_notes=notes)
    elif chosen == "json":
        text = _json(figures)
    elif chosen == "markdown":
        text = "\n".join(_markdown(grid) for grid in _grids(figures, with_notes=notes))
    else:
        _print_tables(_grids(figures, with_notes=notes))
        noted = sum(1 for figure in figures if figure.note)
        if noted and not notes:
            typer.echo(
                f"\n{noted} of these {len(figures)} figures carry a note (doubts, substitutions): --notes shows them."
            )
        return
    # As bytes: the figures need UTF-8 in any locale, and lines end in LF on any system.
    typer.echo(text.encode("utf-8"), nl=False)


def _format(output: str | None, as_json: bool) -> str:
    if as_json and output not in {None, "json"}:
        raise UsageError(f"--json and --format {output} exclude each other")
    chosen = "json" if as_json else output if output is not None else "table"
    if chosen not in FORMATS:
        raise unknown("format", chosen, FORMATS)
    return chosen


def _split(given: list[str] | None) -> list[str] | None:
    """The names of a repeatable option that also takes comma lists; None if it was not given."""
    if given is None or given == []:
        return None
    return [part.strip() for item in given for part in item.split(",")]


def _select(names: list[str] | None, tables: list[str] | None) -> tuple[PublishedFigure, ...]:
    """The figures of these studies and tables, in the papers' order. Raises UsageError for an unknown name."""
    from rtstone.studies.reference import load, studies

    for name in names or ():
        load(name)  # raises an error with the known studies for an unknown name
    of_studies = tuple(f for known in studies() if names is None or known in names for f in load(known))
    if tables is None:
        return of_studies
    there = dict.fromkeys(f.table for f in of_studies)
    for wanted in tables:
        if wanted not in there:
            of = f" in {', '.join(names)}" if names else ""
            raise unknown(f"table{of}", wanted, there)
    return tuple(f for f in of_studies if f.table in tables)


def _csv(figures: Sequence[PublishedFigure], *, with_notes: bool) -> str:
    columns = (*CSV_COLUMNS, "note") if with_notes else CSV_COLUMNS
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([getattr(figure, column) for column in columns] for figure in figures)
    return text.getvalue()


def _json(figures: Sequence[PublishedFigure]) -> str:
    import msgspec

    # The number is given next to the printed string, so that no reader has to know the meaning of a dot in 90.000.
    entries = [{**msgspec.structs.asdict(f), "number": f.number(), "symbol": f.symbol()} for f in figures]
    document = {"schema": SCHEMA, "version": SCHEMA_VERSION, "figures": entries}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _grids(figures: Sequence[PublishedFigure], *, with_notes: bool) -> Iterator[ReferenceTable]:
    from rtstone.studies.reference import grid, papers

    for paper in papers():
        for table in paper.tables:
            of_table = [f for f in figures if (f.study, f.table) == (paper.study, table)]
            if of_table:
                yield grid(paper, table, of_table, with_notes=with_notes)


def _markdown(grid: ReferenceTable) -> str:
    def line(cells: Sequence[str]) -> str:
        # A lone asterisk is a figure here, not the start of an emphasis.
        escaped = (cell.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*") for cell in cells)
        return "| " + " | ".join(escaped) + " |"

    rule = "|" + "-|" * len(grid.headings)
    parts = [f"**{grid.title}**", "", line(grid.headings), rule, *map(line, grid.lines), ""]
    parts += [f"- [{i}] {note}" for i, note in enumerate(grid.notes, 1)]
    return "\n".join([*parts, ""] if grid.notes else parts)


def _print_tables(grids: Iterator[ReferenceTable]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # A file or a pipe has no width to fit (wrapped cells would only be harder to search), and gets UTF-8
    # like the other formats.
    to_terminal = sys.stdout.isatty()
    page = io.StringIO()
    console = Console() if to_terminal else Console(width=400, file=page)
    for i, grid in enumerate(grids):
        if i:
            console.print()
        console.print(Text(grid.title, style="bold"))
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in grid.headings:
            table.add_column(Text(heading), overflow="fold")
        for cells in grid.lines:
            table.add_row(*map(Text, cells))
        console.print(table)
        for number, note in enumerate(grid.notes, 1):
            console.print(Text(f"[{number}] {note}"))
    if not to_terminal:
        typer.echo(page.getvalue().encode("utf-8"), nl=False)
