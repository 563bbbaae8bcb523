# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The structures of a table ready for output: as text, Markdown, CSV and JSON, and in the report."""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.studies.conditions import Finding

CellState = Literal["label", "published", "value", "skipped", "invalid", "absent", "blank"]
"""`value`: measured and believable. `skipped`: `*`. `invalid`: shown, but marked. `absent`: not measured, a dash."""


class Cell(msgspec.Struct, frozen=True):
    """A cell of a table: its text, its state, and the numbers of its notes below the table."""

    text: str
    state: CellState
    marks: tuple[int, ...] = ()


class Column(msgspec.Struct, frozen=True):
    """The heading of a column. A `published` column has the paper's figures, an `ours` column has measured ones."""

    title: str
    kind: Literal["label", "published", "ours"]
    marks: tuple[int, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """A line of a table, with a cell for each column. A `group` that differs from the previous line's is a heading above this line."""

    cells: tuple[Cell, ...]
    group: str = ""


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a study, ready for output."""

    study: str
    number: str
    kind: Literal["paper", "distribution", "spread"]
    title: str
    caption: str
    """Unit and statistics, in words."""
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    """The notes that the marks refer to: mark 1 is the first."""
    footers: tuple[str, ...]
    """The clock of the published figures and of each run's figures, and the number of samples."""


class SheetLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the fidelity sheet: one condition of the paper, and the verdict on it for each run."""

    paper: str
    table: str
    findings: tuple[Finding, ...]
    """One for each run of the sheet."""


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """The fidelity sheet: how faithfully the runs met each condition of the paper. The counts are over all runs."""

    study: str
    title: str
    runs: tuple[str, ...]
    lines: tuple[SheetLine, ...]
    met: int
    substituted: int
    not_met: int


class StudyView(msgspec.Struct, frozen=True, kw_only=True):
    """The tables of a study, and its fidelity sheet."""

    study: str
    title: str
    citation: str
    tables: tuple[TableView, ...]
    sheet: Sheet | None
