# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a total holds beside its stages: of the paper's medians, and of each of our interrupts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.show.tables import _cells as cells
from rtstone.show.tables._model import Cell
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import Circumstance, find
from rtstone.studies import Table, Variant, need
from rtstone.studies.reference import Figure

_PUBLISHED = "the median less the stages' medians as printed; medians do not add up as the parts of one interrupt do"
_OURS = (
    "minimum, median and maximum of the total less its stages, of each interrupt: from the last handler's reading to the release;"
    " stages and this add up to the total, to the tick"
)
_NO_STAGES = (
    "of interrupts of their own, on whose way no clock was read: what they are shorter by is what stamping costs"
)
_LAYOUT = "{min}/{median}/{max}"


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
    return Cell(form.number(total[0] - sum(known), 1.0), "published", notes.marks([_PUBLISHED]))


def our_residual(run: Run, table: Table, variant: Variant, circumstance: Circumstance, notes: Notes) -> Cell:
    """Of each interrupt, as the engine took it; a dash where the way was not stamped."""
    assert table.residual is not None  # noqa: S101 - the caller has looked
    row = table.rows[0]
    quantity = variant.quantities.get(table.residual.title, table.residual.quantity)
    outcome = find(run, replace(need(table, row, variant), quantity=quantity), circumstance)
    if not outcome.believed:
        unstamped = find(run, need(table, row, variant), circumstance).believed
        return Cell(form.ABSENT, "absent", notes.marks([_NO_STAGES] if unstamped else []))
    found = cells.measured(outcome, _LAYOUT, notes, row)
    return Cell(found.text, found.state, (*found.marks, *notes.marks([_OURS])))
