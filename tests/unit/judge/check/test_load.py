# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Check files: an error in one is reported with its line, before anything is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.errors import UsageError
from rtstone.judge.check import Checks, Known, parse

KNOWN = Known(
    quantities={"ping": ("ping",), "irq": ("service", "task"), "split": ("task", "stage")},
    passes={"ping": ("single", "batch"), "irq": ("single",), "split": ("single",)},
    studies={"paper": frozenset({"irq", "ping"})},
    loads=("none", "cpu"),
)
HEAD = 'schema = "rtstone.check"\nversion = "1.0"\n'
GOOD = (
    HEAD + '[[bound]]\nmeasurement = "ping"\nload = ["none", "cpu"]\nrequire = [\n  "p99 < 80us",\n  "loss = 0",\n]\n'
)


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
        ("a = 1\n", 1, "no check file"),
        ('schema = "rtstone.check"\nversion = "2.0"\n', 2, "not 1.x"),
        ('schema = "rtstone.check"\nversion = 1\n', 2, 'no version = "1.0"'),
        (HEAD, 1, "nothing to check"),
        (HEAD + "false-alarms = 2.0\n" + GOOD[len(HEAD) :], 3, "false-alarms"),
        (HEAD + "confidence = 0.1\n" + GOOD[len(HEAD) :], 3, "confidence"),
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
