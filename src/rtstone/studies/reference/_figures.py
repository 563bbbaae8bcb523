# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Read and check the CSV files of published figures; a figure keeps the string its paper prints."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from rtstone.errors import InfrastructureError, unknown
from rtstone.resources import data_dir
from rtstone.studies.reference._registry import studies, units

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

# A stricter grammar than float()'s, which would take "nan", "1_000" and "1e3" for numbers.
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+", re.ASCII)


class Figure(msgspec.Struct, frozen=True):
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
        groups thousands: `90.000` switches/s is 90000.0. No value is read otherwise than printed but that.
        """
        if self._whole() and _GROUPED.fullmatch(self.value):
            return float(self.value.replace(".", ""))
        return float(self.value) if _NUMBER.fullmatch(self.value) else None

    def symbol(self) -> str:
        """The unit in today's spelling, doubtful units in their likely reading; empty if none is printed.

        Figures with equal symbols may stand beside each other. Why a reading differs from the printed unit
        is in `note`, and in units.toml.
        """
        return units()[self.unit].symbol if self.unit else ""

    def _whole(self) -> bool:
        return bool(self.unit) and units()[self.unit].whole


_COLUMNS = Figure.__struct_fields__
_MAY_BE_EMPTY = frozenset({"condition", "unit", "note"})


def load(study: str | None = None) -> tuple[Figure, ...]:
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
def _load_study(study: str) -> tuple[Figure, ...]:
    return load_file(data_dir("reference") / f"{study}.csv", study)


def load_file(file: Traversable, study: str) -> tuple[Figure, ...]:
    """Read one CSV file of the given study. Raises InfrastructureError naming file and line."""
    try:
        text = file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file}: {error}") from error
    figures: dict[tuple[str, ...], Figure] = {}
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


def _checked(where: str, cells: list[str], study: str) -> Figure:
    if len(cells) != len(_COLUMNS):
        raise InfrastructureError(f"{where}: {len(cells)} cells, {len(_COLUMNS)} columns")
    for name, cell in zip(_COLUMNS, cells, strict=True):
        if not cell.strip() and name not in _MAY_BE_EMPTY:
            raise InfrastructureError(f"{where}: empty {name}")
        if cell != cell.strip():
            raise InfrastructureError(f"{where}: {name} has blanks around it: {cell!r}")
    figure = Figure(*cells)
    if figure.study != study:
        raise InfrastructureError(f"{where}: study {figure.study!r} in the file of {study!r}")
    if figure.unit and figure.unit not in units():
        raise InfrastructureError(f"{where}: unit {figure.unit!r} is not in units.toml")
    return figure
