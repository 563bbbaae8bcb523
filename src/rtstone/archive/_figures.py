# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The figures of a run that the archive indexes: rows for runs, sessions and results, made from the run alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rtstone import stats
from rtstone.archive import _hdr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rtstone.model import Result, Run, Session

_INT64 = 2**63 - 1


def run_row(run: Run) -> dict[str, Any]:
    """Columns of the runs table."""
    results = run.results()
    return {
        "id": run.id,
        "group": run.group,
        "started": run.started,
        "ended": run.ended,
        "target": run.target,
        "label": run.label,
        "kernel": run.kernel(),
        "studies": "".join(f",{study}" for study in run.studies) + ",",
        "profile": run.profile,
        "seed": str(run.seed),
        "status": run.status,
        "degraded": int(bool(run.degraded)),
        "results": len(results),
        "measured": sum(result.status == "ok" for result in results),
        "tool": run.tool,
    }


def session_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Columns of the sessions table, but the run's number."""
    for position, session in enumerate(run.sessions):
        yield {
            "position": position,
            "nonce": session.nonce,
            "engine": session.engine,
            "port": session.port,
            "repetition": _clamped(session.repetition),
            "seed": str(session.seed),
            "complete": int(session.complete),
        }


def result_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Columns of the results table, but the run's number."""
    of_kernel = run.kernel()
    for position, session in enumerate(run.sessions):
        for result in session.results:
            positive, negative = _hdr.encode(result.histogram) if result.histogram else (None, None)
            yield {
                "session": position,
                "item": _clamped(result.item),
                "target": run.target,
                "kernel": of_kernel,
                "measurement": result.measurement,
                "quantity": result.quantity,
                "pass": result.variant.pass_,
                "load": result.variant.load,
                "sched": result.variant.sched,
                "cache": result.variant.cache,
                "timer": result.variant.timer,
                "status": result.status,
                "count": _clamped(result.count),
                **_times(result, session),
                "hdr_positive": positive,
                "hdr_negative": negative,
            }


def _clamped(value: int) -> int:
    """A counter as the database can hold it; the document has it unclamped."""
    return max(-_INT64, min(value, _INT64))


def _times(result: Result, session: Session) -> dict[str, float | None]:
    """min, mean, p50, p99 and max (ns, for one operation)."""
    ticks: dict[str, float | None] = dict.fromkeys(("min_ns", "mean_ns", "p50_ns", "p99_ns", "max_ns"))
    hz = next((clock.hz for clock in session.clocks if clock.id == result.clock), 0)
    if hz <= 0 or result.count <= 0 or result.ops <= 0:
        return ticks
    ticks |= {"min_ns": result.min, "mean_ns": result.sum / result.count, "max_ns": result.max}
    ticks |= {f"p{percent}_ns": _percentile(result, percent) for percent in (50, 99)}
    return {name: None if value is None else value * 1e9 / hz / result.ops for name, value in ticks.items()}


def _percentile(result: Result, percent: int) -> int | None:
    """Nearest rank, in ticks; None where nothing was kept to tell it from."""
    if result.batches:
        return sorted(result.batches)[math.ceil(len(result.batches) * percent / 100) - 1]
    if result.histogram is None:
        return None
    return stats.percentile(result.histogram, percent, minimum=result.min, maximum=result.max)
