# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lay the figures of one published table out as a grid of strings, near the shape its paper gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rtstone.studies.reference._figures import Figure
    from rtstone.studies.reference._registry import Paper

# Statistics that say nothing beside the figure itself.
_UNSAID = frozenset({"value", "specification"})


class Grid(msgspec.Struct, frozen=True):
    """A table ready to print: title, column headings, lines of equal length, and the notes its marks refer to."""

    title: str
    headings: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def grid(paper: Paper, table: str, figures: Sequence[Figure], *, with_notes: bool) -> Grid:
    """Lay out the figures of one table. Every figure stands in exactly one cell.

    Lines are the rows of the paper and columns its platforms, unless there are as many platforms as rows:
    then each platform has a line, as in the papers' own tables of few quantities. With notes, a cell with
    doubts carries the numbers of its notes in brackets.
    """
    by_platform = len({f.row for f in figures}) <= len({f.platform for f in figures})
    line_of: Callable[[Figure], tuple[str, str]] = (
        (lambda f: (f.platform, f.condition)) if by_platform else (lambda f: (f.row, f.condition))
    )
    column_of: Callable[[Figure], str] = (lambda f: f.row) if by_platform else (lambda f: f.platform)
    cells: dict[tuple[tuple[str, str], str], list[Figure]] = {}
    for figure in figures:
        cells.setdefault((line_of(figure), column_of(figure)), []).append(figure)

    shapes = {tuple((f.statistic, f.unit) for f in cell) for cell in cells.values()}
    shared = _shared_shape(shapes)
    columns = tuple(dict.fromkeys(map(column_of, figures)))
    has_condition = any(f.condition for f in figures)
    numbers = {note: i for i, note in enumerate(dict.fromkeys(f.note for f in figures if f.note), 1)}

    lines = []
    for line in dict.fromkeys(map(line_of, figures)):
        texts = [_cell(cells.get((line, c), []), shared, numbers if with_notes else {}) for c in columns]
        lines.append((line[0], *([line[1]] if has_condition else []), *texts))
    kind = "Figure" if table.startswith("figure") else "Table"
    title = f"{paper.study} {kind} {table.removeprefix('figure')}: {paper.tables[table]}"
    if shared:
        title += f" ({shared})"
    first = ("platform" if by_platform else "row", *(["condition"] if has_condition else []))
    return Grid(title, (*first, *columns), tuple(lines), tuple(numbers) if with_notes else ())


def _shared_shape(shapes: set[tuple[tuple[str, str], ...]]) -> str:
    """What the title can say once for all cells ("min/max/avg, µsec"); empty where cells differ."""
    if len(shapes) != 1:
        return ""
    (shape,) = shapes
    statistics = "/".join(statistic for statistic, _ in shape if statistic not in _UNSAID)
    return ", ".join(part for part in (statistics, "/".join(dict.fromkeys(unit for _, unit in shape))) if part)


def _cell(figures: list[Figure], shared: str, numbers: dict[str, int]) -> str:
    values = list(dict.fromkeys(f.value for f in figures))
    if len(values) == 1 and figures[0].number() is None:
        text = values[0]  # a word stands once for the whole cell, as printed
    else:
        text = "/".join(f.value for f in figures)
    if not shared and figures:
        statistic = "/".join(f.statistic for f in figures if f.statistic not in _UNSAID)
        text = " ".join(part for part in (statistic, text, figures[0].unit) if part)
    marks = dict.fromkeys(numbers[f.note] for f in figures if f.note in numbers)
    return text + "".join(f" [{mark}]" for mark in marks)
