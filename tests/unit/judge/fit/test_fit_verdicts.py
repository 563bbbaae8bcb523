# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of levels from runs whose misses are known."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import jsonschema
import msgspec
import numpy as np
import pytest
from scipy.stats import beta, binom

from rtstone.judge.fit import Asked, Level, Report, judge, samples_needed, samples_to_decide
from rtstone.model import Note, Result, Run, Variant
from rtstone.show.judged.fit import cells, conclusion, report_lines
from support.runs import make_result, make_run, make_session, skipped
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


@pytest.mark.parametrize(
    ("misses", "share", "confidence"), [(0, 1e-6, 0.95), (0, 0.3, 0.9), (1, 1e-3, 0.95), (7, 1e-2, 0.99)]
)
def test_samples_needed_is_the_smallest_number_that_shows_it(misses: int, share: float, confidence: float) -> None:
    needed = samples_needed(misses, share, confidence)
    assert binom.cdf(misses, needed, share) <= 1 - confidence
    assert binom.cdf(misses, needed - 1, share) > 1 - confidence


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


def test_a_rate_next_to_the_one_allowed_asks_for_no_number() -> None:
    assert samples_to_decide(10, 1000, 1e-2, meets=0.95, fails=0.95, power=0.9) is None
    with pytest.raises(ValueError, match="among"):
        samples_to_decide(2, 1, 1e-2, meets=0.95, fails=0.95, power=0.9)


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
        "by way of two threads",
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

    from rtstone.judge.fit._parts import bound, divisions

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


def test_samples_without_a_stage_are_possible_misses() -> None:
    run = _run(
        _result("interrupt-split", "interrupt-task-response", late=100),
        _result("interrupt-split", "expiry-to-handler", samples=950),
    )
    top = _level(judge(ASKED, [run]), "top half")
    row = next(row for row in top.ways[0].rows if row.role == "response")
    assert (row.samples, row.misses, row.misses_most, row.verdict, row.needed) == (1000, 0, 50, "not shown", 0)


def test_another_period_is_no_evidence() -> None:
    report = judge(ASKED, [_run(_result("interrupt-response", "interrupt-task-response", period_ns=250_000))])
    assert report.outcome == "not measured"
    assert "at a period of 250000 ns" in _level(report, "thread").ways[0].rows[0].why


def test_a_result_that_is_not_to_be_believed_shows_nothing() -> None:
    good = _result("interrupt-response", "interrupt-task-response")
    bad = msgspec.structs.replace(good, status="invalid", reason="check", text="periods-lost is 3")
    run = _run(sessions=(make_session((good,)), make_session((bad,), repetition=1)))
    row = _level(judge(ASKED, [run]), "thread").ways[0].rows[0]
    assert row.verdict == "not shown"
    assert "periods-lost is 3" in row.why


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
        "none: 8 of 1000 late",
        "share 0.008 (≤ ",
        "does not meet",
        "60 missed",
        "no module is loaded",
        "max. observed 250.0 µs",
    ):
        assert said in text, said
