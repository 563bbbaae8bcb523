# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How rows are written for eyes: figures with units, and a line for each row; the terminal, annotations and JUnit share it."""

from __future__ import annotations

from rtstone.judge.check._model import Report, Row

HEADINGS = ("outcome", "quantity", "load", "requirement", "observed", "interval", "samples", "why")
RIGHT = frozenset({4, 6})


def cells(row: Row) -> tuple[str, ...]:
    """The cells of a row of the table, as HEADINGS has them."""
    why = "; ".join((row.reason, *row.notes))
    count = f"{row.samples}" if row.repetitions < 2 else f"{row.samples} in {row.repetitions}"
    return (row.outcome, row.quantity, row.load, row.requirement, observed(row), interval(row), count, why)


def observed(row: Row) -> str:
    """The figure with its unit, empty where there is none."""
    return "" if row.observed is None else figure(row.observed, row.unit)


def interval(row: Row) -> str:
    """Both ends; an end that the data did not set stands as ?."""
    if row.low is None and row.high is None:
        return ""
    return " … ".join("?" if end is None else figure(end, row.unit) for end in (row.low, row.high))


def sentence(row: Row) -> str:
    """A row in one line: what was required, what was seen, and why that is so."""
    seen = f": {observed(row)}" if row.observed is not None else ""
    between = f" ({interval(row)})" if interval(row) else ""
    return f"{name(row)}: {row.requirement}{seen}{between}: {row.outcome}, {row.reason}"


def name(row: Row) -> str:
    """What was measured, where."""
    load = "idle" if row.load == "none" else f"{row.load} load"
    return f"{row.target} {row.quantity}, {load}"


def figure(value: float, unit: str) -> str:
    """A figure in the unit that suits its size."""
    if unit == "change":
        return f"{value:+.1%}"
    if unit == "count":
        return f"{value:.0f}"
    if unit == "share":
        return f"{value:.3g}"
    for size, symbol in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(value) >= size:
            return f"{value / size:.4g} {symbol}"
    return f"{value:.4g} ns"


def worst_first(report: Report) -> tuple[Row, ...]:
    """The rows, those that need a look first."""
    order = ("exceeded", "regressed", "inconclusive", "pass")
    return tuple(sorted(report.rows, key=lambda row: order.index(row.outcome)))
