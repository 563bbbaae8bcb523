# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone doctor clocks` on this machine agrees with the system's own figures. A target without clocks is refused."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jsonschema
import pytest

from rtstone.archive import open_archive
from support.command import rtstone
from support.schemas import schema

pytestmark = [pytest.mark.alone, pytest.mark.usefixtures("engine", "simulated_engine")]


def test_this_machines_clocks() -> None:
    done = rtstone("doctor", "clocks", "--json")
    document = json.loads(done.stdout)
    wanted = schema("clocks")
    jsonschema.Draft202012Validator(wanted).validate(document)
    found = {clock["name"]: clock for clock in document["clocks"]}
    for name, number in {
        "monotonic": time.CLOCK_MONOTONIC,
        "monotonic-raw": time.CLOCK_MONOTONIC_RAW,
        "boottime": time.CLOCK_BOOTTIME,
        "realtime": time.CLOCK_REALTIME,
        "tai": time.CLOCK_TAI,
    }.items():
        clock = found[name]
        assert clock["status"] == "ok"
        assert clock["resolution_ns"] == pytest.approx(time.clock_getres(number) * 1e9)
        assert 0 < clock["cost_ns"] < clock["span_s"] * 1e9
        assert clock["backwards"] == 0
        assert clock["span_s"] >= 0.5
    # A clock that is compared with itself does not drift by more than both brackets allow.
    raw = found["monotonic-raw"]
    assert abs(raw["drift_ppm"]) <= raw["drift_uncertainty_ppm"]
    # A clock that stands still between ticks shows it by its step and its equal neighbours.
    coarse = found["monotonic-coarse"]
    assert coarse["step_ns"] >= 1e6
    assert coarse["same"] > found["monotonic"]["same"]
    assert sum(clock["run_clock"] for clock in document["clocks"]) == 1


def test_a_pipe_gets_a_line_a_clock_and_no_remarks() -> None:
    done = rtstone("doctor", "clocks", "-q")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("clock\tresolution\tstep")
    assert {len(line.split("\t")) for line in lines} == {8}


def test_a_target_without_clocks_of_its_own_is_told_in_one_line() -> None:
    done = rtstone("doctor", "clocks", "--target", "simulated", expect=3)
    assert "reads no clock but the run's own" in done.stderr
    assert done.stdout == ""


def test_what_each_clock_makes_of_one_operation() -> None:
    document = json.loads(rtstone("doctor", "clocks", "--of", "semaphore-get-release", "--json").stdout)
    wanted = schema("clocks")
    jsonschema.Draft202012Validator(wanted).validate(document)
    found = {clock["name"]: clock for clock in document["clocks"]}
    # By whole microseconds most of it takes none at all; by a finer clock no two readings are of one moment.
    assert found["gettimeofday"]["of_least_ns"] == 0
    assert found["gettimeofday"]["of_most_ns"] % 1000 == 0
    assert found["monotonic"]["of_least_ns"] > 0
    assert found["monotonic-coarse"]["of"] == ""
    done = rtstone("doctor", "clocks", "--of", "interrupt-response", expect=2)
    assert "not timed one by one on the run's clock" in done.stderr


def test_a_run_by_another_clock_says_so_and_is_held_against_no_other(tmp_path: Path) -> None:
    words = ("run", "-m", "semaphore-get-release", "--load", "none", "--count", "500", "-q")
    where = ("--archive", str(tmp_path / "archive.sqlite"))
    for clock in ("monotonic", "gettimeofday"):
        rtstone(*words, *where, "--clock", clock, "--label", clock)
    runs = {run.label: run for run in map(open_archive(where[1]).load, ("last", "last~1"))}
    for clock, hz in (("monotonic", 1_000_000_000), ("gettimeofday", 1_000_000)):
        session = runs[clock].sessions[0]
        assert (session.clock(0).name, session.clock(0).hz) == (clock, hz)
        assert session.env["clock.chosen"] == clock
    said = rtstone("compare", "last~1", "last", *where, expect=None).stdout
    assert "clock: monotonic | gettimeofday" in said
    refused = rtstone(*words, "--no-archive", "--clock", "ptp", expect=None)
    assert refused.returncode == 0 or "clock ptp: there is no such device here" in refused.stderr
