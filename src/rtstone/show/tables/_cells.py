# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns a run's or a paper's figures for a cell into the cell's text and marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rtstone.model import Clock
from rtstone.model import units as form
from rtstone.show.tables._derived import derived
from rtstone.show.tables._model import Cell
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import CellOutcome
from rtstone.stats import Pool, Summary, fraction_above
from rtstone.studies import TableRow
from rtstone.studies.reference import PublishedFigure

ABOVE = re.compile(r">([0-9]+) µs")
"""Names in the reference data of statistics that are a share (%) of the samples."""

PART = re.compile(r">([0-9]+) µs (in|between) bursts")
"""Names of such statistics for the samples in bursts of the load, or between them. The record counts them apart."""

SKIPPED = "*"
INVALID = "!"
_WORDS_MOST = 30
"""Most characters of words in a cell. A longer text of a paper goes into a note."""
NOT_IN_RUN = "not measured in this run"

_STATISTICS: dict[str, Callable[[Summary], float | None]] = {
    "min": lambda of: of.min,
    "max": lambda of: of.max,
    "avg": lambda of: of.mean,
    "mean": lambda of: of.mean,
    "sd": lambda of: of.sd,
    "median": lambda of: of.percentiles[50],
    # The paper prints one figure without its statistic. The table's caption names the statistic of ours.
    "value": lambda of: of.mean,
}


def statistic(outcome: CellOutcome, name: str) -> float | None:
    """A statistic (ns) by its name in the reference data; None without figures. Raises KeyError for another name."""
    of = outcome.summary((50,))
    return None if of is None else _STATISTICS[name](of)


def percent_above(pool: Pool, clock: Clock, limit_us: int) -> str:
    """The share of samples above a limit (µs), in per cent with the three decimals that the paper prints."""
    share = None if pool.histogram is None else fraction_above(pool.histogram, round(limit_us * clock.hz / 1e6))
    return form.ABSENT if share is None else f"{share * 100:.3f}"


def percent_in_part(outcome: CellOutcome, limit_us: int, part: str) -> str:
    """The share above a limit (µs) of the samples that ended in bursts of the load, or between them.

    Absent if the record does not count them separately.
    """
    samples = above = 0
    for result in outcome.used:
        figures = {figure.name: figure.value for figure in result.figures}
        stem = f"{result.quantity}-{part}-bursts"
        samples += figures.get(stem, 0)
        above += figures.get(f"{stem}-above-{limit_us}us", 0)
    return f"{above / samples * 100:.3f}" if samples else form.ABSENT


def median_us(outcome: CellOutcome) -> float | None:
    """The median (µs) of a cell's outcome; None if it has no median."""
    ns = statistic(outcome, "median")
    return None if ns is None else ns / 1000


def microseconds(ns: float, clock: Clock, *, averaged: bool) -> str:
    """A time as µs. Single values are rounded to the clock's tick; an average is more precise than a tick."""
    return form.number(ns / 1000, 0.0 if averaged else clock.quantum_ns / 1000)


def measured(outcome: CellOutcome, layout: str, notes: Notes, row: TableRow | None = None) -> Cell:
    """Our cell in the paper's layout; for a row with a formula, the formula's value."""
    if outcome.skipped:
        return Cell(SKIPPED, "skipped", notes.marks(outcome.notes))
    pool, clock = outcome.pool, outcome.clock
    if pool is None or clock is None:
        if outcome.fault:
            return Cell(INVALID, "invalid", notes.marks((*outcome.notes, outcome.fault)))
        return Cell(form.ABSENT, "absent", notes.marks([NOT_IN_RUN]))
    if row is not None and row.formula:
        return derived(outcome, row, notes)
    figures = {}
    for name in form.statistics(layout):
        if (limit := ABOVE.fullmatch(name)) is not None:
            figures[name] = percent_above(pool, clock, int(limit[1]))
            continue
        if (part := PART.fullmatch(name)) is not None:
            figures[name] = percent_in_part(outcome, int(part[1]), part[2])
            continue
        ns = statistic(outcome, name)
        averaged = bool(pool.averages) or name in {"avg", "mean", "sd", "value"}
        figures[name] = form.ABSENT if ns is None else microseconds(ns, clock, averaged=averaged)
    text = form.cell(layout, figures)
    if outcome.fault:
        return Cell(f"{text} {INVALID}", "invalid", notes.marks((*outcome.notes, outcome.fault)))
    return Cell(text, "value", notes.marks(outcome.notes))


def left_out(note: str, notes: Notes) -> Cell:
    """The cell of a row that this version of rtstone does not measure."""
    return Cell(form.ABSENT, "absent", notes.marks([note]))


def published(
    figures: Sequence[PublishedFigure],
    layout: str,
    notes: Notes,
    shared: frozenset[str] = frozenset(),
    *,
    with_unit: bool = False,
) -> Cell:
    """The paper's cell as printed. `shared`: notes marked at the platform's name. `with_unit`: row units differ."""
    if not figures:
        return Cell("", "blank")
    values = {figure.statistic: f"{figure.value} {figure.symbol() if with_unit else ''}".rstrip() for figure in figures}
    words = set(values.values())
    if set(values) != set(form.statistics(layout)):
        text = "; ".join(f"{figure.statistic} {figure.value} {figure.unit}".strip() for figure in figures)
        if len(text) > _WORDS_MOST:
            return Cell(
                "in words", "published", notes.marks([text, *(f.note for f in figures if f.note not in shared)])
            )
    elif len(words) == 1 and figures[0].number() is None:
        text = words.pop()  # one word for the whole cell, as printed
    else:
        text = form.cell(layout, values)
    return Cell(text, "published", notes.marks(f.note for f in figures if f.note not in shared))
