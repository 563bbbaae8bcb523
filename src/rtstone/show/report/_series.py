# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers behind charts: sections of runs, one a measurement, each with series of counts, shares and maxima.

Times are in nanoseconds, already divided by the clock's rate. Counts are whole numbers: those of a series' bins, and
the samples beyond the histogram, add up to the series' count.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone import stats
from rtstone.model import Clock, Note, Result, Run, Session, Variant
from rtstone.model.variant import columns, differing, words
from rtstone.show import tables
from rtstone.show.report._reduce import Bin, Grid, Window, bins, exceedance, grid, windows

PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)


class ChartSeries(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement on one target under one load: all its repetitions together."""

    label: str
    run: int
    """Position of its run among the report's."""
    variant: Variant
    clock: Clock
    results: tuple[Result, ...]
    bins: tuple[Bin, ...]
    exceedance: tuple[tuple[float, float], ...]
    """(ns, share of samples that took longer); the shares fall, and the last one of 0 is left out."""
    windows: tuple[Window, ...]
    averages: tuple[float, ...]
    """Batch pass: each set's time for one operation (ns)."""
    figures: stats.Summary


class ReportSection(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement's part of the report: series that may share a chart."""

    key: str
    """Unique in the report, and usable as an anchor and as a file name."""
    quantity: str
    measurement: str
    variant: str
    """In words, if the report has a section for each variant of this quantity; else empty."""
    title: str
    """The quantity and the variant; also the measurement, if another one has a quantity of this name."""
    unit: str
    divisor: float
    """Nanoseconds in one unit."""
    time_unit: str
    """Empty for a machine's time; else instruction-time, with how many instructions make a second, or emulated time."""
    single: tuple[ChartSeries, ...]
    batch: tuple[ChartSeries, ...]
    skipped: tuple[tuple[str, str], ...]
    """(label, reason) of each series that was not measured."""
    notes: tuple[Note, ...]

    @property
    def virtual(self) -> bool:
        """Whether its times are a virtual board's."""
        return bool(self.time_unit)


class _Key(msgspec.Struct, frozen=True, order=True):
    run: int
    variant: Variant


def sections(runs: Sequence[Run]) -> tuple[ReportSection, ...]:
    """All measurements of the runs, in the order of measuring.

    One run: the series of a section are its variants (loads, classes …). Several runs: every variant has a section of
    its own, whose series are the runs, so that a chart shows only comparable series.
    """
    labels = tables.names(runs)
    apart = len(runs) > 1
    groups: dict[tuple[str, str, Variant | None], dict[_Key, list[tuple[Session, Result]]]] = {}
    for position, run in enumerate(runs):
        for session in run.sessions:
            for result in session.results:
                key = _Key(position, result.variant)
                under = circumstances(result.variant) if apart else None
                group = groups.setdefault((result.measurement, result.quantity, under), {})
                group.setdefault(key, []).append((session, result))
    taken: dict[str, int] = {}
    made = []
    for (measurement, quantity, under), group in groups.items():
        near = (key.variant for (m, q, _), g in groups.items() if (m, q) == (measurement, quantity) for key in g)
        alike = [circumstances(variant) for variant in near]
        named = [(key, _label(key, labels, alike, apart=apart), found) for key, found in group.items()]
        slug = _slug("-".join((quantity, *(str(v) for k, v in columns(under) if k != "pass"))) if under else quantity)
        taken[slug] = taken.get(slug, 0) + 1
        anchor = slug if taken[slug] == 1 else f"{slug}-{taken[slug]}"
        variant = words(under, alike) if under else ""
        units = dict.fromkeys(filter(None, (tables.unit_of_time(runs[key.run]) for key in group)))
        several = len({m for m, q, _ in groups if q == quantity}) > 1
        title = ", ".join(filter(None, (f"{quantity} ({measurement})" if several else quantity, variant)))
        made.append(_section(anchor, measurement, quantity, variant, title, named, time_unit=" or ".join(units)))
    return tuple(made)


def _clock(session: Session, result: Result) -> Clock:
    return next((c for c in session.clocks if c.id == result.clock), Clock(id=result.clock, name="unknown", hz=0))


def circumstances(variant: Variant) -> Variant:
    """The variant without its pass: both passes belong to one section."""
    return msgspec.structs.replace(variant, pass_="single")  # noqa: S106 - a pass, no password


def _label(key: _Key, labels: Sequence[str], alike: Sequence[Variant], *, apart: bool) -> str:
    if apart or not differing(alike):
        return labels[key.run]
    return words(key.variant, alike, without=("pass_",))


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in text.lower()).split())[:80] or "x"


