# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of check files on runs made up from a seed: every row comes out, and none passes without enough data."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import pytest

from rtstone.errors import UsageError
from rtstone.judge.check import Checks, Known, Report, judge, parse
from rtstone.model import Check, Clock, Result, Run, Variant
from rtstone.show.judged.check import cells, interval, junit, workflow_commands
from support.runs import CLOCK, make_result, make_run, make_session
from support.schemas import schema

KNOWN = Known(quantities={"irq": ("irq",)}, passes={"irq": ("single", "batch")}, studies={}, loads=("none", "cpu"))


def checks(*require: str, more: str = "", head: str = "") -> Checks:
    text = f'schema = "rtstone.check"\nversion = "1.0"\n{head}\n'
    if require:
        text += '[[bound]]\nmeasurement = "irq"\nrequire = [\n' + "".join(f'"{r}",\n' for r in require) + "]\n"
    return parse(text + more, "f.toml", Path(), KNOWN)


def run(*levels: float, count: int = 2_000, name: str = "a", spread: float = 0.05, seed: int = 1) -> Run:
    """A run with a repetition for each level (ns), its samples log-normal about that."""
    draw = np.random.default_rng(seed)
    sessions = []
    for number, level in enumerate(levels):
        values = [int(v) for v in level * np.exp(draw.normal(0, spread, count))]
        sessions.append(make_session((make_result("irq", values=values),), repetition=number))
    return make_run(name, sessions=tuple(sessions))


def outcomes(report: Report) -> list[str]:
    return [row.outcome for row in report.rows]


def with_result(whole: Run, **changes: object) -> Run:
    result = msgspec.structs.replace(whole.sessions[0].results[0], **changes)
    sessions = (msgspec.structs.replace(whole.sessions[0], results=(result,)), *whole.sessions[1:])
    return msgspec.structs.replace(whole, sessions=sessions)


def test_bounds_that_are_kept_and_bounds_that_are_passed() -> None:
    kept = (
        "p99 < 15us",
        "median < 11us",
        "mean < 11us",
        "max < 20us",
        "min > 5us",
        "exceedance(14us) < 1e-2",
        "loss = 0",
    )
    assert set(outcomes(judge(checks(*kept), [run(10_000, 10_050, 9_980)], {}))) == {"pass"}
    passed = ("p99 < 10.5us", "median < 9us", "mean <= 9us", "max < 10us", "exceedance(11us) < 1e-3")
    report = judge(checks(*passed), [run(10_000, 10_050, 9_980)], {})
    assert set(outcomes(report)) == {"exceeded"}
    assert report.summary == "f.toml: 5 rows: 5 exceeded"
    below = ("p50 > 12us", "min > 9.9us", "mean >= 11us")
    assert set(outcomes(judge(checks(*below), [run(10_000, 10_050, 9_980)], {}))) == {"exceeded"}


def test_a_percentile_that_the_samples_cannot_bear_is_inconclusive() -> None:
    report = judge(checks("p99.99 < 1ms", "exceedance(1ms) < 1e-6"), [run(10_000, 10_000, 10_000)], {})
    assert outcomes(report) == ["inconclusive"] * 2
    assert "needed 29956, there are 6000" in report.rows[0].reason
    assert "needed 2995731, there are 6000" in report.rows[1].reason
    assert report.rows[0].high is None


def test_a_bound_within_the_noise_is_neither_kept_nor_passed() -> None:
    report = judge(checks("median < 10us", "mean < 10us"), [run(9_900, 10_200, 9_950, 10_000)], {})
    assert outcomes(report) == ["inconclusive"] * 2
    assert "measure longer" in report.rows[0].reason


def test_repetitions_that_differ_forbid_what_their_samples_would_show() -> None:
    # Together 60 % of 10,000 samples are above the bound; but two of five repetitions have none.
    report = judge(checks("median < 10us"), [run(10_900, 9_000, 10_900, 9_000, 10_900)], {})
    assert outcomes(report) == ["inconclusive"]
    one = judge(checks("median < 10us"), [run(10_900)], {})
    assert outcomes(one) == ["exceeded"]
    assert "fewer than 3 repetitions" in one.rows[0].notes[0]


def test_runs_are_the_population_where_there_are_three() -> None:
    runs = [run(level, level, level, level, name=f"{level}") for level in (10_900, 10_400, 9_000)]
    assert outcomes(judge(checks("median < 10us"), runs, {})) == ["inconclusive"]


