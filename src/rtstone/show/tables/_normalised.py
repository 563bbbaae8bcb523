# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines under a table that hold its figures against each other: divided by one column's or one row's, or a row's gain over another."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.show.tables._derived import numbers
from rtstone.show.tables._model import Cell, Line
from rtstone.show.tables._outcome import Circumstance, find
from rtstone.stats import CONFIDENCE, ratio_of_means
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


def gain_lines(table: Table, ours: Sequence[tuple[Run, Circumstance, Variant]], published_columns: int) -> list[Line]:
    """A line a row: by how much it is faster than the row `table.gain_over`, with the interval; a dash where too few samples tell."""
    base = next((row for row in table.rows if row.label == table.gain_over), None)
    if base is None:
        return []
    bases = [_samples(table, base, *one) for one in ours]
    group = f"Gain over {base.label}, and its interval at {CONFIDENCE:.0%}".replace("%", " %")
    blanks = [Cell("", "blank")] * published_columns
    lines = []
    for row in table.rows if any(bases) else ():
        if row is not base:
            cells = [_gain(_samples(table, row, *one), by) for one, by in zip(ours, bases, strict=True)]
            lines.append(Line((Cell(row.label, "label"), *blanks, *cells), group=group))
    return lines


def _gain(times: Sequence[float], base: Sequence[float]) -> Cell:
    if min(len(times), len(base)) < _FEWEST or min(*times, *base) <= 0:
        return Cell(form.ABSENT, "absent")
    told = ratio_of_means(times, base)
    low, value, high = (100 * ((end or 0.0) - 1) for end in (told.low, told.value, told.high))
    return Cell(f"{value:+.1f} % ({low:+.1f} to {high:+.1f})", "value")


_FEWEST = 3
"""Samples of either side: of two, an interval says next to nothing."""


def _samples(table: Table, row: Row, run: Run, circumstance: Circumstance, variant: Variant) -> list[float]:
    """Each sample as its bucket keeps it; none where they are not to be believed."""
    outcome = find(run, need(table, row, variant), circumstance)
    if not outcome.believed or outcome.pool is None or outcome.pool.histogram is None:
        return []
    return [(bucket.low + bucket.high) / 2 for bucket in outcome.pool.histogram.buckets() for _ in range(bucket.count)]


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
