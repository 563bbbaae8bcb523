# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows to what people read: the cells of the table, and the remarks under it."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.machine.clocks._rows import ClockRow

HEADINGS = ("clock", "resolution", "step", "cost", "goes back", "over CPUs", "drift against raw", "")


def cells(row: ClockRow) -> tuple[str, ...]:
    """One row of the table; – stands for what is not known."""
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
    """What a reader has to know to use the table."""
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
    if value is None:
        return "–"
    if value >= 1e6:
        return f"{value / 1e6:.3g} ms"
    if value >= 1e4:
        return f"{value / 1e3:.3g} µs"
    return f"{value:.3g} ns" if value < 1000 else f"{value:.0f} ns"


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
