# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The targets that run a program: its records arrive, and it may die, hang or refuse to end."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan
from rtstone.targets import Target, _engine, _process, open_target


def _plan(*measurements: str) -> Plan:
    return Plan(seed=3, repetition=0, items=tuple(Item(item=i, measurement=m) for i, m in enumerate(measurements)))


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path) -> Target:
    """The target `local` with an engine that misbehaves on demand."""
    program = tmp_path / "engine"
    program.write_text(f"#!/bin/sh\nPYTHONPATH={root}/src:{root}/tests exec {sys.executable} -m support.fake_engine\n")
    program.chmod(0o755)
    monkeypatch.setenv("RTSTONE_ENGINE", str(program))
    return open_target("local")


@pytest.fixture(autouse=True)
def _nothing_lives_on() -> Iterator[None]:
    """No test leaves a child of ours, not even a dead one."""
    yield
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_session(fake: Target) -> None:
    asked = _plan("task-switch", "task-preemption")
    (session,) = collect(fake.start(asked), asked)
    assert session.complete, session.problems
    assert [result.measurement for result in session.results] == ["task-switch", "task-preemption"]


def test_standard_error_is_console_text(fake: Target) -> None:
    (session,) = collect(fake.start(_plan("chatter")))
    assert session.complete
    assert session.console == ("[stderr] a word of warning",)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("die", ["killed by SIGSEGV", "Oops: kernel NULL pointer dereference"]),
        ("exit", ["exit code 3", "cannot go on"]),
    ],
)
def test_death_is_told_with_the_last_words(fake: Target, way: str, words: list[str]) -> None:
    lines: list[bytes] = []
    with pytest.raises(InfrastructureError) as caught:
        lines.extend(fake.start(_plan("task-switch", way)))
    for word in ["local", *words]:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_came_before_a_death_is_kept(fake: Target) -> None:
    lines: list[bytes] = []
    with pytest.raises(InfrastructureError):
        lines.extend(fake.start(_plan("task-switch", "die")))
    (session,) = collect(lines)
    assert [result.status for result in session.results] == ["ok", "incomplete"]
    assert not session.complete


def test_silence_ends(fake: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_engine, "silence_limit_s", lambda _: 1.0)
    began = time.monotonic()
    with pytest.raises(InfrastructureError, match=r"silent for 1 s.*about to hang"):
        list(fake.start(_plan("hang")))
    assert time.monotonic() - began < 10


def test_stop_lets_the_engine_say_goodbye(fake: Target) -> None:
    lines: list[bytes] = []
    for line in fake.start(_plan("task-switch", "wait")):
        lines.append(line)
        if line == b"waiting":
            fake.stop()
    (session,) = collect(lines)
    assert not session.losses.no_bye
    assert [(result.status, result.reason) for result in session.results] == [("ok", ""), ("incomplete", "interrupted")]


def test_an_engine_that_will_not_stop_is_ended(fake: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_process, "GRACE_S", 0.5)
    lines = fake.start(_plan("stubborn"))
    while next(lines) != b"about to hang":
        pass
    fake.stop()
    with pytest.raises(InfrastructureError, match="did not end within"):
        list(lines)


def test_a_reader_that_leaves_takes_the_engine_with_it(fake: Target) -> None:
    lines = fake.start(_plan("hang"))
    pid = next(int(line.split(b'"nonce":"')[1][:16], 16) for line in lines if b'"hello"' in line)
    assert Path(f"/proc/{pid}").exists()
    lines.close()  # type: ignore[attr-defined]  # it is a generator
    assert not Path(f"/proc/{pid}").exists()


def test_a_slow_reader_loses_nothing(fake: Target) -> None:
    asked = _plan(*["task-switch"] * 40)
    lines = []
    for line in fake.start(asked):
        lines.append(line)
        time.sleep(0.0005)
    (session,) = collect(lines, asked)
    assert session.complete, session.problems


def test_from_a_thread_that_lives(fake: Target) -> None:
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(collect(fake.start(_plan("task-switch")))[0].complete))
    thread.start()
    thread.join()
    assert found == [True]


def test_an_engine_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "engine"
    program.write_bytes(b"\x7fELF no program")
    program.chmod(0o755)
    monkeypatch.setenv("RTSTONE_ENGINE", str(program))
    target = open_target("local")
    with pytest.raises(InfrastructureError, match="cannot be started"):
        list(target.start(_plan("task-switch")))


def test_deploy_names_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTSTONE_ENGINE", str(tmp_path / "nothing"))
    with pytest.raises(InfrastructureError, match="nothing"):
        open_target("local").deploy()
