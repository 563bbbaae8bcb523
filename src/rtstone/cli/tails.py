# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone fit --tail`: estimates the latency exceeded once in N samples, with its interval,
or reports why there is no estimate."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AsForm, AsJson, Where
from rtstone.cli._select import HELP
from rtstone.errors import IncompleteError, UsageError

if TYPE_CHECKING:
    from rtstone.judge.fit import Tails
    from rtstone.show.tables import TextLine


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("tails")(tails)


def tails(
    references: Annotated[
        list[str] | None, typer.Argument(help=f"{HELP} [default: last]", metavar="RUN...", show_default=False)
    ] = None,
    quantity: Annotated[
        list[str] | None,
        typer.Option(
            "--quantity",
            help="Only these quantities. A measurement's name selects all of its quantities.",
            metavar="NAME",
        ),
    ] = None,
    once_in: Annotated[
        list[str] | None,
        typer.Option(
            "--once-in",
            help="Estimate the latency that one in this many samples exceeds: 1e6, or several: 1e5,1e6. "
            "[default: the largest number that the samples allow]",
            metavar="COUNT",
        ),
    ] = None,
    confidence: Annotated[
        str, typer.Option("--confidence", help="Confidence of the intervals: 95%, 0.99.", metavar="SHARE")
    ] = "95%",
    form: AsForm = "text",
    as_json: AsJson = False,
    archive: Where = None,
) -> None:
    """Estimate the latency exceeded once in N samples, with a confidence interval, or report why the data allow no estimate.

    The command fits a distribution to the largest samples and tests the fit. If the run has all samples (`run --raw`), it uses those above
    a threshold. If not, it uses the largest sample of each time window.

    Exit codes: 0 at least one estimate; 2 usage; 3 archive or file;
    4 the data allow no estimate.
    """
    from rtstone.cli import _values
    from rtstone.cli._output import print_json
    from rtstone.cli._select import runs as selected
    from rtstone.cli._tables import known_form, print_lines, print_rendered
    from rtstone.cli.archive import open_configured
    from rtstone.judge.fit import tails as estimated
    from rtstone.show.judged.fit import tails_document

    wanted_form = known_form(form)
    wanted = tuple(_values.rarity("--once-in", text) for text in _values.words(once_in))
    share = _values.share("--confidence", confidence)
    names = _values.words(quantity)
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
    else:
        print_rendered(tails_document(made), wanted_form, lambda: print_lines(_drawn(made)))
    raise typer.Exit(0 if any(tail.value_ns is not None for tail in made.tails) else 4)


def _drawn(made: Tails) -> list[TextLine]:
    from rtstone.cli._tables import width
    from rtstone.show.judged.fit import tails_lines
    from rtstone.show.tables import Span

    return tails_lines(made, width()) + [[Span(text)] for note in made.notes for text in textwrap.wrap(note, width())]
