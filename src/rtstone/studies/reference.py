# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Published figures of the papers: reads CSV files of the data folder, and returns typed and checked figures."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import msgspec

from rtstone.errors import InfrastructureError, unknown
from rtstone.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.resources.abc import Traversable


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One paper: its study id, how to cite it, and the caption of each of its tables."""

    study: str
    year: int
    authors: str
    title: str
    identifier: str
    tables: dict[str, str]


class PrintedUnit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One printed unit and its reading; the fields are explained in the data folder's units.toml."""

    printed: str
    symbol: str
    verbatim: tuple[str, ...] = ()
    whole: bool = False
    doubt: str = ""


class _Papers(msgspec.Struct, forbid_unknown_fields=True):
    paper: tuple[Paper, ...]


class _Units(msgspec.Struct, forbid_unknown_fields=True):
    unit: tuple[PrintedUnit, ...]


_Document = TypeVar("_Document", _Papers, _Units)


def _decode(file: Traversable, kind: type[_Document]) -> _Document:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file}: {error}") from error


@cache
def papers() -> tuple[Paper, ...]:
    """All papers, in the order they appeared. Raises InfrastructureError on a damaged registry."""
    return _decode(data_dir("reference") / "papers.toml", _Papers).paper


@cache
def units() -> dict[str, PrintedUnit]:
    """The closed list of units, by printed name. Raises InfrastructureError on a damaged registry."""
    return {unit.printed: unit for unit in _decode(data_dir("reference") / "units.toml", _Units).unit}


def studies() -> tuple[str, ...]:
    """The ids of the studies that have published figures, in the order the papers appeared."""
    return tuple(paper.study for paper in papers())


# A stricter grammar than float()'s, which would take "nan", "1_000" and "1e3" for numbers.
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+", re.ASCII)


class PublishedFigure(msgspec.Struct, frozen=True):
    """One published figure, as printed; the columns are explained in the data folder's README."""

    study: str
    table: str
    row: str
    platform: str
    condition: str
    statistic: str
    value: str
    unit: str
    note: str

    def number(self) -> float | None:
        """The value as a number in `unit`, or None where the paper prints a word.

        Where the unit counts whole events (`whole` in units.toml), a dot before exactly three digits
        groups thousands: `90.000` switches/s is 90000.0. All other values are read as printed.
        """
        if self._whole() and _GROUPED.fullmatch(self.value):
            return float(self.value.replace(".", ""))
        return float(self.value) if _NUMBER.fullmatch(self.value) else None

    def symbol(self) -> str:
        """The unit in today's spelling, doubtful units in their likely reading; empty if none is printed.

        Figures with equal symbols may be shown next to each other. `note` and units.toml explain why a reading differs
        from the printed unit.
        """
        return units()[self.unit].symbol if self.unit else ""

    def _whole(self) -> bool:
        return bool(self.unit) and units()[self.unit].whole


_COLUMNS = PublishedFigure.__struct_fields__
_MAY_BE_EMPTY = frozenset({"condition", "unit", "note"})


def load(study: str | None = None) -> tuple[PublishedFigure, ...]:
    """The published figures of one study, or of all, in the order of the papers' tables.

    Raises UsageError for a study without published figures, and InfrastructureError, naming file and
    line, where the data are damaged.
    """
    if study is None:
        return tuple(figure for known in studies() for figure in _load_study(known))
    if study not in studies():
        raise unknown("published study", study, studies())
    return _load_study(study)


def platforms(study: str, table: str) -> tuple[str, ...]:
    """The platforms of one table, in printed order; empty if the study has no such table."""
    return tuple(dict.fromkeys(figure.platform for figure in load(study) if figure.table == table))


@cache
def _load_study(study: str) -> tuple[PublishedFigure, ...]:
    return load_file(data_dir("reference") / f"{study}.csv", study)


