# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Values computed from a table's rows: figures of merit, gains, a total without its stages, wrong rates of a load.

A figure of merit is always a line under its parts. It is shown only if every part itself was measured and is believable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.model.units import counted
from rtstone.show.tables import _cells as cells
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._derived import numbers
from rtstone.show.tables._model import Cell, Line
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import Circumstance, circumstances, find
from rtstone.stats import CONFIDENCE, ratio_of_means
from rtstone.studies import FigureOfMerit, FormulaError, Table, TableRow, TableVariant, evaluate, need
from rtstone.studies.reference import PublishedFigure

GROUP = "Figure of merit, for what it is worth: read the parts"


def figure_of_merit(figure: FigureOfMerit, seconds: Mapping[str, float]) -> float:
    """The figure from parts' times (s, by row label). Raises ValueError without a part, or if a time is not above 0."""
    if not seconds or any(not t > 0 for t in seconds.values()):
        raise ValueError("a figure of merit needs parts, each with a time above 0")
    weights = {label: figure.weights.get(label, 1.0) for label in seconds}
    if figure.formula == "sum-of-rates":
        return sum(weights[label] / t for label, t in seconds.items())
    return sum(weights.values()) / sum(weights[label] * t for label, t in seconds.items())


def merit_lines(
    table: Table, ours: Sequence[tuple[Run, Circumstance, TableVariant]], published_columns: int, notes: Notes
) -> list[Line]:
    """The table's figures of merit, a line for each, with a cell for every column of ours."""
    lines = []
    for figure in table.figures:
        label = Cell(figure.title, "label", notes.marks([f"{figure.title}: {figure.explanation}. {figure.source}"]))
        line = [label, *[Cell("", "blank")] * published_columns]
        for run, circumstance, variant in ours:
            line.append(_cell(table, figure, run, circumstance, variant, notes))
        lines.append(Line(tuple(line), group=GROUP))
    return lines


def _cell(
    table: Table, figure: FigureOfMerit, run: Run, circumstance: Circumstance, variant: TableVariant, notes: Notes
) -> Cell:
    seconds: dict[str, float] = {}
    for row in table.rows:
        # Without a handler, the wake-up of a thread has a row of its own. It is not this part, so there is no figure.
        outcome = find(run, need(table, row, variant), circumstance)
        if not outcome.believed or outcome.pool is None or outcome.clock is None:
            return Cell(
                form.ABSENT,
                "absent",
                notes.marks([f"no figure of merit: a part is missing or doubtful ({row.label})"]),
            )
        mean = outcome.pool.mean
        if mean is None or mean <= 0:
            return Cell(form.ABSENT, "absent", notes.marks([f"no figure of merit: {row.label} has no time above 0"]))
        seconds[row.label] = outcome.clock.ns(mean) / 1e9
    return Cell(form.count(round(figure_of_merit(figure, seconds))), "value")


_PUBLISHED = "the median less the stages' medians as printed; medians do not add up as the parts of one interrupt do"
_OURS = (
    "minimum, median and maximum of the total less its stages, of each interrupt: from the last handler's reading to the release;"
    " stages and this add up to the total, to the tick"
)
_NO_STAGES = (
    "of interrupts of their own, on whose way no clock was read: what they are shorter by is what stamping costs"
)
_LAYOUT = "{min}/{median}/{max}"


def published_residual(
    figures: Sequence[PublishedFigure], table: Table, platform: str, condition: str, notes: Notes
) -> Cell:
    """The residual of printed medians of one platform under one condition. `figures`: of all tables of the study."""

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


def our_residual(run: Run, table: Table, variant: TableVariant, circumstance: Circumstance, notes: Notes) -> Cell:
    """The residual of each interrupt, as the engine measured it; a dash if the path was not stamped."""
    assert table.residual is not None  # noqa: S101 - the caller has looked
    row = table.rows[0]
    quantity = variant.quantities.get(table.residual.title, table.residual.quantity)
    outcome = find(run, replace(need(table, row, variant), quantity=quantity), circumstance)
    if not outcome.believed:
        unstamped = find(run, need(table, row, variant), circumstance).believed
        return Cell(form.ABSENT, "absent", notes.marks([_NO_STAGES] if unstamped else []))
    found = cells.measured(outcome, _LAYOUT, notes, row)
    return Cell(found.text, found.state, (*found.marks, *notes.marks([_OURS])))


LOAD = "traffic"
ASKED_PER_S = 1000
"""Requested interrupts of the load's timer a second, for each unit of intensity (spec/measurements.md)."""
SIGMAS = 4.0
"""Allowed deviation of a count, in standard deviations: at the right rate one in sixteen thousand counts exceeds it."""
EDGES = 2
"""Interrupts that the ends of an item may add or remove: its first and last interval are only partly in it."""


def allowed(expected: float) -> float:
    """The allowed deviation from the expected number of interrupts. Intervals are uniform in 0.5 to 1.5 means."""
    return SIGMAS * math.sqrt(expected / 12) + EDGES


