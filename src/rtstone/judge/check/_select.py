# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Selects the results of a row from runs: each repetition's result with its clock, and reasons not to believe it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone.judge.check._model import Selection
from rtstone.model import Clock, Result, Run, Variant
from rtstone.model.likeness import Read, reads
from rtstone.model.variant import FACETS, differences, words


class JudgedRepetition(msgspec.Struct, frozen=True):
    """One result, its clock, and the run, seed and repetition that it comes from."""

    result: Result
    clock: Clock
    run: str
    seed: int
    number: int
    read: Read
    machine: str = ""


class RowResults(msgspec.Struct, frozen=True, kw_only=True):
    """The results of the runs for a row."""

    repetitions: tuple[JudgedRepetition, ...] = ()
    doubts: tuple[str, ...] = ()
    """Why the row must not pass, although it may have figures."""

    @property
    def samples(self) -> int:
        """Number of samples of all repetitions."""
        return sum(one.result.count for one in self.repetitions)


def select(runs: Sequence[Run], wanted: Selection, load: str) -> RowResults:
    """The results of a row from all of these runs. An incomplete run or result becomes a doubt, never a silent gap."""
    found: list[JudgedRepetition] = []
    doubts: dict[str, None] = {}
    for run in runs:
        there = False
        if run.status != "complete":
            doubts[f"run {run.id} is {run.status}"] = None
        for session in run.sessions:
            clocks = {clock.id: clock for clock in session.clocks}
            for result in session.results:
                if not _is_meant(result, wanted, load):
                    continue
                there = True
                clock = clocks.get(result.clock)
                if result.status != "ok":
                    doubts[f"{result.status}: {result.text or result.reason}"] = None
                elif clock is None or clock.hz <= 0 or result.count == 0:
                    doubts["a repetition has no samples"] = None
                else:
                    read = reads(run, result, clock, session.engine)
                    at = (run.id, session.seed, session.repetition)
                    found.append(JudgedRepetition(result, clock, *at, read, run.machine))
        if not there:
            doubts[f"run {run.id} has no such result{_instead(run, wanted)}"] = None
    made = RowResults(repetitions=tuple(found))
    if len(several := variants(made)) > 1:
        doubts[f"several variants match it ({'; '.join(differences(*several[:2]))}): name one"] = None
    return msgspec.structs.replace(made, doubts=tuple(doubts))


def distinct(repetitions: Sequence[JudgedRepetition]) -> tuple[JudgedRepetition, ...]:
    """Each seed and repetition once. On a deterministic board another run of the same seed is not a new sample."""
    return tuple({(one.seed, one.number): one for one in repetitions}.values())


def loss(result: Result) -> int:
    """Number of samples missing from a result: requested but not taken, periods passed unseen, raw samples not sent."""
    missing = result.dropped
    for check in result.checks:
        if check.name == "periods-lost":
            missing += max(0, check.value)
        elif check.name == "samples":
            missing += max(0, check.low - check.value)
    return missing


def _is_meant(result: Result, wanted: Selection, load: str) -> bool:
    # A skipped result counts for all quantities of its measurement.
    quantity = wanted.quantity if result.status == "skipped" else result.quantity
    if (result.measurement, quantity) != (wanted.measurement, wanted.quantity):
        return False
    v = result.variant
    if v.load != load or (load != "none" and v.intensity != wanted.intensity):
        return False
    asked = {facet.name: getattr(wanted, facet.name) for facet in FACETS if facet.name not in {"load", "intensity"}}
    return all(value is None or value == getattr(v, name) for name, value in asked.items())


def variants(*found: RowResults) -> tuple[Variant, ...]:
    """The variants of the results found, each once."""
    return tuple(dict.fromkeys(one.result.variant for side in found for one in side.repetitions))


def _instead(run: Run, wanted: Selection) -> str:
    """The circumstances under which the run has the quantity instead, as the end of a sentence."""
    there = tuple(dict.fromkeys(r.variant for r in run.results() if r.quantity == wanted.quantity))
    others = sorted({words(one, there) for one in there})
    return f"; it has: {'; '.join(others[:4])}" if others else ""
