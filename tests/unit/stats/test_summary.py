# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""One summary of a result, and that everything which prints figures prints these. Costs 3 s."""

from __future__ import annotations

import math
import statistics

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rtstone import stats
from rtstone.api import Run as ApiRun
from rtstone.archive import _figures
from rtstone.model import Clock, Extreme, Geometry, Note, Result, Variant
from rtstone.show.exporters._rows import PERCENTS, rows
from rtstone.show.report._series import sections
from rtstone.stats import has_sample_beyond, of_result, pool, summary
from support.runs import CLOCK, make_histogram, make_result, make_run

HALF = msgspec.structs.replace(CLOCK, hz=2_000_000_000)
"""A tick of it is half a nanosecond."""
LOW = Geometry(sub_bits=3, max_bits=10, negative_bits=4)
"""Coarse, and with an end: samples from 1024 on are in overflow."""


def _coarse(values: list[int]) -> Result:
    made = make_result(values=values)
    histogram = make_histogram(values, LOW)
    return msgspec.structs.replace(made, histogram=histogram, overflow=histogram.overflow)


@given(st.lists(st.integers(1, 900), min_size=2, max_size=200))
def test_a_summary_is_the_librarys(values: list[int]) -> None:
    made = summary(pool([make_result(values=values)]), HALF, (50.0, 100.0))
    assert (made.count, made.min, made.max) == (len(values), min(values) / 2, max(values) / 2)
    assert made.mean == pytest.approx(statistics.fmean(values) / 2)
    assert made.sd == pytest.approx(statistics.stdev(values) / 2)
    exact = sorted(values)[math.ceil(len(values) / 2) - 1] / 2
    median = made.percentiles[50.0]
    assert median is not None
    assert exact <= median <= exact * (1 + 2**-7)  # a bucket's highest value: never too low
    assert made.percentiles[100.0] == made.max


def test_the_largest_samples_of_a_single_result_say_more_than_its_buckets() -> None:
    """Before, the archive had 767 here and the export 700."""
    result = _coarse([100] * 97 + [650, 700, 2000])
    assert result.extremes
    for percent, expected in ((98.0, 650), (99.0, 700)):
        made = of_result(result, CLOCK, (percent,))
        assert made is not None
        assert made.percentiles[percent] == expected
    together = summary(pool([result, result]), CLOCK, (99.0,))
    assert together.percentiles[99.0] == 767  # no rule merges the largest samples of several: the bucket's end


@pytest.mark.parametrize(
    ("count", "percent", "expected"),
    [(1, 50.0, False), (2, 50.0, True), (99, 99.0, False), (100, 99.0, True), (999, 99.9, False), (1000, 99.9, True)],
)
def test_a_percentile_needs_a_sample_beyond_it(count: int, percent: float, expected: bool) -> None:
    """99.9 is no binary fraction: 1000 samples have one beyond it, though 100 - 99.9 is a little less than 0.1."""
    assert has_sample_beyond(count, percent) is expected
    made = of_result(make_result(values=list(range(1, count + 1))), CLOCK, (percent,))
    assert made is not None
    assert (made.shown_percentile(percent) is not None) is expected
    assert made.percentiles[percent] is not None


def test_figures_of_a_batch_are_of_the_averages_of_its_sets() -> None:
    """A set's total divided by its operations; sets of unlike size count alike, as the papers print them."""
    batch = Variant(pass_="batch")
    one, other = make_result(variant=batch, values=[1000, 1200]), make_result(variant=batch, values=[500])
    made = summary(pool([one, msgspec.structs.replace(other, ops=50)]), CLOCK, (50.0, 99.0))
    assert (made.count, made.min, made.max, made.mean) == (3, 10.0, 12.0, 32 / 3)
    assert made.sd == pytest.approx(statistics.stdev([10, 12, 10]))
    assert made.percentiles == {50.0: 10.0, 99.0: 12.0}
    assert (made.shown_percentile(50.0), made.shown_percentile(99.0)) == (10.0, None)


