# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Tail estimates of runs whose law is known, and their refusals."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from rtstone.judge.fit import tails
from rtstone.model import Result, Run, Variant, Windows
from rtstone.show.judged.fit import tail_cells
from support.runs import CLOCK, make_result, make_run, make_session, skipped

COUNT = 20_000


def _result(seed: int, *, count: int = COUNT, raw: bool = True, scale: float = 5_000) -> Result:
    """Latencies (ns) of an exponential law: one in n is above 20000 + scale·ln n."""
    values = [int(20_000 + x) for x in np.random.default_rng(seed).exponential(scale, count)]
    made = make_result("interrupt-task-response", values=values, variant=Variant(period_ns=1_000_000))
    return replace(made, samples=np.asarray(values, dtype="<i8").tobytes() if raw else None)


def _run(*results: Result) -> Run:
    return make_run("r-1", sessions=tuple(make_session((r,), repetition=i) for i, r in enumerate(results)), degraded=())


def _on_one_clock(*results: Result, hz: int = CLOCK.hz) -> Run:
    clock = replace(CLOCK, hz=hz)
    return replace(_run(), sessions=tuple(replace(s, clocks=(clock,)) for s in _run(*results).sessions))


def test_the_estimate_holds_the_truth_and_repetitions_are_one_series() -> None:
    made = tails([_run(_result(1), _result(2))])
    assert [tail.once_in for tail in made.tails] == [1e4, 1e5]
    for tail in made.tails:
        assert tail.samples == 2 * COUNT
        truth = 20_000 + 5_000 * np.log(tail.once_in)
        assert tail.low_ns is not None
        assert tail.high_ns is not None
        assert tail.low_ns < truth < tail.high_ns
        assert tail.model == "GPD"


def test_an_estimate_is_told_by_value_and_in_nanoseconds() -> None:
    """Above any threshold, an exponential law is itself again: its shape 0, its scale the same."""
    result = _result(1)
    (tail,) = tails([_on_one_clock(result)], once_in=[1e4]).tails
    assert (tail.measurement, tail.quantity, tail.load) == (
        "interrupt-task-response",
        "interrupt-task-response",
        "none",
    )
    assert (tail.period_ns, tail.samples, tail.once_in, tail.max_ns) == (1_000_000, COUNT, 1e4, result.max)
    assert (tail.refused, tail.text != "") == ("", True)
    assert tail.value_ns == pytest.approx(20_000 + 5_000 * np.log(1e4), rel=0.1)
    assert tail.scale_ns == pytest.approx(5_000, rel=0.2)
    assert tail.location_ns is not None
    assert tail.fit_p is not None
    assert None not in (tail.shape_low, tail.shape, tail.shape_high)
    assert tail.shape_low < tail.shape < tail.shape_high  # type: ignore[operator]
    assert tail.shape_low < 0 < tail.shape_high  # type: ignore[operator]
    assert 0.05 < tail.fit_p <= 1
    above = sum(value > tail.location_ns for value in np.frombuffer(result.samples or b"", dtype="<i8"))
    assert 0.9 * above < tail.used <= above
    (half,) = tails([_on_one_clock(result, hz=2 * CLOCK.hz)], once_in=[1e4]).tails
    for name in ("value_ns", "low_ns", "high_ns", "scale_ns", "location_ns", "max_ns"):
        assert getattr(half, name) == pytest.approx(getattr(tail, name) / 2), name
    assert (half.shape, half.fit_p, half.used) == (tail.shape, tail.fit_p, tail.used)


def test_repetitions_are_one_series_in_their_order() -> None:
    parts = [_result(1, count=5_000), _result(2, count=3_000)]
    samples = b"".join(part.samples or b"" for part in parts)
    whole = replace(parts[0], count=8_000, samples=samples, max=max(part.max or 0 for part in parts))
    assert tails([_on_one_clock(*parts)]).tails == tails([_on_one_clock(whole)]).tails


