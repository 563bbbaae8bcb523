# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The contents of a report on a check file, and its forms: JUnit, annotations, JSON and a table."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import jsonschema
import msgspec

from rtstone.judge.check import Report, Row, judge
from rtstone.model import Degraded
from rtstone.show.judged.check import cells, junit, sentence, workflow_commands
from support.judged import BASELINE, checks, exactly, run
from support.runs import CLOCK, make_run
from support.schemas import schema


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


def test_the_users_own_program_is_the_load_of_its_rows() -> None:
    report = report_of_all()
    rows = tuple(msgspec.structs.replace(row, measurement="attach") for row in report.rows)
    suite = ET.fromstring(junit(msgspec.structs.replace(report, rows=rows)))  # noqa: S314 - our own
    names = [str(case.get("name")) for case in suite.iter("testcase")]
    assert [name.partition(": ")[0] for name in names] == ["irq (own load)"] * 3
    assert [cells(row)[2] for row in rows] == ["own"] * 3
    assert all(sentence(row).startswith(f"{row.target} irq, own load: ") for row in rows)
    assert [cells(row)[2] for row in report.rows] == ["none"] * 3


def test_a_time_that_is_exceeded_by_a_little_does_not_look_like_its_bound() -> None:
    (row,) = judge(checks("max < 150us"), [run(150_000)], {}).rows
    for seen, said in (
        (150_004, "150.004 µs"),
        (150_000, "150.0 µs"),
        (150_200, "150.2 µs"),
        (149_999.9, "149.9999 µs"),
    ):
        assert cells(msgspec.structs.replace(row, observed=seen))[4] == said


def test_json_is_of_its_schema() -> None:
    jsonschema.validate(json.loads(msgspec.json.encode(report_of_all())), schema("check"))


def test_every_row_has_all_cells() -> None:
    for row in report_of_all().rows:
        assert len(cells(row)) == 8
        assert row.reason


def test_a_report_has_every_figure_of_its_rows() -> None:
    lacks = (Degraded("sched", "no real time", ""), Degraded("irq", "", ""), Degraded("sched", "no real time", ""))
    coarse = msgspec.structs.replace(CLOCK, resolution_ticks=100)
    now = msgspec.structs.replace(exactly(*[[10_000] * 50] * 3, name="n", clock=coarse), degraded=lacks)
    fine = msgspec.structs.replace(CLOCK, resolution_ticks=50)
    before = tuple(exactly([10_000] * 20, name=name, clock=fine) for name in "xyz")
    before = tuple(msgspec.structs.replace(one, degraded=lacks) for one in before)
    file = checks("max < 9us", "p90 <= 20us", more=BASELINE + 'allow = "2%"\n', head="confidence = 0.9")
    report = judge(file, [now], {0: before})
    assert all(row.reason for row in report.rows)
    same = {"target": "local", "measurement": "irq", "quantity": "irq", "load": "none", "reason": ""}
    expected = [
        Row(
            **same,  # type: ignore[arg-type]
            kind="bound",
            line=7,
            requirement="max < 9us",
            outcome="exceeded",
            observed=10_000,
            limit=9_000,
            samples=150,
            repetitions=3,
        ),
        Row(
            **same,  # type: ignore[arg-type]
            kind="bound",
            line=8,
            requirement="p90 <= 20us",
            outcome="pass",
            observed=10_000,
            low=10_000,
            high=10_000,
            limit=20_000,
            samples=150,
            repetitions=3,
            p=1,
            p_adjusted=1,
            p_held=0.9**150,
        ),
        Row(
            **same,  # type: ignore[arg-type]
            kind="baseline",
            line=10,
            requirement="median no worse than baseline within 2%",
            outcome="pass",
            unit="change",
            observed=0,
            low=1 / 1.01 - 1,  # the coarser clock steps by 100 of 10,000 ns
            high=0.01,
            limit=0.02,
            samples=150,
            repetitions=3,
            p=1,
            p_adjusted=1,
            detectable=1.01 * 1.02 - 1,
            suspect=True,
            notes=("3 against 1 run",),
        ),
    ]
    for row, known in zip(report.rows, expected, strict=True):
        bare = msgspec.structs.asdict(msgspec.structs.replace(row, reason=""))
        rounded = {name: round(value, 9) if isinstance(value, float) else value for name, value in bare.items()}
        assert rounded == {
            n: round(v, 9) if isinstance(v, float) else v for n, v in msgspec.structs.asdict(known).items()
        }
    assert msgspec.structs.replace(report, rows=()) == Report(
        file="f.toml",
        runs=("n",),
        outcome="exceeded",
        summary="f.toml: 3 rows: 2 pass, 1 exceeded",
        false_alarms=0.01,
        confidence=0.9,
        degraded=("no real time", "irq"),
        rows=(),
    )
