# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Headings of a run's columns, with remarks on the run, and footers with its clock and its numbers of samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rtstone.model import LINK, Clock, LoadFigure, Run
from rtstone.model import units as form
from rtstone.model.labels import names, unit_of_time
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import CellOutcome, Circumstance
from rtstone.studies import TableVariant

__all__ = ["FAILED", "SIMULATED", "footer", "names", "remarks", "unit_of_time", "way"]

SIMULATED = "a script's figures, of no machine"
_INTERRUPTS = "_interrupts"
FAILED = "failed"
"""Replaces the circumstance in the heading of a failed run without results."""
_CONFIGURATION = {
    "sched.tick_hz": "tick in Hz",
    "sched.slices": "time slices",
    "kernel.asserts": "assertions",
    "kernel.stack_checks": "stack checks",
    "kernel.mpu": "MPU",
    "kernel.masking": "masks",
    "kernel.heap": "heap",
    "kernel.inlining": "inlining",
    "kernel.options": "options",
    "kernel.compiler": "compiled by",
    "compiler.flags": "flags",
    "timer.priority": "measured interrupt at",
}
"""Configuration facts that a kernel built by this project records, and their names in notes."""


def remarks(run: Run, notes: Notes, beside: Sequence[Run] = ()) -> tuple[int, ...]:
    """Marks for a run's heading: kind of time, lacks, an incomplete status, differences from the runs `beside` it."""
    texts = []
    if run.time == "instruction-time":
        rate = run.instructions_per_second
        each = f", {form.duration(1e9 / rate)} an instruction" if rate else ""
        texts.append(f"{unit_of_time(run)}{each}: path length and blocking, not the time of real hardware")
    if run.time == "emulated-time":
        texts.append("a virtual board, emulated in real time, not deterministic: no speed of hardware")
    texts.append(run.host.get(LINK, ""))
    patch = _env(run).get("kernel.patch")
    texts += [
        _not_comparable(run, beside),
        _configuration(run, beside),
        f"its kernel has a fix: {patch}" if patch else "",
        f"the run failed: {run.error}" if run.error else "",
    ]
    for lack in run.degraded:
        remedy = f" Remedy: {lack.remedy}" if lack.remedy else ""
        texts.append(
            f"degraded: {lack.text}.{remedy}" if not lack.text.endswith(".") else f"degraded: {lack.text}{remedy}"
        )
    if run.status != "complete":
        texts.append(f"the run is {run.status}")
    texts.append(SIMULATED if run.target.partition(":")[0] == "simulated" else "")
    return notes.marks(texts)


def beside_other_platforms(run: Run, beside: Sequence[Run]) -> bool:
    """Whether the run is of a virtual board, and a run beside it of one with another emulator, flags or clock."""
    boards = _boards(beside)
    return run in boards and len({other.host["board.platform"] for other in boards}) > 1


def _boards(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.time != "time" and "board.platform" in run.host]


def _not_comparable(run: Run, beside: Sequence[Run]) -> str:
    """A note if another run of a virtual board has another emulator, other flags, or another image of its kernel."""
    boards = _boards(beside)
    if run not in boards:
        return ""
    platform = run.host["board.platform"]
    if beside_other_platforms(run, beside):
        emulator = run.host.get("board.emulator", "unknown emulator")
        return f"board {run.host.get('board.id', '')}, platform {platform} ({emulator}): not comparable with other platforms' figures"
    images = {other.host.get("board.identity", "") for other in boards if other.target == run.target}
    if len(images) > 1:
        return (
            f"identity {run.host.get('board.identity', '')}: not comparable with the same target's other image or flags"
        )
    return ""


def _configuration(run: Run, beside: Sequence[Run]) -> str:
    """A note on how the configuration differs from kernels beside it; empty without one (bare metal, Linux)."""
    configurations = [
        _configured(other) for other in (run, *beside) if other.host.get("board.id") == run.host.get("board.id")
    ]
    configurations = [configured for configured in configurations if configured]
    own = _configured(run)
    unlike = [
        key for key in _CONFIGURATION if own and len({other.get(key, "not told") for other in configurations}) > 1
    ]
    said = "; ".join(f"{_CONFIGURATION[key]}: {own.get(key, 'not told')}" for key in unlike)
    return f"configured differently from a kernel beside it: {said}" if said else ""


def _env(run: Run) -> dict[str, str]:
    return run.sessions[0].env if run.sessions else {}


def _configured(run: Run) -> dict[str, str]:
    env = _env(run)
    if "sched.slices" not in env:
        return {}
    facts = {"kernel.compiler": env.get("compiler", ""), **env}  # a kernel in another language records its own
    return {key: facts[key] for key in _CONFIGURATION if facts.get(key)}


