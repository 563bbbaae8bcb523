# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How commands print: tables for people and pipes, JSON for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, JustifyMethod, RenderableType


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
    console = terminal()
    columns = [[heading, *(row[number] for row in cleaned)] for number, heading in enumerate(headings)]
    natural = [max(map(len, column)) for column in columns]
    for line in _stacked(columns, natural, right, console.width):
        console.print(line)


_GAP = 3
"""Spaces between two columns."""


def _stacked(
    columns: list[list[str]], natural: list[int], right: frozenset[int], width: int
) -> Iterator[RenderableType]:
    """A table whose words are not broken: if its columns have no room beside each other, each row takes several lines."""
    from rich.padding import Padding
    from rich.rule import Rule
    from rich.table import Table
    from rich.text import Text

    widths = _widths(columns, natural, width)
    indent = 0 if widths else min(natural[0] + _GAP, width // 4)
    groups = [range(len(columns))] if widths else _groups(natural, width, indent)
    widths = widths or [min(one, width - indent) for one in natural]
    for row in range(len(columns[0])):
        for group in groups:
            grid = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
            for number in group:
                justify: JustifyMethod = "right" if number in right else "left"
                grid.add_column(width=widths[number], justify=justify, overflow="fold")
            grid.add_row(*(Text(columns[number][row], style="" if row else "bold") for number in group))
            yield Padding(grid, (0, 0, 0, 0 if group[0] == 0 else indent))
        if not row:
            yield Rule(style="none")


def _widths(columns: list[list[str]], natural: list[int], width: int) -> list[int]:
    """The widths of all columns on one line, the widest ones folded between words; empty if the line is too short.

    Names, the first column, stay in one line if they leave room for the other columns.
    """
    words = [max((len(word) for cell in column for word in cell.split()), default=0) for column in columns]
    words[0] = natural[0] if natural[0] <= width // 2 else words[0]
    room = width - _GAP * (len(columns) - 1)
    if sum(words) > room:
        return []
    widths = [*natural]
    while sum(widths) > room:
        _, widest = max((one, number) for number, one in enumerate(widths) if one > words[number])
        widths[widest] -= 1
    return widths


def _groups(natural: list[int], width: int, indent: int) -> list[list[int]]:
    """The columns of each line of a row; those after the first line are indented."""
    groups: list[list[int]] = [[]]
    left = width
    for number, one in enumerate(natural):
        if groups[-1] and one > left:
            groups.append([])
            left = width - indent
        groups[-1].append(number)
        left -= one + _GAP
    return groups


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
