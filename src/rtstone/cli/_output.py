# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How commands print: tables for people and pipes, JSON for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console


def print_json(document: object) -> None:
    """Print a structure as indented JSON, in UTF-8 whatever the locale."""
    from rtstone.model.text import json_document

    typer.echo(json_document(document), nl=False)


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> None:
    """Print a table: fitted to a terminal's width, or with tabs between cells for a pipe.

    `right` names the columns whose cells are right-aligned. Cells are data: control characters are shown, not obeyed.
    """
    from rtstone.model.text import printable

    cleaned = [[printable(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for cells in ([*headings], *cleaned):
            typer.echo("\t".join(cells))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = terminal()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    # Names stay in one line if they leave room for the other columns. A longer name must fold, or rich cuts it.
    short = max((len(row[0]) for row in cleaned if row), default=0) <= console.width // 2
    for position, heading in enumerate(headings):
        table.add_column(
            Text(heading),
            justify="right" if position in right else "left",
            overflow="fold",
            no_wrap=position == 0 and short,
        )
    for cells in cleaned:
        table.add_row(*map(Text, cells))
    console.print(table)


def print_folded(text: str) -> None:
    """Print a line at a terminal, folded between its words."""
    from rich.text import Text

    from rtstone.model.text import printable

    terminal().print(Text(printable(text)))


def terminal(*, stderr: bool = False) -> Console:
    """Return the console for standard output or error, coloured according to the setting `color` and NO_COLOR;
    markup is off."""
    from rich.console import Console

    from rtstone.config import load

    color = load().values.color
    return Console(
        stderr=stderr,
        highlight=False,
        markup=False,
        no_color=color == "never" or None,
        force_terminal=color == "always" or None,
    )


def say(text: str) -> None:
    """One line on standard error."""
    from rtstone.model.text import printable

    sys.stderr.write(f"rtstone: {printable(text)}\n")
    sys.stderr.flush()
