# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""From runs to all their views: the studies they belong to or, without a study, their measurements by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from rtstone.errors import unknown
from rtstone.model import Run
from rtstone.model.labels import names
from rtstone.show.tables._cells import INVALID
from rtstone.show.tables._distribution import distribution_table
from rtstone.show.tables._model import Sheet, SheetLine, StudyView, TableView
from rtstone.show.tables._notes import without_unused
from rtstone.show.tables._paper import paper_table
from rtstone.show.tables._spread import spread_table
from rtstone.show.tables._stages import stages_table
from rtstone.studies import Counts, Study, Table, TableRow, study
from rtstone.studies.conditions import judge

BY_ITSELF = "measurements"


def views(runs: Sequence[Run], study_ids: Sequence[str] = (), unity: str = "") -> tuple[StudyView, ...]:
    """The views of these runs, for the given studies, or for all studies that any run was made for.

    Runs of `--measurement` belong to no study: they get a table of their measurements. `unity`: the row by which tables
    that have it are normalised. Raises UsageError for an unknown study, or if no normalised table has such a row.
    """
    wanted = tuple(study_ids) or tuple(dict.fromkeys(name for run in runs for name in run.studies))
    if not wanted:
        return (study_view(runs, measured_study(runs)),)
    shown = tuple(map(study, wanted))
    if unity:
        known = [row.label for one in shown for t in one.tables if t.normalised for row in t.rows if row.formula]
        if unity not in known:
            raise unknown("row to normalise by", unity, known)
        shown = tuple(_normalised_by(one, unity) for one in shown)
    return tuple(study_view(runs, one) for one in shown)


def _normalised_by(of: Study, unity: str) -> Study:
    tables = (
        msgspec.structs.replace(t, unity=unity) if t.normalised and unity in {r.label for r in t.rows} else t
        for t in of.tables
    )
    return msgspec.structs.replace(of, tables=tuple(tables))


def study_view(runs: Sequence[Run], of: Study) -> StudyView:
    """All tables of a study with a column of figures, and its fidelity sheet. Of several identical views only the first
    is shown."""
    found = [view for table in of.tables for view in _table_views(runs, of, table)]
    shown: dict[object, TableView] = {}
    for view in found:
        if any(column.kind != "label" for column in view.columns):
            shown.setdefault((view.title, view.lines), without_unused(view))
    return StudyView(
        study=of.id,
        title=of.title,
        citation=f"{of.authors}, {of.report}, {of.year}" if of.year else of.authors,
        tables=tuple(shown.values()),
        sheet=fidelity_sheet(runs, of) if of.conditions else None,
    )


def fidelity_sheet(runs: Sequence[Run], study: Study) -> Sheet:
    """The sheet of a study for these runs: each condition of the paper, with the finding on it in each run.

    Its counts are of the verdicts in all runs together.
    """
    judged = [judge(run, study, runs) for run in runs]
    lines = tuple(
        SheetLine(paper=condition.stated, table=condition.table, findings=tuple(findings[i] for findings in judged))
        for i, condition in enumerate(study.conditions)
    )
    verdicts = [finding.verdict for line in lines for finding in line.findings]
    return Sheet(
        study=study.id,
        title=f"{study.id}: how faithfully the conditions of {study.report} were met",
        runs=names(runs),
        lines=lines,
        met=verdicts.count("met"),
        substituted=verdicts.count("substituted"),
        not_met=verdicts.count("not met"),
    )


def _table_views(runs: Sequence[Run], of: Study, table: Table) -> tuple[TableView, ...]:
    """A paper's table; under it the distribution, stages and spread, if the study requests them and they have lines."""
    shown = [paper_table(runs, of, table)]
    if table.distribution:
        distribution = distribution_table(runs, of, table)
        if distribution.lines:
            shown.append(distribution)
        stages = stages_table(runs, of, table)
        if stages.lines:
            shown.append(stages)
        spread = spread_table(runs, of, table)
        if spread.lines:
            shown.append(spread)
    return tuple(shown)


def without_figures(views: Iterable[StudyView]) -> tuple[str, ...]:
    """The titles of tables with measured cells of which none shows a figure, not even a doubtful one."""
    empty = []
    for table in (table for view in views for table in view.tables):
        cells = [cell for line in table.lines for cell in line.cells]
        figures = any(cell.state == "value" or (cell.state == "invalid" and cell.text != INVALID) for cell in cells)
        if not figures and any(cell.state == "invalid" for cell in cells):
            empty.append(table.title)
    return tuple(empty)


def measured_study(runs: Sequence[Run]) -> Study:
    """A study made from the runs, without a paper: a row for each quantity, and a table for each pass."""
    quantities: dict[str, dict[tuple[str, str], TableRow]] = {"batch": {}, "single": {}}
    for run in runs:
        for result in run.results():
            row = TableRow(
                label=result.quantity, measurement=result.measurement, quantity=result.quantity, published=False
            )
            quantities[result.variant.pass_].setdefault((result.measurement, result.quantity), row)
    tables = []
    if quantities["batch"]:
        tables.append(_by_itself("Sets of operations", "batch", tuple(quantities["batch"].values())))
    if quantities["single"]:
        tables.append(_by_itself("Single operations", "single", tuple(quantities["single"].values())))
    return Study(
        schema="rtstone.study",
        version="1.0",
        id=BY_ITSELF,
        title="Measurements by themselves",
        authors="no paper's protocol",
        report="",
        year=0,
        abstract="",
        counts=Counts(stated=False),
        tables=tuple(tables),
        conditions=(),
    )


def _by_itself(title: str, pass_: str, rows: tuple[TableRow, ...]) -> Table:
    single = pass_ == "single"
    return Table(
        number="",
        title=title,
        unit="µs",
        cell="{min}/{max}/{avg}",
        statistics=f"minimum, maximum and average of {'single operations' if single else 'the set averages'}",
        pass_="single" if single else "batch",
        published_clock="",
        distribution="The same operations, as a distribution" if single else "",
        rows=rows,
    )