def test_a_batch_whose_sets_are_lost_is_still_of_one_operation() -> None:
    lost = msgspec.structs.replace(make_result(values=[1000, 2000]), ops=100)
    made = of_result(lost, CLOCK)
    assert made is not None
    assert (made.min, made.mean, made.max) == (10.0, 15.0, 20.0)


def test_a_deviation_that_the_source_did_not_record_is_not_known() -> None:
    known = make_result(values=[1, 2, 3])
    note = Note("substituted", "standard-deviation", "the tool prints none")
    unknown = msgspec.structs.replace(known, sumsq=0, notes=(note,))
    assert summary(pool([known]), CLOCK).sd == 1.0
    assert summary(pool([unknown]), CLOCK).sd is None
    assert summary(pool([known, unknown]), CLOCK).sd is None


def test_sums_that_no_values_have_give_no_deviation() -> None:
    broken = msgspec.structs.replace(make_result(values=[1, 2, 3]), sumsq=1)
    assert summary(pool([broken]), CLOCK).sd is None


@pytest.mark.parametrize("clock", [None, Clock(id=0, name="stopped", hz=0)])
def test_without_a_clock_there_is_no_time(clock: Clock | None) -> None:
    assert of_result(make_result(values=[1]), clock) is None
    assert of_result(make_result(values=[]), CLOCK) is None


@settings(max_examples=30)
@given(st.lists(st.integers(1, 3000), min_size=2, max_size=1500))
def test_archive_export_report_and_api_have_the_same_figures_of_a_result(values: list[int]) -> None:
    run = make_run(results=(_coarse(values),))
    (stored,) = _figures.result_rows(run, 0)
    ((exported, result, _),) = rows([run])
    (series,) = sections([run])[0].single
    of_api = ApiRun(run).quantity("semaphore-ping")
    own = stats.of_result(result, CLOCK, PERCENTS)
    assert own is not None
    for name in ("min", "mean", "max"):
        assert exported[f"{name}_ns"] == getattr(series.figures, name) == getattr(of_api, f"{name}_ns")
        assert stored[f"{name}_ns"] == getattr(own, name)
    assert exported["sd_ns"] == series.figures.sd == own.sd
    for percent in PERCENTS:
        assert exported[f"p{percent:g}_ns"] == series.figures.shown_percentile(percent) == own.shown_percentile(percent)
        assert of_api.percentile_ns(percent) == own.percentiles[percent]
    assert (stored["p50_ns"], stored["p99_ns"]) == (own.percentiles[50.0], own.percentiles[99.0])


def test_the_largest_samples_move_with_their_clock() -> None:
    """Extremes of a result are ticks of its own clock, so a single result is summed up on that."""
    result = msgspec.structs.replace(make_result(values=[5, 9]), extremes=(Extreme(9, 1, 14), Extreme(5, 0, 5)))
    made = of_result(result, HALF, (50.0,))
    assert made is not None
    assert made.percentiles[50.0] == 2.5


def test_two_sets_have_a_deviation_and_one_has_none() -> None:
    batch = Variant(pass_="batch")
    two, one = (make_result(variant=batch, values=values) for values in ([1000, 1200], [1000]))
    assert summary(pool([two]), CLOCK).sd == pytest.approx(statistics.stdev([10, 12]))
    assert summary(pool([one]), CLOCK).sd is None


def test_a_summary_names_what_it_is_of() -> None:
    lossy = msgspec.structs.replace(make_result(values=[7]), overflow=2, dropped=3)
    made = summary(pool([lossy, lossy]), CLOCK, (50.0, 99.0))
    assert (made.repetitions, made.count, made.overflow, made.dropped, made.sd) == (2, 2, 4, 6, 0)
    assert made.percentiles == {50.0: 7, 99.0: 7}
    bare = summary(pool([msgspec.structs.replace(lossy, histogram=None, min=None)]), CLOCK, (50.0,))
    assert (bare.min, bare.max, bare.sd, bare.percentiles) == (None, 7, None, {50.0: None})
    assert of_result(msgspec.structs.replace(lossy, ops=0), CLOCK) is None
