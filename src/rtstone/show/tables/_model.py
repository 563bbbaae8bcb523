# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A table ready to be shown, as structures: what the text, Markdown, CSV and JSON forms and the report are made from."""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.studies.conditions import Finding

CellState = Literal["label", "published", "value", "skipped", "invalid", "absent", "blank"]
"""`value`: measured and to be believed; `skipped`: `*`; `invalid`: shown, but marked; `absent`: not measured, a dash."""


class Cell(msgspec.Struct, frozen=True):
    """One cell: its text, what it is, and the numbers of the notes under the table that it refers to."""

    text: str
    state: CellState
    marks: tuple[int, ...] = ()


class Column(msgspec.Struct, frozen=True):
    """A column's heading. `published` columns are the paper's, `ours` are measured."""

    title: str
    kind: Literal["label", "published", "ours"]
    marks: tuple[int, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """One line of cells, as many as there are columns; a `group` that differs from the line's before is a heading."""

    cells: tuple[Cell, ...]
    group: str = ""


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """One table."""

    study: str
    number: str
    kind: Literal["paper", "distribution", "spread"]
    title: str
    caption: str
    """Unit and statistics, in words."""
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    """What the marks refer to: mark 1 is the first."""
    footers: tuple[str, ...]
    """The clock behind the published figures and behind each run's, and how many samples there are."""


class SheetLine(msgspec.Struct, frozen=True, kw_only=True):
    """One condition of the paper and what became of it in each run."""

    paper: str
    table: str
    findings: tuple[Finding, ...]
    """One for each run of the sheet."""


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """The fidelity sheet: how faithfully each condition of the paper was met."""

    study: str
    title: str
    runs: tuple[str, ...]
    lines: tuple[SheetLine, ...]
    met: int
    substituted: int
    not_met: int


class StudyView(msgspec.Struct, frozen=True, kw_only=True):
    """All that is shown of a study."""

    study: str
    title: str
    citation: str
    tables: tuple[TableView, ...]
    sheet: Sheet | None
