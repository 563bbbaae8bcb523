# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The figures of a run that the archive indexes: rows for runs, sessions and results, made only from the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rtstone import stats
from rtstone.archive import _packing
from rtstone.archive._records import MainFigure
from rtstone.model import Variant
from rtstone.model.headline import MAIN
from rtstone.model.ids import SHORT, random_part
from rtstone.model.variant import FACETS, words
from rtstone.model.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rtstone.model import Clock, Result, Run

_INT64 = 2**63 - 1
_MAIN_MOST = 4
"""Most circumstances for which a run's row has the main figures."""


def run_row(run: Run, *, final: bool) -> dict[str, Any]:
    """Columns of the runs table. Only a final run gets its main figures, since pooling them at each checkpoint takes
    too long."""
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
        **judged_row(run, final=final),
    }


def judged_row(run: Run, *, final: bool = True) -> dict[str, str]:
    """Columns of the runs table that pages show without reading the run: its verdict and the figures of its main quantity."""
    made = verdict(run)
    figures = tuple(main_figures(run)) if final else ()
    return {"verdict": made.level, "doubts": _json(made.doubts), "main": _json(figures)}


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def main_figures(run: Run) -> Iterator[MainFigure]:
    """The figures of the quantity that most users want first, idle before loaded, for at most `_MAIN_MOST`
    circumstances."""
    found = [
        (result, clock)
        for session in run.sessions
        for clocks in ({clock.id: clock for clock in session.clocks},)
        for result in session.results
        if result.status == "ok" and result.count > 0 and result.ops > 0
        if (clock := clocks.get(result.clock)) is not None and clock.hz > 0
    ]
    there = dict.fromkeys(result.quantity for result, _ in found)
    quantity = next((name for name in (*MAIN, *there) if name in there), None)
    mine = [(result, clock) for result, clock in found if result.quantity == quantity]
    single = [(result, clock) for result, clock in mine if result.variant.pass_ == "single"]
    under: dict[tuple[str, Variant], list[tuple[Result, Clock]]] = {}
    for result, clock in single or mine:
        under.setdefault((result.measurement, result.variant), []).append((result, clock))
    for (measurement, variant), same in sorted(under.items(), key=lambda item: item[0][1].load != "none")[:_MAIN_MOST]:
        common = stats.together(same)
        pool = stats.pool(common.results)
        if quantity is None or pool.max is None or common.clock is None:
            continue
        made = stats.summary(pool, common.clock, (99.9,))
        if made.max is None:
            continue
        yield MainFigure(
            quantity=quantity,
            under=words(variant, [one for _, one in under], without=("pass_",)),
            count=made.count,
            p999_ns=None if pool.averages else made.shown_percentile(99.9),
            max_ns=made.max,
            measurement=measurement,
            period_ns=variant.period_ns,
        )


def session_rows(run: Run, first: int) -> Iterator[dict[str, Any]]:
    """Columns of the sessions table, except the run's number, from the session `first` on."""
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
    """Columns of the results table, except the run's number, from the session `first` on."""
    of_kernel = run.kernel()
    for position, session in enumerate(run.sessions[first:], first):
        clocks = {clock.id: clock for clock in reversed(session.clocks)}
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
                **_times(stats.of_result(result, clocks.get(result.clock), (50, 99))),
                "variant": ", ".join(
                    f"{facet.key}={facet.value(result.variant)}"
                    for facet in FACETS
                    if facet.value(result.variant) != facet.usual
                ),
                "meaning": _clamped(result.meaning),
            }


def _clamped(value: int) -> int:
    """A counter clamped to the database's range. The document has it unclamped."""
    return max(-_INT64, min(value, _INT64))


def _times(of: stats.Summary | None) -> dict[str, float | None]:
    """min, mean, p50, p99 and max (ns, for one operation)."""
    if of is None:
        return dict.fromkeys(("min_ns", "mean_ns", "p50_ns", "p99_ns", "max_ns"))
    p50, p99 = of.percentiles.values()
    return {"min_ns": of.min, "mean_ns": of.mean, "p50_ns": p50, "p99_ns": p99, "max_ns": of.max}
