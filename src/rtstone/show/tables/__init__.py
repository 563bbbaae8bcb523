# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The papers' tables with measured columns: runs and studies in, tables and fidelity sheets out."""

from __future__ import annotations

from rtstone.model.labels import names, unit_of_time
from rtstone.show.tables._build import fidelity_sheet, measured_study, study_view, views, without_figures
from rtstone.show.tables._distribution import distribution_table
from rtstone.show.tables._doubts import doubts
from rtstone.show.tables._doubts import notes as run_notes
from rtstone.show.tables._export import comma_separated, markdown, markdown_row, markdown_text
from rtstone.show.tables._headline import sentences
from rtstone.show.tables._model import Cell, Column, Line, Sheet, SheetLine, StudyView, TableView
from rtstone.show.tables._notes import numbered_once, without_unused
from rtstone.show.tables._outcome import BY_THREAD
from rtstone.show.tables._paper import paper_table
from rtstone.show.tables._quantities import Charted, QuantityBar, charted
from rtstone.show.tables._screen import screen_of
from rtstone.show.tables._text import Span, TextLine, plain, sheet_lines, study_lines, table_lines

__all__ = [
    "BY_THREAD",
    "Cell",
    "Charted",
    "Column",
    "Line",
    "QuantityBar",
    "Sheet",
    "SheetLine",
    "Span",
    "StudyView",
    "TableView",
    "TextLine",
    "charted",
    "comma_separated",
    "distribution_table",
    "doubts",
    "fidelity_sheet",
    "markdown",
    "markdown_row",
    "markdown_text",
    "measured_study",
    "names",
    "numbered_once",
    "paper_table",
    "plain",
    "run_notes",
    "screen_of",
    "sentences",
    "sheet_lines",
    "study_lines",
    "study_view",
    "table_lines",
    "unit_of_time",
    "views",
    "without_figures",
    "without_unused",
]
