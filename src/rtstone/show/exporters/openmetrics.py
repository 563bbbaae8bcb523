# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenMetrics text: each result's histogram and figures, seconds, for Prometheus and its like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import accumulate
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rtstone.model import Clock, Histogram, Result, Run
from rtstone.model.text import neutral
from rtstone.model.variant import columns
from rtstone.show.exporters._model import Exporter
from rtstone.show.exporters._rows import clock_of
from rtstone.stats import of_result, overflow_sides

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

_LATENCY = "Latency of single operations; buckets end one tick below a power of two of ticks."
_FIGURES = {
    "maximum": "Largest sample observed, no bound.",
    "minimum": "Smallest sample observed.",
    "mean": "Mean of one operation.",
}
_BELIEVED = "1: measured; 0: skipped, invalid, failed or incomplete."


def _write(runs: Sequence[Run]) -> bytes:
    """Each label set once, as the format requires. A label that a result lacks is empty, which means the same."""
    from prometheus_client.metrics_core import GaugeMetricFamily, HistogramMetricFamily

    found = list(_results(runs))
    names = list(dict.fromkeys(name for labels, *_ in found for name in labels))
    latency = HistogramMetricFamily("rtstone_latency", _LATENCY, labels=names, unit="seconds")
    figures = {
        name: GaugeMetricFamily(f"rtstone_{name}", said, labels=names, unit="seconds")
        for name, said in _FIGURES.items()
    }
    believed = GaugeMetricFamily("rtstone_believed", _BELIEVED, labels=names)
    for labels, result, clock, at in found:
        values = [labels.get(name, "") for name in names]
        believed.add_metric(values, int(result.status == "ok"), at)
        of = of_result(result, clock)
        if clock is None or result.status != "ok" or of is None:
            continue
        for name, ns in (("maximum", of.max), ("minimum", of.min), ("mean", of.mean)):
            if ns is not None:
                figures[name].add_metric(values, ns / 1e9, at)
        if result.histogram is not None:
            positive = result.min is None or result.min >= 0  # the format has no sum where values may be negative
            total = result.sum / clock.hz if positive else None
            latency.add_metric(values, list(_buckets(result, result.histogram, clock)), total, at)
    return text(family for family in (latency, *figures.values(), believed) if family.samples)


def text(families: Iterable[Metric]) -> bytes:
    """Families of metrics as OpenMetrics text."""
    from prometheus_client.openmetrics.exposition import generate_latest

    written: bytes = generate_latest(SimpleNamespace(collect=lambda: families))  # type: ignore[no-untyped-call]
    return written


def _results(runs: Sequence[Run]) -> Iterator[tuple[dict[str, str], Result, Clock | None, float]]:
    """Every result with its labels (no two sets are equal), its clock, and the end of its run."""
    seen: Counter[tuple[tuple[str, str], ...]] = Counter()
    for run in runs:
        at = round(datetime.fromisoformat(run.ended).timestamp(), 3)
        for number, session in enumerate(run.sessions):
            for result in session.results:
                labels = _labels(run, number, result)
                same = tuple(labels.items())
                seen[same] += 1
                again = {"again": str(seen[same])} if seen[same] > 1 else {}
                yield labels | again, result, clock_of(session, result), at


def _buckets(result: Result, histogram: Histogram, clock: Clock) -> Iterator[tuple[str, float]]:
    """Cumulative counts at limits that split none of our buckets, so both `le` and the counts are exact."""
    edges: Counter[int] = Counter()
    for bucket in histogram.buckets():
        edges[_edge(bucket.high)] += bucket.count
    sides = overflow_sides(histogram, result.min, result.max, result.extremes)
    if sides.least != sides.most:
        edges.clear()  # the count below the buckets is not known, so no cumulative count is
    ends = sorted(edges)
    for end, count in zip(ends, accumulate(edges[end] for end in ends), strict=True):
        yield repr(end / clock.hz), count + sides.least
    yield "+Inf", result.count


def _edge(high: int) -> int:
    """The least limit of the grid at or above a bucket's end: 2^k - 1 ticks, or -2^k for a negative one."""
    return (1 << high.bit_length()) - 1 if high >= 0 else -(1 << ((-high).bit_length() - 1))


def _labels(run: Run, number: int, result: Result) -> dict[str, str]:
    pairs = {
        "run": run.id,
        "target": run.target,
        "kernel": run.kernel(),
        "time": run.time,
        "repetition": str(number),
        "measurement": result.measurement,
        "quantity": result.quantity,
        **{name: str(value) for name, value in columns(result.variant)},
    }
    return {name: neutral(value) for name, value in pairs.items()}


EXPORTER = Exporter("openmetrics", "histograms and figures for Prometheus and its like, seconds", _write)