@pytest.mark.parametrize(
    ("count", "expected"), [(5, [10]), (12, [10, 100]), (999, [100, 1e3]), (1_000, [1e3, 1e4]), (5_000, [1e3, 1e4])]
)
def test_without_a_wish_the_rarities_are_those_of_the_number_of_samples(count: int, expected: list[float]) -> None:
    assert [tail.once_in for tail in tails([_run(_result(1, count=count))]).tails] == expected


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of twelve at 95 %, fewer than 9 come once in five hundred times."""
    held = 0
    for seed in range(12):
        (tail,) = tails([_run(_result(100 + seed, count=5_000))], once_in=[1e4]).tails
        truth = 20_000 + 5_000 * np.log(1e4)
        held += tail.low_ns is not None and tail.high_ns is not None and tail.low_ns <= truth <= tail.high_ns
    assert held >= 9


def test_what_is_too_rare_or_has_no_order_is_refused_with_its_reason() -> None:
    (tail,) = tails([_run(_result(1, count=5_000))], once_in=[1e9]).tails
    assert (tail.refused, tail.value_ns) == ("too rare", None)
    assert tail_cells(tail)[5] == "refused"
    bare = replace(_result(1, raw=False), windows=None)
    (tail,) = tails([_run(bare)], once_in=[1e4]).tails
    assert tail.refused == "hidden"


def _windowed(seed: int, width: int) -> Result:
    """Two hundred windows of 100 samples each, their maxima alone kept; or half as many of twice the width."""
    made = _result(seed, raw=False)
    values = np.random.default_rng(seed).exponential(5_000, COUNT)
    maxima = tuple(int(20_000 + x) for x in values.reshape(-1, width).max(axis=1))
    return replace(made, windows=Windows(width, maxima))


@pytest.mark.parametrize("other", [100, 200])
def test_window_maxima_stand_in_where_no_samples_were_kept(other: int) -> None:
    (tail,) = tails([_run(_windowed(1, 100), _windowed(2, other), _windowed(3, 100))], once_in=[1e4]).tails
    assert (tail.model, tail.refused) == ("GEV", "")
    assert tail.low_ns is not None
    assert tail.high_ns is not None
    assert tail.low_ns < 20_000 + 5_000 * np.log(1e4) < tail.high_ns


def test_narrow_windows_are_joined_to_the_width_of_the_widest() -> None:
    """An odd number of them leaves one over; one without a sample says nothing of its neighbour."""
    narrow, wide = _windowed(1, 100), _windowed(2, 200)
    assert narrow.windows is not None
    assert wide.windows is not None
    maxima = (None, *narrow.windows.maxima[1:], 20_001)
    pairs = [maxima[1], *(max(a, b) for a, b in zip(maxima[2:-1:2], maxima[3::2], strict=True) if a and b), 20_001]
    joined = replace(
        narrow,
        count=2 * COUNT,
        max=max(narrow.max or 0, wide.max or 0),
        windows=Windows(200, (*pairs, *wide.windows.maxima)),
    )
    found = tails([_on_one_clock(replace(narrow, windows=Windows(100, maxima)), wide)], once_in=[1e4]).tails
    assert found == tails([_on_one_clock(joined)], once_in=[1e4]).tails
    assert found[0].model == "GEV"


def test_windows_that_do_not_fit_each_other_are_refused() -> None:
    (tail,) = tails([_run(_windowed(1, 100), _windowed(2, 160))], once_in=[1e4]).tails
    assert tail.refused == "hidden"


def test_only_what_is_asked_for() -> None:
    run = _run(_result(1, count=1_000))
    assert tails([run], names=["something-else"]).tails == ()
    assert tails([run], names=["interrupt-task-response"]).tails
    for rarity in (0.5, 1, np.inf, np.nan):
        with pytest.raises(ValueError, match="more than one"):
            tails([run], once_in=[100, rarity])


def test_what_has_no_single_samples_hides_nothing_behind_it() -> None:
    wanted, other = _result(1, count=1_000), replace(_result(2, count=500), measurement="other", quantity="other")
    results = (
        skipped("suspend-resume"),
        make_result(variant=Variant(pass_="batch")),
        replace(other, status="invalid"),
        replace(other, count=0),
        other,
        wanted,
    )
    run = make_run("r-1", sessions=(make_session(results),), degraded=())
    assert [tail.samples for tail in tails([run], once_in=[1e3]).tails] == [500, 1_000]
    for name in ("interrupt-task-response", "other"):
        assert [tail.quantity for tail in tails([run], once_in=[1e3], names=[name]).tails] == [name]


def test_circumstances_tell_tails_of_one_quantity_apart() -> None:
    slow = replace(_result(1, count=500), item=1, variant=Variant(period_ns=2_000_000))
    made = tails([_run(_result(1, count=500)), _run(slow)], once_in=[1e3]).tails
    assert [tail.circumstances for tail in made] == ["idle, period 1000 µs", "idle, period 2000 µs"]
    (alone,) = tails([_run(slow)], once_in=[1e3]).tails
    assert alone.circumstances == "idle"


@pytest.mark.parametrize("time", ["time", "instruction-time", "emulated-time"])
def test_a_time_that_is_no_machines_is_noted(time: str) -> None:
    notes = tails([replace(_run(_result(1, count=500)), time=time)], once_in=[1e3]).notes
    said = [any(words in note for note in notes) for words in ("instruction-time", "emulated time")]
    assert said == [time == "instruction-time", time == "emulated-time"]
