# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""No sample is lost on its way into a chart, and only like series share one."""

from __future__ import annotations

import math
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.model import Geometry, Variant
from rtstone.show.report import _reduce
from rtstone.show.report._series import PERCENTILES, ReportSection, sections
from rtstone.stats import pool
from support.runs import CLOCK, make_histogram, make_result, make_run, make_session

_values = st.lists(st.integers(-(2**18), 2**36), min_size=1, max_size=80)


def _only(*values: int) -> ReportSection:
    (section,) = sections([make_run(results=(make_result(values=list(values)),))])
    return section


@given(_values, st.integers(2, 12))
def test_every_sample_is_in_a_bin(values: list[int], sub_bits: int) -> None:
    result = make_result(values=values)
    histogram = make_histogram(values, Geometry(sub_bits, 40, 20))
    results = [msgspec.structs.replace(result, histogram=histogram)]
    grid = _reduce.grid([(results, 1.0, 1.0)])
    assert grid is not None
    bins = list(_reduce.bins(histogram, 1.0, grid))
    assert sum(b.count for b in bins) == len(values)
    assert len(bins) <= 2 * _reduce._MOST_BINS
    assert all(b.low < b.high for b in bins)
    assert all(before.high <= after.low * (1 + 1e-9) for before, after in pairwise(bins) if before.low > 0)


def test_series_of_a_chart_share_their_bins() -> None:
    """Or a higher bar could mean a wider one."""
    results = [
        make_result(values=[100, 101, 5_000]),
        make_result(values=[40, 100, 90_000], variant=Variant(load="cpu")),
    ]
    section = sections([make_run(results=tuple(results))])[0]
    idle, loaded = (series.bins for series in section.single)
    assert {(b.low, b.high) for b in idle} & {(b.low, b.high) for b in loaded}
    assert len({round(math.log(b.high / b.low), 9) for b in (*idle, *loaded)}) == 1


@given(_values)
def test_exceedance_falls_from_all_to_the_largest(values: list[int]) -> None:
    curve = list(_reduce.exceedance(pool([make_result(values=values)]), 1.0))
    first, all_of_them = curve[0]
    assert (first, all_of_them) == (min(values), 1)
    assert curve[-1][0] >= max(values)
    shares = [share for _, share in curve]
    assert shares == sorted(shares, reverse=True)
    assert all(share > 0 for share in shares)
    for value, share in curve[1:-1]:
        # The curve has a bucket's upper end, so the share is exact there.
        assert math.isclose(share, sum(v > value for v in values) / len(values))


@given(_values, st.integers(1, 5))
def test_largest_of_all_windows_is_the_maximum(values: list[int], repetitions: int) -> None:
    windows = list(_reduce.windows([make_result(values=values)] * repetitions, 1.0))
    assert max(w.largest for w in windows) == max(values)
    assert len(windows) <= _reduce._MOST_WINDOWS + 2 * repetitions
    assert [w.at for w in windows] == sorted(w.at for w in windows)


def test_repetitions_are_one_series_with_all_their_samples() -> None:
    sessions = tuple(make_session((make_result(count=300, seed=i),), repetition=i) for i in range(3))
    (section,) = sections([make_run(sessions=sessions)])
    (series,) = section.single
    assert (series.figures.repetitions, series.figures.count) == (3, 900)
    assert sum(b.count for b in series.bins) == 900


def test_one_run_shows_its_loads_together_and_several_runs_each_by_itself() -> None:
    run = make_run(count=100)
    first = sections([run])[0]
    assert [series.label for series in first.single] == ["idle", "cpu load"]
    apart = sections([run, msgspec.structs.replace(run, id="other", label="another")])
    assert [section.variant for section in apart[:2]] == ["idle", "cpu load"]
    assert [series.label for series in apart[0].single] == ["this machine", "another"]
    assert len({section.key for section in apart}) == len(apart)


def test_unlike_circumstances_have_their_own_series() -> None:
    variants = [
        Variant(load="cpu", sched="ts"),
        Variant(load="cpu"),
        Variant(cache="flushed"),
        Variant(timer="timerfd"),
    ]
    results = tuple(make_result(item=i, variant=v, count=20) for i, v in enumerate(variants))
    (section,) = sections([make_run(results=results)])
    labels = [series.label for series in section.single]
    assert len(set(labels)) == 4
    assert labels[0] == "cpu load, time-sharing class, caches warm, timer default"


def test_clocks_of_unlike_rate_are_one_series_in_nanoseconds() -> None:
    slow = msgspec.structs.replace(CLOCK, hz=1_000_000)
    result = make_result(values=[100] * 10)
    sessions = (make_session((result,)), make_session((result,), repetition=1, clocks=(slow,)))
    (section,) = sections([make_run(sessions=sessions)])
    (series,) = section.single
    assert (series.figures.min, series.figures.max, series.figures.count) == (100, 100_000, 20)
    assert any("pooled in nanoseconds" in note.text for note in section.notes)


def test_percentile_needs_a_sample_above_it() -> None:
    figures = _only(*range(1, 101)).single[0].figures
    assert [figures.shown_percentile(p) for p in PERCENTILES[:3]] == [50, 90, 99]
    assert [figures.shown_percentile(p) for p in PERCENTILES[3:]] == [None, None]


@pytest.mark.parametrize(
    ("typical", "unit"), [(40, "ns"), (900, "µs"), (3_000, "µs"), (700_000, "ms"), (2_000_000_000, "s")]
)
def test_unit_fits_the_values(typical: int, unit: str) -> None:
    assert _only(typical, typical, typical).unit == unit


def test_skipped_quantity_says_why() -> None:
    section = sections([make_run(count=20)])[-1]
    assert section.single == ()
    assert section.skipped == (("this machine", "skipped: POSIX threads cannot be suspended"),)


def test_result_without_a_known_clock_is_told_not_drawn() -> None:
    result = msgspec.structs.replace(make_result(count=20), clock=7)
    (section,) = sections([make_run(results=(result,))])
    assert section.single == ()
