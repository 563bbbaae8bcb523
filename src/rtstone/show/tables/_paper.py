# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lays out a paper's table: its published figures, and next to them (or below, as in the paper) those of each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from rtstone.model import Run, load_kind
from rtstone.model import units as form
from rtstone.show.tables import _cells as cells
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._added_rows import (
    disagreement,
    gain_lines,
    merit_lines,
    normalised_lines,
    our_residual,
    published_residual,
)
from rtstone.show.tables._model import Cell, Column, Line, TableView
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import (
    AT_THE_VECTOR,
    BY_THREAD,
    IDLE,
    NO_HANDLER,
    NO_PAPERS_ROW,
    TITLES,
    CellOutcome,
    Circumstance,
    at_vector,
    by_thread,
    circumstances,
    find,
)
from rtstone.studies import (
    Need,
    PublishedCondition,
    Study,
    Table,
    TableRow,
    TableVariant,
    need,
    reaches_window,
    reference,
)
from rtstone.studies.reference import PublishedFigure

_BLANK = Cell("", "blank")


def paper_table(runs: Sequence[Run], study: Study, table: Table) -> TableView:
    """One table of a study with the runs' figures in it."""
    figures = _figures(study, table)
    notes = Notes()
    first = notes.marks([disagreement(runs, table)])
    table = _with_parts(table, runs)
    if table.lines == "platforms":
        columns, lines, footers = _platforms_as_lines(runs, study, table, figures, notes)
    else:
        columns, lines, footers = _quantities_as_lines(runs, table, figures, notes)
    columns[0] = msgspec.structs.replace(columns[0], marks=(*first, *columns[0].marks))
    number = f"Table {table.number}" if table.number.isdigit() else table.number.capitalize().replace("e1", "e 1")
    return TableView(
        study=study.id,
        number=table.number,
        kind="paper",
        title=f"{study.id} {number}: {table.title}" if table.number else table.title,
        caption=f"{table.unit}: {table.statistics}" if table.unit else table.statistics,
        columns=tuple(columns),
        lines=tuple(lines),
        notes=notes.texts(),
        footers=(f"published: {table.published_clock}", *filter(None, footers))
        if figures
        else tuple(filter(None, footers)),
    )


def _with_parts(table: Table, runs: Sequence[Run]) -> Table:
    """The table, without the columns of a load's bursts if no run has such a load."""
    if any(figure.name.endswith("-bursts") for run in runs for r in run.results() for figure in r.figures):
        return table
    kept = [c for c in table.columns if not any(cells.PART.fullmatch(n) for n in form.statistics(c.cell))]
    return msgspec.structs.replace(table, columns=tuple(kept))


def _figures(study: Study, table: Table) -> tuple[PublishedFigure, ...]:
    return tuple(f for f in _all_figures(study) if f.table == table.number)


def _all_figures(study: Study) -> tuple[PublishedFigure, ...]:
    return tuple(reference.load(study.id)) if study.id in reference.studies() else ()


def _heads(figures: Sequence[PublishedFigure], notes: Notes) -> dict[str, tuple[tuple[int, ...], frozenset[str]]]:
    """For each platform, the marks of the notes that all its figures share, and these notes."""
    heads = {}
    for platform in dict.fromkeys(f.platform for f in figures):
        of_it = {f.note for f in figures if f.platform == platform}
        shared = frozenset(of_it) if len(of_it) == 1 else frozenset()
        heads[platform] = (notes.marks(shared), shared)
    return heads


def column_circumstances(run: Run, table: Table) -> tuple[Circumstance, ...]:
    """The circumstances under which the run has results for this table."""
    return circumstances(run, tuple(one for variant in table.variants for one in _wanted(table, variant)))


def _wanted(table: Table, variant: TableVariant) -> tuple[Need, ...]:
    """The needs of the variant for this table, and their counterparts if a thread stands in for the handler."""
    own = tuple(need(table, row, variant) for row in table.rows if row.measured)
    return (*own, *filter(None, (by_thread(one) for one in own)))


def _variants(run: Run, table: Table, circumstance: Circumstance) -> tuple[TableVariant, ...]:
    """The ways in which the run filled the table under a circumstance."""
    return tuple(v for v in table.variants if circumstance in circumstances(run, _wanted(table, v)))


