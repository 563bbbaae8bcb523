# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The answer of `fit` for people: the cells of its tables, and the sentences under them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rtstone.judge.fit._model import Asked, Level, Report, Row, Tail, Tails
from rtstone.model.units import VERDICT_DIGITS, duration, waiting, written
from rtstone.model.variant import load_words
from rtstone.show.document import DocumentTable, TextDocument
from rtstone.show.tables import Span, TextLine

HEADINGS = ("level", "load", "verdict", "misses", "share (at most)", "an hour (at most)", "max. observed", "why")
TAIL_HEADINGS = ("quantity", "under", "samples", "max. observed", "once in", "estimate", "interval", "by")
NOT_SAID = "–"


def document(report: Report, below: Sequence[str]) -> TextDocument:
    """The doubts about the runs, all rows, the conclusion, and the lines `below`."""
    several = len({level.platform for level in report.levels}) > 1
    rows = tuple(
        (f"{level.platform}: {of}" if several else of, *rest) for level in report.levels for of, *rest in cells(level)
    )
    return TextDocument(
        title="rtstone fit",
        parts=(*_doubtful(report), DocumentTable(columns=HEADINGS, rows=rows), *conclusion(report), *below),
    )


def _doubtful(report: Report) -> Iterator[str]:
    """The lines that the runs' first screens show."""
    yield from (f"Doubtful: {text}" for text in report.doubts)


def tails_document(made: Tails) -> TextDocument:
    """Return a row for each tail. A quantity that is refused for one reason at every rarity has one row."""
    rows: dict[tuple[str, ...], tuple[str, ...]] = {}
    for tail in made.tails:
        shown = tail_cells(tail)
        rows.setdefault((*shown[:4], tail.text) if tail.refused else shown, shown)
    table = DocumentTable(columns=TAIL_HEADINGS, rows=tuple(rows.values()))
    return TextDocument(title="rtstone fit --tail", parts=(table, *(f"note: {note}" for note in made.notes)))


def cells(level: Level) -> Iterator[tuple[str, ...]]:
    """One row for each way and load of a level, in the columns of HEADINGS: the row of the evidence that shows most."""
    if not level.ways:
        yield (level.level, "", level.verdict, *[""] * 4, level.why)
    for way in level.ways:
        for load in dict.fromkeys(row.load for row in way.rows):
            yield _row(level, way.name, min((row for row in way.rows if row.load == load), key=_order))


_VERDICTS = ("does not meet", "meets", "not shown", "not measured")
_ROLES = ("response", "sum", "later", "part")


def _order(row: Row) -> tuple[int, bool, bool, float, int]:
    """The first row in this order shows most: it decides, or more samples can; then its bound on the share of misses is the lowest."""
    bound = 1.0 if row.exceedance_bound is None else row.exceedance_bound
    return _VERDICTS.index(row.verdict), row.role == "part", not row.needed, bound, _ROLES.index(row.role)


def _row(level: Level, way: str, row: Row) -> tuple[str, ...]:
    of = f"{level.level}: {way}"
    if not row.samples:
        return (of, load_words(row.load) if row.load else "", row.verdict, *[""] * 4, row.why)
    counted = f"{row.misses_most}" if row.misses == row.misses_most else f"{row.misses} to {row.misses_most}"
    share = f"{row.exceedance or 0:.2g}"
    hourly = f"{number(row.per_hour or 0)}"
    if row.exceedance_bound is not None and row.per_hour_bound is not None:
        share += f" (≤ {row.exceedance_bound:.2g})"
        hourly += f" (≤ {number(row.per_hour_bound)})"
    longest = NOT_SAID if row.max_ns is None else duration(row.max_ns, digits=VERDICT_DIGITS)
    return (of, load_words(row.load), row.verdict, f"{counted} of {row.samples}", share, hourly, longest, row.why)


