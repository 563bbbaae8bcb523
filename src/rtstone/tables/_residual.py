# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a total holds beside its stages: its median less theirs, of the paper's figures and of ours."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Run
from rtstone.reference import Figure
from rtstone.studies import Study, Table, Variant, need
from rtstone.tables import _format as form
from rtstone.tables._cells import median_us
from rtstone.tables._model import Cell
from rtstone.tables._notes import Notes
from rtstone.tables._outcome import Circumstance, find

_OF_MEDIANS = (
    "medians do not add up as means do; beside that, what lies here is between the stages: their releases and stamps, which the"
    " total, measured by itself, holds only the first of"
)


def stage_tables(study: Study, table: Table) -> tuple[Table, ...]:
    """The tables of the total's stages."""
    return tuple(study.table(number) for number in table.residual.stages) if table.residual else ()


def published_residual(figures: Sequence[Figure], table: Table, platform: str, condition: str, notes: Notes) -> Cell:
    """From the medians as printed, of one platform under one condition. `figures`: the study's, of all its tables."""

    def medians(number: str) -> list[float | None]:
        return [
            f.number()
            for f in figures
            if (f.table, f.platform, f.condition, f.statistic) == (number, platform, condition, "median")
        ]

    assert table.residual is not None  # noqa: S101 - the caller has looked
    total = medians(table.number)
    stages = [value for number in table.residual.stages for value in medians(number)]
    known = [value for value in stages if value is not None]
    if len(total) != 1 or total[0] is None or not known or len(known) != len(stages):
        return Cell("", "blank")
    return Cell(form.number(total[0] - sum(known), 1.0), "published", notes.marks([_OF_MEDIANS]))


def our_residual(
    run: Run, study: Study, table: Table, variant: Variant, circumstance: Circumstance, notes: Notes
) -> Cell:
    """From our medians under one circumstance: of the stages that the other tables have for the same variant."""
    total = find(run, need(table, table.rows[0], variant), circumstance)
    if not total.believed:
        return Cell(form.ABSENT, "absent")
    left = median_us(total)
    for stage in stage_tables(study, table):
        # A stage that is the same whatever the variant (the top half, for each kind of bottom half) has one without a title.
        by_title = {v.title: v for v in stage.variants}
        of_it = by_title.get(variant.title) or by_title.get("")
        if of_it is None:
            continue
        outcome = find(run, need(stage, stage.rows[0], of_it), circumstance)
        median = median_us(outcome) if outcome.believed else None
        if left is None or median is None:
            text = f"no residual: table {stage.number}'s stage is not measured here"
            return Cell(form.ABSENT, "absent", notes.marks([text]))
        left -= median
    if left is None or total.clock is None:
        return Cell(form.ABSENT, "absent")
    return Cell(form.number(left, total.clock.ns(1) / 1000), "value", notes.marks([_OF_MEDIANS]))
