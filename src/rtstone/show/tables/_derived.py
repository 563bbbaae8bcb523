# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Derived quantities of a cell (rates, MB/s, per cent), from a row's formula and a result's times and figures."""

from __future__ import annotations

from collections.abc import Mapping

from rtstone.model import units as form
from rtstone.show.tables._model import Cell
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import CellOutcome
from rtstone.studies import Agreement, FormulaError, TableRow, evaluate


def numbers(outcome: CellOutcome) -> dict[str, float]:
    """The variables of a formula: times of one operation (ns) and of all, number of operations, the record's figures.

    Figures of repetitions are added up. `-` in a figure's name is `_` in a formula.
    """
    found = _times(outcome)
    for result in outcome.used:
        for figure in result.figures:
            name = figure.name.replace("-", "_")
            found[name] = found.get(name, 0) + figure.value
    return found


def _times(outcome: CellOutcome) -> dict[str, float]:
    of, clock = outcome.summary((50,)), outcome.clock
    if of is None or clock is None:
        return {}
    operations = sum(result.count * result.ops for result in outcome.used)
    total = sum(result.sum for result in outcome.used)
    found: dict[str, float] = {"operations": operations, "time_ns": clock.ns(total)}
    if operations:
        found["mean_ns"] = clock.ns(total) / operations
    shown = {"min_ns": of.min, "median_ns": of.percentiles[50], "max_ns": of.max}
    return found | {name: ns for name, ns in shown.items() if ns is not None}


def derived(outcome: CellOutcome, row: TableRow, notes: Notes) -> Cell:
    """The cell of a row with a formula; absent, with a note, if the formula cannot be evaluated."""
    known = numbers(outcome)
    remarks = [*outcome.notes, outcome.fault]
    try:
        value = evaluate(row.formula, known)
    except FormulaError as error:
        return Cell(form.ABSENT, "absent", notes.marks([*remarks, f"no figure: {error}"]))
    if row.agrees is not None:
        remarks.append(disagreement(row.agrees, value, row.unit, known))
    text = f"{figure(value)} {row.unit}".rstrip()
    if outcome.fault:
        return Cell(f"{text} !", "invalid", notes.marks(remarks))
    return Cell(text, "value", notes.marks(remarks))


def disagreement(agrees: Agreement, value: float, unit: str, known: Mapping[str, float]) -> str:
    """A sentence if a second formula for the same value differs by more than allowed; empty if it agrees."""
    try:
        other = evaluate(agrees.formula, known)
    except FormulaError as error:
        return f"not checked against {agrees.text}: {error}"
    if abs(other - value) <= agrees.within:
        return ""
    return (
        f"does not agree with {agrees.text}: {figure(value)} {unit} here, {figure(other)} {unit} there,"
        f" more than {agrees.within:g} {unit} apart"
    )


def figure(value: float) -> str:
    """A derived figure as text: a count in full, else three significant digits, with separated thousands."""
    if value.is_integer():
        return form.count(int(value))
    return form.count(round(value)) if abs(value) >= 10_000 else form.number(value)
