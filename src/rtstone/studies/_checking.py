# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of a paper's conditions: their form, their registration, and code that all of them share.

A check is a function of the run, the study and the condition's own entry. It returns a verdict, a description of what
we did, and the evidence in the record. A condition without evidence is not met: no check takes anything on trust.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from rtstone.model import Result, Run, load_kind
from rtstone.studies._model import Condition, Study, needs

Verdict = Literal["met", "substituted", "not met"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Result of comparing a run with a condition of a paper."""

    paper: str
    verdict: Verdict
    ours: str
    evidence: str = ""
    check: str = ""
    table: str = ""


Answer = tuple[Verdict, str, str]
"""Verdict, what we did, and the evidence in the record."""
Check = Callable[[Run, Study, Condition], Answer]

CHECKS: dict[str, Check] = {}

Together = Callable[[Sequence[Run], Study, Condition], Answer]
"""A check that needs several runs: their kernels, side by side in one table."""
TOGETHER: dict[str, Together] = {}


def check(name: str) -> Callable[[Check], Check]:
    """Registers a check under the name that study files use."""

    def register(function: Check) -> Check:
        _take(name)
        CHECKS[name] = function
        return function

    return register


def together(name: str) -> Callable[[Together], Together]:
    """Registers a check that needs all runs of a table."""

    def register(function: Together) -> Together:
        _take(name)
        TOGETHER[name] = function
        return function

    return register


def _take(name: str) -> None:
    if name in CHECKS or name in TOGETHER:
        raise ValueError(f"there are two checks named {name!r}")


def concerned(run: Run, study: Study, condition: Condition) -> list[Result]:
    """The run's results to which the condition applies, measured or not."""
    tables = [t for t in study.tables if not condition.table or t.number == condition.table]
    scope = msgspec.structs.replace(study, tables=tuple(tables))
    wanted = {(n.measurement, n.pass_) for n in needs(scope)}
    return [
        r
        for r in run.results()
        if (r.measurement, r.variant.pass_) in wanted
        and (not condition.measurements or r.measurement in condition.measurements)
        and (not condition.loads or load_kind(r.variant.load) in condition.loads)
    ]


def measured(run: Run, study: Study, condition: Condition) -> list[Result]:
    """The results to which the condition applies and that have figures."""
    return [r for r in concerned(run, study, condition) if r.count > 0]


def of_items(run: Run, results: Sequence[Result]) -> list[Result]:
    """The first of these results in each item: each result of an item repeats the load's figures, which count once."""
    wanted = {id(result) for result in results}
    firsts: dict[tuple[int, int], Result] = {}
    for number, session in enumerate(run.sessions):
        for result in session.results:
            if id(result) in wanted:
                firsts.setdefault((number, result.item), result)
    return list(firsts.values())


NOTHING: Answer = ("not met", "nothing of this was measured", "no result in the record")


def several(names: list[str], at_most: int = 4) -> str:
    """A list for a sentence; a long one is cut."""
    unique = list(dict.fromkeys(names))
    shown = ", ".join(unique[:at_most])
    return shown if len(unique) <= at_most else f"{shown} and {len(unique) - at_most} more"
