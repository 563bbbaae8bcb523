# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Sessions with separately calibrated clocks are pooled.

Unlike clocks are pooled in nanoseconds, without losing a sample.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone import api, stats
from rtstone.judge import fit
from rtstone.judge.check import Known, judge, parse
from rtstone.model import Clock, Event, Extreme, Geometry, Result, Run, Session, Windows
from rtstone.show import tables
from rtstone.show.report._series import sections
from rtstone.show.watch import State
from rtstone.stats._pooling import moved
from support.runs import GEOMETRY, calibrated, make_histogram, make_result, make_run, make_session

TSC = Clock(id=0, name="tsc", hz=2_100_000_000, source="calibrated", uncertainty_ppb=15_000, resolution_ticks=1)
MONOTONIC = Clock(id=1, name="monotonic", hz=1_000_000_000, source="definition")

_values = st.lists(st.integers(-(2**19), 2**39), min_size=1, max_size=60)


def _at(hz: int, ppb: int = 0, name: str = "tsc") -> Clock:
    return Clock(id=0, name=name, hz=hz, uncertainty_ppb=ppb)


def _ticks(clock: Clock, ns: list[int]) -> list[int]:
    return [round(value * clock.hz / 1e9) for value in ns]


def test_one_clock_is_one_name_on_one_machine_at_rates_that_agree() -> None:
    base = _at(2_100_000_000, 1_000)
    assert stats.one_clock([base, _at(2_100_004_000, 1_000)])
    assert not stats.one_clock([base, _at(2_100_004_300, 1_000)])  # 2048 ppb apart, 2000 are stated
    assert not stats.one_clock([base, _at(2_100_004_000, 1_000), _at(2_099_996_000, 1_000)])  # the ends do not agree
    assert not stats.one_clock([base, _at(2_100_000_000, 1_000, "cntvct")])
    assert stats.one_clock([_at(10**9), _at(10**9)])
    assert not stats.one_clock([_at(10**9), _at(10**9 + 1)])  # an uncertainty of 0 is exact
    assert stats.one_clock([base, base], ["a", "a"])
    assert stats.one_clock([base, base], ["a", ""])
    assert not stats.one_clock([base, base], ["a", "b"])


def test_agreeing_clocks_are_read_at_their_mean_rate_and_nothing_is_touched() -> None:
    clocks = [calibrated(n, TSC) for n in range(5)]
    assert len({clock.hz for clock in clocks}) == 5
    results = tuple(make_result(seed=n, count=50) for n in range(5))
    made = stats.together(list(zip(results, clocks, strict=True)))
    assert made.results == results
    assert abs(made.clock.hz - sum(c.hz for c in clocks) / 5) <= 0.5
    assert made.clock.spread < 15e-6
    assert made.note == ""


