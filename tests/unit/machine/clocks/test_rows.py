# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of `rtstone doctor clocks`, against results whose figures are known."""

from __future__ import annotations

from typing import Any

import pytest

from rtstone.machine.clocks import HEADINGS, ClockRow, cells, remarks, rows
from rtstone.model import Clock, Figure, Losses, Result, Run, Session, Variant

FIGURES = {
    "resolution": ("ns", 1),
    "readings": ("readings", 1000),
    "same": ("readings", 250),
    "step": ("ns", 30),
    "cpus": ("cpus", 2),
    "handovers": ("readings", 2000),
    "elapsed": ("ns", 500_050_000),
    "reference": ("ns", 500_000_000),
    "apart": ("ns", 70),
    "backwards": ("readings", 0),
    "backwards-most": ("ns", 0),
}


def _run(figures: dict[str, tuple[str, int]], name: str = "clock-monotonic", **single: Any) -> Run:
    common: dict[str, Any] = {"item": 0, "measurement": name, "quantity": name, "clock": 0}
    batch = Result(**common, variant=Variant(pass_="batch"), status="ok", ops=100, batches=(10_000, 30_000))
    one = Result(
        **common
        | {"variant": Variant(), "status": "ok", "figures": tuple(Figure(k, u, v) for k, (u, v) in figures.items())}
        | single
    )
    session = Session(
        nonce="0",
        engine="1",
        port="posix",
        stream_version="1.1",
        repetition=0,
        seed=1,
        env={},
        clocks=(Clock(id=0, name="tsc", hz=2_000_000_000),),
        calibrations=(),
        degraded=(),
        results=(batch, one),
        losses=Losses(),
        complete=True,
    )
    return Run(
        id="r",
        started="2026-01-01T00:00:00Z",
        ended="2026-01-01T00:00:01Z",
        target="local",
        studies=(),
        profile="",
        seed=1,
        tool="0",
        host={},
        sessions=(session,),
        status="complete",
    )


def _row(figures: dict[str, tuple[str, int]] = FIGURES, name: str = "clock-monotonic", **single: Any) -> ClockRow:
    (row,) = rows(_run(figures, name, **single), {name: name.removeprefix("clock-")})
    return row


def test_a_clock_in_nanoseconds() -> None:
    row = _row()
    assert (row.name, row.status, row.resolution_ns, row.step_ns, row.same) == ("monotonic", "ok", 1, 30, 0.25)
    assert row.cost_ns == pytest.approx(100.0)  # 40,000 ticks of 0.5 ns over 200 readings
    assert row.drift_ppm == pytest.approx(100.0)
    assert row.drift_uncertainty_ppm == pytest.approx(0.2)  # 70 ns of the brackets and a step of 30 ns in half a second
    assert (row.cpus, row.handovers, row.backwards, row.span_s) == (2, 2000, 0, 0.5)
    assert not row.run_clock


def test_ticks_are_of_the_clocks_own_frequency() -> None:
    ticks = FIGURES | {"frequency": ("hz", 4_000_000_000), "elapsed": ("ticks", 2_000_000_000), "step": ("ticks", 8)}
    row = _row(ticks, "clock-counter")
    assert row.step_ns == pytest.approx(2.0)
    assert row.drift_ppm == pytest.approx(0.0)
    assert row.run_clock  # the session's clock is the CPU's counter


def test_ticks_of_unknown_frequency_are_no_nanoseconds() -> None:
    row = _row(FIGURES | {"elapsed": ("ticks", 5), "step": ("ticks", 8)})
    assert row.step_ns is None
    assert row.drift_ppm is None


def test_an_absent_clock_is_told_from_one_that_failed() -> None:
    assert _row({}, status="skipped", reason="unsupported").status == "absent"
    assert _row({}, status="skipped", reason="denied", text="not allowed").status == "skipped"
    broken = _row(FIGURES | {"backwards": ("readings", 3)}, status="invalid", text="backwards is 3")
    assert (broken.status, broken.reason) == ("invalid", "backwards is 3")
    assert cells(broken)[-1] == "backwards is 3"
    assert cells(broken)[4].startswith("3×")


def test_every_heading_has_its_cell() -> None:
    for row in (_row(), _row({}, status="skipped", reason="unsupported"), _row({})):
        assert len(cells(row)) == len(HEADINGS)
    assert any("0.50 s" in line for line in remarks([_row()]))
