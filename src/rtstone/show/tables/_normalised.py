# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines under a table that show its derived figures divided by those of one column: the first of ours."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.show.tables._derived import numbers
from rtstone.show.tables._model import Cell, Line
from rtstone.show.tables._outcome import Circumstance, find
from rtstone.studies import FormulaError, Row, Table, Variant, evaluate, need


def normalised_lines(
    table: Table, ours: Sequence[tuple[Run, Circumstance, Variant]], label: str, published_columns: int
) -> list[Line]:
    """A line a row: each figure as a part of the first run's under the same circumstance, 1 for that run, which ``label`` names.

    With `table.unity` each is a part of that row's in the same column. A dash stands where either figure is missing or not to be believed.
    """
    if table.unity:
        return _by_row(table, ours, published_columns)
    first = ours[0][0] if ours else None
    if not table.normalised or first is None or all(run is first for run, _, _ in ours):
        return []
    lines = []
    for row in table.rows:
        if not row.formula:
            continue
        values = [_value(table, row, *one) for one in ours]
        known = {_key(one): value for one, value in zip(ours, values, strict=True) if one[0] is first}
        if all(base is None for base in known.values()):
            continue
        cells = [_cell(value, known.get(_key(one))) for one, value in zip(ours, values, strict=True)]
        blanks = [Cell("", "blank")] * published_columns
        lines.append(Line((Cell(row.label, "label"), *blanks, *cells), group=f"Normalised: {label} is 1"))
    return lines


def _by_row(table: Table, ours: Sequence[tuple[Run, Circumstance, Variant]], published_columns: int) -> list[Line]:
    base = next(row for row in table.rows if row.label == table.unity)
    bases = [_value(table, base, *one) for one in ours]
    lines = []
    for row in table.rows if any(bases) else ():
        if row.formula:
            cells = [_cell(_value(table, row, *one), by) for one, by in zip(ours, bases, strict=True)]
            blanks = [Cell("", "blank")] * published_columns
            lines.append(Line((Cell(row.label, "label"), *blanks, *cells), group=f"Normalised: {table.unity} is 1"))
    return lines


def _key(one: tuple[Run, Circumstance, Variant]) -> tuple[Circumstance, str]:
    return one[1], one[2].title


def _cell(value: float | None, base: float | None) -> Cell:
    if value is None or base is None:
        return Cell(form.ABSENT, "absent")
    return Cell(f"{value / base:.2f}", "value")


def _value(table: Table, row: Row, run: Run, circumstance: Circumstance, variant: Variant) -> float | None:
    outcome = find(run, need(table, row, variant), circumstance)
    if not outcome.believed:
        return None
    try:
        value = evaluate(row.formula, numbers(outcome))
    except FormulaError:
        return None
    return value if value > 0 else None
