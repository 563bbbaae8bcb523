# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether all that a table compares was under the same load `traffic`: its achieved rates agree within what chance allows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.model.units import counted
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._outcome import circumstances, find
from rtstone.studies import Table, need

LOAD = "traffic"
ASKED_PER_S = 1000
"""Of its timer, for each unit of intensity (spec/measurements.md)."""
SIGMAS = 4.0
"""How far a count may stray: a count of the right rate strays farther once in sixteen thousand."""
EDGES = 2
"""Interrupts that the ends of an item may add or take: the first interval begins, and the last one ends, in mid-air."""


def allowed(expected: float) -> float:
    """How many interrupts an item may have more or less than expected: intervals are uniform in half to three halves of the mean."""
    return SIGMAS * math.sqrt(expected / 12) + EDGES


def disagreement(runs: Sequence[Run], table: Table) -> str:
    """A sentence on the items of a table whose load was not what was asked for; empty where all agree, or none had that load."""
    seen: set[tuple[str, int, int]] = set()
    fewest: dict[str, tuple[float, int]] = {}
    for run, name in zip(runs, labels.names(runs), strict=True):
        for one in (need(table, row, v) for v in table.variants for row in table.rows if row.measured):
            for circumstance in circumstances(run, (one,)):
                for result in find(run, one, circumstance).used:
                    told = {figure.key: figure.value for figure in result.load if figure.load == LOAD}
                    elapsed_ns, intensity = told.get("elapsed_ns", 0), told.get("intensity", 0)
                    key = (run.id, result.item, told.get("timer_interrupts", 0))
                    expected = ASKED_PER_S * intensity * elapsed_ns / 1e9
                    if key in seen or not expected:
                        continue
                    seen.add(key)
                    if abs(told.get("timer_interrupts", 0) - expected) > allowed(expected):
                        rate = told.get("timer_interrupts", 0) * 1e9 / elapsed_ns
                        worst, count = fewest.get(name, (rate, 0))
                        fewest[name] = (min(worst, rate, key=lambda r: -abs(r - ASKED_PER_S * intensity)), count + 1)
    if not fewest:
        return ""
    each = "; ".join(
        f"{name}: {form.count(round(rate))}/s at the farthest, in {counted(count, 'item')}"
        for name, (rate, count) in fewest.items()
    )
    return (
        f"not under the same load: of {LOAD}'s timer, {form.count(ASKED_PER_S)} interrupts a second for each unit of intensity"
        f" were asked for, and these strayed farther from it than chance makes them: {each}"
    )
