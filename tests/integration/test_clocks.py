# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone clocks` on this machine: what the system itself says of its clocks, and a target that has none."""

from __future__ import annotations

import json
import time

import jsonschema
import pytest

from rtstone.resources import data_dir
from support.command import rtstone

pytestmark = pytest.mark.usefixtures("engine", "simulated_engine")


def test_this_machines_clocks() -> None:
    done = rtstone("clocks", "--json")
    document = json.loads(done.stdout)
    schema = json.loads((data_dir("schema") / "clocks.schema.json").read_bytes())
    jsonschema.Draft202012Validator(schema).validate(document)
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
    # Whoever is held against itself does not drift by more than both brackets allow.
    raw = found["monotonic-raw"]
    assert abs(raw["drift_ppm"]) <= raw["drift_uncertainty_ppm"]
    # A clock that stands still between ticks says so by its step and its equal neighbours.
    coarse = found["monotonic-coarse"]
    assert coarse["step_ns"] >= 1e6
    assert coarse["same"] > found["monotonic"]["same"]
    assert sum(clock["run_clock"] for clock in document["clocks"]) == 1


def test_a_pipe_gets_a_line_a_clock_and_no_remarks() -> None:
    done = rtstone("clocks", "-q")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("clock\tresolution\tstep")
    assert {len(line.split("\t")) for line in lines} == {8}


def test_a_target_without_clocks_of_its_own_is_told_in_one_line() -> None:
    done = rtstone("clocks", "--target", "simulated", expect=3)
    assert "reads no clock but the run's own" in done.stderr
    assert done.stdout == ""
