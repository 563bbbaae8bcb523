# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A history as lines for a terminal: a chart for each series, its steps, and the facts that changed there."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Sequence
from statistics import median

from rtstone.judge.history._model import History, Series, Step
from rtstone.model import short_id
from rtstone.model.units import counted, in_column, minute
from rtstone.show.judged import words
from rtstone.show.tables import Span, TextLine
from rtstone.stats import LEAST_FOR_CHANGE

_ROWS = 8
_LABEL = 9
"""Characters of a figure beside the chart."""
_SHOWN = 4
"""Most facts of a step that are shown; --json has them all."""


def lines(of: History, width: int) -> list[TextLine]:
    """The whole history, in at most `width` characters a line."""
    room = max(40, min(width, 120))
    made: list[TextLine] = []
    for series in of.series:
        made += _series(series, room)
        made.append([])
    if of.incomplete:
        made.append([Span(f"left out, not complete: {counted(len(of.incomplete), 'run')}", "yellow")])
    made += _folded(_method(of), room, "", "dim")
    return made


def _series(of: Series, room: int) -> Iterator[TextLine]:
    unit, divisor = words.unit_of_series(of)
    where = " ".join(filter(None, (of.target, of.machine_name and f"on {of.machine_name}")))
    dates = f"{of.points[0].started[:10]} to {of.points[-1].started[:10]}"
    yield [Span(of.title, "bold")]
    yield from _folded(f"{of.statistic} in {unit}; {where}; {counted(len(of.points), 'run')}, {dates}", room, "  ")
    for text in of.apart:
        yield from _folded(f"not one series with the above: {text}", room, "  ", "magenta")
    if not of.enough:
        yield from _folded(
            f"too few runs to show a step: {len(of.points)}; {LEAST_FOR_CHANGE} are needed", room, "  ", "yellow"
        )
    yield from _chart(of, divisor, room)
    if of.enough and not of.steps:
        yield [Span("  no step shown", "dim")]
    for number, step in enumerate(of.steps, 1):
        yield from _step(of, number, step, room)
    if of.wanders:
        text = "figures resemble their neighbours (a drift, the weather of a shared machine): a step may be no more than that"
        yield from _folded(text, room, "  ", "yellow")


def _step(of: Series, number: int, step: Step, room: int) -> Iterator[TextLine]:
    style = "bold red" if step.verdict == "regressed" else "bold green"
    yield [Span(f"  {number}  {step.verdict}: {words.step(of, number)}", style)]
    place = f"between {short_id(step.before)} ({minute(step.before_started)}) and {short_id(step.after)} ({minute(step.after_started)})"
    yield from _folded(place, room, "     ")
    for one in step.differences[:_SHOWN]:
        yield from _folded(f"{one.fact} {words.shown(one, 0)} → {words.shown(one, 1)}", room, "     ")
    if len(step.differences) > _SHOWN:
        yield [Span(f"     and {counted(len(step.differences) - _SHOWN, 'more fact')} (--json)", "dim")]
    if not step.differences:
        yield [Span("     nothing on record changed with it", "dim")]


def _chart(of: Series, divisor: float, room: int) -> Iterator[TextLine]:
    """A chart whose columns are runs: a point for the median of a column's runs, a line for their level."""
    columns = min(len(of.points), room - _LABEL - 5)
    values = [point.value_ns for point in of.points]
    ends = [len(values) * n // columns for n in range(columns + 1)]
    points = [median(values[a:b]) for a, b in itertools.pairwise(ends)]
    levels = [next(lev.median_ns for lev in of.levels if lev.last >= a) for a in ends[:-1]]
    low, high = min(*points, *levels), max(*points, *levels)
    if high == low:
        low, high = low - abs(low) * 0.01 - 1, high + abs(high) * 0.01 + 1
    grid = [[" "] * columns for _ in range(_ROWS)]
    for column in range(columns):
        grid[_row(levels[column], low, high)][column] = "─"
        grid[_row(points[column], low, high)][column] = "•"
    axis = ["─"] * columns
    for number, step in enumerate(of.steps, 1):
        axis[next(n for n in range(columns) if ends[n + 1] > step.at)] = str(number % 10)
    for row, line in enumerate(grid):
        scale = in_column((high - (high - low) * row / (_ROWS - 1)) / divisor) if row in {0, _ROWS - 1} else ""
        yield [Span(f"  {scale:>{_LABEL}} │", "dim"), Span("".join(line).rstrip())]
    yield [Span(f"  {'':>{_LABEL}} └{''.join(axis)}", "dim")]


def _row(value: float, low: float, high: float) -> int:
    return round((high - value) / (high - low) * (_ROWS - 1))


def _method(of: History) -> str:
    sentences = (
        f"At most {100 * of.false_alarms:g} % of series without a step have one, each series by itself, where runs vary independently, by"
        f" whatever law, and drift by {100 * of.drift:g} % a run at most. A step of less than {100 * of.least_change:g} % is not shown."
    )
    return sentences + (" Runs that are not comparable are in one series, as asked (--unlike)." if of.forced else "")


def _folded(text: str, room: int, indent: str, style: str = "") -> list[TextLine]:
    parts: Sequence[str] = textwrap.wrap(
        text, room, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
    return [[Span(part, style)] for part in parts]