def conclusion(report: Report) -> Iterator[str]:
    """The conclusion from the verdicts, a sentence for each platform."""
    asked = report.asked
    wanted = (
        f"{written(asked.deadline_ns)} at a period of {written(asked.period_ns)}, missed by at most {asked.exceedance:.3g} of them "
        f"(confidence {asked.confidence:.3g})"
    )
    for platform in dict.fromkeys(level.platform for level in report.levels):
        own = [level for level in report.levels if level.platform == platform]
        meeting = [f"{level.level} ({way.name})" for level in own for way in level.ways if way.verdict == "meets"]
        if meeting:
            said = f"{meeting[-1]} meets it"
            if len(meeting) > 1:
                said += "; of the levels that do, it is the farthest from the interrupt"
        elif any(level.verdict == "not shown" for level in own):
            said = "no level is shown to meet it yet"
        elif any(level.verdict == "does not meet" for level in own):
            said = "no level that was measured meets it"
        else:
            said = "no measurement of this run can decide it"
        yield f"{platform}: {wanted}: {said}"


def longer(asked: Asked, count: int) -> str:
    """The time that this many samples take."""
    return f"{count} samples of each item, {waiting(count * asked.period_ns / 1e9)} each"


def number(value: float) -> str:
    """A number of events, without decimals from 100 on."""
    return f"{value:.0f}" if value >= 100 or value == 0 else f"{value:.2g}"


def tail_cells(tail: Tail) -> tuple[str, ...]:
    """A tail's row, in the columns of TAIL_HEADINGS."""
    quantity = tail.quantity if tail.quantity == tail.measurement else f"{tail.quantity} ({tail.measurement})"
    longest = NOT_SAID if tail.max_ns is None else duration(tail.max_ns, digits=VERDICT_DIGITS)
    head = (quantity, tail.circumstances or tail.load, f"{tail.samples}", longest, rarity(tail))
    if tail.value_ns is None or tail.low_ns is None or tail.high_ns is None:
        return (*head, "refused", "", f"{tail.refused}: {tail.text}")
    how = (
        f"{tail.model}, shape {tail.shape:+.2f} [{tail.shape_low:+.2f}, {tail.shape_high:+.2f}], fit p {tail.fit_p:.2f}"
    )
    value, low, high = (duration(ns, digits=VERDICT_DIGITS) for ns in (tail.value_ns, tail.low_ns, tail.high_ns))
    return (*head, value, f"{low} … {high}", how)


def rarity(tail: Tail) -> str:
    """The rarity in samples; also in time if the samples have a period."""
    often = f"{tail.once_in:.3g}"
    return f"{often} ({waiting(tail.once_in * tail.period_ns / 1e9)})" if tail.period_ns else often


_STYLES = {"meets": "bold green", "does not meet": "bold red", "not shown": "yellow", "not measured": "dim"}
_VERDICT = max(map(len, _STYLES))
_PROSE = 100


def report_lines(report: Report, width: int | None) -> list[TextLine]:
    """The lines of a report: its doubts; levels, ways and loads of each platform, and its conclusion."""
    room = max(40, min(width or _PROSE, _PROSE))
    made: list[TextLine] = [
        [Span(line, "yellow")]
        for text in _doubtful(report)
        for line in textwrap.wrap(text, room, subsequent_indent="  ", break_on_hyphens=False)
    ]
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
                text = f"{misses} late; share {share}; misses an hour {hourly}; max. observed {longest}"
            made += _under(verdict, load, ". ".join(filter(None, (text, why))), room)
        made += [[], *([Span(part)] for part in textwrap.wrap(said[number], room))]
    return made


def _under(verdict: str, load: str, said: str, room: int) -> list[TextLine]:
    indent = 2 + _VERDICT + 2
    first, *rest = textwrap.wrap(f"{load}: {said}" if load else said, room - indent, break_on_hyphens=False) or [load]
    return [
        [Span("  "), Span(verdict.ljust(_VERDICT + 2), _STYLES.get(verdict, "")), Span(first)],
        *([Span(" " * indent + part)] for part in rest),
    ]


def tails_lines(made: Tails, width: int | None) -> list[TextLine]:
    """The lines of tail estimates: quantities, and under each its estimates."""
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
        text = f"once in {rare}: {value}, {interval} (by {how})"
        lines += [[Span("  " + part)] for part in textwrap.wrap(text, room - 2)]
    for why, rare_ones in refused.items():
        text = f"once in {', '.join(rare_ones)}: refused, {why}"
        lines += [[Span("  " + part, "yellow")] for part in textwrap.wrap(text, room - 2)]
    return lines