def test_what_is_not_whole_never_passes() -> None:
    good = run(10_000, 10_000, 10_000)
    for broken in (
        msgspec.structs.replace(good, status="incomplete"),
        with_result(good, status="incomplete", reason="lost", text="records are missing"),
        with_result(good, status="invalid", reason="samples"),
        with_result(good, status="skipped", reason="unsupported", text="no timer", count=0),
    ):
        assert outcomes(judge(checks("max < 20us", "p50 < 20us"), [broken], {})) == ["inconclusive"] * 2
    # But what was seen was seen.
    cut = msgspec.structs.replace(good, status="incomplete")
    assert outcomes(judge(checks("max < 10us"), [cut], {})) == ["exceeded"]


def test_a_row_that_no_run_has_is_inconclusive_and_says_what_there_is() -> None:
    report = judge(
        checks(more='[[bound]]\nmeasurement = "irq"\nload = "cpu"\nrequire = ["max < 1ms"]\n'), [run(10_000)], {}
    )
    assert outcomes(report) == ["inconclusive"]
    assert "it has: idle" in report.rows[0].reason


def test_losses_are_counted() -> None:
    lossy = with_result(run(10_000, 10_000), checks=(Check("periods-lost", 2, 0, 5), Check("samples", 95, 100, 100)))
    report = judge(checks("loss = 0", "loss <= 7"), [lossy], {})
    assert outcomes(report) == ["exceeded", "pass"]
    assert report.rows[0].observed == 7


def test_overflow_below_does_not_make_a_bound_fail() -> None:
    values = [-(1 << 30)] * 100 + [10_000] * 1_900
    report = judge(
        checks("p99 < 11us", "exceedance(11us) < 1e-2"), [make_run(results=(make_result("irq", values=values),))], {}
    )
    assert outcomes(report) == ["pass", "pass"]


def test_sets_are_checked_by_their_averages() -> None:
    result = make_result("irq", variant=Variant(pass_="batch"), values=[200_000] * 60)
    file = checks(
        more='[[bound]]\nmeasurement = "irq"\npass = "batch"\nrequire = ["max <= 2us", "mean < 1.9us", "median < 2.1us"]\n'
    )
    sessions = tuple(make_session((result,), repetition=i, clocks=(CLOCK,)) for i in range(3))
    assert outcomes(judge(file, [make_run(sessions=sessions)], {})) == ["pass", "exceeded", "pass"]


@pytest.mark.parametrize(
    ("head", "time", "said"),
    [("", "instruction-time", "instruction-time"), ('time = "instruction-time"', "time", "of time")],
)
def test_bounds_of_one_kind_of_time_are_not_held_against_the_other(head: str, time: str, said: str) -> None:
    whole = msgspec.structs.replace(run(10_000), time=time)
    with pytest.raises(UsageError, match=rf"f.toml:[13]: .*{said}"):
        judge(checks("max < 1ms", head=head), [whole], {})


def test_a_bound_under_the_quantum_is_refused() -> None:
    slow = Clock(id=0, name="slow", hz=1_000_000, resolution_ticks=1)
    whole = make_run(sessions=(make_session((make_result("irq", values=[3] * 100),), clocks=(slow,)),))
    with pytest.raises(
        UsageError, match=r"f.toml:7: 'max < 500ns' is below the resolution of the clock: slow .* 1000 ns"
    ):
        judge(checks("max < 500ns"), [whole], {})


BASELINE = '[[baseline]]\nmeasurement = "irq"\nruns = ["x"]\n'


def several(levels: list[float], seed: int = 5) -> tuple[Run, ...]:
    return tuple(
        run(level, level * 1.002, level * 0.998, name=f"b{i}", seed=seed + i) for i, level in enumerate(levels)
    )


def test_a_regression_is_found_and_none_is_not() -> None:
    before = several([10_000, 10_040, 9_970, 10_010, 9_990])
    file = checks(more=BASELINE + 'statistics = ["median", "p99"]\n')
    same = judge(file, [run(10_020, 10_000, 9_980, seed=99)], {0: before, 1: before})
    assert outcomes(same) == ["pass", "pass"]
    assert "would be shown" in same.rows[0].reason
    slow = [run(11_020, 11_000, 10_980, name=f"s{i}", seed=90 + i) for i in range(3)]
    worse = judge(file, slow, {0: before, 1: before})
    assert outcomes(worse) == ["regressed", "regressed"]
    stray = judge(file, slow[:1], {0: before, 1: before})
    assert outcomes(stray) == ["inconclusive", "inconclusive"]
    assert "a stray run looks the same" in stray.rows[0].reason
    told = checks(more=BASELINE + "judged = 1\n")
    assert outcomes(judge(told, slow[:1], {0: before})) == ["regressed"]
    assert worse.rows[0].observed == pytest.approx(0.1, abs=0.01)
    better = judge(file, [run(9_020, 9_000, 8_980, seed=99)], {0: before, 1: before})
    assert outcomes(better) == ["pass", "pass"]


