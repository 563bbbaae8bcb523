# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables and sheets as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from rtstone.model.text import neutral
from rtstone.show.tables._model import Sheet, StudyView, TableView
from rtstone.show.tables._notes import numbered_once
from rtstone.show.tables._text import shown

CSV_COLUMNS = ("study", "table", "kind", "group", "line", "column", "source", "state", "value", "notes")


def markdown(views: Iterable[StudyView]) -> str:
    """All tables and sheets as Markdown. Text of a cell cannot become markup."""
    parts = []
    for view in views:
        parts += [f"## {markdown_text(view.title)}", "", markdown_text(view.citation), ""]
        shown_once, notes = numbered_once(view)
        for table in shown_once.tables:
            parts += _markdown_table(table)
        parts += [*(f"{number}. {markdown_text(note)}" for number, note in enumerate(notes, 1)), ""]
        if view.sheet is not None:
            parts += _markdown_sheet(view.sheet)
    return neutral("\n".join(parts))


def markdown_text(text: str) -> str:
    """Text without markup, on one line."""
    for character in "\\`*_[]<>|#":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ").replace("\r", " ")


def markdown_row(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(markdown_text(cell) for cell in cells)} |"


def _markdown_table(view: TableView) -> list[str]:
    rule = "|" + "|".join("-" if c.kind == "label" else "-:" for c in view.columns) + "|"
    lines = [
        f"### {markdown_text(view.title)}",
        "",
        markdown_text(view.caption),
        "",
        markdown_row([shown(c) for c in view.columns]),
        rule,
    ]
    group = ""
    for line in view.lines:
        if line.group != group:
            group = line.group
            lines.append(markdown_row([group, *[""] * (len(view.columns) - 1)]))
        lines.append(markdown_row([shown(cell) for cell in line.cells]))
    lines.append("")
    lines += [*[f"- {markdown_text(footer)}" for footer in view.footers], ""]
    return lines


def _markdown_sheet(sheet: Sheet) -> list[str]:
    heads = ["the paper's condition", *(f"{name}: verdict | {name}: ours" for name in sheet.runs)]
    columns = " | ".join(heads).split(" | ")
    lines = [f"### Fidelity sheet, {markdown_text(sheet.title)}", "", markdown_row(columns), "|" + "-|" * len(columns)]
    for line in sheet.lines:
        cells = [line.paper]
        for finding in line.findings:
            cells += [finding.verdict, f"{finding.ours} ({finding.evidence})" if finding.evidence else finding.ours]
        lines.append(markdown_row(cells))
    return [*lines, ""]


def comma_separated(views: Iterable[StudyView]) -> str:
    """CSV with one line for each cell that is neither a label nor blank. It does not contain fidelity sheets."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for view in views:
        for table in view.tables:
            labels = [i for i, c in enumerate(table.columns) if c.kind == "label"]
            above = [""] * len(labels)
            for line in table.lines:
                # A blank label means the same as the label above it.
                own = [line.cells[i].text for i in labels]
                above = [o or a for o, a in zip(own, above, strict=True)]
                for column, cell in zip(table.columns, line.cells, strict=True):
                    if column.kind == "label" or cell.state == "blank":
                        continue
                    source = "published" if cell.state == "published" else "measured"
                    notes = "; ".join(table.notes[mark - 1] for mark in (*column.marks, *cell.marks))
                    writer.writerow(
                        [
                            *(view.study, table.number, table.kind, line.group, ", ".join(filter(None, above))),
                            *(column.title, source, cell.state, cell.text, notes),
                        ]
                    )
    return neutral(text.getvalue())
