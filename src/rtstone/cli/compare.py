# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone compare`: compares runs, or sides of several runs, with the first, and reports the differences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import FormatJson, Where
from rtstone.cli._select import HELP
from rtstone.errors import BoundExceeded, IncompleteError, UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.judge.compare import Comparison
    from rtstone.model import Run

FORMATS = ("table", "json", "html", "png", "svg")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("compare")(compare)


def compare(
    references: Annotated[
        list[str],
        typer.Argument(
            help=f"{HELP} Name two or more sides; the first is the reference. With group-ID each run is a side.",
            metavar="SIDE...",
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"{', '.join(FORMATS)}. [default: by the extension of --output, else table]",
            metavar="NAME",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File for the page (.html; the table is printed too) or the document (.json), or folder for images.",
            metavar="PATH",
        ),
    ] = None,
    as_json: FormatJson = False,
    statistic: Annotated[
        list[str] | None,
        typer.Option(
            "--statistic",
            help="For operations timed one by one: statistics to compare; repeat it. [default: median, p99, p99.9, max]",
            metavar="NAME",
        ),
    ] = None,
    confidence: Annotated[
        str,
        typer.Option(
            help="Confidence: with 95%, at most one in twenty comparisons of equal sides has a wrong verdict.",
            metavar="SHARE",
        ),
    ] = "95%",
    least_change: Annotated[
        str | None,
        typer.Option(help="Ignore a smaller change. [default: 1%; 0% for deterministic runs]", metavar="SHARE"),
    ] = None,
    full: Annotated[
        bool,
        typer.Option("--full", help="Every row, not only changed ones, and all facts (machine, kernel, settings)."),
    ] = False,
    changed: Annotated[bool, typer.Option("--changed", hidden=True, help="The default, since 0.3.")] = False,
    unlike: Annotated[
        bool,
        typer.Option(
            "--unlike",
            help="Compare even runs that are not comparable (of different machines, for example), and list why.",
        ),
    ] = False,
    fail_on_regression: Annotated[
        bool,
        typer.Option(
            "--fail-on-regression",
            help="Use exit code 1, and 4 where nothing could be judged.",
        ),
    ] = False,
    theme: Annotated[
        str | None, typer.Option(help="Colours of pages and images: auto, light or dark.", metavar="NAME")
    ] = None,
    where: Where = None,
) -> None:
    """Compare runs: improved, regressed, no difference shown, or not comparable.

    A side is one run, or several runs joined by commas: A1,A2,A3 B1,B2,B3. With fewer than 3 runs per side, a verdict holds only
    for these runs: after another boot, the same kernels may compare differently. Exceptions: sides measured in alternation
    (`run --against`), and deterministic virtual boards.

    Exit codes: 0 compared; 1 regressed (only with --fail-on-regression); 2 usage; 3 archive or file; 4 the sides have no figure
    in common; with --fail-on-regression also: nothing could be judged, or too few runs per side.
    """
    from rtstone.cli._select import sides
    from rtstone.cli._values import percent, words
    from rtstone.cli.archive import open_configured
    from rtstone.config import load
    from rtstone.judge.compare import SINGLE
    from rtstone.judge.compare import compare as held_against

    wanted = _format(form, output, as_json=as_json)
    selected = sides(references, open_configured(where))
    runs = [run for side in selected for run in side]
    made = held_against(
        selected,
        confidence=percent("--confidence", confidence, share_below=1.0),
        least_change=None if least_change is None else percent("--least-change", least_change),
        unlike=unlike,
        statistics=words(statistic) or SINGLE,
    )
    print_comparison(
        runs, made, wanted, output, theme=load({"report.theme": theme}).values.report_theme, full=full and not changed
    )
    if not any(count for _, count in made.counts):
        raise IncompleteError("nothing was compared: no figure is in the reference and in another side")
    if fail_on_regression:
        judge(made)


def judge(made: Comparison) -> None:
    """Raises BoundExceeded where something regressed, IncompleteError where nothing could be judged but of these runs alone."""
    from rtstone.judge.compare import POPULATIONS

    regressed = [
        f"{row.title}, {figure.name}"
        for row in made.rows
        for figure in row.figures
        for judgement in figure.against
        if judgement.verdict == "regressed"
    ]
    if regressed:
        more = f" and {len(regressed) - 1} more" if len(regressed) > 1 else ""
        raise BoundExceeded(f"regressed: {regressed[0]}{more}")
    bases = {judgement.basis for row in made.rows for figure in row.figures for judgement in figure.against}
    if not bases & POPULATIONS:
        what = "nothing could be judged: see the reasons in the table"
        if "repetitions" in bases:
            what = "one run a side shows nothing about other runs: name three a side (A1,A2,A3 B1,B2,B3), or use run --against"
        raise IncompleteError(what)


def _format(form: str | None, output: Path | None, *, as_json: bool) -> str:
    if as_json and form not in {None, "json"}:
        raise UsageError(f"--json and --format {form} exclude each other")
    if form is not None and form not in FORMATS:
        raise unknown("format", form, FORMATS)
    ending = output.suffix.lstrip(".") if output is not None else ""
    wanted = "json" if as_json else form or (ending if ending in {"html", "json"} else "table")
    if wanted in {"png", "svg"} and output is None:
        raise UsageError(f"--format {wanted} writes several files: name their folder by --output")
    if wanted == "table" and output is not None:
        raise UsageError("--output takes a name that ends in .html or .json, or a --format")
    return wanted


def print_comparison(
    runs: Sequence[Run], made: Comparison, form: str, output: Path | None, *, theme: str, full: bool = False
) -> None:
    """Print the table or document, or write page, document or images; with a page the table too."""
    from rtstone.cli._output import print_json
    from rtstone.cli._tables import print_lines, width
    from rtstone.show.judged.comparison import lines

    if form == "json":
        if output is None:
            print_json(made)
        else:
            import msgspec

            from rtstone.cli._files import write_whole

            write_whole(msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n", output)
        return
    if form in {"table", "html"} and str(output) != "-":
        print_lines(lines(made, width(), full=full))
    if form == "html":
        from rtstone.cli.report import write_page

        target = output or Path(f"rtstone-compare-{runs[0].id}-{runs[-1].id}.html")
        write_page(runs, target, theme=theme, comparison=made)
        if str(target) != "-":
            typer.echo(target, err=True)
    elif form in {"png", "svg"} and output is not None:
        from rtstone.show.report import write_images

        for path in write_images(runs, output, form, theme=theme, comparison=made):
            typer.echo(path)
