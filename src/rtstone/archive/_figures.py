# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The figures of a run that the archive indexes: rows for runs, sessions and results, made from the run alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rtstone import stats
from rtstone.archive import _packing
from rtstone.model.ids import SHORT, random_part
from rtstone.model.variant import FACETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rtstone.model import Result, Run, Session

_INT64 = 2**63 - 1


def run_row(run: Run) -> dict[str, Any]:
    """Columns of the runs table."""
    results = run.results()
    return {
        "id": run.id,
        "short": random_part(run.id)[:SHORT],
        "machine": run.machine,
        "machine_name": run.machine_name,
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


def session_rows(run: Run, first: int) -> Iterator[dict[str, Any]]:
    """Columns of the sessions table, but the run's number, from the session `first` on."""
    for position, session in enumerate(run.sessions[first:], first):
        yield {
            "position": position,
            "nonce": session.nonce,
            "engine": session.engine,
            "port": session.port,
            "repetition": _clamped(session.repetition),
            "seed": str(session.seed),
            "complete": int(session.complete),
            "data": _packing.pack_session(session),
        }


def result_rows(run: Run, first: int) -> Iterator[dict[str, Any]]:
    """Columns of the results table, but the run's number, from the session `first` on."""
    of_kernel = run.kernel()
    for position, session in enumerate(run.sessions[first:], first):
        for result in session.results:
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
                "variant": ", ".join(
                    f"{facet.key}={facet.value(result.variant)}"
                    for facet in FACETS
                    if facet.value(result.variant) != facet.usual
                ),
                "meaning": _clamped(result.meaning),
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
    ticks |= dict(zip(("p50_ns", "p99_ns"), _percentiles(result, (50, 99)), strict=True))
    return {name: None if value is None else value * 1e9 / hz / result.ops for name, value in ticks.items()}


def _percentiles(result: Result, percents: tuple[int, ...]) -> tuple[int | None, ...]:
    """Nearest rank, in ticks; None where nothing was kept to tell it from."""
    if result.batches:
        ordered = sorted(result.batches)
        return tuple(ordered[math.ceil(len(ordered) * percent / 100) - 1] for percent in percents)
    if result.histogram is None:
        return (None,) * len(percents)
    return stats.percentiles(result.histogram, percents, minimum=result.min, maximum=result.max)
