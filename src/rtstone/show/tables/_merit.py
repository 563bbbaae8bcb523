# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of merit: only ever lines under the parts that they are made of, and only when every part may be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.show.tables._model import Cell, Line
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import Circumstance, by_thread, find
from rtstone.studies import Figure, Table, Variant, need

GROUP = "Figure of merit, for what it is worth: read the parts"


def figure_of_merit(figure: Figure, seconds: Mapping[str, float]) -> float:
    """The figure from the parts' times (s, by row label). Raises ValueError for no part and for a time that is not above 0."""
    if not seconds or any(not t > 0 for t in seconds.values()):
        raise ValueError("a figure of merit needs parts, each with a time above 0")
    weights = {label: figure.weights.get(label, 1.0) for label in seconds}
    if figure.formula == "sum-of-rates":
        return sum(weights[label] / t for label, t in seconds.items())
    return sum(weights.values()) / sum(weights[label] * t for label, t in seconds.items())


_BY_THREAD = "of the wake-up of a thread, since no handler of an interrupt is measured here"


def merit_lines(
    table: Table, ours: Sequence[tuple[Run, Circumstance, Variant]], published_columns: int, notes: Notes
) -> list[Line]:
    """The table's figures of merit, a line each, for every column of ours."""
    lines = []
    for figure in table.figures:
        label = Cell(figure.title, "label", notes.marks([f"{figure.title}: {figure.explanation}. {figure.source}"]))
        line = [label, *[Cell("", "blank")] * published_columns]
        for run, circumstance, variant in ours:
            line.append(_cell(table, figure, run, circumstance, variant, notes))
        lines.append(Line(tuple(line), group=GROUP))
    return lines


def _cell(table: Table, figure: Figure, run: Run, circumstance: Circumstance, variant: Variant, notes: Notes) -> Cell:
    seconds: dict[str, float] = {}
    marks: tuple[int, ...] = ()
    for row in table.rows:
        outcome = find(run, need(table, row, variant), circumstance)
        thread = by_thread(need(table, row, variant))
        if not outcome.results and thread is not None:
            outcome = find(run, thread, circumstance)
            marks = notes.marks([f"{row.label}: {_BY_THREAD}"]) if outcome.believed else ()
        if not outcome.believed or outcome.pool is None or outcome.clock is None:
            return Cell(
                form.ABSENT,
                "absent",
                notes.marks([f"no figure of merit: a part is missing or not to be believed ({row.label})"]),
            )
        mean = outcome.pool.mean
        if mean is None or mean <= 0:
            return Cell(form.ABSENT, "absent", notes.marks([f"no figure of merit: {row.label} has no time above 0"]))
        seconds[row.label] = outcome.clock.ns(mean) / 1e9
    return Cell(form.count(round(figure_of_merit(figure, seconds))), "value", marks)
