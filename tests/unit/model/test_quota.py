# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A run that a CPU quota stopped says how much, once for each item; one that had a quota and was not stopped says nothing."""

from __future__ import annotations

import msgspec

from rtstone.model import Figure, Result, Run
from rtstone.model.quota import throttling
from rtstone.show.tables import doubts
from support.runs import make_result, make_run


def _result(item: int, stopped: int, quantity: str = "semaphore-ping") -> Result:
    figures = (
        Figure("system-quota-periods", "periods", 118),
        Figure("system-throttled-periods", "periods", stopped),
        Figure("system-throttled", "ns", stopped * 50_000_000),
        Figure("system-quota", "millicpus", 500),
    )
    return msgspec.structs.replace(make_result(quantity, item=item), figures=figures)


def _run(*results: Result) -> Run:
    return make_run(results=results)


def test_a_stopped_run_is_doubtful_by_how_much() -> None:
    # Two quantities of one item have the item's figures: they count once.
    run = _run(_result(0, 67), _result(0, 67, "semaphore-give"), _result(1, 68))
    found = throttling(run.sessions[:1])
    assert found is not None
    assert (found.periods, found.stopped, found.stopped_ns) == (236, 135, 6_750_000_000)
    assert found.text == "the CPU quota of 0.5 CPU stopped the control group in 135 of 236 periods, for 6.75 s in all"
    assert any("CPU quota of 0.5 CPU" in doubt for doubt in doubts(run))


def test_a_quota_that_never_stopped_anything_is_no_doubt() -> None:
    run = _run(_result(0, 0))
    assert throttling(run.sessions) is None
    assert not any("quota" in doubt for doubt in doubts(run))
