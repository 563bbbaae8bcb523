# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a response goes: stages that the kernel stamped, samples without stages, the cost of observing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from rtstone.model import Event, Run, stage_chain
from rtstone.model import units as form
from rtstone.model.units import counted
from rtstone.show.tables import _cells as cells
from rtstone.show.tables import _labels as labels
from rtstone.show.tables import _unsplit
from rtstone.show.tables._distribution import distribution_cells
from rtstone.show.tables._model import Cell, Column, Line, TableView
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import CellOutcome, Circumstance, circumstances, find
from rtstone.stats import trails
from rtstone.studies import Need, Study, Table, need

TOTAL = _unsplit.WHOLE
UNTRACED = "untraced-task-response"
_TITLES = {TOTAL: "all four", UNTRACED: "all four, with the programs off"}
STEPS = frozenset({"switch", "interrupt", "softirq", "timer"})
"""First words of events that are steps of an event trail (spec/measurements.md)."""
TRAILS, SHOWN = 5, 12
"""Most event trails that are shown, and most of the last steps of each. The record has all."""
_FIGURES = ("n", "min", "p50", "p99", "p99.9", "max")


def stages_table(runs: Sequence[Run], study: Study, table: Table) -> TableView:
    """A line for each stage, run and circumstance; no lines if no row of the table was measured in stages.

    The share is of the mean, because the means of stages add up to that of the whole, and percentiles do not.
    """
    notes = Notes()
    several = len(runs) > 1
    heads = ("stage", *(("on",) if several else ()), "under")
    lines: list[Line] = []
    footers: list[str] = []
    for run, name in zip(runs, labels.names(runs), strict=True):
        for wanted in _staged(run, table):
            for circumstance in circumstances(run, wanted):
                found = {one.quantity: find(run, one, circumstance) for one in wanted}
                lines += _lines(found, name if several else "", circumstance, notes)
                footers += _coverage(found, f"{name}, {circumstance.title()}")
                footers += _trails(found.get(TOTAL, CellOutcome()), f"{name}, {circumstance.title()}")
    return TableView(
        study=study.id,
        number=table.number,
        kind="distribution",
        title=f"{study.id}, where the time goes in the kernel",
        caption=f"{table.unit}; the stages of one sample add up to its whole; the share is of the mean",
        columns=(*(Column(h, "label") for h in heads), *(Column(f, "ours") for f in (*_FIGURES, "share"))),
        lines=tuple(lines),
        notes=notes.texts(),
        footers=tuple(footers),
    )


def _staged(run: Run, table: Table) -> list[tuple[Need, ...]]:
    """For each measurement of the table that has stages in this run: its stages, their whole, and the whole without the programs."""
    found: dict[str, tuple[Need, ...]] = {}
    for variant in table.variants:
        for row in table.rows:
            one = need(table, row, variant, "single")
            quantities = tuple(dict.fromkeys(r.quantity for r in run.results() if r.measurement == one.measurement))
            chain = stage_chain(quantities)
            if not row.measured or not chain or one.measurement in found:
                continue
            shown = (*chain, *(q for q in (TOTAL, UNTRACED) if q in quantities))
            found[one.measurement] = tuple(msgspec.structs.replace(one, quantity=quantity) for quantity in shown)
    return list(found.values())


def _lines(found: dict[str, CellOutcome], name: str, circumstance: Circumstance, notes: Notes) -> list[Line]:
    chain = stage_chain(tuple(found))
    means = {q: o.pool.mean for q, o in found.items() if o.pool is not None and o.pool.mean is not None}
    whole = sum(means.get(stage, 0.0) for stage in chain)
    lines = []
    for quantity, outcome in found.items():
        share = Cell("", "blank")
        if quantity in chain and quantity in means and whole > 0:
            share = Cell(f"{means[quantity] / whole:.1%}".replace("%", " %"), "value")
        heads = [Cell(_TITLES.get(quantity, quantity.replace("-to-", " → ")), "label")]
        heads += [Cell(name, "label")] if name else []
        lines.append(Line((*heads, Cell(circumstance.title(), "label"), *distribution_cells(outcome, notes), share)))
    return lines


