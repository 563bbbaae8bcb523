# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The whole way from a plan to a run: with the simulated engine, whose latencies are known, with a fake one, and replayed."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import jsonschema
import msgspec
import pytest

from rtstone.errors import IncompleteError, InfrastructureError, UsageError
from rtstone.measure import Interruption, Outcome, Progress, measure
from rtstone.model import Run
from rtstone.stream.plan import Item, Plan
from rtstone.targets import _process
from support.streams import joined


def _plan(repetition: int) -> Plan:
    return Plan(
        seed=11,
        repetition=repetition,
        items=(
            Item(item=0, measurement="task-switch", count=200, raw=1),
            Item(item=1, measurement="semaphore-ping", pass_="batch", count=50, sets=4),
            Item(item=2, measurement="interrupt-response", count=100),
            Item(item=3, measurement="no-such-measurement"),
        ),
    )


def _of(*measurements: str) -> Plan:
    return Plan(seed=3, repetition=0, items=tuple(Item(item=i, measurement=m) for i, m in enumerate(measurements)))


@pytest.fixture
def simulated(simulated_engine: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RTSTONE_ENGINE_SIMULATED", str(simulated_engine))
    return "simulated"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path) -> str:
    program = tmp_path / "engine"
    program.write_text(f"#!/bin/sh\nPYTHONPATH={root}/src:{root}/tests exec {sys.executable} -m support.fake_engine\n")
    program.chmod(0o755)
    monkeypatch.setenv("RTSTONE_ENGINE", str(program))
    return "local"


def _statuses(outcome: Outcome) -> list[list[str]]:
    return [[result.status for result in session.results] for session in outcome.run.sessions]


def test_a_run(simulated: str) -> None:
    outcome = measure(simulated, _plan, 3, studies=("sscl",), profile="quick", label="sim", group="g")
    run = outcome.run
    assert outcome.error is None
    assert run.status == "complete"
    assert re.fullmatch(r"\d{8}T\d{6}-[0-9a-f]{20}", run.id)
    assert (run.studies, run.profile, run.label, run.group, run.seed) == (("sscl",), "quick", "sim", "g", 11)
    assert [session.repetition for session in run.sessions] == [0, 1, 2]
    assert {session.seed for session in run.sessions} == {11}
    for session in run.sessions:
        assert session.complete, session.problems
        skipped = [result for result in session.results if result.status != "ok"]
        assert [(result.status, result.reason) for result in skipped] == [("skipped", "unknown")]
    assert len(outcome.logs) == 3
    assert msgspec.json.decode(msgspec.json.encode(run), type=Run) == run
    assert run.host["kernel.release"] == os.uname().release
    assert "cpu.measured" not in run.host  # a simulated CPU is none of this host's


def test_simulated_latencies_are_recovered_exactly(simulated: str) -> None:
    """Script `steady`: each interrupt is 500 ticks late, by the script's own account."""
    (session,) = measure(f"{simulated}:steady", _plan, 1).run.sessions
    response = next(result for result in session.results if result.quantity == "interrupt-service-response")
    assert (response.count, response.min, response.max, response.sum) == (100, 500, 500, 50_000)


def test_negative_and_late_samples_come_through(simulated: str) -> None:
    def plan(repetition: int) -> Plan:
        items = (Item(item=0, measurement="interrupt-response", count=300),)
        return Plan(seed=1, repetition=repetition, items=items)

    (early,) = measure(f"{simulated}:negative", plan, 1).run.sessions
    (late,) = measure(f"{simulated}:overrun", plan, 1).run.sessions
    for session in (early, late):
        assert session.complete, session.problems
        assert {(result.status, result.count) for result in session.results} == {("ok", 300)}
    lowest = early.results[0].min
    latest = late.results[0].max
    assert lowest is not None
    assert latest is not None
    assert lowest < 0
    assert early.results[0].histogram is not None
    assert early.results[0].histogram.negative
    assert latest > 2_000_000  # ns: later than two periods


def test_a_broken_switch_is_invalid(simulated: str) -> None:
    """Script `no-switch`: a yield does not let the other task run. The counts must give it away."""
    outcome = measure(f"{simulated}:no-switch", lambda _: _of("task-switch"), 1)
    (result,) = outcome.run.sessions[0].results
    assert result.status in ("invalid", "failed")
    assert result.text


