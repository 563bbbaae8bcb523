# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints tables and sheets: in a terminal's width and colours, or as plain text where a pipe reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from rtstone.errors import IncompleteError, RtstoneError, unknown

if TYPE_CHECKING:
    from rtstone.archive import RunStore
    from rtstone.model import Run
    from rtstone.show.document import Form, TextDocument
    from rtstone.show.tables import StudyView, TextLine


PIPE_WIDTH = 100
"""Characters of a line for a pipe, unless COLUMNS is set. The papers' tables are not folded there."""
SCREEN_MOST = 132
"""Characters of a line of the first screen, however wide the terminal is."""


def width() -> int:
    """Characters in a line: the terminal's width, or the value of COLUMNS, or 100."""
    from rtstone.cli._output import terminal

    if sys.stdout.isatty():
        return terminal().width
    return _said_width() or PIPE_WIDTH


def _said_width() -> int | None:
    """The value of COLUMNS, if it is a width from 40 to 10,000."""
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isascii() and said.isdigit() and 40 <= int(said) <= 10_000 else None


def known_form(name: str) -> Form:
    """The form of a document that `--format` names. Raises UsageError for another."""
    from rtstone.show.document import FORMS

    for form in FORMS:
        if form == name:
            return form
    raise unknown("format", name, FORMS)


def print_rendered(document: TextDocument, form: Form, at_a_terminal: Callable[[], None]) -> None:
    """Print a verdict in a form. As text at a terminal, `at_a_terminal` draws it."""
    from rtstone.show.document import render

    if form == "text" and sys.stdout.isatty():
        at_a_terminal()
        return
    typer.echo(render(document, form, width()), nl=False)
    sys.stdout.flush()


def print_lines(lines: Iterable[TextLine]) -> None:
    """Print lines of styled text. They contain text from targets: control characters are shown, not obeyed."""
    from rtstone.model.text import printable

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


def print_screen(runs: Sequence[Run], archive: RunStore | None = None) -> None:
    """Print the first screen of these runs. A single run is compared with the run before it in the archive."""
    from rtstone.show.tables import measured_study, screen_of

    wide = min(width(), SCREEN_MOST)
    earlier = _earlier(runs[0], archive) if len(runs) == 1 and archive is not None else None
    print_lines(screen_of(runs, measured_study(runs), wide, chart=_draws(), earlier=earlier))


def _earlier(run: Run, archive: RunStore) -> Run | None:
    """The run before it that measured the same quantity on the same machine, with that quantity alone. None if no run fits."""
    try:
        found = archive.earlier(run.id)
        return archive.load_parts([found.id], {found.main[0].quantity})[0] if found is not None else None
    except RtstoneError:  # the screen is complete without
        return None


def _draws() -> bool:
    """Whether the output goes to a terminal that can show block characters."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return sys.stdout.isatty() and encoding == "utf8" and os.environ.get("TERM", "dumb") != "dumb"


def print_views(views: Iterable[StudyView], *, full: bool = True) -> None:
    """Print the papers' tables of these studies; `full`: their distributions, stages and sheets too.

    For a pipe without COLUMNS a table is as wide as its columns, which then are all beside each other.
    """
    import msgspec

    from rtstone.show.tables import study_lines

    for view in views:
        shown = view
        if not full and view.sheet:
            papers = tuple(table for table in view.tables if table.kind == "paper")
            shown = msgspec.structs.replace(view, tables=papers, sheet=None)
        print_lines(study_lines(shown, width() if sys.stdout.isatty() else _said_width()))


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