def load_file(file: Traversable, study: str) -> tuple[PublishedFigure, ...]:
    """Read one CSV file of the given study. Raises InfrastructureError naming file and line."""
    try:
        text = file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file}: {error}") from error
    figures: dict[tuple[str, ...], PublishedFigure] = {}
    for line, cells in _rows(file, text):
        figure = _checked(f"{file}, line {line}", cells, study)
        key = cells[: _COLUMNS.index("value")]
        if figures.setdefault(tuple(key), figure) is not figure:
            raise InfrastructureError(f"{file}, line {line}: the figure {', '.join(key)} is given twice")
    if not figures:
        raise InfrastructureError(f"{file}: no figures")
    return tuple(figures.values())


def _rows(file: Traversable, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each row below a header that must name our columns."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        if unknown := [name for name in header if name not in _COLUMNS]:
            raise InfrastructureError(f"{file}, line 1: unknown column {unknown[0]!r}")
        if tuple(header) != _COLUMNS:
            raise InfrastructureError(f"{file}, line 1: the columns must be {','.join(_COLUMNS)}")
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise InfrastructureError(f"{file}, line {reader.line_num}: {error}") from error


def _checked(where: str, cells: list[str], study: str) -> PublishedFigure:
    if len(cells) != len(_COLUMNS):
        raise InfrastructureError(f"{where}: {len(cells)} cells, {len(_COLUMNS)} columns")
    for name, cell in zip(_COLUMNS, cells, strict=True):
        if not cell.strip() and name not in _MAY_BE_EMPTY:
            raise InfrastructureError(f"{where}: empty {name}")
        if cell != cell.strip():
            raise InfrastructureError(f"{where}: {name} has blanks around it: {cell!r}")
    figure = PublishedFigure(*cells)
    if figure.study != study:
        raise InfrastructureError(f"{where}: study {figure.study!r} in the file of {study!r}")
    if figure.unit and figure.unit not in units():
        raise InfrastructureError(f"{where}: unit {figure.unit!r} is not in units.toml")
    return figure


# Statistics whose names add nothing to the figure.
_UNSAID = frozenset({"value", "specification"})


class ReferenceTable(msgspec.Struct, frozen=True):
    """A table ready to print: title, column headings, lines of equal length, and the notes its marks refer to."""

    title: str
    headings: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def grid(paper: Paper, table: str, figures: Sequence[PublishedFigure], *, with_notes: bool) -> ReferenceTable:
    """Lay out the figures of one table. Every figure is in exactly one cell.

    Lines are the rows of the paper and columns its platforms, unless there are as many platforms as rows:
    then each platform has a line, as in the papers' own tables of few quantities. With notes, a cell with
    doubts carries the numbers of its notes in brackets.
    """
    by_platform = len({f.row for f in figures}) <= len({f.platform for f in figures})
    line_of: Callable[[PublishedFigure], tuple[str, str]] = (
        (lambda f: (f.platform, f.condition)) if by_platform else (lambda f: (f.row, f.condition))
    )
    column_of: Callable[[PublishedFigure], str] = (lambda f: f.row) if by_platform else (lambda f: f.platform)
    cells: dict[tuple[tuple[str, str], str], list[PublishedFigure]] = {}
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
    return ReferenceTable(title, (*first, *columns), tuple(lines), tuple(numbers) if with_notes else ())


def _shared_shape(shapes: set[tuple[tuple[str, str], ...]]) -> str:
    """Statistics and unit that all cells share, for the title ("min/max/avg, µsec"); empty where cells differ."""
    if len(shapes) != 1:
        return ""
    (shape,) = shapes
    statistics = "/".join(statistic for statistic, _ in shape if statistic not in _UNSAID)
    return ", ".join(part for part in (statistics, "/".join(dict.fromkeys(unit for _, unit in shape))) if part)


def _cell(figures: list[PublishedFigure], shared: str, numbers: dict[str, int]) -> str:
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
