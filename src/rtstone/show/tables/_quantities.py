# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Every row of the studies once, with its published figures and each run's: the content of one chart or one screen."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone.model import Run
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._outcome import TITLES, CellOutcome, Circumstance, at_vector, by_thread, circumstances, find
from rtstone.studies import Need, Study, Table, TableRow, need, reference

_TYPICAL = ("avg", "median", "mean", "value")
"""Statistics that may represent a platform as one point."""
_LOADED = frozenset({"loaded", "CPU load"})


class Published(msgspec.Struct, frozen=True):
    """A figure that a paper prints for a platform."""

    study: str
    platform: str
    condition: str
    statistic: str
    """One of the names in the reference data: avg, median, mean, value."""
    value: str
    """As printed."""
    us: float

    @property
    def idle(self) -> bool:
        """Whether the machine had no load."""
        return self.condition not in _LOADED


class StudyQuantity(msgspec.Struct, frozen=True):
    """A row of the studies, with the needs that answer it."""

    label: str
    study: str
    """The first study that has the row."""
    row: TableRow
    batch: Need
    single: Need
    published: tuple[Published, ...] = ()

    def fastest(self) -> Published | None:
        """The smallest figure of its first study, without those of a loaded machine."""
        own = (p for p in self.published if p.study == self.study and p.idle)
        return min(own, key=lambda p: p.us, default=None)


class QuantityBar(msgspec.Struct, frozen=True):
    """A run's figures of a quantity under one circumstance (µs): of single operations, or of set averages if `sets`."""

    run: int
    """Position among the runs."""
    series: str
    """Name of the series: the circumstance; with several runs also the run's name."""
    p50: float
    p999: float | None
    max: float
    sets: bool
    invalid: bool


class Charted(msgspec.Struct, frozen=True):
    """A line of the chart of all quantities."""

    label: str
    published: tuple[Published, ...]
    bars: tuple[QuantityBar, ...]
    in_sets: bool = False
    """Whether a run also measured sets of operations, which the papers' tables then show."""


def quantities(
    studies: Sequence[Study], *, only: Table | None = None
) -> tuple[list[StudyQuantity], list[StudyQuantity]]:
    """Every row of the studies once, interrupts first: rows of times, and those of a formula. `only`: one table."""
    times: dict[tuple[str, str], StudyQuantity] = {}
    rates: dict[tuple[str, str], StudyQuantity] = {}
    for of in studies:
        for table in of.tables:
            if only is not None and table is not only:
                continue
            for row in table.rows:
                if row.measured:
                    _add(of, table, row, times, rates)
    found = sorted(times.values(), key=lambda q: not q.single.measurement.startswith("interrupt"))
    return _named_apart(found), list(rates.values())


def _named_apart(found: Sequence[StudyQuantity]) -> list[StudyQuantity]:
    """The quantities with unique labels. If two have the same label, the later one adds its measurement."""
    seen: set[str] = set()
    named = []
    for one in found:
        label = f"{one.label} ({one.single.measurement})" if one.label in seen else one.label
        label = f"{label}, {one.single.sched}" if label in seen else label
        seen.add(label)
        named.append(msgspec.structs.replace(one, label=label))
    return named


def _add(
    of: Study,
    table: Table,
    row: TableRow,
    times: dict[tuple[str, str], StudyQuantity],
    rates: dict[tuple[str, str], StudyQuantity],
) -> None:
    for variant in table.variants:
        batch, single = need(table, row, variant), need(table, row, variant, "single")
        title = variant.title if variant.sched or variant.measurement or variant.measurements else ""
        label = f"{row.label} ({title})" if title else row.label
        of_rate = bool(row.formula) and row.unit not in {"", "µs"}
        published = () if variant.title or of_rate else _published(of, table, row)
        places = rates if of_rate else times
        _put(places, StudyQuantity(label, of.id, row, batch, single, published))
        if of_rate:
            continue
        for other in (by_thread, at_vector):
            beside, in_batch = other(single), other(batch)
            if beside is not None and in_batch is not None:
                _put(times, StudyQuantity(TITLES[beside.quantity], of.id, row, in_batch, beside))


def _put(places: dict[tuple[str, str], StudyQuantity], one: StudyQuantity) -> None:
    """Add a quantity. If several studies have it, it is listed once, with the figures of all of them."""
    key = (f"{one.single.measurement} {one.single.quantity}", str(one.single.sched))
    before = places.get(key)
    if before is None:
        places[key] = one
    else:
        together = dict.fromkeys((*before.published, *one.published))
        places[key] = msgspec.structs.replace(before, published=tuple(together))


def _published(of: Study, table: Table, row: TableRow) -> tuple[Published, ...]:
    if of.id not in reference.studies():
        return ()
    return tuple(
        Published(of.id, f.platform, f.condition, f.statistic, f.value, number)
        for f in reference.load(of.id)
        if f.table == table.number
        and f.row == row.label
        and f.statistic in _TYPICAL
        and f.symbol() == "µs"
        and (number := f.number())
    )


def outcome(run: Run, quantity: StudyQuantity, under: Circumstance) -> CellOutcome | None:
    """The outcome of single operations if they were measured, else of sets."""
    for one in (quantity.single, quantity.batch):
        found = find(run, one, under)
        if found.pool is not None:
            return found
    return None


def charted(runs: Sequence[Run], studies: Sequence[Study], *, only: Table | None = None) -> tuple[Charted, ...]:
    """The lines of the chart of all quantities, for those with figures above 0 in any run: the axis is logarithmic."""
    names = labels.names(runs)
    lines = []
    for quantity in quantities(studies, only=only)[0]:
        bars = []
        for position, run in enumerate(runs):
            for under in circumstances(run, (quantity.single, quantity.batch)):
                found = outcome(run, quantity, under)
                series = under.title() if len(runs) == 1 else f"{names[position]}, {under.title()}"
                if found is not None and (one := _bar(found, position, series)) is not None:
                    bars.append(one)
        if bars:
            sets = quantity.batch != quantity.single and any(
                find(run, quantity.batch, under).pool is not None
                for run in runs
                for under in circumstances(run, (quantity.batch,))
            )
            lines.append(Charted(quantity.label, quantity.published, tuple(bars), in_sets=sets))
    return tuple(lines)


def _bar(found: CellOutcome, position: int, series: str) -> QuantityBar | None:
    figures = typical(found)
    if figures is None or found.pool is None or found.clock is None:
        return None
    us = [None if ns is None else ns / 1000 for ns in figures]
    if us[0] is None or us[2] is None or us[2] <= 0:
        return None
    quantum = found.clock.quantum_ns / 1000
    # A time shorter than a tick of its clock is drawn with the length of a tick.
    least = max(us[0], quantum, us[2] / 1e9)
    return QuantityBar(position, series, least, us[1], max(us[2], least), bool(found.pool.averages), bool(found.fault))


def typical(found: CellOutcome) -> tuple[float | None, float | None, float | None] | None:
    """Median, 99.9th percentile and maximum observed (ns); for sets, the average and the largest average."""
    of = found.summary((50, 99.9))
    if of is None or found.pool is None:
        return None
    return (of.mean, None, of.max) if found.pool.averages else (of.percentiles[50], of.shown_percentile(99.9), of.max)
