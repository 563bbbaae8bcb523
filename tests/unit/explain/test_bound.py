# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which interrupts of a trace are an item's samples: one that comes while the last sample ends is none."""

from __future__ import annotations

import pytest

from rtstone.errors import IncompleteError
from rtstone.explain._bound import _items, _observed
from rtstone.explain._sections import TERMS, Wake, Watched
from rtstone.stream.plan import Item, Plan
from support.runs import make_result, make_session

HZ, PERIOD = 62_500_000, 15_625


def _watched(counts: list[int]) -> Watched:
    """Starts of the measured interrupt with so many interrupts each; each wakes the task, the last for the longest."""
    handled: list[list[int]] = []
    wakes = []
    at = 1000
    for start, count in enumerate(counts):
        handled.append([at + number * PERIOD for number in range(count)])
        wakes += [Wake(start, one + 100, 2000 + number, 7) for number, one in enumerate(handled[-1])]
        wakes.append(
            Wake(start, at + 200, 90_000, 8)
        )  # of another task, by an interrupt that found the measured one awake
        at += (count + 10) * PERIOD
    return Watched({term: [] for term in TERMS}, [], wakes, handled, [])


def _found(counts: list[int], longest: int) -> list[tuple[int, int | None]]:
    item = Item(item=0, measurement="interrupt-response", count=60, warmup=16, period_ns=250_000)
    results = (
        make_result("interrupt-task-response", values=[4000] * 59 + [longest]),
        make_result("context-switch-delay", values=[3000] * 60),
    )
    watched = _watched(counts)
    items = _items(Plan(seed=1, repetition=0, items=(item,)), make_session(results), watched, HZ)
    return [(items[0].start, one.max) for one in _observed(watched, items)]


def test_an_interrupt_during_the_last_sample_is_no_sample() -> None:
    assert _found([16, 60], 4000) == [(1, 2059)]
    assert _found([16, 61], 16_908) == [(1, 2059)]
    assert _found([17, 61], 16_908) == [(1, 2059)]
    assert _found([3, 16, 60, 5], 4000) == [(2, 2059)]


@pytest.mark.parametrize("counts", [[16, 59], [16, 62], [16], []])
def test_another_number_of_interrupts_is_refused(counts: list[int]) -> None:
    with pytest.raises(IncompleteError, match="are not in the trace"):
        _found(counts, 4000)