def _coverage(found: dict[str, CellOutcome], where: str) -> list[str]:
    """Sentences on the samples with and without stages, on the probe effect, and on the cost of the programs."""
    outcome = found.get(TOTAL, CellOutcome())
    if outcome.pool is None:
        return []
    figures = _unsplit.summed_figures(outcome.used)
    if "samples_split" not in figures:
        return []
    parts = [f"{form.count(figures['samples_split'])} of {counted(outcome.pool.count, 'sample')} have all stages"]
    parts += [f"{form.count(figures[key])} {words}" for key, words in _unsplit.WORDS.items() if figures.get(key)]
    parts.append(f"events lost: {form.count(figures.get('events_lost', 0))}")
    sentences = [f"{where}: {'; '.join(parts)}"]
    sentences += [f"{where}: {text}" for text in (_probe_effect(found), _cost(figures)) if text]
    return sentences


def _trails(outcome: CellOutcome, where: str) -> list[str]:
    """A sentence on the event trail of each sample above the limit of `--trace-over`. Times are before its last step.

    Further sentences report the limit, samples without a trail, and trails that are not shown.
    """
    if outcome.clock is None:
        return []
    sentences = []
    for result in outcome.used:
        steps_of: dict[int, list[Event]] = {}
        for event in result.events:
            if event.kind.partition(" ")[0] in STEPS:
                steps_of.setdefault(event.value, []).append(event)
        for number, steps in steps_of.items():
            *before, last = steps[-SHOWN:]
            path = [f"−{form.duration(outcome.clock.ns(last.at - s.at))} {s.kind}" for s in before]
            line = ", ".join((*path, f"then {last.kind}"))
            sentences.append(f"{where}, before sample {form.count(number)}: {line}")
    left = len(sentences) - TRAILS
    limits = sorted({result.variant.trace_over_ns for result in outcome.used} - {0})
    kept = [f"{where}: an event trail was saved for samples above {form.written(limit)}" for limit in limits]
    room = [trails(result) for result in outcome.used]
    if without := sum(one.late - one.kept for one in room):
        fits = max((one.fits for one in room if one.fits is not None), default=0)
        larger = f"; with --trace-over {math.ceil(fits / 1000)}us there is, for the slowest" if fits else ""
        kept.append(f"{where}: there was no room for {form.count(without)} more trails{larger}")
    return [
        *kept,
        *sentences[:TRAILS],
        *([f"{where}: in the record: {counted(left, 'more trail')}"] if left > 0 else []),
    ]


def _probe_effect(found: dict[str, CellOutcome]) -> str:
    """The medians with and without the programs, from interleaved samples, and their difference."""
    untraced = found.get(UNTRACED, CellOutcome())
    traced, plain = cells.median_us(found[TOTAL]), cells.median_us(untraced)
    if traced is None or plain is None or untraced.pool is None:
        return ""
    return (
        f"the median with the BPF programs is {form.number(traced)} µs, without them {form.number(plain)} µs"
        f" ({counted(untraced.pool.count, 'sample')}, in turns between):"
        f" the probe effect is {form.number(traced - plain)} µs"
    )


def _cost(figures: dict[str, int]) -> str:
    """The programs' share of one CPU on the whole system, as the kernel timed them."""
    runs, spent, watched = (figures.get(f"programs_{key}", 0) for key in ("runs", "time", "timed_for"))
    if not runs or not watched:
        return ""
    return (
        f"on the whole system the BPF programs ran {form.count(round(runs * 1e9 / watched))} times a second, {form.duration(spent / runs)}"
        f" each as the kernel timed them: {spent / watched:.2%} of one CPU".replace("%", " %")
    )
