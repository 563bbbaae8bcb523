# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Results to rows: units are made nanoseconds, drift is made parts per million with its uncertainty."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rtstone.model import Result, Run, Session

PREFIX = "clock-"


class ClockRow(msgspec.Struct, frozen=True, kw_only=True):
    """One clock. None: not known, or not measured."""

    name: str
    status: str
    """``ok``; ``absent`` where the target has no such clock; ``invalid`` where it was found going back, else the result's status."""
    reason: str = ""
    resolution_ns: float | None = None
    """As the system states it."""
    step_ns: float | None = None
    """Smallest difference between two readings that differ."""
    same: float | None = None
    """Share of neighbouring readings that do not differ."""
    cost_ns: float | None = None
    """Mean of one reading, over many in a row, by the run's clock."""
    cpus: int | None = None
    """CPUs that handed readings to each other."""
    handovers: int | None = None
    backwards: int | None = None
    """Readings earlier than the one before, on one CPU or handed over."""
    backwards_most_ns: float | None = None
    drift_ppm: float | None = None
    """Against the clock that nobody steers; positive: faster."""
    drift_uncertainty_ppm: float | None = None
    span_s: float | None = None
    """Over which the drift was measured."""
    run_clock: bool = False
    """Whether this is what the run's durations were timed by."""


def rows(run: Run) -> tuple[ClockRow, ...]:
    """One row for each clock of the run's first session, in the order of its results."""
    session = run.sessions[0]
    found: dict[str, list[Result]] = {}
    for result in session.results:
        if result.measurement.startswith(PREFIX):
            found.setdefault(result.measurement, []).append(result)
    return tuple(_row(name, results, session) for name, results in found.items())


def _row(name: str, results: Iterable[Result], session: Session) -> ClockRow:
    single = next((r for r in results if r.variant.pass_ == "single"), None)
    batch = next((r for r in results if r.variant.pass_ == "batch"), None)
    known = {figure.name: figure for figure in (single.figures if single else ())}
    frequency = known["frequency"].value if "frequency" in known else 0

    def ns(figure: str) -> float | None:
        if figure not in known:
            return None
        one = known[figure]
        if one.unit == "ns":
            return float(one.value)
        return one.value * 1e9 / frequency if frequency else None

    def number(figure: str) -> int | None:
        return known[figure].value if figure in known else None

    readings, same = number("readings"), number("same")
    step = ns("step")
    elapsed, reference, apart = ns("elapsed"), ns("reference"), ns("apart")
    drift = uncertainty = None
    if elapsed is not None and reference:
        drift = (elapsed - reference) / reference * 1e6
        # Each end is known to half its bracket, and to what the clock does not show between two steps.
        uncertainty = ((apart or 0.0) + (step or 0.0)) / reference * 1e6
    cost = None
    if batch is not None and batch.status == "ok" and batch.batches:
        cost = session.clock(batch.clock).ns(sum(batch.batches) / (len(batch.batches) * batch.ops))
    status, reason = _status(single)
    return ClockRow(
        name=name.removeprefix(PREFIX),
        status=status,
        reason=reason,
        resolution_ns=ns("resolution"),
        step_ns=step,
        same=same / readings if readings and same is not None else None,
        cost_ns=cost,
        cpus=number("cpus"),
        handovers=number("handovers"),
        backwards=number("backwards"),
        backwards_most_ns=ns("backwards-most"),
        drift_ppm=drift,
        drift_uncertainty_ppm=uncertainty,
        span_s=reference / 1e9 if reference else None,
        run_clock=_is_run_clock(name.removeprefix(PREFIX), session),
    )


def _status(single: Result | None) -> tuple[str, str]:
    if single is None:
        return "failed", "it was not measured"
    if single.status == "skipped":
        return ("absent", "") if single.reason in {"unsupported", "unknown"} else ("skipped", single.text)
    return single.status, single.text


def _is_run_clock(name: str, session: Session) -> bool:
    used = session.clock(0).name
    return name == used or (name == "counter" and used not in {"monotonic", "CLOCK_MONOTONIC"})