def _quantities_as_lines(
    runs: Sequence[Run], table: Table, figures: Sequence[PublishedFigure], notes: Notes
) -> tuple[list[Column], list[Line], list[str]]:
    heads = _heads(figures, notes)
    columns = [Column("", "label"), *(Column(name, "published", marks) for name, (marks, _) in heads.items())]
    ours: list[tuple[Run, Circumstance, TableVariant]] = []
    for run, name in zip(runs, labels.names(runs), strict=True):
        marks = labels.remarks(run, notes, runs)
        found = column_circumstances(run, table)
        if not table.measured:
            columns.append(Column(name, "ours", marks))
            ours.append((run, IDLE, table.variants[0]))
        elif not found and run.error:
            # A failed run keeps its column, and the heading gives the reason.
            columns.append(Column(f"{name} ({labels.FAILED})", "ours", marks))
            ours.append((run, IDLE, table.variants[0]))
        # One way of filling the table after the other, so that a load is beside idle.
        for variant in table.variants:
            for circumstance in (c for c in found if variant in _variants(run, table, c)):
                title = ", ".join(filter(None, (circumstance.title(), labels.way(run, variant))))
                columns.append(Column(f"{name} ({title})", "ours", marks))
                ours.append((run, circumstance, variant))
    lines = []
    outcomes_of: list[tuple[Run, Circumstance, CellOutcome]] = []
    for row in table.rows:
        line = [Cell(row.label, "label", notes.marks([row.note] if row.measured else []))]
        for name, (_, shared) in heads.items():
            of_cell = [f for f in figures if (f.row, f.platform) == (row.label, name)]
            line.append(cells.published(of_cell, table.cell, notes, shared, with_unit=bool(row.unit)))
        if row.facts:
            lines.append(Line((*line, *(_fact(run, row) for run, _, _ in ours))))
            continue
        outcomes = [find(r, need(table, row, v), c) if row.measured else CellOutcome() for r, c, v in ours]
        threads = [_of_thread(r, row, table, v, c) for r, c, v in ours]
        outcomes_of += [(r, c, o) for found in (outcomes, threads) for (r, c, _), o in zip(ours, found, strict=True)]
        for outcome, thread in zip(outcomes, threads, strict=True):
            stands_in = not outcome.results and thread.pool is not None
            why = NO_PAPERS_ROW.get(need(table, row, table.variants[0]).quantity, NO_HANDLER)
            own = Cell(form.ABSENT, "absent", notes.marks([why])) if stands_in else None
            line.append(own or _our_cell(row, table, outcome, notes))
        there = [thread.pool is not None for thread in threads]
        if row.published or not any(there) or any(outcome.results for outcome in outcomes):
            lines.append(Line(tuple(line)))
        if any(there):
            wanted = by_thread(need(table, row, table.variants[0]))
            head = [Cell(TITLES[wanted.quantity] if wanted else row.label, "label")]
            head += [Cell("", "blank")] * len(heads)
            beside = [_our_cell(row, table, o, notes) if o.pool else _BLANK for o in threads]
            lines.append(Line((*head, *beside)))
        vectors = [_beside(r, row, table, v, c, at_vector) for r, c, v in ours]
        if any(outcome.pool is not None for outcome in vectors):
            wanted = at_vector(need(table, row, table.variants[0]))
            head = [
                Cell(TITLES[wanted.quantity] if wanted else row.label, "label"),
                *([Cell("", "blank")] * len(heads)),
            ]
            lines.append(Line((*head, *(_our_cell(row, table, o, notes) if o.pool else _BLANK for o in vectors))))
    lines += merit_lines(table, ours, len(heads), notes)
    lines += gain_lines(table, ours, len(heads))
    lines += normalised_lines(table, ours, labels.names(runs)[0] if runs else "", len(heads))
    footers = [
        labels.footer(run, name, [(c, o) for other, c, o in outcomes_of if other is run])
        for run, name in zip(runs, labels.names(runs), strict=True)
    ]
    return columns, lines, footers


def _fact(run: Run, row: TableRow) -> Cell:
    """A recorded fact of the machine, the board or the windows; a dash if it is not recorded."""
    windows = {r.variant.window for r in run.results() if reaches_window(r)}
    facts = {"window": ", ".join("shared memory" if name == "default" else name for name in sorted(windows))}
    facts |= run.host | (dict(run.sessions[0].env) if run.sessions else {})
    value = " ".join(next((facts[key] for key in row.facts if facts.get(key)), "").split())
    amount, _, unit = value.partition(" ")
    if row.unit and amount.replace(".", "", 1).isdigit():
        # A kB of the kernel has 1024 bytes.
        value = f"{float(amount) / (1024 if unit == 'kB' else 1):.0f} {row.unit}"
    return Cell(value, "value") if value else Cell(form.ABSENT, "absent")


