# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What each side has to compare: a run in; out come its quantities by variant, each with the results of its complete repetitions."""

from __future__ import annotations

import msgspec

from rtstone.model import Clock, Figure, LoadFigure, Result, Run, Variant


class Key(msgspec.Struct, frozen=True, order=True):
    """What a row is about."""

    measurement: str
    quantity: str
    variant: Variant


class Repetition(msgspec.Struct, frozen=True):
    """One result that may be believed, and the clock that it was read on."""

    result: Result
    clock: Clock


class Series(msgspec.Struct, frozen=True):
    """All that a run has of a row."""

    repetitions: tuple[Repetition, ...]
    substituted: frozenset[str]
    """Services that were substituted, each with how."""
    why_not: str
    """Where there is no repetition: why; else why some are left out."""
    load: tuple[LoadFigure, ...]
    """Of all repetitions, figures of one name added up."""
    counted: tuple[Figure, ...] = ()
    """What was counted beside the time: of all repetitions together."""

    @property
    def samples(self) -> tuple[int, ...]:
        """Of each repetition: its samples, or sets."""
        return tuple(repetition.result.count for repetition in self.repetitions)


def series(run: Run) -> dict[Key, Series]:
    """The rows of a run in the order in which they were measured. Results of incomplete sessions are not among their repetitions."""
    found: dict[Key, list[tuple[Result, Clock | None, str]]] = {}
    for session in run.sessions:
        clocks = {clock.id: clock for clock in session.clocks}
        for result in session.results:
            key = Key(result.measurement, result.quantity, result.variant)
            lacks = "" if session.complete else "the session is incomplete"
            found.setdefault(key, []).append((result, clocks.get(result.clock), lacks))
    return {key: _series(results) for key, results in found.items()}


def _series(found: list[tuple[Result, Clock | None, str]]) -> Series:
    good: list[Repetition] = []
    faults: list[str] = []
    loads: dict[tuple[str, str], int] = {}
    counted: dict[tuple[str, str], int] = {}
    for result, clock, lacks in found:
        fault = lacks or _fault(result)
        if not fault and (clock is None or clock.hz <= 0):
            fault = "its clock is unknown"
        if fault or clock is None:
            faults.append(fault)
            continue
        good.append(Repetition(result, clock))
        for figure in result.load:
            loads[figure.load, figure.key] = loads.get((figure.load, figure.key), 0) + figure.value
        for one in result.figures:
            counted[one.name, one.unit] = counted.get((one.name, one.unit), 0) + one.value
    if faults and good:
        faults[0] = f"{len(faults)} of {len(found)} repetitions left out: {faults[0]}"
    notes = (note for result, _, _ in found for note in result.notes if note.kind == "substituted")
    return Series(
        tuple(good),
        frozenset(f"{note.service}: {note.text}" if note.service else note.text for note in notes),
        faults[0] if faults else "",
        tuple(LoadFigure(load, name, value) for (load, name), value in loads.items()),
        tuple(Figure(name, unit, value) for (name, unit), value in counted.items()),
    )


def _fault(result: Result) -> str:
    """Why a result is not to be used; empty where it is."""
    if result.status != "ok":
        said = result.text or result.reason
        return f"{result.status}: {said}" if said else result.status
    return "" if result.count > 0 and result.ops > 0 else "no samples"


def words(key: Key) -> str:
    """A row in words: its quantity and its circumstances."""
    v = key.variant
    told = [key.quantity, "idle" if v.load == "none" else f"{v.load} load"]
    if v.load != "none" and v.intensity != 1:
        told[-1] += f" x{v.intensity}"
    if v.sched == "ts":
        told.append("time-sharing class")
    if v.cache != "warm":
        told.append(f"caches {v.cache}")
    if v.timer != "default":
        told.append(f"timer {v.timer}")
    if v.trace_over_ns:
        told.append(f"trails above {v.trace_over_ns / 1000:g} µs")
    if v.pass_ == "batch":
        told.append("sets of operations")
    return ", ".join(told)


_FIELDS = ("load", "intensity", "period_ns", "sched", "cache", "timer", "trace_over_ns")
_NAMES = {"period_ns": "period", "sched": "class", "cache": "caches", "trace_over_ns": "trails above"}


def variant_differences(reference: Variant, other: Variant) -> tuple[str, ...]:
    """In what two variants differ, each as `load: none | cpu`."""
    found = []
    for name in _FIELDS:
        left, right = getattr(reference, name), getattr(other, name)
        if left != right:
            if name.endswith("_ns"):
                left, right = f"{left / 1000:g} µs", f"{right / 1000:g} µs"
            found.append(f"{_NAMES.get(name, name)}: {left} | {right}")
    return tuple(found)
