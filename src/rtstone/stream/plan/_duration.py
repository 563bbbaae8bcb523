# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How long an item of a plan should take: what progress bars show and what watchdogs wait for."""

from __future__ import annotations

from rtstone.stream.plan._model import Item

# An operation without a period and without a budget: far more than any kernel needs for one.
_OPERATION_S = 1e-4
# Among CPU-bound programs of the same class, each operation may have to wait for the time slice of every one of them.
_SLICE_S = 1e-2


def expected_seconds(item: Item) -> float:
    """Upper estimate (s): the budget where there is one and the item takes no `spare`, else the operations times the period or 100 µs,
    if that is longer.

    In the time-sharing class under a load an operation is taken to last a time slice (10 ms) of every program, its own included.
    """
    waits = item.sched == "ts" and item.load != "none"
    operation = _SLICE_S * (1 + item.intensity) if waits else _OPERATION_S
    if item.pass_ == "batch":
        work = item.sets * item.count * operation
    else:
        work = item.count * max(operation, item.period_ns * 1e-9)
    return min(work, item.budget_ms / 1e3) if item.budget_ms and not item.spare else work
