# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Check files: an error in one is reported with its line, before anything is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.errors import UsageError
from rtstone.judge.check import Checks, Known, parse
from rtstone.judge.check._load import line_of

KNOWN = Known(
    quantities={"ping": ("ping",), "irq": ("service", "task"), "split": ("task", "stage")},
    passes={"ping": ("single", "batch"), "irq": ("single",), "split": ("single",)},
    studies={"paper": frozenset({"irq", "ping"})},
    loads=("none", "cpu", "memory"),
)
HEAD = 'schema = "rtstone.check"\nversion = "1.0"\n'
GOOD = (
    HEAD + '[[bound]]\nmeasurement = "ping"\nload = ["none", "cpu"]\nrequire = [\n  "p99 < 80us",\n  "loss = 0",\n]\n'
)


ON_BOARDS = HEAD + 'time = "instruction-time"\n' + GOOD[len(HEAD) :]
BOTH = (
    HEAD
    + '[[bound]]\nmeasurement = "ping"\nrequire = ["loss <= 1"]\n'
    + '[[bound]]\nmeasurement = "irq"\nquantity = "service"\nrequire = ["loss = 0"]\n'
)
"""Two tables: the line of a fault is that of the second."""


def read(text: str) -> Checks:
    return parse(text, "f.toml", Path(), KNOWN)


