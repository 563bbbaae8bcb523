# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The quality of a target's clocks: one row a clock, from the results of the measurements of clocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from rtstone.model import Result, Run, Session
from rtstone.model.units import ABSENT, duration


class ClockRow(msgspec.Struct, frozen=True, kw_only=True):
    """One clock. None: not known, or not measured."""

    name: str
    status: str
    """``ok``; ``absent`` if the target has no such clock; ``invalid`` if the clock went backwards; else the result's
    status."""
    reason: str = ""
    resolution_ns: float | None = None
    """The resolution that the system states."""
    step_ns: float | None = None
    """Smallest difference between two readings that differ."""
    same: float | None = None
    """Share of readings that are equal to the one before."""
    cost_ns: float | None = None
    """Mean time of a reading, over many in a row, by the run's clock."""
    cpus: int | None = None
    """Number of CPUs that handed readings to each other."""
    handovers: int | None = None
    backwards: int | None = None
    """Number of readings earlier than the one before, on one CPU or handed over."""
    backwards_most_ns: float | None = None
    drift_ppm: float | None = None
    """Drift against the clock that no program adjusts (CLOCK_MONOTONIC_RAW); positive: faster."""
    drift_uncertainty_ppm: float | None = None
    span_s: float | None = None
    """Time (s) over which the drift was measured."""
    run_clock: bool = False
    """Whether the run's durations were timed by this clock."""
    of: str = ""
    """A measurement whose single operations were also timed by this clock; empty: there was no such measurement."""
    of_least_ns: float | None = None
    of_mean_ns: float | None = None
    of_most_ns: float | None = None


def rows(run: Run, clocks: Mapping[str, str]) -> tuple[ClockRow, ...]:
    """One row for each clock of the run's first session, in the order of its results. `clocks`: the clock of each
    measurement."""
    session = run.sessions[0]
    found: dict[str, list[Result]] = {}
    for result in session.results:
        if result.measurement in clocks:
            found.setdefault(result.measurement, []).append(result)
    return tuple(_row(clocks[name], results, session) for name, results in found.items())


def with_figure(row: ClockRow, measurement: str, run: Run) -> ClockRow:
    """The row with the times of a measurement's single operations, from a run that was timed by this clock. Unchanged
    if the run has no such times."""
    for session in run.sessions:
        for result in session.results:
            if result.measurement != measurement or result.status != "ok" or not result.count:
                continue
            clock = session.clock(result.clock)
            return msgspec.structs.replace(
                row,
                of=measurement,
                of_least_ns=clock.ns(result.min or 0),
                of_mean_ns=clock.ns(result.sum / result.count),
                of_most_ns=clock.ns(result.max or 0),
            )
    return row


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
        # The uncertainty of each end is half its bracket, plus the part of a step that the clock does not show.
        uncertainty = ((apart or 0.0) + (step or 0.0)) / reference * 1e6
    cost = None
    if batch is not None and batch.status == "ok" and batch.batches:
        cost = session.clock(batch.clock).ns(sum(batch.batches) / (len(batch.batches) * batch.ops))
    status, reason = _status(single)
    return ClockRow(
        name=name,
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
        run_clock=_is_run_clock(name, session),
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


HEADINGS = ("clock", "resolution", "step", "cost", "goes back", "over CPUs", "drift against raw", "")


def figure(row: ClockRow) -> str:
    """Least, mean and largest time of the measured operation by this clock; – if this clock did not time it."""
    if not row.of:
        return "–"
    return f"{_ns(row.of_least_ns)} / {_ns(row.of_mean_ns)} / {_ns(row.of_most_ns)}"


def cells(row: ClockRow) -> tuple[str, ...]:
    """One row of the table, with – for unknown values."""
    if row.status == "absent":
        return (row.name, "–", "–", "–", "–", "–", "–", "not on this target, or not readable by this user")
    remark = "the run's clock" if row.run_clock else ""
    if row.status != "ok":
        remark = row.reason or row.status
    return (
        row.name,
        _ns(row.resolution_ns),
        _ns(row.step_ns),
        _ns(row.cost_ns),
        _backwards(row),
        _over_cpus(row),
        _drift(row),
        remark,
    )


def remarks(rows: Sequence[ClockRow]) -> list[str]:
    """Notes that explain the table's columns."""
    span = next((row.span_s for row in rows if row.span_s), None)
    said = [
        "resolution: as the system states it; step: smallest difference seen between two readings; cost: mean of one reading among many",
        "goes back: readings earlier than the one before, on one CPU or handed from one to another; a clock that may be set is not blamed",
    ]
    if span:
        said.append(
            f"drift: parts per million against CLOCK_MONOTONIC_RAW over {span:.2f} s, ± how far apart both readings can have been, "
            "one step of the clock included"
        )
    return said


def _ns(value: float | None) -> str:
    return ABSENT if value is None else duration(value)


def _backwards(row: ClockRow) -> str:
    if row.backwards is None:
        return "–"
    if row.backwards == 0:
        return "never"
    return f"{row.backwards}×, by up to {_ns(row.backwards_most_ns)}"


def _over_cpus(row: ClockRow) -> str:
    if row.cpus is None or row.handovers is None:
        return "–"
    return f"{row.handovers} handed over {row.cpus} CPUs" if row.handovers else "one CPU only"


def _drift(row: ClockRow) -> str:
    if row.drift_ppm is None or row.drift_uncertainty_ppm is None:
        return "–"
    return f"{row.drift_ppm:+.3f} ± {row.drift_uncertainty_ppm:.3f} ppm"
