# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables and sheets as fixed-width text of a given width. To fit, labels fold; then columns go to more panels."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rtstone.model import units as form
from rtstone.show.tables._model import Cell, Column, Line, Sheet, StudyView, TableView
from rtstone.show.tables._notes import numbered_once

GAP = "  "
PROSE_WIDTH = 100
"""Width at which notes and sheets fold, because they are prose, even if the width of tables is not limited."""
_LEAST_LABEL = 14
_STYLES = {
    "label": "",
    "published": "dim",
    "value": "bold",
    "skipped": "yellow",
    "invalid": "bold red",
    "absent": "dim",
    "blank": "",
}
_VERDICTS = {"met": "green", "substituted": "yellow", "not met": "red"}


class Span(NamedTuple):
    """A piece of a line and how a terminal shows it (a style of rich; empty: plain)."""

    text: str
    style: str = ""


TextLine = list[Span]


def plain(lines: Sequence[TextLine]) -> str:
    """The lines as text without style. Each ends with a newline, and has no blanks at its end."""
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def study_lines(view: StudyView, width: int | None = None) -> list[TextLine]:
    """All tables of a study, separated by blank lines; its notes, each once; its fidelity sheet."""
    lines: list[TextLine] = []
    shown, notes = numbered_once(view)
    for table in shown.tables:
        lines += [*table_lines(table, width), []]
    if notes:
        lines += [*_note_lines(notes, width), []]
    if view.sheet is not None:
        lines += [*sheet_lines(view.sheet, width), []]
    return lines


def _note_lines(notes: Sequence[str], width: int | None) -> list[TextLine]:
    return [
        [Span(text)]
        for number, note in enumerate(notes, 1)
        for text in _wrapped(f"{form.marks((number,))} {note}", _prose(width), "  ")
    ]


def table_lines(view: TableView, width: int | None = None) -> list[TextLine]:
    """A table in at most `width` characters (None: no limit), with its notes and clocks under it."""
    lines: list[TextLine] = [[Span(text, "bold")] for text in _wrapped(view.title, _prose(width), "  ")]
    lines += [[Span(text, "dim")] for text in _wrapped(view.caption, _prose(width), "")]
    lines.append([])
    for panel in _panels(view, width):
        lines += [*_panel_lines(view, panel, width), []]
    lines += _note_lines(view.notes, width)
    for footer in view.footers:
        lines += [[Span(text, "dim")] for text in _wrapped(footer, _prose(width), "  ")]
    return lines


