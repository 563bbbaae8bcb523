# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers notes in the order in which cells first refer to them: for one table, or for all tables of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from rtstone.show.tables._model import StudyView, TableView


class Notes:
    """Gives numbers to texts. The same text always has the same number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def marks(self, texts: Iterable[str]) -> tuple[int, ...]:
        """The numbers of these texts. A new text gets a new number; an empty text gets no number."""
        return tuple(sorted({self._numbers.setdefault(t, len(self._numbers) + 1) for t in texts if t}))

    def marks_in_order(self, texts: Iterable[str]) -> None:
        """Give each text a number, in this order."""
        for text in texts:
            self.marks([text])

    def texts(self) -> tuple[str, ...]:
        """All texts; the first is note 1."""
        return tuple(self._numbers)


def numbered_once(view: StudyView) -> tuple[StudyView, tuple[str, ...]]:
    """The study with marks that refer to one list of notes for all its tables, and that list. Tables keep no notes."""
    notes = Notes()
    for table in sorted(view.tables, key=lambda table: table.kind != "paper"):
        notes.marks_in_order(
            table.notes
        )  # the papers' first: a note has one number, whether the others are shown or not
    tables = [_renumbered(table, [notes.marks([text]) for text in table.notes]) for table in view.tables]
    return msgspec.structs.replace(view, tables=tuple(tables)), notes.texts()


def without_unused(table: TableView) -> TableView:
    """The table with only those notes that a column or a cell refers to."""
    marks = [column.marks for column in table.columns] + [cell.marks for line in table.lines for cell in line.cells]
    used = sorted({mark for some in marks for mark in some})
    new = [(used.index(mark) + 1,) if mark in used else () for mark in range(1, len(table.notes) + 1)]
    return msgspec.structs.replace(_renumbered(table, new), notes=tuple(table.notes[mark - 1] for mark in used))


def _renumbered(table: TableView, new: Sequence[tuple[int, ...]]) -> TableView:
    """The table without its notes, where each mark is the number that `new` has for it."""

    def moved(marks: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted({number for mark in marks for number in new[mark - 1]}))

    columns = tuple(msgspec.structs.replace(c, marks=moved(c.marks)) for c in table.columns)
    lines = tuple(
        msgspec.structs.replace(line, cells=tuple(msgspec.structs.replace(c, marks=moved(c.marks)) for c in line.cells))
        for line in table.lines
    )
    return msgspec.structs.replace(table, columns=columns, lines=lines, notes=())
