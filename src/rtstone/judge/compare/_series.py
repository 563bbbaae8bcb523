# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What each side has to compare: a run's quantities by variant, each with the results of its complete repetitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from rtstone.model import Clock, Figure, LoadFigure, Result, Run, Variant
from rtstone.model import variant as variants
from rtstone.model.likeness import Read, reads


class Key(msgspec.Struct, frozen=True, order=True):
    """What a row is about."""

    measurement: str
    quantity: str
    variant: Variant


class Unit(NamedTuple):
    """Where a figure is from: what is paired with what, and what is one run."""

    run: str
    group: str
    """Of runs that were measured by turns; else empty."""
    seed: int
    number: int
    """Of the repetition in its run."""


class Repetition(msgspec.Struct, frozen=True):
    """One result that may be believed, and the clock that it was read on."""

    result: Result
    clock: Clock
    unit: Unit
    read: Read


class Series(msgspec.Struct, frozen=True):
    """All that a side, a run or several, has of a row."""

    repetitions: tuple[Repetition, ...]
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


def series(runs: Sequence[Run]) -> dict[Key, Series]:
    """The rows of a side in the order in which they were measured. Results of incomplete sessions are not among their repetitions.

    Of deterministic runs a seed's repetition counts once: another run of it is the same.
    """
    found: dict[Key, list[tuple[Read, Unit, str]]] = {}
    seen: set[tuple[Key, int, int, int]] = set()
    for run in runs:
        group = run.group if run.alternated else ""
        for session in run.sessions:
            clocks = {clock.id: clock for clock in session.clocks}
            for result in session.results:
                key = Key(result.measurement, result.quantity, result.variant)
                again = (key, session.seed, session.repetition, result.item)
                if run.deterministic and again in seen:
                    continue
                seen.add(again)
                lacks = "" if session.complete else "the session is incomplete"
                unit = Unit(run.id, group, session.seed, session.repetition)
                read = reads(run, result, clocks.get(result.clock), session.engine)
                found.setdefault(key, []).append((read, unit, lacks))
    return {key: _series(results) for key, results in found.items()}


def _series(found: list[tuple[Read, Unit, str]]) -> Series:
    good: list[Repetition] = []
    faults: list[str] = []
    loads: dict[tuple[str, str], int] = {}
    counted: dict[tuple[str, str], int] = {}
    for read, unit, lacks in found:
        result, clock = read.result, read.clock
        fault = lacks or _fault(result)
        if not fault and (clock is None or clock.hz <= 0):
            fault = "its clock is unknown"
        if fault or clock is None:
            faults.append(fault)
            continue
        good.append(Repetition(result, clock, unit, read))
        for figure in result.load:
            loads[figure.load, figure.key] = loads.get((figure.load, figure.key), 0) + figure.value
        for one in result.figures:
            counted[one.name, one.unit] = counted.get((one.name, one.unit), 0) + one.value
    if faults and good:
        faults[0] = f"{len(faults)} of {len(found)} repetitions left out: {faults[0]}"
    return Series(
        tuple(good),
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
