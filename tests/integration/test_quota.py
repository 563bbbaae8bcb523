# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A planted CPU quota, on the control group or the one above it, is named by run and doctor; without one nothing is."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest

from rtstone.machine.groups import ControlGroup
from support.command import command, environment
from support.control_groups import control_group, joined, set_quota

pytestmark = pytest.mark.alone

SENTENCE = "the CPU quota of 0.2 CPU stopped the control group in "


@pytest.fixture
def nested() -> Iterator[tuple[ControlGroup, ControlGroup]]:
    """Two control groups, one within the other, of this test alone."""
    with control_group() as outer, control_group(above=outer) as inner:
        yield outer, inner


def _within(group: ControlGroup, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs rtstone in the group."""
    return subprocess.run(
        joined(group, *command(*words)), capture_output=True, text=True, check=False, timeout=120, env=environment()
    )


MEASURE = ("run", "-m", "semaphore-ping", "--load", "cpu", "-p", "quick", "--json", "--no-archive")


@pytest.mark.needs("control-groups")
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("above", [False, True])
def test_a_planted_quota_is_named(nested: tuple[ControlGroup, ControlGroup], above: bool) -> None:
    outer, inner = nested
    set_quota(outer if above else inner, 20_000, 100_000)
    measured = _within(inner, *MEASURE)
    assert f"warning: {SENTENCE}" in measured.stderr, measured.stderr
    (run,) = json.loads(measured.stdout)["runs"]
    figures = [
        {figure["name"]: figure["value"] for figure in result["figures"]}
        for session in run["sessions"]
        for result in session["results"]
    ]
    assert all(figure["system-quota"] == 200 for figure in figures)
    assert sum(figure.get("system-throttled-periods", 0) for figure in figures) > 0
    assert all(figure.get("system-throttled-periods", 0) <= figure.get("system-quota-periods", 0) for figure in figures)
    (finding,) = [
        finding
        for finding in json.loads(_within(inner, "doctor", "--json").stdout)["findings"]
        if finding["check"] == "cpu-quota"
    ]
    assert finding["level"] == "warning"
    assert finding["found"].startswith("CPU quota of 0.2 CPU; stopped in ")


@pytest.mark.needs("control-groups")
@pytest.mark.usefixtures("engine")
def test_without_a_quota_none_is_named(nested: tuple[ControlGroup, ControlGroup]) -> None:
    measured = _within(nested[1], *MEASURE)
    assert "the CPU quota" not in measured.stderr
    assert "system-throttled" not in measured.stdout
