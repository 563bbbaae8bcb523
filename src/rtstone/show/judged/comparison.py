# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A comparison as lines for a terminal or a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import msgspec

from rtstone.judge.compare._model import Comparison, Row
from rtstone.model.units import counted
from rtstone.show.judged import words
from rtstone.show.tables import Span, TextLine

_WIDTH = 100
_CHANGE = 20
"""Columns of a ratio with its interval."""
_STYLES = {
    "improved": "bold green",
    "regressed": "bold red",
    "no difference shown": "dim",
    "shorter within these runs": "green",
    "longer within these runs": "red",
    "no difference within these runs": "dim",
    "insufficient data": "yellow",
    "not comparable": "magenta",
}


_FACTS_MOST = 8
"""Most facts, and missing rows, that are listed without `full`."""


def lines(of: Comparison, width: int | None = None, *, full: bool = False) -> list[TextLine]:
    """The lines of a comparison: changed figures, the changes that the others could have shown, missing verdicts.

    `full`: every row and every fact.
    """
    room = max(60, min(width or _WIDTH, 160))
    letters = words.labelled([side.label for side in of.sides])
    made: list[TextLine] = []
    for letter, side in zip(letters, of.sides, strict=True):
        of_runs = f"run {side.run}" if len(side.runs) == 1 else f"{len(side.runs)} runs ({', '.join(side.runs)})"
        what = f"{side.label}: {side.kernel}, {of_runs}, {counted(side.repetitions, 'repetition')}"
        state = "" if side.status == "complete" else f", {side.status}"
        first, *more = textwrap.wrap(what + state, room - 3, break_on_hyphens=False)
        made += [[Span(f"{letter}  ", "bold"), Span(first)], *([Span(f"   {part}")] for part in more)]
    made.append([])
    for one in of.unlike:
        text = words.unlike(one, letters, forced=of.forced)
        made += [[Span(part, "magenta")] for part in _folded(text, room)]
    if of.unlike:
        made.append([])
    rows = [row for row in (of.rows if full else map(_changed, of.rows)) if row.figures]
    if rows:
        made += _table(of, rows, letters, room)
    if not full:
        made += [[Span(part)] for text in words.rest(of) for part in _folded(text, room)]
        made.append([])
    made += _missing(of, letters, room, full=full)
    made += _differences(of, letters, room, full=full)
    if full or rows:
        made += [[Span(part, "dim")] for text in words.method(of) for part in _folded(text, room)]
        made.append([])
    summary = words.summary(of) + ("" if full else " (--full: every row)")
    made += [[Span(part, "bold")] for part in _folded(summary, room)]
    return made


def _changed(row: Row) -> Row:
    """The row with only the figures that changed, even if the change holds only within these runs."""
    figures = tuple(f for f in row.figures if any(j.verdict in words.CHANGED for j in f.against))
    return msgspec.structs.replace(row, figures=figures)


def _folded(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent + "  ", initial_indent=indent, break_on_hyphens=False)


def _table(of: Comparison, rows: list[Row], letters: tuple[str, ...], room: int) -> Iterator[TextLine]:
    several = len(of.sides) > 2
    name_width = 2 + max(len(figure.name) for row in rows for figure in row.figures)
    heads = f"{'':<{name_width}}  {letters[0]:>9}  "
    heads += (
        f"{'':<2}{'':>9}  {'ratio to ' + letters[0]:<{_CHANGE}}"
        if several
        else f"{letters[1]:>9}  {f'{letters[1]}/{letters[0]}':<{_CHANGE}}"
    )
    yield [Span(f"{heads}  verdict", "bold")]
    yield [Span("─" * min(room, len(heads) + 30), "dim")]
    before: list[str] = []
    for row in rows:
        unit, divisor = words.unit(row)
        yield [Span(row.title, "bold"), Span(f" ({unit})", "dim")]
        for figure in row.figures:
            head = f"  {figure.name}".ljust(name_width) + f"  {words.figure(figure.values[0], divisor):>9}  "
            for judgement in figure.against:
                letter = f"{letters[judgement.side]} " if several else ""
                value = words.figure(figure.values[judgement.side], divisor)
                figures = f"{head}{letter}{value:>9}  {words.change(judgement, divisor):<{_CHANGE}}  "
                style = _STYLES[judgement.verdict]
                for part in textwrap.wrap(words.verdict(judgement, unit, divisor), max(20, room - len(figures))):
                    yield [Span(figures), Span(part, style)]
                    figures = " " * len(figures)
                head = " " * len(head)
        reasons = _reasons(row, of, letters)
        for text in ["as above"] if reasons and reasons == before else reasons:
            yield from ([Span(part, "dim")] for part in _folded(text, room, "    "))
        before = reasons
    yield []


def _reasons(row: Row, of: Comparison, letters: tuple[str, ...]) -> list[str]:
    """Each reason once, with its figures. Leaves out reasons that hold for whole runs: these are listed at the top."""
    general = {(one.side, one.what) for one in of.unlike}
    figures_of: dict[tuple[int, str], list[str]] = {}
    for figure in row.figures:
        for judgement in figure.against:
            for reason in judgement.reasons:
                if (judgement.side, reason) not in general:
                    figures_of.setdefault((judgement.side, reason), []).append(figure.name)
    several = len(of.sides) > 2
    return [
        f"{letters[side] + ', ' if several else ''}{', '.join(names) if len(names) < len(row.figures) else 'all'}: {reason}"
        for (side, reason), names in figures_of.items()
    ] + list(row.remarks)


def _missing(of: Comparison, letters: tuple[str, ...], room: int, *, full: bool) -> Iterator[TextLine]:
    if not of.missing:
        return
    if not full and len(of.missing) > _FACTS_MOST:
        yield [Span(f"{counted(len(of.missing), 'row')} on one side only")]
        yield []
        return
    yield [Span("on one side only", "bold")]
    for one in of.missing:
        text = f"{one.title}: not in {letters[one.side]} ({one.why})"
        yield from ([Span(part)] for part in _folded(text, room, "  "))
    yield []


def _differences(of: Comparison, letters: tuple[str, ...], room: int, *, full: bool) -> Iterator[TextLine]:
    yield [Span("changes between the environments", "bold")]
    if not of.differences:
        yield [Span("  nothing that is on record")]
    group = ""
    shown = of.differences if full else of.differences[:_FACTS_MOST]
    for one in shown:
        if one.importance != group:
            group = one.importance
            yield [Span(f"  {words.HEADINGS[one.importance]}", "italic")]
        whole = " | ".join(words.shown(one, side) for side in range(len(of.sides)))
        if len(one.fact) + len(whole) + 6 <= room:
            yield [Span(f"    {one.fact}: "), Span(whole)]
            continue
        yield [Span(f"    {one.fact}:")]
        for side, letter in enumerate(letters):
            yield from ([Span(part)] for part in _folded(f"{letter}  {words.shown(one, side)}", room, "      "))
    if len(shown) < len(of.differences):
        yield [Span(f"    … {counted(len(of.differences) - len(shown), 'more fact')}", "dim")]
    yield []
