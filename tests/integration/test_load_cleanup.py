# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An engine that is killed leaves nothing of its loads behind: no process, no file, no network device."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.marked import MARK, marked

COMMAND = "setsid sleep 1000 & (sleep 1000 & sleep 1000) & while :; do :; done"
"""Starts programs that no signal to its group reaches."""
LOADS = {"disk": 2, "network-virtual": 5, "ipi-storm": 2, "timer-storm": 1, "command": 5, "cpu+page-faults": 4}
"""Loads, and the least processes that two of each have; `timer-storm` has one for all."""


@pytest.fixture
def mark() -> Iterator[str]:
    """A unique mark for the environment. At the end, processes that still have it are killed."""
    own = uuid.uuid4().hex
    yield own
    for pid in marked(own):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "load", [pytest.param(name, marks=pytest.mark.needs("cpus")) if name == "ipi-storm" else name for name in LOADS]
)
def test_a_killed_engine_takes_its_load_along(engine: Path, mark: str, load: str) -> None:
    devices = Path("/proc/net/dev").read_text().count(":")
    words = ["--period-ns", "5000000", "--count", "100000", "--load", load, "--intensity", "2"]
    process = subprocess.Popen(
        [str(engine), "run", "--measurement", "interrupt-response", *words],
        stdout=subprocess.DEVNULL,
        env={**os.environ, MARK: mark, "RTSTONE_LOAD_COMMAND": COMMAND},
    )
    until = time.monotonic() + 20
    while len(marked(mark)) < 1 + LOADS[load] and time.monotonic() < until:
        time.sleep(0.02)
    started = marked(mark)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert len(started) >= 1 + LOADS[load], started
    until = time.monotonic() + 5
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert marked(mark) == {}
    assert Path("/proc/net/dev").read_text().count(":") == devices
    assert not list(Path("/var/tmp").glob(".rtstone-*"))  # noqa: S108 - where the load disk writes


def test_a_command_ends_with_all_that_it_started(engine: Path, mark: str) -> None:
    words = ["--period-ns", "5000000", "--count", "20", "--load", "command"]
    done = subprocess.run(
        [str(engine), "run", "--measurement", "interrupt-response", *words],
        stdout=subprocess.PIPE,
        env={**os.environ, MARK: mark, "RTSTONE_LOAD_COMMAND": COMMAND},
        timeout=60,
        check=True,
    )
    assert b'"measured":1,"skipped":0,"status":"ok"' in done.stdout
    assert marked(mark) == {}
