# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What each side has to compare: a run in; out come its quantities by variant, each with the results of its complete repetitions."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rtstone.model import Clock, Figure, LoadFigure, Result, Run, Variant
from rtstone.model import variant as variants


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


def words(key: Key, among: Iterable[Key] = ()) -> str:
    """A row in words: its quantity and its circumstances, and in what it differs from others of its quantity."""
    like = (other.variant for other in among if (other.measurement, other.quantity) == (key.measurement, key.quantity))
    return f"{key.quantity}, {variants.words(key.variant, (one for one in like if one.pass_ == key.variant.pass_))}"
