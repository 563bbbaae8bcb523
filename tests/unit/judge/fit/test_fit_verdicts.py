# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of levels from runs whose misses are known."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import jsonschema
import msgspec
import numpy as np
import pytest
from scipy.stats import beta, binom

from rtstone.cli.fit import _again, _own_periods
from rtstone.judge.fit import Asked, Level, Report, Row, judge, lacks_measurements, samples_needed, samples_to_decide
from rtstone.judge.fit._parts import bound, divisions
from rtstone.model import Degraded, Losses, Note, Result, Run, Session, Variant
from rtstone.model.idle import OTHERS
from rtstone.show.document import DocumentTable
from rtstone.show.judged.fit import cells, conclusion, document, report_lines
from support.runs import CLOCK, make_result, make_run, make_session, skipped
from support.schemas import schema

PERIOD_NS = 1_000_000
ASKED = Asked(period_ns=PERIOD_NS, deadline_ns=100_000, exceedance=1e-2)
STAND_IN = Note("substituted", "timer", "a thread stands in for the handler")


def _result(
    measurement: str,
    quantity: str,
    *,
    samples: int = 1000,
    late: int = 0,
    load: str = "none",
    period_ns: int = PERIOD_NS,
    stand_in: bool = False,
    item: int = 0,
) -> Result:
    values = [250_000] * late + [20_000 + i for i in range(samples - late)]
    made = make_result(
        quantity, measurement=measurement, item=item, values=values, variant=Variant(load=load, period_ns=period_ns)
    )
    return msgspec.structs.replace(made, notes=(STAND_IN,) if stand_in else ())


def _run(*results: Result, **changes: Any) -> Run:
    return make_run("r-1", results=tuple(results), degraded=(), **changes)


def _level(report: Report, name: str) -> Level:
    return next(level for level in report.levels if level.level == name)


def _assert_row(row: Row, **expected: object) -> None:
    for name, value in expected.items():
        assert getattr(row, name) == (pytest.approx(value) if isinstance(value, float) else value), name


@pytest.mark.parametrize(
    ("misses", "share", "confidence"), [(0, 1e-6, 0.95), (0, 0.3, 0.9), (1, 1e-3, 0.95), (7, 1e-2, 0.99)]
)
def test_samples_needed_is_the_smallest_number_that_shows_it(misses: int, share: float, confidence: float) -> None:
    needed = samples_needed(misses, share, confidence)
    assert binom.cdf(misses, needed, share) <= 1 - confidence
    assert binom.cdf(misses, needed - 1, share) > 1 - confidence


