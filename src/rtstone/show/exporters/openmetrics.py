# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenMetrics text: each result's histogram and figures, seconds, for Prometheus and its like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import accumulate

from rtstone.model import Clock, Histogram, Result, Run
from rtstone.model.variant import columns
from rtstone.show.exporters._model import Exporter
from rtstone.show.exporters._rows import clock_of
from rtstone.show.tables import neutral
from rtstone.stats import mean, overflow_sides

_FAMILIES = {
    "rtstone_latency_seconds": (
        "histogram",
        "seconds",
        "Latency of single operations; buckets end at whole powers of two of a tick.",
    ),
    "rtstone_maximum_seconds": ("gauge", "seconds", "Largest sample observed, no bound."),
    "rtstone_minimum_seconds": ("gauge", "seconds", "Smallest sample observed."),
    "rtstone_mean_seconds": ("gauge", "seconds", "Mean of one operation."),
    "rtstone_believed": ("gauge", "", "1: measured; 0: skipped, invalid, failed or incomplete."),
}


def _write(runs: Sequence[Run]) -> bytes:
    """Samples of one family stand together, each label set once, as the format demands."""
    families: dict[str, list[str]] = {name: [] for name in _FAMILIES}
    seen: Counter[str] = Counter()
    for run in runs:
        at = datetime.fromisoformat(run.ended).timestamp()
        for number, session in enumerate(run.sessions):
            for result in session.results:
                labels = _labels(run, number, result)
                seen[labels] += 1
                if seen[labels] > 1:
                    labels += f',again="{seen[labels]}"'
                for family, lines in _samples(result, clock_of(session, result), labels):
                    families[family] += [f"{line} {at:.3f}" for line in lines]
    text = []
    for name, (kind, unit, told) in _FAMILIES.items():
        if families[name]:
            text += [
                f"# TYPE {name} {kind}",
                *([f"# UNIT {name} {unit}"] if unit else []),
                f"# HELP {name} {told}",
                *families[name],
            ]
    return ("\n".join([*text, "# EOF"]) + "\n").encode()


def _samples(result: Result, clock: Clock | None, labels: str) -> Iterator[tuple[str, list[str]]]:
    yield "rtstone_believed", [f"rtstone_believed{{{labels}}} {int(result.status == 'ok')}"]
    average = mean(result.count, result.sum)
    if clock is None or result.status != "ok" or average is None or result.ops < 1:
        return
    for name, ticks in (("maximum", result.max), ("minimum", result.min), ("mean", average)):
        if ticks is not None:
            yield f"rtstone_{name}_seconds", [f"rtstone_{name}_seconds{{{labels}}} {ticks / clock.hz / result.ops!r}"]
    if result.histogram is not None:
        yield "rtstone_latency_seconds", list(_histogram(result, result.histogram, clock, labels))


def _histogram(result: Result, histogram: Histogram, clock: Clock, labels: str) -> Iterator[str]:
    """Cumulative counts at ends that cut through none of our buckets; `le` is exact, so is each count."""
    edges: Counter[int] = Counter()
    for bucket in histogram.buckets():
        edges[_edge(bucket.high)] += bucket.count
    sides = overflow_sides(histogram, result.min, result.max, result.extremes)
    if sides.least != sides.most:
        edges.clear()  # what lies below the buckets is not known: no cumulative count is
    name = "rtstone_latency_seconds"
    ends = sorted(edges)
    for end, count in zip(ends, accumulate(edges[end] for end in ends), strict=True):
        yield f'{name}_bucket{{{labels},le="{end / clock.hz!r}"}} {count + sides.least}'
    yield f'{name}_bucket{{{labels},le="+Inf"}} {result.count}'
    if result.min is None or result.min >= 0:  # the format has no sum where values may be negative
        yield f"{name}_count{{{labels}}} {result.count}"
        yield f"{name}_sum{{{labels}}} {result.sum / clock.hz!r}"


def _edge(high: int) -> int:
    """The least end of the grid that a bucket lies below: 2^k - 1 ticks, or -2^k where it is negative."""
    return (1 << high.bit_length()) - 1 if high >= 0 else -(1 << ((-high).bit_length() - 1))


def _labels(run: Run, number: int, result: Result) -> str:
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
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in pairs.items())


def _escaped(text: str) -> str:
    return neutral(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


EXPORTER = Exporter("openmetrics", "histograms and figures for Prometheus and its like, seconds", _write)