def _section(
    anchor: str,
    measurement: str,
    quantity: str,
    variant: str,
    title: str,
    named: Sequence[tuple[_Key, str, list[tuple[Session, Result]]]],
    *,
    time_unit: str,
) -> ReportSection:
    single: list[ChartSeries] = []
    batch: list[ChartSeries] = []
    skipped: dict[tuple[str, str], None] = {}
    notes: dict[Note, None] = {}
    usable: list[tuple[_Key, str, stats.Together]] = []
    for key, label, found in named:
        for _, result in found:
            if result.status != "ok":
                skipped[label, _reason(result)] = None
            notes.update(dict.fromkeys(result.notes))
        counted = [
            (result, _clock(session, result)) for session, result in found if result.count > 0 and result.ops > 0
        ]
        timed = [(result, clock) for result, clock in counted if clock.hz > 0]
        if len(timed) < len(counted):
            skipped[label, f"{len(counted) - len(timed)} of {len(found)} left out: their clock is unknown"] = None
        if timed:
            usable.append((key, label, stats.together(timed)))
    for _, _, common in usable:
        if common.note:
            notes[Note("clock", "", common.note)] = None
    shared = grid([(common.results, 1e9 / common.clock.hz, common.clock.quantum_ns) for _, _, common in usable])
    for key, label, common in usable:
        one = _one(label, key, common.clock, common.results, shared)
        (batch if key.variant.pass_ == "batch" else single).append(one)
    unit, divisor = unit_for([s.figures for s in (*single, *batch)])
    return ReportSection(
        key=anchor,
        quantity=quantity,
        measurement=measurement,
        variant=variant,
        title=title,
        unit=unit,
        divisor=divisor,
        time_unit=time_unit,
        single=tuple(single),
        batch=tuple(batch),
        skipped=tuple(skipped),
        notes=tuple(notes),
    )


def _reason(result: Result) -> str:
    said = result.text or result.reason
    return f"{result.status}: {said}" if said else result.status


def _one(label: str, key: _Key, clock: Clock, results: tuple[Result, ...], shared: Grid | None) -> ChartSeries:
    to_ns = 1e9 / clock.hz
    pool = stats.pool(results)
    return ChartSeries(
        label=label,
        run=key.run,
        variant=key.variant,
        clock=clock,
        results=results,
        bins=tuple(bins(pool.histogram, to_ns, shared)) if shared and pool.histogram else (),
        exceedance=tuple(exceedance(pool, to_ns)),
        windows=tuple(windows(results, to_ns)),
        averages=tuple(total * to_ns / result.ops for result in results for total in result.batches),
        figures=stats.summary(pool, clock, PERCENTILES, extremes=results[0].extremes if len(results) == 1 else ()),
    )


UNITS = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))


def unit_for(figures: Sequence[stats.Summary]) -> tuple[str, float]:
    """The unit that suits the size of these series, and its length in nanoseconds."""
    means = sorted(abs(f.mean) for f in figures if f.mean is not None)
    typical = means[len(means) // 2] if means else 0.0
    return next(((unit, ns) for unit, ns in reversed(UNITS) if typical >= 0.5 * ns), UNITS[0])