@pytest.mark.parametrize(("share", "confidence"), [(0, 0.9), (1, 0.9), (0.1, 0), (0.1, 1)])
def test_no_number_of_samples_shows_what_is_certain(share: float, confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        samples_needed(0, share, confidence)


def test_without_a_miss_it_is_the_rule_of_three() -> None:
    assert samples_needed(0, 1e-6, 0.95) == pytest.approx(3e6, rel=0.002)


def test_a_thread_that_never_missed_meets_it_and_the_bound_is_clopper_and_pearsons() -> None:
    report = judge(ASKED, [_run(_result("interrupt-response", "interrupt-task-response"))])
    assert report.outcome == "meets"
    row = _level(report, "thread").ways[0].rows[0]
    assert (row.samples, row.misses, row.misses_most) == (1000, 0, 0)
    assert row.exceedance_bound == pytest.approx(beta.ppf(0.95, 1, 1000))
    assert row.per_hour_bound == pytest.approx(3_600_000 * beta.ppf(0.95, 1, 1000))


def test_a_few_misses_leave_it_open_and_say_how_many_samples_decide() -> None:
    report = judge(ASKED, [_run(_result("interrupt-response", "interrupt-task-response", late=8))])
    row = _level(report, "thread").ways[0].rows[0]
    assert (row.verdict, report.outcome) == ("not shown", "not shown")
    assert row.exceedance == pytest.approx(0.008)
    assert row.exceedance_bound == pytest.approx(beta.ppf(0.95, 9, 992))
    assert row.per_hour == pytest.approx(0.008 * 3_600_000)
    assert report.count_needed == row.needed == samples_to_decide(8, 1000, 1e-2, meets=0.95, fails=0.95, power=0.9)
    assert row.needed > samples_needed(8, 1e-2, 0.95), "misses go on"


@pytest.mark.parametrize(
    ("misses", "samples", "share"), [(0, 100, 1e-2), (3, 600, 1e-2), (8, 1000, 1e-2), (13, 1000, 1e-2), (1, 2000, 1e-3)]
)
def test_the_samples_that_are_asked_for_decide_in_nine_of_ten_cases(misses: int, samples: int, share: float) -> None:
    """Simulated: measured again at the observed rate, the verdict is no longer open."""
    asked = msgspec.structs.replace(ASKED, exceedance=share)
    first = judge(asked, [_run(_result("interrupt-response", "interrupt-task-response", late=misses, samples=samples))])
    assert first.outcome == "not shown"
    count = first.count_needed
    trials = 2000
    lates = binom.rvs(count, misses / samples, size=trials, random_state=11)
    decided = int(np.sum((binom.cdf(lates, count, share) <= 0.05) | (binom.sf(lates - 1, count, share) <= 0.05)))
    assert binom.cdf(decided, trials, 0.9) > 1e-3, decided / trials
    # A tenth fewer do not: no more is asked for than is needed.
    if misses:
        fewer = round(0.9 * count)
        lates = binom.rvs(fewer, misses / samples, size=trials, random_state=12)
        undecided = np.sum((binom.cdf(lates, fewer, share) > 0.05) & (binom.sf(lates - 1, fewer, share) > 0.05))
        assert int(undecided) > 0.08 * trials


@pytest.mark.parametrize(
    ("misses", "samples", "meets", "fails", "power"),
    [(2, 1000, 0.95, 0.99, 0.9), (5, 1000, 0.99, 0.9, 0.8), (20, 1000, 0.99, 0.9, 0.95), (999, 1000, 0.9, 0.99, 0.9)],
)
def test_the_number_that_decides_is_the_least_to_a_thousandth(
    misses: int, samples: int, meets: float, fails: float, power: float
) -> None:
    """By the binomial law: the probability of a number of misses that decides, at the observed rate."""
    share, rate = 0.01, misses / samples

    def decides(count: int) -> bool:
        missed = np.arange(count + 1)
        if rate < share:
            decided = binom.cdf(missed, count, share) <= 1 - meets
        else:
            decided = binom.sf(missed - 1, count, share) <= 1 - fails
        return float(binom.pmf(missed, count, rate)[decided].sum()) >= power

    found = samples_to_decide(misses, samples, share, meets=meets, fails=fails, power=power)
    assert found is not None
    assert decides(found)
    if found > 1 / share:  # where it looks first
        assert not all(decides(count) for count in range(found - max(1, found // 1000), found))


def test_a_rate_next_to_the_one_allowed_asks_for_no_number() -> None:
    assert samples_to_decide(10, 1000, 1e-2, meets=0.95, fails=0.95, power=0.9) is None
    for misses, samples in ((2, 1), (-1, 1), (0, 0)):
        with pytest.raises(ValueError, match="among"):
            samples_to_decide(misses, samples, 1e-2, meets=0.95, fails=0.95, power=0.9)


@pytest.mark.parametrize(
    ("level", "role", "measurement", "quantity", "able"),
    [
        ("user-level ISR", "response", "signal-latency", "signal-latency", 1),
        ("user-level ISR", "later", "user-isr-total", "interrupt-task-response", 2),
        ("bottom half", "part", "interrupt-stages", "top-to-bottom-half", 0),
    ],
)
@pytest.mark.parametrize("late", [0, 8, 10, 100])
def test_a_row_is_told_by_value(level: str, role: str, measurement: str, quantity: str, able: int, late: int) -> None:
    """Two repetitions, all misses in the second. `able` rows can show that a way meets it."""
    results = (_result(measurement, quantity, samples=600), _result(measurement, quantity, samples=400, late=late))
    sessions = tuple(make_session((result,), repetition=i, clocks=(CLOCK,)) for i, result in enumerate(results))
    row = _level(judge(ASKED, [_run(sessions=sessions)]), level).ways[0].rows[0]
    confidence = 1 - 0.05 / max(1, able)
    bounded = None if role == "part" else float(beta.ppf(confidence, late + 1, 1000 - late))
    verdict = "not shown"
    if late == 0 and role != "part":
        verdict = "meets"
    if late == 100 and role != "later":
        verdict = "does not meet"
    needed = (
        samples_to_decide(8, 1000, 1e-2, meets=0.95, fails=0.95, power=0.9) if (role, late) == ("response", 8) else 0
    )
    _assert_row(
        row,
        load="none",
        role=role,
        measurements=(measurement,),
        quantities=(quantity,),
        samples=1000,
        repetitions=2,
        period_ns=PERIOD_NS,
        misses=late,
        misses_most=late,
        exceedance=late / 1000,
        exceedance_bound=bounded,
        per_hour=3600.0 * late,
        per_hour_bound=None if bounded is None else 3_600_000 * bounded,
        max_ns=250_000.0 if late else 20_599.0,
        verdict=verdict,
        needed=needed,
    )
    assert bool(row.why) == ((role, late) != ("response", 0))
    assert not needed or str(needed) in row.why


def test_too_many_misses_do_not_meet_it() -> None:
    report = judge(ASKED, [_run(_result("interrupt-response", "interrupt-task-response", late=30))])
    assert _level(report, "thread").verdict == report.outcome == "does not meet"
    assert report.count_needed == 0
    assert any("no level that was measured meets it" in line for line in conclusion(report))


def test_a_sample_at_the_deadline_keeps_it() -> None:
    exact = make_result(
        "interrupt-task-response",
        measurement="interrupt-response",
        values=[100_000] * 1000,
        variant=Variant(period_ns=PERIOD_NS),
    )
    assert judge(ASKED, [_run(exact)]).outcome == "meets"


def test_false_verdicts_are_no_more_frequent_than_said() -> None:
    """The true share is the wanted one exactly: "meets" would be wrong, and may be said in one of twenty cases."""
    import random

    source, wrong, trials = random.Random(4), 0, 400
    for _ in range(trials):
        late = sum(source.random() < 0.01 for _ in range(1000))
        found = judge(ASKED, [_run(_result("interrupt-response", "interrupt-task-response", late=late))])
        wrong += found.outcome == "meets"
    assert binom.sf(wrong - 1, trials, 0.05) > 1e-3, wrong


MANY = (
    ("interrupt-response", "interrupt-task-response", False),
    ("interrupt-response", "interrupt-service-response", False),
    ("interrupt-total", "interrupt-task-response", False),
    ("interrupt-stages", "interrupt-service-response", False),
    ("interrupt-split", "interrupt-task-response", False),
    ("interrupt-split", "expiry-to-handler", False),
    ("signal-latency", "signal-latency", False),
    ("signal-latency", "signal-process-response", False),
    ("user-isr-total", "interrupt-task-response", False),
)
"""Ways to every level, of which the best is taken."""


@cache
def _many(way: int, late: int, samples: int) -> Result:
    measurement, quantity, stand_in = MANY[way]
    return _result(measurement, quantity, samples=samples, late=late, stand_in=stand_in, item=way)


@pytest.mark.parametrize("trials", [200, pytest.param(4000, marks=pytest.mark.long)])
def test_the_best_of_many_ways_is_wrong_no_more_often_than_said(trials: int) -> None:
    """Each way misses exactly at the allowed rate, or at the rate that refutes it.

    Any verdict that one meets, or fails, is an error.
    """
    import numpy as np

    draw, samples, share = np.random.default_rng(5), 400, 0.05
    meets = fails = naive = 0
    asked = msgspec.structs.replace(ASKED, exceedance=share)
    for _ in range(trials):
        late = draw.binomial(samples, share, len(MANY))
        report = judge(asked, [_run(*(_many(i, int(n), samples) for i, n in enumerate(late)))])
        verdicts = {way.verdict for level in report.levels for way in level.ways}
        meets += "meets" in verdicts
        fails += "does not meet" in verdicts
        naive += any(binom.cdf(n, samples, share) <= 0.05 for n in late)
    assert report.rows_able > len(MANY)
    for wrong in (meets, fails):
        assert wrong <= binom.ppf(0.999, trials, 0.05)
    assert naive > 3 * binom.ppf(0.999, trials, 0.05) / 2, (
        "without a share of the confidence each, it would be far more often"
    )


def test_rows_share_the_confidence_and_say_so() -> None:
    run = _run(
        _result("interrupt-response", "interrupt-task-response"), _result("signal-latency", "signal-latency", item=1)
    )
    report = judge(ASKED, [run])
    assert report.rows_able == 2
    rows = [row for level in report.levels for way in level.ways for row in way.rows if row.samples]
    assert [row.exceedance_bound for row in rows] == pytest.approx([beta.ppf(1 - 0.05 / 2, 1, 1000)] * 2)
    assert any("for all 2 rows together" in note for note in report.notes)
    alone = judge(ASKED, [_run(_result("signal-latency", "signal-latency"))])
    assert alone.rows_able == 1
    assert not any("together" in note for note in alone.notes)


def test_a_way_must_meet_it_under_each_load_that_was_measured() -> None:
    run = _run(
        _result("interrupt-response", "interrupt-task-response"),
        _result("interrupt-response", "interrupt-task-response", load="cpu", late=50, item=1),
        _result("signal-latency", "signal-latency", item=2),
    )
    report = judge(ASKED, [run])
    assert _level(report, "thread").verdict == "does not meet"
    isr = _level(report, "user-level ISR")
    assert isr.verdict == "not shown", "it was measured idle only, others under load too"
    assert [row.verdict for row in isr.ways[0].rows] == ["meets", "not measured"]
    assert "not measured" in isr.ways[0].rows[1].why
    assert report.loads == ("none", "cpu")


def test_a_thread_that_stands_in_for_the_handler_is_no_top_half() -> None:
    run = _run(
        _result("interrupt-response", "interrupt-service-response", stand_in=True),
        _result("interrupt-total", "interrupt-task-response", stand_in=True, item=1),
    )
    report = judge(ASKED, [run])
    assert _level(report, "top half").verdict == "not measured"
    assert _level(report, "bottom half").verdict == "not measured"
    assert {way.name for way in _level(report, "thread").ways} == {
        "woken by the kernel's timer",
        "woken through two other threads",
    }


def test_what_comes_later_in_time_shows_a_level_and_a_part_can_only_refute_it() -> None:
    later = _result("interrupt-total", "interrupt-task-response")
    part = _result("interrupt-stages", "top-to-bottom-half", item=1)
    assert _level(judge(ASKED, [_run(later, part)]), "bottom half").verdict == "meets"
    assert _level(judge(ASKED, [_run(part)]), "bottom half").verdict == "not shown"
    late_part = _result("interrupt-stages", "top-to-bottom-half", item=1, late=100)
    assert _level(judge(ASKED, [_run(late_part)]), "bottom half").verdict == "does not meet"
    late = _result("interrupt-total", "interrupt-task-response", late=100)
    report = judge(ASKED, [_run(late)])
    assert _level(report, "bottom half").verdict == "not shown", (
        "the thread was late, the bottom half may not have been"
    )
    assert _level(report, "thread").verdict == "does not meet"


def test_parts_together_show_a_level_by_a_bound_that_holds_however_they_depend() -> None:
    """Two parts of one law: late together where they depend fully. The true share of A + B > D must not pass the bound too often."""
    from random import Random

    parts = (
        _result("interrupt-stages", "interrupt-service-response"),
        _result("interrupt-stages", "top-to-bottom-half", item=1),
    )
    few = _level(judge(ASKED, [_run(*parts)]), "bottom half")
    row = next(row for row in few.ways[0].rows if row.role == "sum")
    assert (few.verdict, row.verdict, row.misses_most) == ("not shown", "not shown", 0)
    assert row.needed > 1000
    enough = (
        _result("interrupt-stages", "interrupt-service-response", samples=row.needed),
        _result("interrupt-stages", "top-to-bottom-half", samples=row.needed, item=1),
    )
    # 20 to 22 us each: kept at any division that leaves each part a fifth.
    assert _level(judge(ASKED, [_run(*enough)]), "bottom half").verdict == "meets"

    source, wrong = Random(8), 0
    limit, truth = 8.0, math.exp(-4.0)  # A = B, exponential: P(2A > 8)
    for _ in range(200):
        a, b = ([source.expovariate(1) for _ in range(1000)] for _ in range(2))
        counted = [
            [(sum(x > share * limit for x in part), 1000) for share, part in zip(division, (a, b), strict=True)]
            for division in divisions(2)
        ]
        wrong += bound(counted, 0.95).at_most < truth
    assert wrong <= 20


@pytest.mark.parametrize(
    ("late", "unknown", "verdict"),
    [((0, 0), 0, "meets"), ((2, 1), 0, "not shown"), ((0, 0), 1, "not shown"), ((2, 0), 20, "not shown")],
)
@pytest.mark.parametrize("doubtful", [False, True])
def test_the_row_of_all_parts_is_told_by_value(
    late: tuple[int, int], unknown: int, verdict: str, doubtful: bool
) -> None:
    """The first part has 2000 samples in two repetitions, the second 1000 in one, of which some are not accounted for.

    All are kept at the divisions that leave each part 40 % of the deadline.
    """
    first = _result("interrupt-stages", "interrupt-service-response", late=late[0])
    second = _result("interrupt-stages", "top-to-bottom-half", samples=1000 - unknown, late=late[1])
    whole = _result("interrupt-stages", "interrupt-task-response")
    sessions = [make_session((first, second, whole)), make_session((_result("interrupt-stages", first.quantity),))]
    if doubtful:
        bad = msgspec.structs.replace(second, status="invalid", text="periods-lost is 3")
        sessions.append(make_session((bad,)))
    numbered = (msgspec.structs.replace(s, repetition=i, clocks=(CLOCK,)) for i, s in enumerate(sessions))
    report = judge(ASKED, [_run(sessions=tuple(numbered))])
    way = _level(report, "bottom half").ways[0]
    row = next(row for row in way.rows if row.role == "sum")
    assert report.rows_able == 2, "this one, and the handler's own"
    misses = (late[0], late[1] + unknown)
    one = 1 - 0.05 / 2 / (2 * 7)  # two parts at seven divisions
    share = misses[0] / 2000 + misses[1] / 1000
    most = float(sum(beta.ppf(one, k + 1, n - k) for k, n in zip(misses, (2000, 1000), strict=True)))
    if doubtful:
        verdict = "not shown"
    needed = samples_to_decide(sum(misses), 2000, 1e-2 / 2, meets=one, fails=one, power=1 - 0.1 / 2 / 2)
    if verdict == "meets" or share > 0.01:
        needed = 0
    _assert_row(
        row,
        load="none",
        measurements=("interrupt-stages",),
        quantities=("interrupt-service-response", "top-to-bottom-half"),
        samples=1000,
        repetitions=1,
        period_ns=PERIOD_NS,
        misses=0,
        misses_most=round(share * 1000),
        exceedance=share,
        exceedance_bound=most,
        per_hour=3_600_000 * share,
        per_hour_bound=3_600_000 * most,
        verdict=verdict,
        needed=needed,
    )
    assert ("periods-lost is 3" in row.why) == doubtful
    assert ("samples" in row.why) == (str(needed) in row.why) == bool(needed)
    assert way.verdict == verdict


@pytest.mark.parametrize("parts", [2, 3])
def test_each_part_has_each_share_of_the_deadline_once(parts: int) -> None:
    found = divisions(parts)
    assert found[0] == pytest.approx((1 / parts,) * parts)
    assert [sum(division) for division in found] == pytest.approx([1.0] * (1 + 3 * parts))
    for part in range(parts):
        others = sorted(division[part] for division in found[1:] if division[part] == max(division))
        assert others == [0.6, 0.8, 0.95]


def test_samples_without_a_stage_are_possible_misses() -> None:
    run = _run(
        _result("interrupt-split", "interrupt-task-response", late=100),
        _result("interrupt-split", "expiry-to-handler", samples=950),
    )
    top = _level(judge(ASKED, [run]), "top half")
    row = next(row for row in top.ways[0].rows if row.role == "response")
    assert (row.samples, row.misses, row.misses_most, row.verdict, row.needed) == (1000, 0, 50, "not shown", 0)
    assert "50" in row.why


def test_another_period_is_no_evidence() -> None:
    other = _result("interrupt-response", "interrupt-task-response", period_ns=250_000)
    report = judge(ASKED, [_run(other)])
    assert report.outcome == "not measured"
    (row,) = _level(report, "thread").ways[0].rows
    assert (row.load, row.role, row.samples, row.verdict) == ("", "response", 0, "not measured")
    assert row.why == "measured at 250 µs; this needs 1 ms"
    (cell,) = cells(_level(report, "thread"))
    assert cell[1] == ""
    assert lacks_measurements(report)
    assert _own_periods(report) == "to judge the runs at their own period: --period 250us"
    both = judge(ASKED, [_run(_result("interrupt-response", "interrupt-task-response"), other)])
    (row,) = _level(both, "thread").ways[0].rows
    assert (row.samples, row.verdict) == (1000, "meets")


def _doubted(result: Result, session: Session, **changes: object) -> Session:
    return msgspec.structs.replace(session, repetition=1, results=(msgspec.structs.replace(result, **changes),))


DOUBTS: list[tuple[Callable[[Result, Session], Session], str]] = [
    (lambda r, s: _doubted(r, s, status="invalid", reason="check", text="periods-lost is 3"), "periods-lost is 3"),
    (lambda r, s: _doubted(r, s, status="incomplete", reason="cut"), "incomplete: cut"),
    (lambda r, s: _doubted(r, s, count=0), "no samples"),
    (lambda r, s: _doubted(r, s, histogram=None), "no samples"),
    (lambda r, s: _doubted(r, msgspec.structs.replace(s, complete=False)), "is incomplete"),
    (lambda r, s: _doubted(r, msgspec.structs.replace(s, losses=Losses(missing_records=1))), "is incomplete"),
]
"""A second repetition that is not to be believed, and the reason that is printed."""


@pytest.mark.parametrize(("second", "says"), DOUBTS)
@pytest.mark.parametrize("samples", [1000, 200])
def test_a_result_that_is_not_to_be_believed_shows_nothing(
    second: Callable[[Result, Session], Session], says: str, samples: int
) -> None:
    """More samples are asked for only where there are too few: 299 show it."""
    good = _result("interrupt-response", "interrupt-task-response", samples=samples)
    session = make_session((good,))
    made = second(good, session)
    row = _level(judge(ASKED, [_run(sessions=(session, made))]), "thread").ways[0].rows[0]
    believed = 2 if says == "is incomplete" else 1
    assert (row.verdict, row.repetitions, row.samples) == ("not shown", believed, believed * samples)
    assert row.needed == (299 if row.samples < 299 else 0)
    assert says in row.why


@pytest.mark.parametrize("loads", [("none",), ("none", "cpu")])
def test_a_load_under_which_no_result_is_to_be_believed_leaves_the_level_open(loads: tuple[str, ...]) -> None:
    good = _result("interrupt-response", "interrupt-task-response")
    bad = msgspec.structs.replace(
        good, status="invalid", text="periods-lost is 3", item=1, variant=Variant(load=loads[-1], period_ns=PERIOD_NS)
    )
    report = judge(ASKED, [_run(*([good] if len(loads) > 1 else []), bad)])
    level = _level(report, "thread")
    assert (level.verdict, report.outcome, report.loads) == ("not shown", "not shown", loads)
    assert [row.load for row in level.ways[0].rows] == list(loads)
    row = level.ways[0].rows[-1]
    assert (row.samples, row.exceedance, row.exceedance_bound) == (0, None, None)
    assert "periods-lost is 3" in row.why


def test_only_alike_evidence_is_added_up() -> None:
    """Another kernel is another platform, another definition another way, twice the load another load."""
    usual = _result("interrupt-response", "interrupt-task-response")
    other = msgspec.structs.replace(usual, meaning=2, item=1)
    heavy = msgspec.structs.replace(usual, item=2, variant=Variant(load="cpu", intensity=2, period_ns=PERIOD_NS))
    batch = make_result("interrupt-task-response", measurement="interrupt-response", variant=Variant(pass_="batch"))
    session = make_session((usual, batch))
    newer = msgspec.structs.replace(session, env=session.env | {"kernel.release": "6.12"})
    report = judge(ASKED, [_run(sessions=(session,)), _run(sessions=(newer,), id="r-2")])
    assert [level.level for level in report.levels] == 2 * ["top half", "bottom half", "user-level ISR", "thread"]
    assert len({level.platform for level in report.levels}) == 2
    assert {row.samples for level in report.levels for way in level.ways for row in way.rows} == {1000}
    ways = _level(judge(ASKED, [_run(usual, other)]), "thread").ways
    assert [[row.samples for row in way.rows] for way in ways] == [[1000], [1000]]
    assert judge(ASKED, [_run(usual, heavy)]).loads == ("none", "cpu x2")


NOTES: list[tuple[dict[str, Any], str]] = [
    ({"time": "instruction-time"}, "instruction-time"),
    ({"time": "emulated-time"}, "emulated time"),
    ({"target": "simulated:x"}, "no machine"),
    ({"degraded": (Degraded("sched", "SCHED_FIFO is not permitted"),)}, "SCHED_FIFO is not permitted"),
]


@pytest.mark.parametrize(("changes", "says"), NOTES)
def test_what_limits_a_run_is_noted_for_this_run_alone(changes: dict[str, Any], says: str) -> None:
    run = _run(_result("interrupt-response", "interrupt-task-response"))
    usual = judge(ASKED, [run]).notes
    noted = judge(ASKED, [msgspec.structs.replace(run, **changes)]).notes
    (more,) = set(noted) - set(usual)
    assert says in more
    assert set(usual) <= set(noted)


def test_idle_runs_are_noted_as_such() -> None:
    idle, loaded = (_result("interrupt-response", "interrupt-task-response", load=load) for load in ("none", "cpu"))
    noted = [
        any("idle only" in note for note in judge(ASKED, [_run(*r)]).notes)
        for r in ((idle,), (loaded,), (idle, loaded))
    ]
    assert noted == [True, False, False]


def test_repetitions_add_up_but_not_the_same_one_of_a_deterministic_board() -> None:
    result = _result("interrupt-response", "interrupt-task-response")
    twice = (make_session((result,)), make_session((result,), repetition=1))
    assert _level(judge(ASKED, [_run(sessions=twice)]), "thread").ways[0].rows[0].samples == 2000
    board = _run(sessions=twice, time="instruction-time", target="board:toy/x")
    again = msgspec.structs.replace(board, id="r-2")
    report = judge(ASKED, [board, again])
    assert _level(report, "thread").ways[0].rows[0].samples == 2000
    assert any("not the time of real hardware" in note for note in report.notes)


def test_a_skipped_level_says_why_and_no_words_promise_a_worst_case() -> None:
    report = judge(ASKED, [_run(skipped("user-isr-total", text="no module is loaded"))])
    assert _level(report, "user-level ISR").why == "no module is loaded"
    text = " ".join(" ".join(row) for level in report.levels for row in cells(level)) + " ".join(report.notes)
    assert "worst" not in text
    assert "maximum observed" in text


def test_json_fits_its_schema_file() -> None:
    report = judge(ASKED, [_run(_result("interrupt-response", "interrupt-task-response", late=8))])
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
    jsonschema.validate(json.loads(msgspec.json.encode(report)), schema("fit"))


def test_certain_misses_do_not_break_the_arithmetic() -> None:
    asked = Asked(period_ns=PERIOD_NS, deadline_ns=1, exceedance=1e-6)
    report = judge(asked, [_run(_result("interrupt-response", "interrupt-task-response"))])
    row = _level(report, "thread").ways[0].rows[0]
    assert (row.misses, row.verdict, row.exceedance_bound) == (1000, "does not meet", 1.0)
    assert math.isfinite(row.per_hour or math.inf)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_fit_a_terminal_and_say_all_that_the_table_says(width: int) -> None:
    run = _run(
        _result("interrupt-response", "interrupt-task-response", late=8),
        _result("interrupt-response", "interrupt-task-response", load="cpu", late=60, item=1),
        skipped("user-isr-total", text="no module is loaded, and a reason that is rather long goes with it " * 2),
    )
    lines = ["".join(span.text for span in line) for line in report_lines(judge(ASKED, [run]), width)]
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    for said in (
        "idle: 8 of 1000 late",
        "share 0.008 (≤ ",
        "does not meet",
        "60 missed",
        "no module is loaded",
        "max. observed 250.0 µs",
    ):
        assert said in text, said


def test_a_row_without_samples_has_the_command_that_measures_it() -> None:
    """Whether no result is to be believed, or none was measured under a load that others were measured under."""
    good = _result("interrupt-response", "interrupt-task-response")
    bad = _result("signal-latency", "signal-latency", item=1)
    bad = msgspec.structs.replace(bad, status="failed", text="the timer broke")
    report = judge(ASKED, [_run(good, bad)])
    (row,) = _level(report, "user-level ISR").ways[0].rows
    assert (row.verdict, row.samples, row.needed) == ("not shown", 0, samples_needed(0, 1e-2, 0.95))
    assert row.why == "failed: the timer broke; 299 samples without a miss would show it"
    assert report.count_needed == row.needed
    loaded = _result("interrupt-response", "interrupt-task-response", load="cpu", item=2)
    report = judge(ASKED, [_run(good, loaded, _result("signal-latency", "signal-latency", item=3))])
    row = _level(report, "user-level ISR").ways[0].rows[1]
    assert (row.load, row.samples, row.needed) == ("cpu", 0, report.count_needed)
    of_board, configured = _again(report, ["board:arm64/freertos", None], None)
    assert "--target" not in configured
    assert of_board.partition("fit ")[2] == (
        "--period 1ms --deadline 100us --exceedance 0.01 --target board:arm64/freertos"
        f" --load none --load cpu --count {report.count_needed}"
    )


STAGES = ("interrupt-service-response", "top-to-bottom-half")
VAIN = "measuring longer cannot decide it"
TOGETHER = "its parts together, whatever they have to do with each other"
NEAR = "the observed share of misses is too near to the allowed one"


@pytest.mark.parametrize(
    ("level", "results", "why"),
    [
        (
            "thread",
            [_result("interrupt-response", "interrupt-task-response", late=10)],
            f"{NEAR}; {VAIN}",
        ),
        (
            "bottom half",
            [_result("interrupt-total", "interrupt-task-response", late=8)],
            f"a later point was late; the level itself was not measured; {VAIN}",
        ),
        (
            "top half",
            [
                _result("interrupt-split", "expiry-to-handler", samples=950),
                _result("interrupt-split", "interrupt-task-response"),
            ],
            "a later point was in time",
        ),
        (
            "top half",
            [
                _result("interrupt-split", "expiry-to-handler", samples=950),
                _result("interrupt-split", "interrupt-task-response", late=100),
            ],
            f"of 50 samples it is not known whether they were late; {VAIN}",
        ),
        (
            "bottom half",
            [_result("interrupt-stages", name, late=6, item=item) for item, name in enumerate(STAGES)],
            f"{TOGETHER}; more of these were late than may be; {VAIN}",
        ),
        (
            "bottom half",
            [_result("interrupt-stages", name, late=5 * item, item=item) for item, name in enumerate(STAGES)],
            f"{TOGETHER}; {NEAR}; {VAIN}",
        ),
        (
            "bottom half",
            [_result("interrupt-stages", STAGES[1])],
            "a part of the way only: measuring it longer cannot show that the level is in time",
        ),
    ],
)
def test_a_row_that_more_samples_cannot_decide_has_the_reason(level: str, results: list[Result], why: str) -> None:
    report = judge(ASKED, [_run(*results)])
    (cell,) = cells(_level(report, level))
    assert cell[-1] == why
    (row,) = [row for row in _level(report, level).ways[0].rows if row.why == why]
    assert row.needed == 0


def test_of_two_rows_that_do_not_decide_the_one_that_more_samples_can_decide_is_printed() -> None:
    """The command under the table is for it, so its reason is not that more samples are in vain."""
    asked = msgspec.structs.replace(ASKED, exceedance=1e-3)
    results = (
        _result("interrupt-split", "expiry-to-handler", samples=999),
        _result("interrupt-split", "interrupt-task-response"),
    )
    report = judge(asked, [_run(*results)])
    (cell,) = cells(_level(report, "top half"))
    assert report.count_needed
    assert f"{report.count_needed} samples without a miss would show it" in cell[-1]


THREAD_ALONE = (_result("interrupt-response", "interrupt-task-response", item=7),)


def test_a_sum_of_parts_never_counts_more_misses_than_samples() -> None:
    """Each part misses with other interrupts, so their misses together can be more than the samples of one part."""
    parts = [_result("interrupt-stages", name, late=600, item=item) for item, name in enumerate(STAGES)]
    row = next(row for row in _level(judge(ASKED, [_run(*parts)]), "bottom half").ways[0].rows if row.role == "sum")
    assert (row.misses_most, row.samples, row.exceedance) == (1000, 1000, 1.0)


def test_the_doubts_of_the_runs_come_first() -> None:
    sound = _run(*THREAD_ALONE)
    busy = msgspec.structs.replace(sound, id="r-2", host={OTHERS: "50"})
    stopped = msgspec.structs.replace(sound, id="r-3", status="interrupted")
    assert judge(ASKED, [sound]).doubts == ()
    assert judge(ASKED, [stopped]).doubts == ("the run is interrupted",)
    report = judge(ASKED, [sound, busy, stopped])
    assert report.doubts == ("r-2: not idle: 50 % used by others", "r-3: the run is interrupted")
    first, *_ = document(report, ()).parts
    assert first == "Doubtful: r-2: not idle: 50 % used by others"
    assert "".join(span.text for span in report_lines(report, 100)[0]) == first


def test_a_level_without_a_measurement_says_what_it_needs() -> None:
    report = judge(ASKED, [_run(_result("interrupt-response", "interrupt-task-response"))])
    whys = {level.level: level.why for level in report.levels if not level.ways}
    assert whys.keys() == {"top half", "bottom half", "user-level ISR"}
    assert whys["user-level ISR"] == "no run has this level"
    assert lacks_measurements(report)
    skipping = judge(ASKED, [_run(skipped("user-isr-total", text="no module is loaded"), *THREAD_ALONE)])
    assert not lacks_measurements(skipping), "a new measurement would skip it too"
    assert "the kernel module, or a virtual board" in whys["bottom half"]


def test_a_way_measured_twice_under_one_load_has_one_row_with_the_figure_that_shows_more() -> None:
    """`interrupt-split` measures the top half itself, without some samples, and a later point."""
    run = _run(
        _result("interrupt-split", "interrupt-task-response", late=4),
        _result("interrupt-split", "expiry-to-handler", samples=978),
    )
    top = _level(judge(ASKED, [run]), "top half")
    assert {row.role for row in top.ways[0].rows} == {"response", "later"}
    (cell,) = cells(top)
    assert cell[:4] == ("top half: the kernel's timer function", "idle", "not shown", "4 of 1000")
    clean = _run(_result("interrupt-split", "interrupt-task-response"), _result("interrupt-split", "expiry-to-handler"))
    (cell,) = cells(_level(judge(ASKED, [clean]), "top half"))
    assert cell[2] == "meets"
    assert "later" not in cell[-1]


def test_rows_of_several_platforms_name_theirs() -> None:
    run = _run(_result("interrupt-response", "interrupt-task-response"))
    report = judge(ASKED, [run, msgspec.structs.replace(run, id="r-2", target="ssh:bench")])
    table = document(report, ()).parts[0]
    assert isinstance(table, DocumentTable)
    assert len({row[:2] for row in table.rows}) == len(table.rows) == 8
