# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The table under a paper's table: the distribution of single operations, as far as there are enough samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.show.tables import _cells as cells
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._model import Cell, CellState, Column, Line, TableView
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import TITLES, CellOutcome, Circumstance, at_vector, by_thread, circumstances, find
from rtstone.stats import has_sample_beyond
from rtstone.studies import Need, Study, Table, need

PERCENTS = (50.0, 99.0, 99.9)
_TOO_FEW = "too few samples for this percentile: none would lie above it"


def distribution_table(runs: Sequence[Run], study: Study, table: Table) -> TableView:
    """Minimum, percentiles and maximum observed of every row, run and circumstance."""
    notes = Notes()
    several = len(runs) > 1
    heads = ["", *(["on"] if several else []), "under"]
    figures = ["n", "min", *(f"p{percent:g}" for percent in PERCENTS), "max"]
    columns = [*(Column(h, "label") for h in heads), *(Column(f, "ours") for f in figures)]
    lines = []
    outcomes_of: dict[str, list[tuple[Circumstance, CellOutcome]]] = {}
    names = labels.names(runs)
    run_marks = [labels.remarks(run, notes, runs) for run in runs]
    for wanted, label in _rows(table):
        first = True
        for run, name, marks in zip(runs, names, run_marks, strict=True):
            for circumstance in circumstances(run, (wanted,)):
                outcome = find(run, wanted, circumstance)
                if wanted.quantity in TITLES and outcome.pool is None:
                    continue  # a missing result is listed under the paper's name
                outcomes_of.setdefault(name, []).append((circumstance, outcome))
                head = [Cell(label, "label") if first else Cell("", "blank")]
                if several:
                    head.append(Cell(name, "label", marks))
                head.append(Cell(circumstance.title(), "label", () if several else marks))
                lines.append(Line((*head, *distribution_cells(outcome, notes))))
                first = False
    return TableView(
        study=study.id,
        number=table.number,
        kind="distribution",
        title=f"{study.id}, {table.distribution[0].lower()}{table.distribution[1:]}",
        caption="µs; max is the maximum observed, no bound",
        columns=tuple(columns),
        lines=tuple(lines),
        notes=notes.texts(),
        footers=tuple(
            filter(
                None,
                (labels.footer(run, name, outcomes_of.get(name, [])) for run, name in zip(runs, names, strict=True)),
            )
        ),
    )


def _rows(table: Table) -> Iterator[tuple[Need, str]]:
    """The needs of the table's rows, with their names. A handler's row is followed by those of its replacements: a
    thread instead of the handler, or a stamp at the vector."""
    for variant in table.variants:
        for row in table.rows:
            if not row.measured:
                continue
            own = need(table, row, variant, "single")
            for wanted in (own, by_thread(own), at_vector(own)):
                if wanted is not None:
                    name = row.label if wanted is own else TITLES[wanted.quantity]
                    yield wanted, f"{name} ({variant.title})" if variant.title else name


def distribution_cells(outcome: CellOutcome, notes: Notes) -> list[Cell]:
    """The cells n, min, percentiles and max."""
    blanks = [Cell("", "blank")] * (len(PERCENTS) + 2)
    if outcome.skipped:
        return [*blanks, Cell(cells.SKIPPED, "skipped", notes.marks(outcome.notes))]
    of, clock = outcome.summary(PERCENTS), outcome.clock
    if of is None or clock is None:
        return [*blanks, Cell(cells.INVALID, "invalid", notes.marks((*outcome.notes, outcome.fault)))]
    marks = notes.marks((*outcome.notes, outcome.fault))
    state: CellState = "invalid" if outcome.fault else "value"
    flag = f" {cells.INVALID}" if outcome.fault else ""

    def cell(ns: float | None) -> Cell:
        text = form.ABSENT if ns is None else cells.microseconds(ns, clock, averaged=False)
        return Cell(text + flag, state)

    found = [Cell(form.count(of.count) + flag, state, marks), cell(of.min)]
    for percent in PERCENTS:
        if has_sample_beyond(of.count, percent):
            found.append(cell(of.percentiles[percent]))
        else:
            found.append(Cell(form.ABSENT, "absent", notes.marks([_TOO_FEW])))
    return [*found, cell(of.max)]
