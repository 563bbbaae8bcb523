# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run's columns are called, and what is said of the clock and the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rtstone.model import Run
from rtstone.tables import _format as form
from rtstone.tables._notes import Notes
from rtstone.tables._outcome import Circumstance, Outcome

THIS_MACHINE = "this machine"
REMARKS = {
    "board": "instruction-time, no time of silicon",
    "simulated": "a script's figures, of no machine",
}
"""Kinds of targets whose time is not that of a machine, and what is said at each of their figures' headings."""


def names(runs: Sequence[Run]) -> tuple[str, ...]:
    """A name for each run, no two alike: its label, or its target; the start of its id where that is not enough."""
    plain = [run.label or (THIS_MACHINE if run.target == "local" else run.target) for run in runs]
    return tuple(
        name if plain.count(name) == 1 else f"{name} {run.id[:12]}" for name, run in zip(plain, runs, strict=True)
    )


def remarks(run: Run, notes: Notes) -> tuple[int, ...]:
    """Marks for a run's heading: what it lacked, and that it is not whole."""
    texts = []
    for lack in run.degraded:
        remedy = f" Remedy: {lack.remedy}" if lack.remedy else ""
        texts.append(
            f"degraded: {lack.text}.{remedy}" if not lack.text.endswith(".") else f"degraded: {lack.text}{remedy}"
        )
    if run.status != "complete":
        texts.append(f"the run is {run.status}")
    texts.append(REMARKS.get(run.target.partition(":")[0], ""))
    return notes.marks(texts)


def footer(run: Run, name: str, outcomes: Iterable[tuple[Circumstance, Outcome]]) -> str:
    """One line on a run: its clocks, what reading them costs, and how much was measured under each circumstance."""
    told: dict[str, list[Outcome]] = {}
    for circumstance, outcome in outcomes:
        if outcome.pool is not None:
            told.setdefault(circumstance.title(), []).append(outcome)
    if not told:
        return ""
    clocks = {o.clock.id: o.clock for found in told.values() for o in found if o.clock is not None}
    parts = []
    for clock in clocks.values():
        text = f"clock {clock.name} at {form.frequency(clock.hz)}, quantum {form.duration(clock.ns(1))}"
        if clock.resolution_ticks is not None:
            text += f", resolution {form.duration(clock.ns(clock.resolution_ticks))}"
        costs = [c for s in run.sessions for c in s.calibrations if c.clock == clock.id and c.name == "clock-read"]
        if costs:
            text += f", a reading costs {form.duration(clock.ns(costs[0].median))} (not subtracted)"
        parts.append(text)
    parts += [f"{title}: {_amount(found)}{_achieved(found)}" for title, found in told.items()]
    return f"{name}: {'; '.join(parts)}; seed {run.seed}"


def _achieved(found: Sequence[Outcome]) -> str:
    """What the load had of its CPU while these were measured, where it tells."""
    # The series of one measurement ran under one load: its figures count once.
    loads = {(r.item, r.load) for o in found for r in o.results if r.load}
    elapsed_ns = sum(figure.value for _, load in loads for figure in load if figure.key == "elapsed_ns")
    cpu_ns = sum(figure.value for _, load in loads for figure in load if figure.key == "cpu_time_ns")
    return f", the load had {cpu_ns / elapsed_ns:.1%} of its CPU".replace("%", " %") if elapsed_ns else ""


def _amount(found: Sequence[Outcome]) -> str:
    pools = [o.pool for o in found if o.pool is not None]
    counts = sorted({p.count for p in pools})
    spread = form.count(counts[0]) if len(counts) == 1 else f"{form.count(counts[0])} to {form.count(counts[-1])}"
    if not any(p.averages for p in pools):
        return f"n = {spread}"
    sizes = sorted({r.ops for o in found for r in o.results if r.batches}, reverse=True)
    return f"n = {spread} sets of {_either([form.count(size) for size in sizes])} operations"


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
