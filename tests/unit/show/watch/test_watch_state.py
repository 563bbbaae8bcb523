# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a watched measurement, and how it is drawn."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rtstone import stats
from rtstone.model import Degraded, Extreme, Figure, LoadFigure, Note, Result, Session, Variant
from rtstone.show.watch import State, clock_time, frame, one_line, slice_s
from support.runs import make_result, make_session, skipped

SPLIT = "interrupt-split"


def _session(*results: Result, **changes: Any) -> Session:
    return make_session(tuple(results), **changes)


def _split(value: int, *, told: bool = True, at: int = 7_000_000_000) -> tuple[Result, ...]:
    """Samples of which the largest is `value`, and its two stages."""

    def one(quantity: str, largest: int, at: int) -> Result:
        made = make_result(quantity, measurement=SPLIT, values=[1_000] * 99 + [largest], variant=Variant(load="cpu"))
        return msgspec.structs.replace(made, extremes=(Extreme(largest, 99, at),))

    stages_at = at if told else at + 1
    return (
        one("interrupt-task-response", value, at),
        one("expiry-to-handler", value - 3_000, stages_at),
        one("handler-to-waking", 3_000, stages_at),
    )


def test_slices_add_up_to_what_all_samples_together_are() -> None:
    state = State()
    results = [make_result("semaphore-ping", count=500, seed=seed) for seed in range(5)]
    for number, result in enumerate(results):
        state.add(_session(result), float(number))
    main = state.main
    assert main is not None
    assert main.count == 2_500 == sum(r.count for r in results)
    pooled = stats.pool(results)
    assert main.figures.percentiles[99] == pooled.percentile(99)
    assert (main.figures.min, main.figures.max) == (pooled.min, pooled.max)
    assert state.worst is not None
    assert state.worst.value_ns == pooled.max


def test_what_it_holds_does_not_grow_with_the_slices() -> None:
    state = State()
    session = _session(make_result("semaphore-ping", count=500))
    state.add(session, 0)
    before = len(msgspec.json.encode(list(state.series.values())))
    for number in range(50):
        state.add(session, float(number))
    assert len(msgspec.json.encode(list(state.series.values()))) < 1.5 * before


def test_the_largest_sample_has_its_own_stages_and_its_time() -> None:
    state = State()
    state.add(_session(*_split(50_000)), 0.0)
    state.add(_session(*_split(90_000)), 10.0)
    state.add(_session(*_split(70_000)), 20.0)
    worst = state.worst
    assert worst is not None
    assert worst.value_ns == 90_000
    assert worst.at_s == pytest.approx(17.0)
    assert worst.stages_ns == (("expiry-to-handler", 87_000.0), ("handler-to-waking", 3_000.0))
    assert "max. observed 90.0 µs (expiry-to-handler)" in one_line(state, 30)


def test_a_sample_whose_stages_are_not_told_gets_none_made_up() -> None:
    state = State()
    state.add(_session(*_split(50_000)), 0.0)
    state.add(_session(*_split(90_000, told=False)), 10.0)
    assert state.worst is not None
    assert state.worst.stages_ns == ()
    assert state.worst_split is not None
    assert state.worst_split.value_ns == 50_000
    text = _text(state)
    assert "the kernel reported no stages of that sample" in text
    assert "largest with stages: 50.0 µs: expiry-to-handler 47.0 µs" in text


def _text(state: State, width: int = 80, height: int = 24) -> str:
    return "\n".join(
        "".join(s.text for s in line) for line in frame(state, "local: x, load cpu", 83, width=width, height=height)
    )


@pytest.mark.parametrize("width", [60, 80, 132])
@pytest.mark.parametrize("height", [15, 24, 50])
def test_the_screen_fits_the_terminal(width: int, height: int) -> None:
    state = State()
    assert "measuring the first slice" in _text(state, width, height)
    loaded = tuple(
        msgspec.structs.replace(
            r,
            notes=(Note("substituted", "timer", "a thread stands in for the handler"),),
            load=(
                LoadFigure("cpu", "programs", 1),
                LoadFigure("cpu", "iterations", 5_000),
                LoadFigure("cpu", "elapsed_ns", 10**9),
            ),
            figures=(Figure("system-elapsed", "ns", 10**9), Figure("system-interrupts", "interrupts", 4_321)),
        )
        for r in _split(90_000)
    )
    degraded = (Degraded("sched", "SCHED_FIFO is not permitted " * 8, "sudo"),)
    state.add(_session(*loaded, skipped("signal-latency"), degraded=degraded, problems=("line 3: a gap",)), 0.0)
    lines = _text(state, width, height).split("\n")
    assert len(lines) < height
    assert max(map(len, lines)) <= width
    for said in (
        "0:01:23",
        "p99.9",
        "programs 1, iterations 5000/s",
        "interrupts 4321/s",
        "SCHED_FIFO",
        "substituted: a thread stands in",
        "1x line 3: a gap",
        "Ctrl-C",
    ):
        assert said in "\n".join(lines), said
    assert ("█" in "\n".join(lines)) == (height >= 24)


def test_an_end_that_was_asked_for_says_how_long_it_takes() -> None:
    lines = frame(State(), "x", 1, ending_s=12.4)
    assert lines[-1][0].text == "ending after this slice, in about 12 s; Ctrl-C again cuts it short"


def test_the_bars_hold_every_sample() -> None:
    state = State()
    state.add(_session(make_result("semaphore-ping", count=2_000)), 0.0)
    bars = [line for line in _text(state).split("\n") if " … " in line]
    assert len(bars) >= 3
    assert sum(int("".join(c for c in bar[-10:] if c.isdigit())) for bar in bars) == 2_000


def test_slices_grow_so_that_a_day_has_some_hundreds_of_them_and_end_on_time() -> None:
    measured, slices = 0.0, 0
    while measured < 86_400:
        measured += slice_s(measured)
        slices += 1
    assert slices < 520
    assert slice_s(0) == slice_s(60) == 1.0
    assert slice_s(600) == 10.0
    assert slice_s(3600, 0.4) == 0.4
    assert slice_s(3600, -1) > 0
    assert clock_time(3_723) == "1:02:03"
