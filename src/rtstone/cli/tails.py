# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone tails`: what is estimated to be exceeded once in so many samples, with its interval, or why it cannot be told."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._select import HELP
from rtstone.errors import IncompleteError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.judge.fit import Tail


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("tails")(tails)


def tails(
    references: Annotated[
        list[str] | None, typer.Argument(help=f"{HELP} [default: last]", metavar="RUN...", show_default=False)
    ] = None,
    measurement: Annotated[
        list[str] | None,
        typer.Option("--measurement", "-m", help="Only these measurements or quantities.", metavar="NAME"),
    ] = None,
    once_in: Annotated[
        list[str] | None,
        typer.Option(
            "--once-in", help="How rare, in samples: 1e6. [default: as rare as the samples allow]", metavar="COUNT"
        ),
    ] = None,
    confidence: Annotated[
        str, typer.Option("--confidence", help="Confidence of the intervals: 95%, 0.99.", metavar="SHARE")
    ] = "95%",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    archive: Annotated[
        str | None, typer.Option("--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL")
    ] = None,
) -> None:
    """Estimate what is exceeded once in so many samples, with an interval, or say why the data bear no estimate.

    A law is fitted to the largest samples and tested. It takes all samples of runs with --raw, else the largest of each window.

    Exit codes: 0 some estimate; 2 usage; 3 archive or file;
    4 the data bear none.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli._output import print_json, print_table, printable
    from rtstone.cli._select import runs as selected
    from rtstone.cli._tables import print_lines, width
    from rtstone.cli.archive import open_configured
    from rtstone.judge.fit import tails as estimated
    from rtstone.show.judged.fit import TAIL_HEADINGS, tails_lines
    from rtstone.show.tables import Span

    wanted = tuple(choose.rarity("--once-in", text) for text in choose.words(once_in))
    share = choose.share("--confidence", confidence)
    names = choose.words(measurement)
    runs = selected(references or ["last"], open_configured(archive))
    made = estimated(runs, once_in=wanted, names=names, confidence=share)
    if not made.tails:
        there = sorted({result.measurement for run in runs for result in run.results()})
        if names:
            raise UsageError(
                f"these runs have no samples of {', '.join(names)}; they have {', '.join(there) or 'nothing'}"
            )
        raise IncompleteError("these runs have no samples of single operations")
    if as_json:
        print_json(made)
    elif sys.stdout.isatty():
        print_lines(tails_lines(made, width()))
        print_lines([[Span(text)] for note in made.notes for text in textwrap.wrap(note, width() or 10_000)])
    else:
        print_table(TAIL_HEADINGS, _rows(made.tails))
        for note in made.notes:
            typer.echo(printable(f"note: {note}"))
    raise typer.Exit(0 if any(tail.value_ns is not None for tail in made.tails) else 4)


def _rows(tails: Sequence[Tail]) -> list[tuple[str, ...]]:
    """A row each; what is refused for one reason at every rarity stands once."""
    from rtstone.show.judged.fit import tail_cells

    rows: dict[tuple[str, ...], tuple[str, ...]] = {}
    for tail in tails:
        cells = tail_cells(tail)
        rows.setdefault((*cells[:4], tail.text) if tail.refused else cells, cells)
    return list(rows.values())