@given(_values, _values, st.integers(10**6, 4 * 10**9), st.integers(10**6, 4 * 10**9))
def test_what_is_moved_stays_known(a: list[int], b: list[int], hz_a: int, hz_b: int) -> None:
    """Every rank, share and sum of the samples in nanoseconds lies where the pooled histogram says that it does."""
    clocks = [_at(hz_a), _at(hz_b, name="other")]
    parts = [make_result(values=values) for values in (a, b)]
    made = stats.together(list(zip(parts, clocks, strict=True)))
    assert made.clock.moved
    pool = stats.pool(made.results)
    truth = sorted(round(Fraction(v * 10**12, hz)) for values, hz in ((a, hz_a), (b, hz_b)) for v in values)
    assert (pool.count, pool.min, pool.max) == (len(truth), truth[0], truth[-1])
    assert pool.histogram is not None
    assert sum(pool.histogram.counts()) + pool.histogram.overflow == len(truth)
    for percent in (1, 50, 90, 99.9):
        rank = max(1, -(-len(truth) * percent // 100))
        low, high = stats.percentile_range(pool.histogram, percent, minimum=pool.min, maximum=pool.max)
        assert low is not None
        assert high is not None
        assert low <= truth[int(rank) - 1] <= high
    for limit in (0, truth[0], truth[len(truth) // 2], truth[-1]):
        least, most = stats.count_above(pool.histogram, limit, minimum=pool.min, maximum=pool.max)
        assert least <= sum(v > limit for v in truth) <= most
    assert abs(pool.sum - sum(truth)) <= len(truth) / 2 + 2
    assert pool.sd is None or pool.sd >= 0


def test_a_moved_bucket_is_as_wide_as_it_was() -> None:
    """Moving adds half a picosecond an edge.

    The relative width of a bucket, which limits a percentile, stays the same.
    """
    histogram = make_histogram([1_000_003, 5, -77])
    (first, second, last) = moved([(histogram, Fraction(10, 21))]).edges
    before = list(histogram.buckets())
    for bucket, was in zip((first, second, last), before, strict=True):
        assert abs(bucket.low - was.low * 10 / 21) <= 0.5
        assert abs(bucket.high - was.high * 10 / 21) <= 0.5
        assert bucket.count == was.count


def test_histograms_of_unlike_geometry_pool_too() -> None:
    coarse = make_histogram([100, 900], Geometry(3, 40, 20))
    fine = make_histogram([100, 900], GEOMETRY)
    both = stats.merge([coarse, fine])
    assert both.count == 4
    assert stats.percentile(both, 25, minimum=100, maximum=900) == 100
    assert [b.high <= c.high for b, c in pairwise(both.buckets())] == [True] * 3


# --- every reader ---------------------------------------------------------------------------------------------------


NS = [10_000 + 37 * i % 900 for i in range(1_000)]
NAME = "interrupt-task-response"


def _run(*clocks: Clock) -> Run:
    """A repetition on each of these clocks, all of the same times."""
    sessions: list[Session] = []
    for number, clock in enumerate(clocks):
        result = make_result(NAME, measurement="interrupt-response", values=_ticks(clock, NS))
        result = msgspec.structs.replace(result, clock=clock.id)
        sessions.append(make_session((result,), repetition=number, clocks=(clock,)))
    return make_run("r", sessions=tuple(sessions), studies=())


CLOCKS = {
    "recalibrated": tuple(calibrated(n, TSC) for n in range(3)),
    "a rate beyond what is stated": (TSC, msgspec.structs.replace(TSC, hz=2_400_000_000)),
    "two clocks": (TSC, MONOTONIC),
    "rates without uncertainty": (_at(2_100_000_000), _at(2_100_000_021)),
}


def _table(run: Run) -> float:
    (cell,) = [c for line in tables.views([run])[0].tables[0].lines for c in line.cells if c.state == "value"]
    return float(cell.text.split("/")[1]) * 1000


def _report(run: Run) -> float:
    (series,) = sections([run])[0].single
    assert series.figures.count == sum(session.results[0].count for session in run.sessions)
    return series.figures.max or 0.0


def _tail(run: Run) -> float:
    """Two clocks are no one population, and a row each."""
    return max(tail.max_ns or 0.0 for tail in fit.tails([run], once_in=(100,)).tails)


def _python(run: Run) -> float:
    return api.Run(run).quantity(NAME).percentile_ns(100) or 0.0


def _watch(run: Run) -> float:
    state = State()
    for number, session in enumerate(run.sessions):
        state.add(session, float(number))
    assert state.main is not None
    return state.main.figures.max or 0.0


def _check(run: Run) -> float:
    known = Known(quantities={"interrupt-response": (NAME,)}, passes={}, studies={}, loads=("none",))
    text = 'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\nmeasurement = "interrupt-response"\n'
    report = judge(
        parse(text + 'require = ["p99.9 < 1ms"]\n', "f.toml", __import__("pathlib").Path(), known), [run], {}
    )
    return report.rows[0].observed or 0.0


READERS: dict[str, Callable[[Run], float]] = {
    "tables": _table,
    "report": _report,
    "tails": _tail,
    "python": _python,
    "watch": _watch,
    "check": _check,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("clocks", CLOCKS)
def test_every_reader_shows_a_figure_whatever_the_clocks(clocks: str, reader: str) -> None:
    """It was a `!`, or a refusal, wherever the rates were not equal to the hertz."""
    assert READERS[reader](_run(*CLOCKS[clocks])) == pytest.approx(max(NS), rel=0.01)


def test_a_cell_says_what_was_pooled_in_nanoseconds_and_the_page_what_that_adds() -> None:
    view = tables.views([_run(TSC, MONOTONIC)])[0].tables[0]
    (note,) = [text for text in view.notes if "nanoseconds" in text]
    assert note == (
        "pooled in nanoseconds, read on tsc at 2100 MHz and monotonic at 1000 MHz: moving adds 0.0005 ns at most;"
        " percentiles stay known to 0.78%"
    )
    assert not any("nanoseconds" in text for text in tables.views([_run(*CLOCKS["recalibrated"])])[0].tables[0].notes)


def test_the_footer_tells_the_rates() -> None:
    (footer,) = tables.views([_run(*CLOCKS["recalibrated"])])[0].tables[0].footers
    assert "clock tsc at 2.1 GHz, quantum 0.476 ns (3 rates, " in footer
    assert " ppm apart)" in footer


def test_sets_of_unlike_size_pool_by_operation() -> None:
    """A set that did not fit its budget has fewer operations: its average stays one of an operation."""
    batch = msgspec.convert({"pass": "batch"}, type(make_result().variant))
    results: list[Result] = [
        msgspec.structs.replace(make_result(variant=batch, values=[ops * 50] * 4), ops=ops) for ops in (100, 10)
    ]
    sessions = tuple(make_session((result,), repetition=n) for n, result in enumerate(results))
    quantity = api.Run(make_run("r", sessions=sessions)).quantity("semaphore-ping")
    assert (quantity.min_ns, quantity.max_ns) == pytest.approx((50, 50), rel=1e-5)
    assert quantity.mean_ns == pytest.approx(50, rel=1e-5)


def test_watching_holds_one_part_for_all_rates_that_agree() -> None:
    state = State()
    for number in range(40):
        clock = calibrated(number, TSC)
        state.add(make_session((make_result(values=_ticks(clock, NS)),), repetition=number, clocks=(clock,)), 0.0)
    (series,) = state.series.values()
    assert (series.count, len(series._parts)) == (40_000, 1)


# --- what moves ------------------------------------------------------------------------------------------------------

FAST, SLOW = _at(2_000_000_000, 7), _at(1_000_000_000, 9, "other")
"""A tick of them is 500 and 1000 ps."""


def _raw(*values: int) -> bytes:
    return np.array(values, dtype="<i8").tobytes()


def _of_fast(result: Result) -> Result:
    return stats.together([(result, FAST), (make_result(values=[5]), SLOW)]).results[0]


def test_every_time_of_a_result_moves() -> None:
    whole = msgspec.structs.replace(
        make_result(values=[4, 10, 6]),
        elapsed=40,
        batches=(3, 5),
        extremes=(Extreme(10, 1, 14),),
        windows=Windows(8, (None, 10)),
        events=(Event("woken", 7, 2, ticks=3),),
        samples=_raw(4, 10, 6),
    )
    found = _of_fast(whole)
    assert found.histogram is not None
    assert [(b.low, b.high, b.count) for b in found.histogram.buckets()] == [(t * 500, t * 500, 1) for t in (4, 6, 10)]
    assert found == msgspec.structs.replace(
        whole,
        min=2_000,
        max=5_000,
        sum=10_000,
        sumsq=(16 + 100 + 36) * 250_000,
        elapsed=20_000,
        batches=(1_500, 2_500),
        histogram=found.histogram,
        extremes=(Extreme(5_000, 1, 7_000),),
        windows=Windows(4_000, (None, 5_000)),
        events=(Event("woken", 3_500, 2, ticks=1_500),),
        samples=_raw(2_000, 5_000, 3_000),
    )


def test_what_a_result_does_not_have_does_not_move() -> None:
    bare = msgspec.structs.replace(make_result(values=[]), histogram=None, windows=None)
    assert _of_fast(bare) == bare


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ((), ()),
        ((2**54, -(2**54)), (500 * 2**54, -500 * 2**54)),
        ((2**55, 0), None),  # 1.8e19: beyond 64 bits, not beyond 65
        ((0, -(2**55)), None),
    ],
)
def test_samples_move_as_far_as_64_bits(samples: tuple[int, ...], expected: tuple[int, ...] | None) -> None:
    found = _of_fast(msgspec.structs.replace(make_result(values=[5]), samples=_raw(*samples)))
    assert found.samples == (None if expected is None else _raw(*expected))


def test_half_a_part_is_rounded_to_even() -> None:
    ticks = (1, 3, 4, 5, -1, -3)
    result = msgspec.structs.replace(make_result(values=[5]), batches=ticks, samples=_raw(*ticks))
    found = stats.together([(result, _at(2 * 10**12)), (result, SLOW)]).results[0]
    assert (found.batches, found.samples) == ((0, 2, 2, 2, 0, -2), _raw(0, 2, 2, 2, 0, -2))


def test_the_clock_of_what_is_pooled() -> None:
    one = make_result(values=[5])
    parts = (msgspec.structs.replace(FAST, resolution_ticks=6), SLOW)
    clock = stats.together([(one, parts[0]), (one, SLOW), (one, SLOW)]).clock
    assert (clock.moved, clock.hz, clock.uncertainty_ppb, clock.resolution_ticks) == (True, 10**12, 9, 3_000)
    assert (clock.parts, clock.quantum_ns, clock.spread, clock.ns(1_000)) == (parts, 1, 0, 1)
    near = (_at(10**9, 10), _at(10**9 + 8, 20), _at(10**9 + 8, 20))
    clock = stats.together([(one, part) for part in near]).clock
    assert (clock.moved, clock.name, clock.uncertainty_ppb, clock.resolution_ticks) == (False, "tsc", 20, None)
    assert (clock.hz, clock.parts) == (10**9 + 5, near[:2])
    assert clock.spread == pytest.approx(5e-9)
    known = stats.together([(one, near[0]), (one, msgspec.structs.replace(near[1], resolution_ticks=4))]).clock
    assert (known.resolution_ticks, known.hz) == (4, 10**9 + 4)


def test_a_clock_without_a_rate_pools_nothing() -> None:
    one = make_result(values=[5])
    for hz in (0, -1):
        with pytest.raises(ValueError, match="no rate"):
            stats.together([(one, SLOW), (one, _at(hz))])
    with pytest.raises(ValueError, match="no result"):
        stats.together([])
    assert stats.together([(one, SLOW), (one, _at(1))]).clock.moved
    machines = [stats.together([(one, SLOW), (one, SLOW)], pair).clock.moved for pair in (["a", "a"], ["a", "b"])]
    assert machines == [False, True]


def test_samples_beyond_the_buckets_add_up_and_the_ends_are_those_of_all() -> None:
    narrow, wide = Geometry(3, 10, 4), Geometry(4, 12, 6)
    parts = [make_histogram([5_000, 1], narrow), make_histogram([5_000, 6_000, 1], wide)]
    both = moved((part, Fraction(2)) for part in parts)
    assert (both.overflow, both.count, both.geometry) == (3, 5, narrow)
    assert (both.bottom, both.top) == (-32, 2_048)