def sheet_lines(sheet: Sheet, width: int | None = None) -> list[TextLine]:
    """The fidelity sheet: a block for each condition of the paper. Next to it: our condition and its evidence."""
    whole = _prose(width)
    verdict_width = max(len(v) for v in _VERDICTS)
    left = max(20, (whole - verdict_width - 2 * len(GAP)) * 9 // 20)
    right = max(20, whole - left - verdict_width - 2 * len(GAP))
    lines: list[TextLine] = [[Span(t, "bold")] for t in _wrapped(f"Fidelity sheet, {sheet.title}", whole, "  ")]
    counts = f"{sheet.met} met, {sheet.substituted} substituted, {sheet.not_met} not met"
    lines += [[Span(counts, "dim")], []]
    heads = (
        "the paper's condition"[:left].ljust(left),
        "".ljust(verdict_width),
        "ours, and the record's evidence"[:right],
    )
    lines += [[Span(GAP.join(heads).rstrip(), "bold")]]
    for line in sheet.lines:
        paper = textwrap.wrap(f"Table {line.table}: {line.paper}" if line.table.isdigit() else line.paper, left)
        rights: list[tuple[str, str, str]] = []
        for name, finding in zip(sheet.runs, line.findings, strict=True):
            ours = f"{name}: {finding.ours}" if len(sheet.runs) > 1 else finding.ours
            rights += [
                (finding.verdict if i == 0 else "", text, "") for i, text in enumerate(textwrap.wrap(ours, right))
            ]
            rights += [("", text, "dim") for text in textwrap.wrap(finding.evidence, right)]
        for i in range(max(len(paper), len(rights))):
            verdict, text, style = rights[i] if i < len(rights) else ("", "", "")
            lines.append(
                [
                    Span((paper[i] if i < len(paper) else "").ljust(left) + GAP),
                    Span(verdict.ljust(verdict_width) + GAP, _VERDICTS.get(verdict, "")),
                    Span(text, style),
                ]
            )
    return lines


def _prose(width: int | None) -> int:
    return PROSE_WIDTH if width is None else max(40, min(width, PROSE_WIDTH * 2))


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def shown(item: Cell | Column) -> str:
    """A cell or heading with its marks."""
    text = item.title if isinstance(item, Column) else item.text
    return text + form.marks(item.marks)


def _panels(view: TableView, width: int | None) -> list[list[int]]:
    """The columns of each panel. Every panel has the labels, and other columns until it is full."""
    labels = [i for i, c in enumerate(view.columns) if c.kind == "label"]
    others = [i for i, c in enumerate(view.columns) if c.kind != "label"]
    if width is None:
        return [[*labels, *others]]
    least = sum((_least(view, i) if i == labels[0] else _natural(view, i)) + len(GAP) for i in labels)
    room = width + len(GAP) - least
    runs_of = [[i for i in others if view.columns[i].kind == kind] for kind in ("published", "ours")]
    if sum(_natural(view, i) + len(GAP) for i in others) <= room:
        runs_of = [others]
    beside = _beside(view, runs_of, room)
    if beside is not None:
        return _panels_with(view, labels, runs_of, beside, room)
    # If not all columns fit, our columns begin a new panel, to stay together.
    panels: list[list[int]] = []
    for columns in runs_of:
        _lay(view, columns, room, panels, room + 1, labels)
    return panels or [labels]


def _lay(
    view: TableView,
    columns: Sequence[int],
    room: int,
    panels: list[list[int]],
    used: int,
    labels: Sequence[int],
    last: Sequence[int] = (),
) -> int:
    """Adds columns to the last panel, of which `used` is taken, and to new ones, which begin with `labels` and end with
    `last`. Returns how much of the last one is taken."""
    for i in columns:
        need = _natural(view, i) + len(GAP)
        if used + need > room:
            panels.append([*labels, *last])
            used = sum(_natural(view, one) + len(GAP) for one in last)
        panels[-1].insert(len(panels[-1]) - len(last), i)
        used += need
    return used


def _beside(view: TableView, runs_of: Sequence[Sequence[int]], room: int) -> int | None:
    """Our first column, if it fits beside each of the papers' columns, which then do not all fit in one panel; else None."""
    if len(runs_of) < 2 or not all(runs_of):
        return None
    published, ours = runs_of
    widest = max(_natural(view, i) for i in published)
    return ours[0] if widest + _natural(view, ours[0]) + 2 * len(GAP) <= room else None


def _panels_with(
    view: TableView, labels: Sequence[int], runs_of: Sequence[Sequence[int]], beside: int, room: int
) -> list[list[int]]:
    """Panels that each end their papers' columns with our first column. Our other columns follow in the last one's room."""
    published, ours = runs_of
    panels: list[list[int]] = []
    used = _lay(view, published, room, panels, room + 1, labels, [beside])
    _lay(view, ours[1:], room, panels, used, labels)
    return panels


def _natural(view: TableView, index: int) -> int:
    """Width of a column if its heading is folded at every blank."""
    words = [len(word) for word in shown(view.columns[index]).split()]
    marked = _mark_width(view, index)
    return max([1, *words, *(len(line.cells[index].text) + marked for line in view.lines)])


def _least(view: TableView, index: int) -> int:
    """Least width of a column of labels, at which no word is broken."""
    words = [len(word) for line in view.lines for word in shown(line.cells[index]).split()]
    return min(_natural(view, index), max(_LEAST_LABEL, *words, 0))


def _mark_width(view: TableView, index: int) -> int:
    """Width of the marks in a column of figures, so that all figures end at the same position, marked or not."""
    return max((len(form.marks(line.cells[index].marks)) for line in view.lines), default=0)


def _heading(column: Column) -> tuple[str, ...]:
    """A heading's parts, each on lines of its own: the name, and in brackets its circumstances."""
    title, bracket, rest = shown(column).partition("(")
    return (title.strip(), bracket + rest) if bracket and title else (title + bracket + rest,)


def _folded_words(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _panel_lines(view: TableView, panel: Sequence[int], width: int | None) -> Iterator[TextLine]:
    widths = {i: _natural(view, i) for i in panel}
    if width is not None:
        excess = sum(widths.values()) + len(GAP) * (len(panel) - 1) - width
        widths[panel[0]] = max(_least(view, panel[0]), widths[panel[0]] - max(0, excess))
    heads = {i: [text for part in _heading(view.columns[i]) for text in _folded_words(part, widths[i])] for i in panel}
    depth = max(len(head) for head in heads.values())
    for row in range(depth):
        yield [
            Span(_put(_at(heads[i], row - depth + len(heads[i])), widths[i], view.columns[i]) + GAP, "bold")
            for i in panel
        ]
    total = sum(widths.values()) + len(GAP) * (len(panel) - 1)
    yield [Span("─" * total, "dim")]
    group = ""
    for line in view.lines:
        if line.group != group:
            group = line.group
            yield [Span(group, "italic")]
        yield from _folded(view, line, panel, widths)


def _folded(view: TableView, line: Line, panel: Sequence[int], widths: dict[int, int]) -> Iterator[TextLine]:
    texts = {}
    for i in panel:
        cell = line.cells[i]
        if view.columns[i].kind == "label":
            texts[i] = textwrap.wrap(shown(cell), widths[i], break_on_hyphens=False) or [""]
        else:
            texts[i] = [cell.text + form.marks(cell.marks).ljust(_mark_width(view, i))]
    depth = max(len(text) for text in texts.values())
    for row in range(depth):
        # Figures are on the last line of a folded label.
        yield [
            Span(
                _put(_at(texts[i], row - depth + len(texts[i])), widths[i], view.columns[i]) + GAP,
                _STYLES[line.cells[i].state],
            )
            if view.columns[i].kind != "label"
            else Span(_put(_at(texts[i], row), widths[i], view.columns[i]) + GAP)
            for i in panel
        ]


def _at(texts: Sequence[str], index: int) -> str:
    return texts[index] if 0 <= index < len(texts) else ""


def _put(text: str, width: int, column: Column) -> str:
    return text.ljust(width) if column.kind == "label" else text.rjust(width)