def test_a_good_file_has_a_row_for_each_requirement_and_load() -> None:
    checks = read(
        GOOD + '[[baseline]]\nquantity = "stage"\nlabels = ["main"]\nstatistics = ["median", "p99"]\nallow = "2%"\n'
    )
    rows = [(bound.line, bound.load, bound.requirement.text) for bound in checks.bounds]
    assert rows == [
        (7, "none", "p99 < 80us"),
        (7, "cpu", "p99 < 80us"),
        (8, "none", "loss = 0"),
        (8, "cpu", "loss = 0"),
    ]
    assert {bound.selection.quantity for bound in checks.bounds} == {"ping"}
    assert [(b.line, str(b.statistic), b.allow, b.selection.measurement) for b in checks.baselines] == [
        (13, "median", 0.02, "split"),
        (13, "p99", 0.02, "split"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("x = [\n", 1, ""),
        (HEAD + "x = 1\ny = [\n", 4, ""),
        (HEAD + "x = 1\ny = 2 3\nz = 1\n", 4, ""),
        ("a = 1\n", 1, "no check file"),
        (f"a = 1\n{HEAD.replace('check', 'check-result')}", 2, "no check file"),
        ('schema = "rtstone.check"\nversion = "1"\n', 2, 'no version = "1.0"'),
        ('schema = "rtstone.check"\nversion = "2.0"\n', 2, "not 1.x"),
        ('schema = "rtstone.check"\nversion = 1\n', 2, 'no version = "1.0"'),
        (HEAD, 1, "nothing to check"),
        (HEAD + "false-alarms = 2.0\n" + GOOD[len(HEAD) :], 3, "false-alarms"),
        (HEAD + "false-alarms = 1.0\n" + GOOD[len(HEAD) :], 3, "false-alarms"),
        (HEAD + "false-alarms = 0.0\n" + GOOD[len(HEAD) :], 3, "false-alarms"),
        (HEAD + "confidence = 0.5\n" + GOOD[len(HEAD) :], 3, "confidence"),
        (HEAD + "confidence = 1.0\n" + GOOD[len(HEAD) :], 3, "confidence"),
        (HEAD + "confidence = true\n" + GOOD[len(HEAD) :], 3, "float"),
        (HEAD + "confidance = 0.9\n" + GOOD[len(HEAD) :], 3, "confidance"),
        (GOOD.replace("ping", "pong"), 4, "unknown measurement 'pong'. Did you mean 'ping'"),
        (
            GOOD.replace("ping", "attach"),
            4,
            "attach is not measured by check: run `rtstone attach …` first, then check",
        ),
        (GOOD.replace('"cpu"', '"gpu"'), 5, "unknown load 'gpu'"),
        (GOOD.replace("80us", "80%"), 7, "no unit of time"),
        (GOOD.replace("load", "lode"), 5, "unknown key 'lode'"),
        (GOOD.replace("load", "lode"), 5, "Did you mean 'load'? There are: study, measurement, quantity, load,"),
        (GOOD + "[measure]\nmeasurements = []\n", 11, "There are: target, profile, repetitions, count,"),
        (f"bounds = 1\n{GOOD}", 1, "Did you mean 'bound'? There are: schema, version,"),
        (GOOD.replace("loss = 0", "p99 < 80us"), 7, "stands in line 7 already"),
        (GOOD.replace("loss = 0", "p50 > 90us"), 7, "cannot both hold"),
        (GOOD.replace('measurement = "ping"', 'measurement = "irq"'), 4, "say which quantity"),
        (GOOD.replace('measurement = "ping"', 'quantity = "task"'), 4, "say which measurement"),
        (GOOD.replace('measurement = "ping"', 'quantity = "tusk"'), 4, "Did you mean 'task'"),
        (GOOD.replace('measurement = "ping"', 'study = "papre"'), 4, "unknown study 'papre'"),
        (GOOD.replace('measurement = "ping"', 'load = "cpu"').replace('load = ["none", "cpu"]\n', ""), 3, "neither"),
        (GOOD.replace('measurement = "ping"', 'study = "paper"\nquantity = "stage"'), 4, "no part of study"),
        (GOOD.replace('measurement = "ping"', 'quantity = "stage"\npass = "batch"'), 5, "no batch pass"),
        (GOOD.replace('measurement = "ping"', 'measurement = "ping"\npass = "both"'), 5, "both"),
        (GOOD + '[[baseline]]\nmeasurement = "ping"\n', 10, "names runs, labels or files"),
        (GOOD + '[[baseline]]\nmeasurement = "ping"\nruns = ["a"]\nallow = "2us"\n', 13, "percent"),
        (GOOD + '[[baseline]]\nmeasurement = "ping"\nruns = ["a"]\nstatistics = ["p101"]\n', 13, "no statistic"),
        (GOOD + '[measure]\ntarget = "board:arm64/freertos"\n', 11, "instruction-time"),
        (HEAD + 'time = "instruction-time"\n' + GOOD[len(HEAD) :] + "[measure]\n", 3, "virtual boards"),
        (GOOD + "[measure]\nrepetitions = 0\n", 11, "above 0"),
        (ON_BOARDS + '[measure]\ntarget = "serial:/dev/ttyS0"\n', 3, "virtual boards"),
        (ON_BOARDS + '[measure]\ntarget = "ssh:bench"\n', 3, "virtual boards"),
        (BOTH.replace('"loss = 0"', ""), 9, "require is empty"),
        (BOTH.replace("loss = 0", "p99 < 1"), 9, "no unit of time"),
        (BOTH.replace('loss <= 1"]', 'exceedance(1us) < 1%"]\npass = "batch"'), 5, "no single samples"),
        (BOTH.replace('"service"', '"servise"'), 8, "Did you mean 'service'"),
        (BOTH.replace('"irq"', '"irk"'), 7, "Did you mean 'irq'"),
        (BOTH.replace("quantity", 'load = "none+disk"\nquantity'), 8, "unknown load 'none+disk'"),
        (BOTH.replace("quantity", "load = []\nquantity"), 8, "load is empty"),
        (BOTH.replace("quantity", 'unlike = ["machin"]\nquantity'), 8, "Did you mean 'machine'"),
        (BOTH.replace("quantity", 'study = "papre"\nquantity'), 8, "unknown study 'papre'"),
        (HEAD + '[[baseline]]\nquantity = "ping"\nruns = ["a"]\nunlike = ["cpu"]\n', 6, "unknown difference 'cpu'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(UsageError) as error:
        read(text)
    assert str(error.value).startswith(f"f.toml:{line}: "), str(error.value)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_quantity_of_two_measurements_is_found_by_its_study() -> None:
    checks = read(GOOD.replace('measurement = "ping"', 'study = "paper"\nquantity = "task"'))
    assert checks.bounds[0].selection.measurement == "irq"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    from rtstone.judge.check import read as read_file

    with pytest.raises(UsageError, match="No such file"):
        read_file(tmp_path / "none.toml", KNOWN)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="UTF-8"):
        read_file(tmp_path / "bytes.toml", KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace('"cpu"', '"cpu+memory"'),
        GOOD.replace('"cpu"', '"cpu:2"'),
        GOOD.replace("[[bound]]", '[[bound]]\nunlike = ["target", "machine"]'),
        GOOD.replace("[[bound]]", '[[bound]]\npass = "batch"'),
        HEAD + "false-alarms = 0.99\nconfidence = 0.51\n" + GOOD[len(HEAD) :],
        GOOD + GOOD[len(HEAD) :].replace("80us", "81us").replace("loss = 0", "loss <= 1"),
        GOOD + GOOD[len(HEAD) :].replace("[[bound]]", '[[bound]]\npass = "batch"'),
        GOOD + GOOD[len(HEAD) :].replace('["none", "cpu"]', '"memory"'),
        GOOD + "[measure]\nrepetitions = 1\n",
        GOOD + '[measure]\ntarget = "ssh:bench"\n',
        ON_BOARDS + '[measure]\ntarget = "board:arm64/freertos"\n',
        HEAD.replace("1.0", "1.7") + GOOD[len(HEAD) :],
    ],
)
def test_what_can_be_judged_is_accepted(text: str) -> None:
    assert read(text).bounds


def test_a_requirement_that_stands_twice_is_found_in_any_study_and_load() -> None:
    again = GOOD[len(HEAD) :].replace('["none", "cpu"]', '"cpu"').replace("[[bound]]", '[[bound]]\nstudy = "paper"')
    with pytest.raises(UsageError, match=r"f.toml:15: 'p99 < 80us' stands in line 7 already"):
        read(GOOD + again)


@pytest.mark.parametrize("key", ["runs", "labels", "files"])
def test_a_baseline_knows_the_lines_that_it_comes_from(key: str) -> None:
    text = HEAD + "".join(
        f'[[baseline]]\nmeasurement = "ping"\nload = ["none", "cpu"]\n{key} = ["a"]\nstatistics = ["p90"]\n{more}'
        for more in ("", 'allow = "1.5%"\ndetect = "5%"\nunlike = ["machine"]\n')
    )
    checks = read(text + "[measure]\n")
    rows = checks.baselines
    assert [(row.line, row.source_line, row.load) for row in rows] == [
        (7, 6, "none"),
        (7, 6, "cpu"),
        (12, 11, "none"),
        (12, 11, "cpu"),
    ]
    assert [(row.allow, row.detect, row.entry.unlike) for row in rows[::2]] == [
        (0, None, ()),
        (0.015, 0.05, ("machine",)),
    ]
    assert {(str(row.statistic), row.folder, row.selection.quantity) for row in rows} == {("p90", Path(), "ping")}
    assert (checks.path, checks.measure_line, checks.time_line, checks.bounds) == ("f.toml", 16, 1, ())
    assert checks.selections() == tuple((row.line, row.selection, row.load) for row in rows)


def test_a_bound_has_what_its_table_says() -> None:
    (bound,) = read(
        ON_BOARDS.replace("load", 'sched = "ts"\ncache = "flushed"\nunlike = ["port"]\nperiod-ns = 5\nload')
        .replace('["none", "cpu"]', '"cpu:2"')
        .replace('  "loss = 0",\n', "")
    ).bounds
    of = bound.selection
    assert (of.measurement, of.quantity, of.load, of.sched, of.cache) == ("ping", "ping", "cpu:2", "ts", "flushed")
    assert (of.period_ns, of.window, bound.unlike, bound.load, bound.line) == (5, None, ("port",), "cpu:2", 12)
    assert read(ON_BOARDS).time_line == 3


@pytest.mark.parametrize(
    ("table", "number", "key", "value", "line"),
    [
        ("", 0, "a", "", 2),
        ("", 0, "none", "", 1),
        ("t", 0, "a", "", 4),
        ("t", 1, "a", "", 9),
        ("t", 1, "b", "7", 11),
        ("t", 1, "b", "9", 10),
        ("t", 1, "none", "", 8),
        ("t", 2, "a", "", 1),
        ("u", 0, "a-b", "", 7),
    ],
)
def test_the_line_of_a_key_or_value(table: str, number: int, key: str, value: str, line: int) -> None:
    text = "# a = 0\na = 1\n[[t]]\na = 2\n# b = 7\n[u]  # b = 7\n"
    text += '"a-b" = 3\n[[ t ]]\na = 4\nb = [\n  "7", # 8\n]\n'
    assert line_of(text, table, number, key, value) == line
