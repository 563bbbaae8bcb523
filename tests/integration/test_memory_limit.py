# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A planted memory limit: too low a one is refused before anything is measured, and one that kills the engine is named."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.machine.groups import ControlGroup
from support.command import command, environment
from support.control_groups import control_group, joined, set_memory

pytestmark = [pytest.mark.alone, pytest.mark.needs("memory-groups"), pytest.mark.usefixtures("engine")]

MEASURE = ("run", "-m", "semaphore-ping", "--load", "none", "-p", "quick", "--quiet", "--no-archive")


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """A control group of this test alone."""
    with control_group("memory") as made:
        yield made


def _within(
    group: ControlGroup, megabytes: int, *words: str, engine: Path | None = None
) -> subprocess.CompletedProcess[str]:
    set_memory(group, megabytes << 20)
    env = environment() | ({"RTSTONE_ENGINE": str(engine)} if engine else {})
    return subprocess.run(
        joined(group, *command(*words)), capture_output=True, text=True, check=False, timeout=120, env=env
    )


def test_too_low_a_limit_is_refused_in_one_line(group: ControlGroup) -> None:
    measured = _within(group, 60, *MEASURE)
    assert measured.returncode == 3, measured.stderr
    (line,) = measured.stderr.splitlines()
    assert "local: memory limit of 60 MiB; the program and its engine need 80 MB" in line
    assert "echo 128M" in line or "--memory 128m" in line or "memory: 128Mi" in line
    examined = json.loads(_within(group, 60, "doctor", "--json").stdout)
    (finding,) = [finding for finding in examined["findings"] if finding["check"] == "memory-limit"]
    assert (finding["level"], finding["found"]) == ("problem", "memory limit of 60 MiB")


def test_a_limit_that_kills_the_engine_is_named(group: ControlGroup, engine: Path, tmp_path: Path) -> None:
    """The engine takes more than there is; it is the first that the kernel kills."""
    eater = tmp_path / "engine"
    eats = "x = bytearray(400 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1"
    eater.write_text(
        f'#!/bin/sh\n[ "$1" = run ] || exec {engine} "$@"\n'
        f"echo 1000 > /proc/self/oom_score_adj\nexec python3 -c '{eats}'\n"
    )
    eater.chmod(0o755)
    measured = _within(group, 128, *MEASURE, engine=eater)
    assert measured.returncode == 3, measured.stderr
    (line,) = [line for line in measured.stderr.splitlines() if "killed" in line]
    assert "killed by SIGKILL, since the memory limit of 128 MiB was reached" in line


def test_a_limit_that_suffices_is_not_mentioned(group: ControlGroup) -> None:
    measured = _within(group, 128, *MEASURE)
    assert measured.returncode == 0, measured.stderr
    assert "memory limit" not in measured.stderr