def _of_thread(run: Run, row: TableRow, table: Table, variant: TableVariant, circumstance: Circumstance) -> CellOutcome:
    """The outcome of a thread that stands in for the handler; empty if there is a handler."""
    return _beside(run, row, table, variant, circumstance, by_thread)


def _beside(
    run: Run,
    row: TableRow,
    table: Table,
    variant: TableVariant,
    circumstance: Circumstance,
    other: Callable[[Need], Need | None],
) -> CellOutcome:
    """The outcome of a quantity that replaces a row's quantity or is added to it; empty if it was not measured."""
    wanted = other(need(table, row, variant)) if row.measured else None
    found = find(run, wanted, circumstance) if wanted else CellOutcome()
    return found if found.pool is not None else CellOutcome()


def _our_cell(row: TableRow, table: Table, outcome: CellOutcome, notes: Notes, layout: str = "") -> Cell:
    if not row.measured:
        return cells.left_out(row.note, notes)
    return cells.measured(outcome, layout or table.cell, notes, row)


def _layouts(table: Table) -> tuple[str, ...]:
    """The layouts of the columns of a row."""
    return tuple(column.cell for column in table.columns) or (table.cell,)


def _once(found: Sequence[Cell]) -> list[Cell]:
    """The cells of one figure, with each mark only on the first cell that has it."""
    earlier: set[int] = set()
    once = []
    for cell in found:
        once.append(Cell(cell.text, cell.state, tuple(mark for mark in cell.marks if mark not in earlier)))
        earlier |= {*cell.marks}
    return once


def _row_columns(table: Table) -> list[Column]:
    if not table.columns:
        return [Column(row.label, "published") for row in table.rows]
    several = len(table.rows) > 1
    return [
        Column(f"{row.label}, {column.title}" if several else column.title, "published")
        for row in table.rows
        for column in table.columns
    ]


def _published_cells(
    figures: Sequence[PublishedFigure], row: TableRow, table: Table, notes: Notes, shared: frozenset[str]
) -> list[Cell]:
    found = []
    for layout in _layouts(table):
        names = form.statistics(layout)
        of_cell = [f for f in figures if f.row == row.label and (not table.columns or f.statistic in names)]
        found.append(cells.published(of_cell, layout, notes, shared, with_unit=bool(row.unit)))
    return _once(found)


def _platforms_as_lines(
    runs: Sequence[Run], study: Study, table: Table, figures: Sequence[PublishedFigure], notes: Notes
) -> tuple[list[Column], list[Line], list[str]]:
    heads = _heads(figures, notes)
    conditions = table.conditions or tuple(
        PublishedCondition(published=c, title=c, load="") for c in dict.fromkeys(f.condition for f in figures)
    )
    with_condition = table.group == "platform" or not table.conditions
    with_condition = with_condition and any(c.title for c in conditions)
    columns = [Column("", "label"), *([Column("", "label")] if with_condition else [])]
    columns += _row_columns(table)
    if table.residual is not None:
        columns.append(Column(table.residual.title, "published"))
    all_figures = _all_figures(study) if table.residual is not None else ()

    published: list[tuple[str, PublishedCondition, Line]] = []
    for name, (marks, shared) in heads.items():
        for condition in conditions:
            of_line = [f for f in figures if (f.platform, f.condition) == (name, condition.published)]
            if not of_line:
                continue
            texts = [cell for row in table.rows for cell in _published_cells(of_line, row, table, notes, shared)]
            if table.residual is not None:
                texts.append(published_residual(all_figures, table, name, condition.published, notes))
            head = [Cell(name, "label", marks), *([Cell(condition.title, "label")] if with_condition else [])]
            published.append((name, condition, Line((*head, *texts))))

    ours, footers = _our_lines(runs, study, table, conditions, with_condition, notes)
    return columns, _grouped(table, conditions, [*published, *ours]), footers


