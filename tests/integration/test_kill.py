# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A tool that is killed in mid-run leaves nothing behind: neither its engine nor the programs of its load."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from support.children import children
from support.marked import MARK, marked
from support.runs import make_run

PROGRAMS = 3

TOOL = f"""
from rtstone.stream.plan import Item, Plan
from rtstone.measure import measure
plan = Plan(seed=1, repetition=0, items=(
    Item(item=0, measurement="semaphore-ping", count=4_000_000_000, budget_ms=60_000, load="cpu", intensity={PROGRAMS}),
))
outcome = measure("local", lambda _: plan, 1, on_progress=lambda p: print(p.measurement, flush=True))
print(outcome.run.status, [(r.status, r.reason) for s in outcome.run.sessions for r in s.results], outcome.error, flush=True)
"""


STARTER = """
import os, time
from rtstone.targets._guest import start_emulator
start_emulator("it", ["sleep", "600"], min(os.sched_getaffinity(0)), said=os.memfd_create("said"), inherit=())
print("started", flush=True)
time.sleep(600)
"""


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def tool(engine: Path, root: Path, mark: str) -> subprocess.Popen[str]:
    """The tool in mid-run, its engine measuring and its load running."""
    process = subprocess.Popen(
        [sys.executable, "-c", TOOL],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "RTSTONE_ENGINE": str(engine), MARK: mark},
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "semaphore-ping"
    until = time.monotonic() + 20
    # The tool, the engine, and the load's programs (processes of their own).
    while len(marked(mark)) < 2 + PROGRAMS and time.monotonic() < until:
        time.sleep(0.02)
    assert len(marked(mark)) >= 2 + PROGRAMS, marked(mark)
    return process


def _gone(mark: str, seconds: float = 2) -> dict[int, str]:
    """The processes that still live after so many seconds at most. Kills them."""
    until = time.monotonic() + seconds
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.02)
    left = marked(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def test_kill_9_leaves_nothing(tool: subprocess.Popen[str], mark: str) -> None:
    tool.kill()
    tool.communicate()
    assert _gone(mark) == {}


def test_ctrl_c_keeps_what_there_is(tool: subprocess.Popen[str], mark: str) -> None:
    tool.send_signal(signal.SIGINT)
    said, _ = tool.communicate(timeout=20)
    assert tool.returncode == 0
    assert said.splitlines()[-1] == "interrupted [('incomplete', 'interrupted')] None"
    assert _gone(mark) == {}


def test_a_killed_engine_is_told_and_takes_its_load_along(tool: subprocess.Popen[str], mark: str) -> None:
    (engine,) = children(tool.pid)
    os.kill(engine, signal.SIGKILL)
    said, _ = tool.communicate(timeout=20)
    assert said.splitlines()[-1] == "incomplete [('incomplete', 'unanswered')] local: killed by SIGKILL"
    assert _gone(mark) == {}


def test_an_emulator_does_not_outlive_a_tool_that_was_killed_before_it_began(
    root: Path, tmp_path: Path, mark: str
) -> None:
    """The signal for its end is asked for by a program that starts it: here one that comes to that only once the tool is gone."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    slow = tmp_path / "setpriv"
    slow.write_text(f'#!/bin/sh\nread -r _ < {gate}\nexec {shutil.which("setpriv")} "$@"\n')
    slow.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-c", STARTER],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(root / "src"), MARK: mark},
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "started"
    process.kill()
    process.communicate()
    assert len(marked(mark)) == 1
    gate.write_text("go on\n")
    assert _gone(mark, 20) == {}  # it has to run three programs, beside other tests


def _killed_in_mid_run(engine: Path, root: Path, where: Path, mark: str, after_s: float, number: int) -> None:
    """Start a run and end it by a signal at some moment.

    Results saved before it stay, and no process of it lives on.
    """
    before = _kept(where)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "rtstone", "run", "-m", "semaphore-ping", "--load", "none,cpu"),
            *("--count", "20000", "--repetitions", "50", "-q", "--archive", str(where)),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "RTSTONE_ENGINE": str(engine), MARK: mark},
    )
    time.sleep(after_s)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    # If Ctrl-C comes before our first line runs, the interpreter reports it.
    assert "Traceback" not in said or "rtstone/cli" not in said, said
    assert process.returncode in (-number, 130, 0, 4, 1 if "Traceback" in said else 0), said
    assert _gone(mark) == {}
    assert before <= _kept(where)


def _kept(where: Path) -> set[str]:
    archive = open_archive(str(where))
    return {archive.load(one.id).id for one in archive.list()}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_a_signal_at_any_moment(engine: Path, root: Path, tmp_path: Path, mark: str, number: int) -> None:
    open_archive(str(tmp_path / "a.sqlite")).save(make_run("before"))
    for after_s in (0.2, 3.0):
        _killed_in_mid_run(engine, root, tmp_path / "a.sqlite", mark, after_s, number)


@pytest.mark.long
def test_170_signals_at_any_moment(engine: Path, root: Path, tmp_path: Path, mark: str) -> None:
    drawn = random.Random(1)
    open_archive(str(tmp_path / "a.sqlite")).save(make_run("before"))  # what is there stays there
    numbers = (signal.SIGKILL, signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
    for turn in range(170):
        after_s = drawn.uniform(0.0, 5.0)
        _killed_in_mid_run(engine, root, tmp_path / "a.sqlite", mark, after_s, numbers[turn % len(numbers)])
    assert "before" in _kept(tmp_path / "a.sqlite")
