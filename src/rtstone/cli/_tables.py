# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints tables and sheets: in a terminal's width and colours, or as plain text where a pipe reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from rtstone.errors import IncompleteError

if TYPE_CHECKING:
    from rtstone.model import Run
    from rtstone.show.tables import StudyView, TextLine


PIPE_WIDTH = 100
"""Characters of a line where a pipe reads and COLUMNS does not say otherwise."""


def width() -> int:
    """Characters that a line may have: the terminal's, or what COLUMNS says, or 100."""
    from rtstone.cli._output import terminal

    if sys.stdout.isatty():
        return terminal().width
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isascii() and said.isdigit() and 40 <= int(said) <= 10_000 else PIPE_WIDTH


def print_lines(lines: Iterable[TextLine]) -> None:
    """Print lines of styled text. They hold what targets said: control characters are shown, not obeyed."""
    from rtstone.cli._output import printable

    if not sys.stdout.isatty():
        text = "".join("".join(printable(span.text) for span in line).rstrip() + "\n" for line in lines)
        typer.echo(text.encode("utf-8"), nl=False)
        sys.stdout.flush()
        return
    from rich.text import Text

    from rtstone.cli._output import terminal

    console = terminal()
    for line in lines:
        styled = Text()
        for span in line:
            styled.append(printable(span.text), style=span.style or None)
        styled.rstrip()
        console.print(styled, soft_wrap=True)


def print_screen(runs: Sequence[Run]) -> None:
    """Print the first screen of these runs."""
    from rtstone.show.tables import measured_study, screen_of

    wide = min(width(), PIPE_WIDTH)
    print_lines(screen_of(runs, measured_study(runs), wide, chart=wide == PIPE_WIDTH and _draws()))


def _draws() -> bool:
    """Whether a terminal shows what is printed, and can show blocks."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return sys.stdout.isatty() and encoding == "utf8" and os.environ.get("TERM", "dumb") != "dumb"


def print_views(views: Iterable[StudyView], *, full: bool = True) -> None:
    """Print the papers' tables of these studies; `full`: their distributions, stages and sheets too."""
    import msgspec

    from rtstone.show.tables import study_lines

    for view in views:
        shown = view
        if not full and view.sheet:
            papers = tuple(table for table in view.tables if table.kind == "paper")
            shown = msgspec.structs.replace(view, tables=papers, sheet=None)
        print_lines(study_lines(shown, width()))


def print_document(runs: Iterable[Run], views: Iterable[StudyView]) -> None:
    """Print runs with their tables as one JSON document (spec/schema/run.schema.json)."""
    from rtstone.cli._document import Document
    from rtstone.cli._output import print_json

    print_json(Document(runs=tuple(runs), studies=tuple(views)))


def require_figures(views: Iterable[StudyView]) -> None:
    """Raises IncompleteError for tables that show no figure of ours though something was measured for them.

    A service that the target does not have (`*`) is an answer.
    """
    from rtstone.show.tables import without_figures

    if empty := without_figures(views):
        more = f" and {len(empty) - 1} more" if len(empty) > 1 else ""
        raise IncompleteError(f"no figure of these runs is in the table '{empty[0]}'{more}: its notes say why")
