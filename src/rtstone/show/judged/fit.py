# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The answer as lines that fit a terminal: a heading for each way or quantity, sentences under it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rtstone.judge.fit._model import Report, Tail, Tails
from rtstone.show.judged.fit_cells import cells, conclusion, tail_cells
from rtstone.show.tables import Span, TextLine

_STYLES = {"meets": "bold green", "does not meet": "bold red", "not shown": "yellow", "not measured": "dim"}
_VERDICT = max(map(len, _STYLES))
_PROSE = 100


def report_lines(report: Report, width: int | None) -> list[TextLine]:
    """Levels, ways and loads; then what they come to."""
    room = max(40, min(width or _PROSE, _PROSE))
    made: list[TextLine] = []
    said = list(conclusion(report))
    for number, platform in enumerate(dict.fromkeys(level.platform for level in report.levels)):
        made += [[Span(text, "bold")] for text in textwrap.wrap(platform, room)]
        heading = ""
        for row in (row for level in report.levels if level.platform == platform for row in cells(level)):
            of, load, verdict, misses, share, hourly, longest, why = row
            if of != heading:
                heading = of
                made.append([Span(of, "bold")])
            text = ""
            if misses:
                text = f"{misses} late; share {share}; an hour {hourly}; max. observed {longest}"
            words = ". ".join(filter(None, (text, why)))
            made += _under(verdict, load, words, room)
        made += [[], *([Span(part)] for part in textwrap.wrap(said[number], room))]
    return made


def _under(verdict: str, load: str, words: str, room: int) -> list[TextLine]:
    indent = 2 + _VERDICT + 2
    first, *rest = textwrap.wrap(f"{load}: {words}" if load else words, room - indent, break_on_hyphens=False) or [load]
    return [
        [Span("  "), Span(verdict.ljust(_VERDICT + 2), _STYLES.get(verdict, "")), Span(first)],
        *([Span(" " * indent + part)] for part in rest),
    ]


def tails_lines(made: Tails, width: int | None) -> list[TextLine]:
    """Quantities, and under each what is rare."""
    room = max(40, min(width or _PROSE, _PROSE))
    lines: list[TextLine] = []
    for platform in dict.fromkeys(tail.platform for tail in made.tails):
        lines += [[Span(text, "bold")] for text in textwrap.wrap(platform, room)]
        groups: dict[tuple[str, ...], list[Tail]] = {}
        for tail in made.tails:
            if tail.platform == platform:
                groups.setdefault(tail_cells(tail)[:4], []).append(tail)
        for (quantity, load, samples, longest), group in groups.items():
            lines.append([Span(f"{quantity}, {load}", "bold")])
            lines.append([Span(f"  {samples} samples, max. observed {longest}")])
            lines += _rarities(group, room)
    return lines


def _rarities(group: Sequence[Tail], room: int) -> list[TextLine]:
    lines: list[TextLine] = []
    refused: dict[str, list[str]] = {}
    for tail in group:
        *_, rare, value, interval, how = tail_cells(tail)
        if tail.refused:
            refused.setdefault(how, []).append(rare)
            continue
        words = f"once in {rare}: {value}, {interval} (by {how})"
        lines += [[Span("  " + part)] for part in textwrap.wrap(words, room - 2)]
    for why, rare_ones in refused.items():
        words = f"once in {', '.join(rare_ones)}: refused, {why}"
        lines += [[Span("  " + part, "yellow")] for part in textwrap.wrap(words, room - 2)]
    return lines