def way(run: Run, variant: TableVariant) -> str:
    """A variant's title; for transfers between the two kernels of a board, the sender and the receiver."""
    near, _, far = run.host.get("board.kernel", "").partition("+")
    if not (far and run.host.get("board.peer")) or variant.requires != "peer":
        return variant.title
    return f"{far} → {near}" if "-from-" in variant.measurement else f"{near} → {far}"


_AT_THE_VECTOR = "; the stamp at the vector is only one read of a register"


def footer(run: Run, name: str, outcomes: Iterable[tuple[Circumstance, CellOutcome]]) -> str:
    """One line on a run: its clocks, the cost of reading them, and the number of samples under each circumstance."""
    outcomes_of: dict[str, list[CellOutcome]] = {}
    for circumstance, outcome in outcomes:
        if outcome.pool is not None:
            outcomes_of.setdefault(circumstance.title(), []).append(outcome)
    if not outcomes_of:
        return ""
    clocks = {o.clock for found in outcomes_of.values() for o in found if o.clock is not None}
    of_sessions: dict[tuple[int, str], list[Clock]] = {}
    for clock in sorted({part for pooled in clocks for part in pooled.parts}, key=lambda c: (c.id, c.hz)):
        of_sessions.setdefault((clock.id, clock.name), []).append(clock)
    at_vector = {
        result.clock
        for found in outcomes_of.values()
        for outcome in found
        for result in outcome.results
        if result.entered == "vector"
    }
    parts = []
    for same in of_sessions.values():
        clock = same[len(same) // 2]
        text = f"clock {clock.name} at {form.frequency(clock.hz)}, quantum {form.duration(clock.ns(1))}"
        if len(same) > 1:
            text += f" ({len(same)} rates, {(same[-1].hz / same[0].hz - 1) * 1e6:.3g} ppm apart)"
        if clock.resolution_ticks is not None:
            text += f", resolution {form.duration(clock.ns(clock.resolution_ticks))}"
        costs = {c.name: c for s in reversed(run.sessions) for c in s.calibrations if c.clock == clock.id}
        if "clock-read" in costs:
            cost = form.duration(clock.ns(costs["clock-read"].median))
            text += f", a reading costs {cost} (not subtracted{_AT_THE_VECTOR if clock.id in at_vector else ''})"
        if "ping-account" in costs:
            text += f", a ping's accounts {form.duration(clock.ns(costs['ping-account'].median))} a round (neither)"
        parts.append(text)
    parts += [f"{title}: {_amount(found)}{_achieved(found)}" for title, found in outcomes_of.items()]
    unit = f"; {unit_of_time(run)}" if run.time != "time" else ""
    return f"{name}: {'; '.join(parts)}; seed {run.seed}{unit}"


def _achieved(found: Sequence[CellOutcome]) -> str:
    """The load's achievement in these measurements, if recorded: share of the CPU, interrupts a second by source."""
    # The series of one measurement ran under one load: its figures count once.
    loads = {(r.item, r.load) for o in found for r in o.results if r.load}
    names = sorted({figure.load for _, load in loads for figure in load})
    # Loads that ran together each have figures of their own. Several loads are named.
    return "".join(_load_rates(loads, name, f"the load {name}" if len(names) > 1 else "the load") for name in names)


def _load_rates(loads: Iterable[tuple[int, tuple[LoadFigure, ...]]], name: str, called: str) -> str:
    sums: dict[str, int] = {}
    for _, load in loads:
        for figure in load:
            if figure.load == name:
                sums[figure.key] = sums.get(figure.key, 0) + figure.value
    elapsed_ns = sums.get("elapsed_ns", 0)
    if not elapsed_ns:
        return ""
    share = ""
    if "cpu_time_ns" in sums:
        share = f", {called} had {sums['cpu_time_ns'] / elapsed_ns:.1%} of its CPU".replace("%", " %")
    rates = [
        f"{key.removesuffix(_INTERRUPTS).replace('_', ' ')} {form.count(round(value * 1e9 / elapsed_ns))}/s"
        for key, value in sums.items()
        if key.endswith(_INTERRUPTS)
    ]
    return f"{share}, {called}'s interrupts: {', '.join(rates)}" if rates else share


def _amount(found: Sequence[CellOutcome]) -> str:
    pools = [o.pool for o in found if o.pool is not None]
    counts = sorted({p.count for p in pools})
    spread = form.count(counts[0]) if len(counts) == 1 else f"{form.count(counts[0])} to {form.count(counts[-1])}"
    if not any(p.averages for p in pools):
        return f"n = {spread}"
    sizes = sorted({r.ops for o in found for r in o.results if r.batches}, reverse=True)
    readings = max(r.readings for o in found for r in o.results if r.batches)
    carried = f", up to {form.count(readings)} clock readings in each" if readings > 1 else ""
    return f"n = {spread} sets of {_either([form.count(size) for size in sizes])} operations{carried}"


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
