# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a run met a paper's conditions: runs every check of a study on it."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Run

# The checks register themselves when their modules are imported; a new family of checks is a new file and a line here.
from rtstone.studies import (
    _check_circumstances,  # noqa: F401
    _check_interrupt,  # noqa: F401
    _check_ioc,  # noqa: F401
    _check_method,  # noqa: F401
    _check_network,  # noqa: F401
)
from rtstone.studies._checking import CHECKS, TOGETHER, Finding
from rtstone.studies._model import Study

__all__ = ["CHECKS", "TOGETHER", "Finding", "judge"]


def judge(run: Run, study: Study, beside: Sequence[Run] = ()) -> tuple[Finding, ...]:
    """The result of every condition of the study for the run, in the study's order;
    `beside`: the other runs of its table."""
    runs = [run, *(other for other in beside if other.id != run.id)]
    found = []
    for condition in study.conditions:
        if condition.check in TOGETHER:
            verdict, ours, evidence = TOGETHER[condition.check](runs, study, condition)
        else:
            verdict, ours, evidence = CHECKS[condition.check](run, study, condition)
        found.append(
            Finding(
                paper=condition.stated,
                verdict=verdict,
                ours=ours,
                evidence=evidence,
                check=condition.check,
                table=condition.table,
            )
        )
    return tuple(found)
