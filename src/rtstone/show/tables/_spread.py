# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The spread of a response over repetitions: percentiles and maximum observed, of all together and of single ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter, methodcaller

from rtstone.model import Clock, Run
from rtstone.model import units as form
from rtstone.show.tables import _cells as cells
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._model import Cell, CellState, Column, Line, TableView
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import CellOutcome, Circumstance, circumstances, find
from rtstone.stats import Summary, of_result
from rtstone.studies import Study, Table, TableRow, TableVariant, need

PERCENTS = (50.0, 99.0)
_ONE = "one repetition: it has no spread"


def spread_table(runs: Sequence[Run], study: Study, table: Table) -> TableView:
    """For each interrupt response of the table: p50, p99 and maximum, with the least and largest of a repetition.

    There are no lines if no run was repeated. A virtual board's repetitions differ only in seed and phase.
    """
    notes = Notes()
    heads = ("", "under", "on")
    figures = ("repetitions", *(f"p{percent:g} (least … largest)" for percent in PERCENTS), "max (least … largest)")
    lines: list[Line] = []
    if any(len(run.sessions) > 1 for run in runs):
        marks = [labels.remarks(run, notes, runs) for run in runs]
        for variant in table.variants:
            for row in table.rows:
                if row.measured and not row.formula and need(table, row, variant).period_ns:
                    lines += _lines(runs, table, row, variant, marks, notes)
    return TableView(
        study=study.id,
        number=table.number,
        kind="spread",
        title=f"{study.id}, {table.title[0].lower()}{table.title[1:]}: over repetitions",
        caption=f"{table.unit}: of all samples, and in brackets the least and the largest of any repetition; on a virtual board"
        " repetitions differ in seed and phase and in nothing else",
        columns=(*(Column(h, "label") for h in heads), *(Column(f, "ours") for f in figures)),
        lines=tuple(lines),
        notes=notes.texts(),
        footers=(),
    )


def _lines(
    runs: Sequence[Run],
    table: Table,
    row: TableRow,
    variant: TableVariant,
    marks: Sequence[tuple[int, ...]],
    notes: Notes,
) -> list[Line]:
    """The lines of one response. Runs under one circumstance are adjacent, so that kernels are easy to compare."""
    wanted = need(table, row, variant, "single")
    under = dict.fromkeys(c for run in runs for c in circumstances(run, (wanted,)))
    label = f"{row.label} ({variant.title})" if variant.title else row.label
    lines: list[Line] = []
    for circumstance in sorted(under, key=lambda c: c.load != "none"):
        first = True
        for run, name, mark in zip(runs, labels.names(runs), marks, strict=True):
            outcome = find(run, wanted, circumstance)
            if not outcome.results:
                continue
            heads = [Cell(label, "label") if not lines else Cell("", "blank"), _under(circumstance, first=first)]
            lines.append(Line((*heads, Cell(name, "label", mark), *_figures(outcome, notes))))
            first = False
    return lines


def _under(circumstance: Circumstance, *, first: bool) -> Cell:
    return Cell(circumstance.title(), "label") if first else Cell("", "blank")


def _figures(outcome: CellOutcome, notes: Notes) -> list[Cell]:
    blanks = [Cell("", "blank")] * len(PERCENTS)
    if outcome.skipped:
        return [Cell("", "blank"), *blanks, Cell(cells.SKIPPED, "skipped", notes.marks(outcome.notes))]
    together, clock = outcome.summary(PERCENTS), outcome.clock
    if together is None or clock is None:
        return [
            Cell("", "blank"),
            *blanks,
            Cell(cells.INVALID, "invalid", notes.marks((*outcome.notes, outcome.fault))),
        ]
    found = (of_result(result, clock, PERCENTS) for result in outcome.used if result.status == "ok")
    single = [one for one in found if one is not None]
    marks = notes.marks((*outcome.notes, outcome.fault, _ONE if len(single) == 1 else ""))
    state: CellState = "invalid" if outcome.fault else "value"

    def cell(of: Callable[[Summary], float | None]) -> Cell:
        whole = of(together)
        each = [value for one in single if (value := of(one)) is not None]
        if whole is None:
            return Cell(form.ABSENT, "absent")
        text = _us(whole, clock)
        if len(each) > 1:
            text += f" ({_us(min(each), clock)} … {_us(max(each), clock)})"
        return Cell(text + (f" {cells.INVALID}" if outcome.fault else ""), state)

    percents = [cell(methodcaller("shown_percentile", percent)) for percent in PERCENTS]
    return [Cell(form.count(len(single)), state, marks), *percents, cell(attrgetter("max"))]


def _us(ns: float, clock: Clock) -> str:
    return cells.microseconds(ns, clock, averaged=False)