def disagreement(runs: Sequence[Run], table: Table) -> str:
    """A sentence on items of a table whose load missed the requested rate; empty if all agree, or none had the load."""
    seen: set[tuple[str, int, int]] = set()
    fewest: dict[str, tuple[float, int]] = {}
    for run, name in zip(runs, labels.names(runs), strict=True):
        for one in (need(table, row, v) for v in table.variants for row in table.rows if row.measured):
            for circumstance in circumstances(run, (one,)):
                for result in find(run, one, circumstance).used:
                    amounts = {figure.key: figure.value for figure in result.load if figure.load == LOAD}
                    elapsed_ns, intensity = amounts.get("elapsed_ns", 0), amounts.get("intensity", 0)
                    key = (run.id, result.item, amounts.get("timer_interrupts", 0))
                    expected = ASKED_PER_S * intensity * elapsed_ns / 1e9
                    if key in seen or not expected:
                        continue
                    seen.add(key)
                    if abs(amounts.get("timer_interrupts", 0) - expected) > allowed(expected):
                        rate = amounts.get("timer_interrupts", 0) * 1e9 / elapsed_ns
                        worst, count = fewest.get(name, (rate, 0))
                        fewest[name] = (min(worst, rate, key=lambda r: -abs(r - ASKED_PER_S * intensity)), count + 1)
    if not fewest:
        return ""
    each = "; ".join(
        f"{name}: {form.count(round(rate))}/s at the farthest, in {counted(count, 'item')}"
        for name, (rate, count) in fewest.items()
    )
    return (
        f"not under the same load: of {LOAD}'s timer, {form.count(ASKED_PER_S)} interrupts a second for each unit of intensity"
        f" were asked for, and these strayed farther from it than chance makes them: {each}"
    )


def normalised_lines(
    table: Table, ours: Sequence[tuple[Run, Circumstance, TableVariant]], label: str, published_columns: int
) -> list[Line]:
    """A line for each row: figures divided by the first run's under the same circumstance; ``label`` names that run.

    With `table.unity` each figure is divided by that row's in the same column. A dash: one of both figures is missing
    or doubtful.
    """
    if table.unity:
        return _by_row(table, ours, published_columns)
    first = ours[0][0] if ours else None
    if not table.normalised or first is None or all(run is first for run, _, _ in ours):
        return []
    lines = []
    for row in table.rows:
        if not row.formula:
            continue
        values = [_value(table, row, *one) for one in ours]
        known = {_key(one): value for one, value in zip(ours, values, strict=True) if one[0] is first}
        if all(base is None for base in known.values()):
            continue
        cells = [_divided(value, known.get(_key(one))) for one, value in zip(ours, values, strict=True)]
        blanks = [Cell("", "blank")] * published_columns
        lines.append(Line((Cell(row.label, "label"), *blanks, *cells), group=f"Normalised: {label} is 1"))
    return lines


def _by_row(table: Table, ours: Sequence[tuple[Run, Circumstance, TableVariant]], published_columns: int) -> list[Line]:
    base = next(row for row in table.rows if row.label == table.unity)
    bases = [_value(table, base, *one) for one in ours]
    lines = []
    for row in table.rows if any(bases) else ():
        if row.formula:
            cells = [_divided(_value(table, row, *one), by) for one, by in zip(ours, bases, strict=True)]
            blanks = [Cell("", "blank")] * published_columns
            lines.append(Line((Cell(row.label, "label"), *blanks, *cells), group=f"Normalised: {table.unity} is 1"))
    return lines


def gain_lines(
    table: Table, ours: Sequence[tuple[Run, Circumstance, TableVariant]], published_columns: int
) -> list[Line]:
    """A line for each row: its gain over the row `table.gain_over`, with the interval; a dash for too few samples."""
    base = next((row for row in table.rows if row.label == table.gain_over), None)
    if base is None:
        return []
    bases = [_samples(table, base, *one) for one in ours]
    group = f"Gain over {base.label}, and its interval at {CONFIDENCE:.0%}".replace("%", " %")
    blanks = [Cell("", "blank")] * published_columns
    lines = []
    for row in table.rows if any(bases) else ():
        if row is not base:
            cells = [_gain(_samples(table, row, *one), by) for one, by in zip(ours, bases, strict=True)]
            lines.append(Line((Cell(row.label, "label"), *blanks, *cells), group=group))
    return lines


def _gain(times: Sequence[float], base: Sequence[float]) -> Cell:
    if min(len(times), len(base)) < _FEWEST or min(*times, *base) <= 0:
        return Cell(form.ABSENT, "absent")
    ratio = ratio_of_means(times, base)
    low, value, high = (100 * ((end or 0.0) - 1) for end in (ratio.low, ratio.value, ratio.high))
    return Cell(f"{value:+.1f} % ({low:+.1f} to {high:+.1f})", "value")


_FEWEST = 3
"""Fewest samples on either side: with two, an interval shows next to nothing."""


def _samples(table: Table, row: TableRow, run: Run, circumstance: Circumstance, variant: TableVariant) -> list[float]:
    """Each sample, as the middle of its bucket (ticks); empty if the samples are not believable."""
    outcome = find(run, need(table, row, variant), circumstance)
    if not outcome.believed or outcome.pool is None or outcome.pool.histogram is None:
        return []
    return [(bucket.low + bucket.high) / 2 for bucket in outcome.pool.histogram.buckets() for _ in range(bucket.count)]


def _key(one: tuple[Run, Circumstance, TableVariant]) -> tuple[Circumstance, str]:
    return one[1], one[2].title


def _divided(value: float | None, base: float | None) -> Cell:
    if value is None or base is None:
        return Cell(form.ABSENT, "absent")
    return Cell(f"{value / base:.2f}", "value")


def _value(table: Table, row: TableRow, run: Run, circumstance: Circumstance, variant: TableVariant) -> float | None:
    outcome = find(run, need(table, row, variant), circumstance)
    if not outcome.believed:
        return None
    try:
        value = evaluate(row.formula, numbers(outcome))
    except FormulaError:
        return None
    return value if value > 0 else None