def test_data_that_could_show_nothing_have_no_number() -> None:
    before = several([10, 100_000, 300, 20_000, 5])
    now = several([40, 9_000, 700], seed=40)
    said = "nothing could be shown, not even a change of ×10"
    passed, undecided = (
        judge(checks(more=BASELINE + more), now, {0: before}).rows[0] for more in ("", 'detect = "10%"\n')
    )
    assert (passed.outcome, passed.reason) == ("pass", f"no regression shown; {said}")
    assert interval(passed).endswith(" … ?")
    assert (undecided.outcome, undecided.reason) == ("inconclusive", f"{said}: more runs")


def test_what_a_baseline_needs() -> None:
    now, five = [run(10_000, 10_000, 10_000, seed=9)], several([10_000, 10_010, 9_990, 10_000, 10_005])
    assert "3 are needed" in judge(checks(more=BASELINE), now, {0: five[:2]}).rows[0].reason
    assert "names no run" in judge(checks(more=BASELINE), now, {0: ()}).rows[0].reason
    ignored = checks(more=BASELINE + 'between-runs = "ignored"\n')
    assert outcomes(judge(ignored, now, {0: five[:1]})) == ["pass"]
    fine = checks(more=BASELINE + 'detect = "0.01%"\n')
    assert "could only have shown" in judge(fine, now, {0: five}).rows[0].reason
    cut = msgspec.structs.replace(five[0], status="incomplete")
    assert "incomplete" in judge(checks(more=BASELINE), now, {0: (cut, *five[1:])}).rows[0].reason


def test_what_is_allowed_is_no_regression() -> None:
    before = several([10_000, 10_040, 9_970, 10_010, 9_990])
    file = checks(more=BASELINE + 'allow = "15%"\n')
    assert outcomes(judge(file, [run(11_000, 11_010, 10_990, seed=3)], {0: before})) == ["pass"]


def test_unlike_machines_are_not_compared() -> None:
    before = several([10_000, 10_040, 9_970])
    other = run(10_000, 10_000, 10_000)
    sessions = tuple(msgspec.structs.replace(s, env=s.env | {"cpu.model": "another"}) for s in other.sessions)
    other = msgspec.structs.replace(other, sessions=sessions)
    report = judge(checks(more=BASELINE), [other], {0: before})
    assert "not comparable: CPU: Example CPU at 2.5 GHz | another (cpu.model)" in report.rows[0].reason
    allowed = checks(more=BASELINE + 'unlike = ["cpu.model"]\n')
    assert outcomes(judge(allowed, [other], {0: before})) == ["pass"]


def test_on_a_deterministic_board_seeds_are_the_population() -> None:
    def board(level: int, name: str) -> Run:
        sessions = tuple(make_session((make_result("irq", values=[level] * 50),), repetition=i) for i in range(3))
        return make_run(name, sessions=sessions, target="board:x/k", time="instruction-time")

    file = checks(more=BASELINE, head='time = "instruction-time"')
    same = judge(file, [board(10_000, "n")], {0: (board(10_000, "a"), board(10_000, "b"))})
    assert outcomes(same) == ["pass"]
    assert same.rows[0].notes == ("3 against 3 seeds",)
    assert outcomes(judge(file, [board(10_300, "n")], {0: (board(10_000, "a"),)})) == ["regressed"]


def report_of_all() -> Report:
    file = checks("max < 10us", "p99.99 < 1ms", "loss = 0")
    odd = make_run(sessions=run(10_000, 10_000, 10_000).sessions, target="board\x1b[2J, 100%: x")
    return judge(file, [odd], {})


def test_junit_counts_what_came_out() -> None:
    suite = ET.fromstring(junit(report_of_all())).find("testsuite")  # noqa: S314 - our own
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    cases = suite.findall("testcase")
    assert [[child.tag for child in case] for case in cases] == [["failure"], ["error"], ["system-out"]]
    assert [case.get("line") for case in cases] == ["7", "8", "9"]


def test_annotations_name_the_line_and_escape_the_rest() -> None:
    lines = list(workflow_commands(report_of_all()))
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::notice"]
    assert lines[0].startswith("::error file=f.toml,line=7,title=irq%3A max < 10us::")
    assert "100%25" in lines[0]


def test_json_is_of_its_schema() -> None:
    jsonschema.validate(json.loads(msgspec.json.encode(report_of_all())), schema("check"))


def test_every_row_has_all_cells() -> None:
    for row in report_of_all().rows:
        assert len(cells(row)) == 8
        assert row.reason


def test_no_sample_at_all() -> None:
    empty = Result(item=0, measurement="irq", quantity="irq", variant=Variant(), status="ok")
    assert outcomes(judge(checks("max < 1ms"), [make_run(results=(empty,))], {})) == ["inconclusive"]
