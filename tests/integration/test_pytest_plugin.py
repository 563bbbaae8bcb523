# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The fixture `rtstone` in somebody's suite: a gate that holds, one that does not, one that is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from support.served import SRC

GATE = """schema = "rtstone.check"
version = "1.0"
[measure]
repetitions = 2
count = 300
[[bound]]
measurement = "interrupt-response"
quantity = "interrupt-task-response"
require = ["{bound}", "loss = 0"]
"""
SUITE = """
def test_holds(rtstone):
    report = rtstone.check("good.toml", "simulated", archive="a.sqlite")
    assert report.outcome == "pass" and len(report.rows) == 2

def test_does_not(rtstone):
    rtstone.check("bad.toml", "simulated", archive="a.sqlite")

def test_is_wrong(rtstone):
    rtstone.check("none.toml", "simulated", archive="a.sqlite")
"""


def test_a_suite_has_the_fixture(simulated_engine: Path, root: Path, tmp_path: Path) -> None:
    points = tomllib.loads((root / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert list(points) == ["rtstone"]
    (tmp_path / "good.toml").write_text(GATE.format(bound="max < 1s"))
    (tmp_path / "bad.toml").write_text(GATE.format(bound="max < 50ns"))
    (tmp_path / "test_suite.py").write_text(SUITE)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-rA",
            "-p",
            points["rtstone"],
            "-p",
            "no:cacheprovider",
            "test_suite.py",
        ],
        cwd=tmp_path,
        env=os.environ
        | {"PYTHONPATH": str(SRC), "RTSTONE_ENGINE_SIMULATED": str(simulated_engine)}
        | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # where it is installed it has been loaded by its entry point
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "2 failed" in done.stdout
    assert "interrupt-task-response, idle: max < 50ns" in done.stdout
    assert "none.toml" in done.stdout
    listed = subprocess.run(
        [sys.executable, "-m", "rtstone", "archive", "list", "--archive", "a.sqlite"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    assert listed.count("simulated\t") >= 2  # both runs are kept, also the one that failed
