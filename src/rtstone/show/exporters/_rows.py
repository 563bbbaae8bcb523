# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of runs as flat rows: the same columns in CSV and Parquet, times in nanoseconds for one operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rtstone import stats
from rtstone.model import Clock, Result, Run, Session
from rtstone.model.variant import FACETS, columns

Value = str | int | float | None

PERCENTS = (50.0, 90.0, 99.0, 99.9, 99.99)

COLUMNS: dict[str, type] = {
    **dict.fromkeys(("run", "started", "target", "label", "kernel"), str),
    **dict.fromkeys(("session", "item"), int),
    **dict.fromkeys(("measurement", "quantity"), str),
    **{facet.key: facet.kind for facet in FACETS},
    **dict.fromkeys(("status", "reason", "time"), str),
    **dict.fromkeys(("cpu", "priority", "ops", "count", "overflow", "dropped"), int),
    **dict.fromkeys(("clock_hz",), int),
    **dict.fromkeys(("min_ns", "mean_ns", "sd_ns", *(f"p{p:g}_ns" for p in PERCENTS), "max_ns"), float),
    "notes": str,
}
"""Name → type; a cell without a value is empty."""

TIMES = tuple(name for name in COLUMNS if name.endswith("_ns") and COLUMNS[name] is float)
"""Columns of measured times."""


def rows(runs: Sequence[Run]) -> Iterator[tuple[dict[str, Value], Result, Clock | None]]:
    """A row for each result, in the order of measuring, with the result and its clock."""
    for run in runs:
        kernel = run.kernel()
        for number, session in enumerate(run.sessions):
            for result in session.results:
                clock = clock_of(session, result)
                yield _row(run, kernel, number, result, clock), result, clock


def clock_of(session: Session, result: Result) -> Clock | None:
    """The clock that a result was read on; None if the session does not have it, or it does not run."""
    return next((c for c in session.clocks if c.id == result.clock and c.hz > 0), None)


def _row(run: Run, kernel: str, number: int, result: Result, clock: Clock | None) -> dict[str, Value]:
    return {
        "run": run.id,
        "started": run.started,
        "target": run.target,
        "label": run.label,
        "kernel": kernel,
        "session": number,
        "item": result.item,
        "measurement": result.measurement,
        "quantity": result.quantity,
        **dict(columns(result.variant)),
        "status": result.status,
        "reason": result.reason,
        "time": run.time,
        "cpu": result.cpu,
        "priority": result.priority,
        "ops": result.ops,
        "count": result.count,
        "overflow": result.overflow,
        "dropped": result.dropped,
        "clock_hz": clock.hz if clock else None,
        **_times(stats.of_result(result, clock, PERCENTS)),
        "notes": "; ".join(note.text for note in result.notes),
    }


def _times(of: stats.Summary | None) -> dict[str, Value]:
    if of is None:
        return dict.fromkeys(TIMES)
    percentiles = {f"p{percent:g}_ns": of.shown_percentile(percent) for percent in PERCENTS}
    return {"min_ns": of.min, "mean_ns": of.mean, "sd_ns": of.sd, **percentiles, "max_ns": of.max}