def test_the_engine_keeps_to_the_schema(simulated: str, root: Path) -> None:
    schema = json.loads((root / "spec/schema/record-stream.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    (log,) = measure(f"{simulated}:tails", _plan, 1).logs
    records = joined(log.split(b"\n"))
    assert {"hello", "env", "begin", "samples", "hist", "extreme", "window", "check", "end", "skip", "bye"} <= {
        record["t"] for record in records
    }
    for record in records:
        validator.validate(record)


def test_same_plan_same_bytes(simulated: str) -> None:
    first, second = (measure(simulated, _plan, 1).logs for _ in range(2))
    assert first == second


def test_progress_counts_to_the_end(simulated: str) -> None:
    told: list[Progress] = []
    measure(simulated, _plan, 2, on_progress=told.append)
    assert (told[0].items_done, told[0].items_total, told[0].repetitions) == (0, 4, 2)
    assert (told[-1].items_done, told[-1].repetition, told[-1].seconds_left) == (4, 1, 0.0)
    assert told[0].target == "simulated"
    left = [progress.seconds_left for progress in told]
    assert left == sorted(left, reverse=True)


def test_a_log_replays_to_the_same_run(simulated: str, tmp_path: Path) -> None:
    outcome = measure(simulated, _plan, 2)
    log = tmp_path / "run.log"
    log.write_bytes(b"".join(outcome.logs))
    again = measure(f"replay:{log}", _plan, 2)
    assert again.run.sessions == outcome.run.sessions
    assert again.run.status == "complete"
    assert again.run.host["target.replay.file"] == "run.log"
    more = measure(f"replay:{log}", _plan, 3)
    assert (more.run.status, len(more.run.sessions)) == ("incomplete", 2)
    assert "2 sessions and no more" in str(more.error)


@pytest.mark.parametrize("fault", ["loss=0.1", "corrupt=0.1", "truncate=0.3", "repeat=0.2", "reset=0.5"])
def test_no_fault_goes_unnoticed(simulated: str, tmp_path: Path, fault: str) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(b"".join(measure(simulated, _plan, 1).logs))
    outcome = measure(f"replay:{log}?{fault}&seed=4", _plan, 1)
    assert outcome.run.status == "incomplete"
    assert outcome.run.sessions
    assert any(session.problems for session in outcome.run.sessions)
    same = measure(f"replay:{log}?{fault}&seed=4", _plan, 1)
    assert same.run.sessions == outcome.run.sessions
    assert same.logs == outcome.logs


def test_strict_ends_before_anything_is_measured(fake: str) -> None:
    plan = _of("degraded", "task-switch")
    outcome = measure(fake, lambda _: plan, 1)
    assert outcome.run.status == "complete"
    assert [degraded.reason for degraded in outcome.run.degraded] == ["sched"]
    told: list[Progress] = []
    with pytest.raises(IncompleteError, match=r"no SCHED_FIFO.*setcap cap_sys_nice\+ep engine"):
        measure(fake, lambda _: plan, 1, strict=True, on_progress=told.append)
    assert told == []


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("refuse", "refused to measure: this plan cannot be"),
        ("mute", "not one record.*no records here"),
        ("newer", "version 2.0"),
        ("die", "SIGSEGV.*Oops"),
    ],
)
def test_infrastructure_errors_keep_what_there_is(fake: str, way: str, words: str) -> None:
    outcome = measure(fake, lambda _: _of(way, "task-switch"), 3)
    assert isinstance(outcome.error, InfrastructureError)
    assert re.search(words, str(outcome.error))
    assert outcome.run.status == "incomplete"
    assert len(outcome.logs) == 1  # no sense in another repetition


def test_an_early_session_survives_a_late_death(fake: str) -> None:
    plans = [_of("task-switch"), _of("task-switch", "die"), _of("task-switch")]
    outcome = measure(fake, plans.__getitem__, 3)
    assert _statuses(outcome) == [["ok"], ["ok", "incomplete"]]
    assert [session.complete for session in outcome.run.sessions] == [True, False]
    assert outcome.run.status == "incomplete"


def test_an_interruption_keeps_complete_results(fake: str) -> None:
    interruption = Interruption()

    def on_progress(progress: Progress) -> None:
        if progress.items_done == 1 and progress.repetition == 1:
            interruption.request()

    plans = [_of("task-switch"), _of("task-switch", "wait"), _of("task-switch")]
    outcome = measure(fake, plans.__getitem__, 3, on_progress=on_progress, interruption=interruption)
    assert outcome.run.status == "interrupted"
    assert outcome.error is None
    assert _statuses(outcome) == [["ok"], ["ok", "incomplete"]]
    assert outcome.run.sessions[0].complete


def test_a_second_ctrl_c_ends_at_once(fake: str) -> None:
    asked: list[float] = []

    def on_progress(progress: Progress) -> None:
        if progress.items_done == 1:
            asked.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    outcome = measure(fake, lambda _: _of("task-switch", "stubborn"), 2, on_progress=on_progress)
    assert time.monotonic() - asked[0] < _process.GRACE_S
    assert outcome.run.status == "interrupted"
    assert _statuses(outcome) == [["ok", "incomplete"]]
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(UsageError, match="repetitions"):
        measure("local", _plan, 0)
    with pytest.raises(UsageError, match=r"unknown kind of target 'moon'.*local.*replay.*simulated"):
        measure("moon:1", _plan, 1)
    with pytest.raises(UsageError, match="count 0"):
        measure("local", lambda _: Plan(seed=1, repetition=0, items=(Item(item=0, measurement="x", count=0),)), 1)
