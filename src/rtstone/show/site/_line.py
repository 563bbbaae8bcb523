# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A machine's line on the home page: main figures and a sparkline of the last runs for each kernel, its gate, and its urgency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rtstone.archive import FleetMachine, GateVerdict, MainFigure, Recent
from rtstone.model.units import counted, duration, minute
from rtstone.show.report._page import GATES
from rtstone.show.site._where import address

_WIDTH, _HEIGHT, _MARGIN = 132, 30, 4
"""Pixels of a sparkline; the margin has room for its dots."""
_LEAST_SPAN = 1.25
"""Least ratio of a sparkline's upper to its lower end: noise of a few percent must not look like a step."""
_LOGARITHMIC = 8
"""A sparkline is logarithmic from this ratio of the largest to the smallest figure."""

_TARGETS_MOST = 8
"""Most targets (kernels) of a machine that are shown; the others are counted."""
_ORDER = ("gate", "incomplete", "inconclusive", "doubtful", "")


def line(of: FleetMachine) -> dict[str, Any]:
    """The fields of a machine that the template shows, in addition to those of its newest run."""
    targets = list(dict.fromkeys(run.target for run in reversed(of.recent) if run.main))
    judged = next((run for run in reversed(of.recent) if run.gate is not None), None)
    gate = judged.gate if judged is not None else None
    return {
        "kernels": [_kernel(of.recent, one, named=len(targets) > 1) for one in targets[:_TARGETS_MOST]],
        "targets_of": len(targets),
        "unshown": max(0, len(targets) - _TARGETS_MOST),
        "gate": _gate(gate, judged) if gate is not None and judged is not None else None,
        "attention": attention(of.last.verdict, gate),
    }


def _kernel(recent: Sequence[Recent], target: str, *, named: bool) -> dict[str, Any]:
    """The figures of the newest run of a target, and the sparkline of its runs. `named`: the machine has several targets."""
    runs = [run for run in recent if run.target == target]
    newest = next(run for run in reversed(runs) if run.main)
    return {
        "name": target if named else "",
        "quantity": newest.main[0].quantity,
        "figures": [_figure(one) for one in newest.main],
        "spark": sparkline(runs, newest.main[0]),
    }


def attention(verdict: str, gate: GateVerdict | None) -> int:
    """The urgency of a machine; 0 is the most urgent.

    In this order: its gate failed, its newest run is incomplete, its gate could not judge, its newest run is doubtful,
    nothing is wrong.
    """
    if gate is not None and GATES[gate.outcome] == "incomplete":
        return _ORDER.index("gate")
    if verdict in {"", "incomplete"}:
        return _ORDER.index("incomplete")
    if gate is not None and gate.outcome == "inconclusive":
        return _ORDER.index("inconclusive")
    return _ORDER.index("doubtful" if verdict == "doubtful" else "")


def _figure(of: MainFigure) -> dict[str, str]:
    return {
        "under": of.under,
        "late": "" if of.p999_ns is None else duration(of.p999_ns),
        "most": duration(of.max_ns),
    }


def _gate(gate: GateVerdict, run: Recent) -> dict[str, str]:
    return {
        "outcome": gate.outcome,
        "level": GATES[gate.outcome],
        "file": gate.file,
        "at": minute(gate.at),
        "to": address("run", id=run.id),
    }


def sparkline(runs: Sequence[Recent], of: MainFigure) -> dict[str, Any] | None:
    """The main quantity from run to run, under the circumstances of `of`; None for fewer than two runs.

    `runs`: of one target. Only figures of the same measurement, period and load make one series.
    It shows the 99.9th percentile if every run has one, else the maximum observed.
    """
    there = [
        (run, found) for run in runs if (found := next((one for one in run.main if _series(one) == _series(of)), None))
    ]
    if len(there) < 2:
        return None
    late = [one.p999_ns for _, one in there if one.p999_ns is not None]
    values, name = (late, "p99.9") if len(late) == len(there) else ([one.max_ns for _, one in there], "maximum")
    low, high = min(values), max(values)
    logarithmic = low > 0 and high / low >= _LOGARITHMIC
    places = _places([math.log(value) for value in values] if logarithmic else values)
    step = (_WIDTH - 2 * _MARGIN) / (len(places) - 1)
    dots = [
        {"x": f"{_MARGIN + at * step:.1f}", "y": f"{y:.1f}", "level": run.verdict or "incomplete"}
        for at, (y, (run, _)) in enumerate(zip(places, there, strict=True))
    ]
    span = f"{duration(low)} to {duration(high)}"
    days = [run.started[:10] for run, _ in (there[0], there[-1])]
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "line": " ".join(f"{dot['x']},{dot['y']}" for dot in dots),
        "dots": [dot for at, dot in enumerate(dots) if dot["level"] != "complete" or at == len(dots) - 1],
        "span": span,
        "title": f"{name} of {of.quantity}, {of.under}: {span} in {counted(len(there), 'run')}, {days[0]} to {days[1]}"
        + (", logarithmic" if logarithmic else ""),
    }


def _series(of: MainFigure) -> tuple[object, ...]:
    """The fields that are the same in all figures of one sparkline."""
    return of.measurement, of.quantity, of.under, of.period_ns


def _places(values: Sequence[float]) -> list[float]:
    """Vertical positions in the picture, from the top. A range that is too small is widened around its middle."""
    low, high = min(values), max(values)
    least = abs(high) * (1 - 1 / _LEAST_SPAN) or 1.0
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
    inner = _HEIGHT - 2 * _MARGIN
    return [_MARGIN + inner * (high - value) / (high - low) for value in values]
