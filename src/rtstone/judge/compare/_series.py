# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The rows of each side: a run's quantities by variant, each with the results of its complete repetitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from rtstone.model import Clock, Figure, LoadFigure, Result, Run, Variant
from rtstone.model import variant as variants
from rtstone.model.likeness import Read, reads


class RowKey(msgspec.Struct, frozen=True, order=True):
    """Identifies a row."""

    measurement: str
    quantity: str
    variant: Variant


class Unit(NamedTuple):
    """Where a figure comes from. Decides which figures form a pair, and which belong to one run."""

    run: str
    group: str
    """Group of the run if its runs were interleaved; else empty."""
    seed: int
    number: int
    """Number of the repetition in its run."""


class Repetition(msgspec.Struct, frozen=True):
    """One usable result, and the clock that it was read on."""

    result: Result
    clock: Clock
    unit: Unit
    read: Read


class SideSeries(msgspec.Struct, frozen=True):
    """All data of a side, a run or several, for a row."""

    repetitions: tuple[Repetition, ...]
    why_not: str
    """Why there is no repetition, or why some are left out; empty if none is."""
    load: tuple[LoadFigure, ...]
    """Figures of all repetitions; those with the same name are added up."""
    counted: tuple[Figure, ...] = ()
    """Counts that were recorded with the times, added up over all repetitions."""

    @property
    def samples(self) -> tuple[int, ...]:
        """Number of samples, or sets, of each repetition."""
        return tuple(repetition.result.count for repetition in self.repetitions)


def series(runs: Sequence[Run]) -> dict[RowKey, SideSeries]:
    """The rows of a side in the order of measuring. Their repetitions do not include results of incomplete sessions.

    In deterministic runs each repetition of a seed counts once: another run of it is identical.
    """
    found: dict[RowKey, list[tuple[Read, Unit, str]]] = {}
    seen: set[tuple[RowKey, int, int, int]] = set()
    for run in runs:
        group = run.group if run.alternated else ""
        for session in run.sessions:
            clocks = {clock.id: clock for clock in session.clocks}
            for result in session.results:
                key = RowKey(result.measurement, result.quantity, result.variant)
                again = (key, session.seed, session.repetition, result.item)
                if run.deterministic and again in seen:
                    continue
                seen.add(again)
                lacks = "" if session.complete else "the session is incomplete"
                unit = Unit(run.id, group, session.seed, session.repetition)
                read = reads(run, result, clocks.get(result.clock), session.engine)
                found.setdefault(key, []).append((read, unit, lacks))
    return {key: _series(results) for key, results in found.items()}


def _series(found: list[tuple[Read, Unit, str]]) -> SideSeries:
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
    return SideSeries(
        tuple(good),
        faults[0] if faults else "",
        tuple(LoadFigure(load, name, value) for (load, name), value in loads.items()),
        tuple(Figure(name, unit, value) for (name, unit), value in counted.items()),
    )


def _fault(result: Result) -> str:
    """Why a result is not usable; empty if it is."""
    if result.status != "ok":
        said = result.text or result.reason
        return f"{result.status}: {said}" if said else result.status
    return "" if result.count > 0 and result.ops > 0 else "no samples"


def words(key: RowKey, among: Iterable[RowKey] = ()) -> str:
    """A row in words: its quantity, its circumstances, and its differences from other rows of the quantity."""
    like = (other.variant for other in among if (other.measurement, other.quantity) == (key.measurement, key.quantity))
    return f"{key.quantity}, {variants.words(key.variant, (one for one in like if one.pass_ == key.variant.pass_))}"
