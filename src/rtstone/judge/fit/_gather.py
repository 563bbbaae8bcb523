# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Collects from runs the results for each way of handling, by platform and load, with the doubts about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from rtstone.judge.fit._levels import SOURCES, EvidenceSource, Role
from rtstone.model import Clock, Result, Run, Session
from rtstone.model.likeness import Read, meanings, populations, reads
from rtstone.model.variant import words
from rtstone.model.verdict import verdict

_TIMER = "timer"


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One repetition's result, and the number of samples of its item that it does not cover."""

    result: Result
    clock: Clock
    unknown: int = 0


class EvidenceGroup(msgspec.Struct, kw_only=True):
    """All evidence of one role for one way under one load, at one period."""

    pieces: list[Piece] = []
    sources: dict[EvidenceSource, None] = {}
    doubts: dict[str, None] = {}
    skipped: dict[str, None] = {}


class EvidenceKey(msgspec.Struct, frozen=True, kw_only=True):
    """Identifies evidence that may be added up."""

    platform: str
    level: str
    way: str
    load: str
    role: Role
    period_ns: int
    quantity: str = ""
    """For parts: the quantity. Empty in the other roles, because their quantities measure the same thing."""
    source_way: str = ""
    """The name of the way, without the additions from its variant."""


def platforms(runs: Sequence[Run]) -> tuple[str, ...]:
    """The platform of each run: its target, its kernel, its CPU if recorded.

    Runs that are not one population get different names: each then also has the facts in which it differs.
    """
    usual = []
    for run in runs:
        cpu = next((session.env.get("cpu.model", "") for session in run.sessions), "")
        usual.append(", ".join(filter(None, (run.target, run.kernel(), cpu))))
    made: dict[int, str] = {}
    for name in dict.fromkeys(usual):
        own = [i for i, other in enumerate(usual) if other == name]
        apart = populations([runs[i] for i in own])
        made |= {i: ", ".join(filter(None, (name, words))) for i, words in zip(own, apart, strict=True)}
    return tuple(made[i] for i in range(len(runs)))


def run_doubts(runs: Sequence[Run]) -> tuple[str, ...]:
    """The doubts of the runs' own verdicts, each text once. A text that does not hold for all runs begins with its runs."""
    found: dict[str, list[str]] = {}
    for run in runs:
        if doubts := verdict(run).doubts:
            found.setdefault("; ".join(doubts), []).append(run.id)
    return tuple(text if len(of) == len(runs) else f"{', '.join(of)}: {text}" for text, of in found.items())


def definition_words(runs: Sequence[Run], names: Sequence[str]) -> dict[tuple[int, int, int], str]:
    """Words that distinguish a result's definition from others of its platform, measurement, quantity and variant.

    The keys are the positions of run, session and result. The words are empty if all definitions are the same.
    """
    of: dict[tuple[object, ...], list[tuple[tuple[int, int, int], Read]]] = {}
    for r, run in enumerate(runs):
        for s, session in enumerate(run.sessions):
            clocks = {clock.id: clock for clock in session.clocks}
            for n, result in enumerate(session.results):
                if result.count:
                    read = reads(run, result, clocks.get(result.clock), session.engine)
                    row = (names[r], result.measurement, result.quantity, result.variant)
                    of.setdefault(row, []).append(((r, s, n), read))
    return {
        place: words
        for row in of.values()
        for (place, _), words in zip(row, meanings([read for _, read in row]), strict=True)
    }


def gather(runs: Sequence[Run]) -> dict[EvidenceKey, EvidenceGroup]:
    """The evidence in these runs, in their order. On a deterministic board each repetition of a seed counts only once.

    Only comparable evidence is added up. Runs that are not comparable become different platforms; results with
    different definitions become different ways.
    """
    groups: dict[EvidenceKey, EvidenceGroup] = {}
    seen: set[tuple[object, ...]] = set()
    names = platforms(runs)
    apart = definition_words(runs, names)
    for r, run in enumerate(runs):
        for s, session in enumerate(run.sessions):
            for n, result, source in _speaking(session):
                v = result.variant
                key = EvidenceKey(
                    platform=names[r],
                    level=source.level,
                    way=_way(result, source, apart.get((r, s, n), "")),
                    load=v.load if v.intensity == 1 else f"{v.load} x{v.intensity}",
                    role=source.role,
                    period_ns=v.period_ns,
                    quantity=source.quantity if source.role == "part" else "",
                    source_way=source.way,
                )
                again = (key, source, session.seed, session.repetition, result.item)
                if run.deterministic and again in seen:
                    continue
                seen.add(again)
                _add(groups.setdefault(key, EvidenceGroup()), run, session, result, source)
    return groups


def _speaking(session: Session) -> Iterator[tuple[int, Result, EvidenceSource]]:
    for n, result in enumerate(session.results):
        if result.variant.pass_ != "single":
            continue
        stand_in = any(note.kind == "substituted" and note.service == _TIMER for note in result.notes)
        for source in SOURCES:
            if source.measurement != result.measurement:
                continue
            spoken = source.quantity == result.quantity and source.stand_in in (None, stand_in)
            # A skipped result counts for all quantities of its measurement.
            if spoken or result.status == "skipped":
                yield n, result, source


def _way(result: Result, source: EvidenceSource, apart: str) -> str:
    circumstances = words(result.variant, without=("pass_", "load", "intensity", "period_ns"))
    return ", ".join(filter(None, (source.way, circumstances, apart)))


def _add(group: EvidenceGroup, run: Run, session: Session, result: Result, source: EvidenceSource) -> None:
    if result.status == "skipped":
        group.skipped[result.text or result.reason] = None
        return
    group.sources[source] = None
    if not session.complete or session.losses.missing_records:
        group.doubts[f"a session of run {run.id} is incomplete"] = None
    if result.status != "ok":
        group.doubts[f"{result.status}: {result.text or result.reason}"] = None
        return
    clock = next((clock for clock in session.clocks if clock.id == result.clock), None)
    if clock is None or result.histogram is None or result.count == 0:
        group.doubts["a repetition has no samples"] = None
        return
    group.pieces.append(Piece(result=result, clock=clock, unknown=_unknown(session, result)))


def _unknown(session: Session, result: Result) -> int:
    """Number of samples of the same item that this stage lacks: the kernel's events did not account for them."""
    if "-to-" not in result.quantity:
        return 0
    whole = max(
        (r.count for r in session.results if r.item == result.item and r.quantity == "interrupt-task-response"),
        default=0,
    )
    return max(0, whole - result.count)