def _our_lines(
    runs: Sequence[Run],
    study: Study,
    table: Table,
    conditions: Sequence[PublishedCondition],
    with_condition: bool,
    notes: Notes,
) -> tuple[list[tuple[str, PublishedCondition, Line]], list[str]]:
    lines = []
    footers = []
    for run, name in zip(runs, labels.names(runs), strict=True):
        marks = labels.remarks(run, notes, runs)
        if not table.measured:
            note = [cells.left_out(row.note, notes) for row in table.rows for _ in _layouts(table)]
            head = [Cell(name, "label", marks), *([_BLANK] if with_condition else [])]
            lines.append((name, conditions[0], Line((*head, *note))))
            continue
        if run.error and not column_circumstances(run, table):
            head = [Cell(f"{name} ({labels.FAILED})", "label", marks), *([_BLANK] if with_condition else [])]
            absent = [cells.measured(CellOutcome(), table.cell, notes)] * len(table.rows) * len(_layouts(table))
            absent += [Cell("", "blank")] * (table.residual is not None)
            lines.append((name, conditions[0], Line((*head, *absent))))
            continue
        shown = []
        for variant in table.variants:
            wanted = tuple(need(table, row, variant) for row in table.rows)
            for condition in conditions:
                for circumstance in circumstances(run, _wanted(table, variant)):
                    if not _stands_beside(run, circumstance, condition, conditions):
                        continue
                    found = [find(run, one, circumstance) for one in wanted]
                    titles = []
                    for n, row in enumerate(table.rows):
                        thread = _of_thread(run, row, table, variant, circumstance)
                        if thread.pool is not None:
                            found[n] = thread
                            titles.append(TITLES[BY_THREAD[wanted[n].quantity]].lower())
                    shown += [(circumstance, outcome) for outcome in found]
                    label = _line_name(name, variant, circumstance, table, "; ".join(titles))
                    head = [Cell(label, "label", marks), *([Cell(condition.title, "label")] if with_condition else [])]
                    texts = []
                    for row, outcome in zip(table.rows, found, strict=True):
                        texts += _once([_our_cell(row, table, outcome, notes, one) for one in _layouts(table)])
                    if table.residual is not None:
                        texts.append(our_residual(run, table, variant, circumstance, notes))
                    lines.append((label, condition, Line((*head, *texts))))
                    vectors = [_beside(run, row, table, variant, circumstance, at_vector) for row in table.rows]
                    if any(outcome.pool is not None for outcome in vectors):
                        shown += [(circumstance, outcome) for outcome in vectors]
                        label = _line_name(name, variant, circumstance, table, AT_THE_VECTOR)
                        head = [Cell(label, "label", marks), *head[1:]]
                        texts = []
                        for row, outcome in zip(table.rows, vectors, strict=True):
                            there = outcome.pool is not None
                            texts += _once(
                                [
                                    _our_cell(row, table, outcome, notes, one) if there else _BLANK
                                    for one in _layouts(table)
                                ]
                            )
                        texts += [_BLANK] * (table.residual is not None)
                        lines.append((label, condition, Line((*head, *texts))))
        footers.append(labels.footer(run, name, shown))
    return lines, footers


def _stands_beside(
    run: Run, circumstance: Circumstance, condition: PublishedCondition, conditions: Sequence[PublishedCondition]
) -> bool:
    """Whether a run's results under a circumstance belong to a condition of the table, one of its `conditions`."""
    network = run.host.get("network", "")
    if condition.network:
        return condition.network == network and circumstance.load != "none"
    if condition.load == "loaded":
        return circumstance.load != "none" and all(c.network != network for c in conditions if c.network)
    return load_kind(circumstance.load) == condition.load


def _line_name(name: str, variant: TableVariant, circumstance: Circumstance, table: Table, title: str = "") -> str:
    """The run's name with the variant, and the circumstances that the condition's title does not contain."""
    usual = {c.load for c in table.conditions if c.load != "loaded"}
    parts = [variant.title, title, *circumstance.title().split(", ")[0 if circumstance.load not in usual else 1 :]]
    extra = ", ".join(part for part in parts if part and part != "idle")
    return f"{name} ({extra})" if extra else name


def _grouped(
    table: Table, conditions: Sequence[PublishedCondition], lines: Sequence[tuple[str, PublishedCondition, Line]]
) -> list[Line]:
    """Lines in the paper's order: by condition, each under a heading; or by platform, named on the first line."""
    if table.group == "condition" and table.conditions:
        return [
            Line(line.cells, group=condition.title)
            for condition in conditions
            for _, at, line in lines
            if at is condition
        ]
    found: list[Line] = []
    last = ""
    for name, _, line in lines:
        found.append(Line((_BLANK, *line.cells[1:])) if name == last else line)
        last = name
    return found
