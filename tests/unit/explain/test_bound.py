# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which interrupts of a trace are an item's samples. One that comes while the last sample ends is not a sample."""

from __future__ import annotations

import pytest

from rtstone.errors import IncompleteError
from rtstone.explain._bound import _observed, _slices, _within
from rtstone.explain._sections import TERMS, Section, TracePoint, Wake, Watched
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
    slices = _slices(Plan(seed=1, repetition=0, items=(item,)), make_session(results), watched, HZ)
    return [(slices[0].start, one.max) for one in _observed(watched, slices)]


def test_an_interrupt_during_the_last_sample_is_no_sample() -> None:
    assert _found([16, 60], 4000) == [(1, 2059)]
    assert _found([16, 61], 16_908) == [(1, 2059)]
    assert _found([17, 61], 16_908) == [(1, 2059)]
    assert _found([3, 16, 60, 5], 4000) == [(2, 2059)]


@pytest.mark.parametrize("counts", [[16, 59], [16, 62], [16], []])
def test_another_number_of_interrupts_is_refused(counts: list[int]) -> None:
    with pytest.raises(IncompleteError, match="are not in the trace"):
        _found(counts, 4000)


def test_a_long_item_has_a_start_each_quarter_of_a_second() -> None:
    """At 250 µs these are 1000 samples; of another load afterwards too."""
    items = tuple(
        Item(item=number, measurement="interrupt-response", count=2500, warmup=16, period_ns=250_000, load=load)
        for number, load in enumerate(("none", "cpu"))
    )
    results = [
        make_result(quantity, values=[3000] * 2500, item=number)
        for number in range(2)
        for quantity in ("interrupt-task-response", "context-switch-delay")
    ]
    watched = _watched([16, 1000, 1001, 500, 16, 1000, 1000, 501])
    slices = _slices(Plan(seed=1, repetition=0, items=items), make_session(tuple(results)), watched, HZ)
    starts = [(one.load, one.start, one.before, one.samples) for one in slices]
    own = [(0, 1000), (1000, 1000), (2000, 500)]
    assert starts == [("none", start, *one) for start, one in enumerate(own, 1)] + [
        ("cpu", start, *one) for start, one in enumerate(own, 5)
    ]
    # The longest is a slice's last sample's, and no interrupt's that came while it ended.
    assert [(one.load, one.samples, one.wakes, one.max) for one in _observed(watched, slices)] == [
        ("none", 2500, 2500, 2999),
        ("cpu", 2500, 2500, 2999),
    ]
    at = watched.handled[2][7] + 50
    section = Section(5, TracePoint(at, at, 0, 0), TracePoint(at + 5, at + 5, 0, 0))
    assert _within(section, watched, lambda _: "f", slices).sample == 1007
