# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A killed run goes on with its next session: no complete session is measured again or lost."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from rtstone.measure import resume
from rtstone.measure._resume import last_begun
from rtstone.model.ids import short_id
from rtstone.stream.plan import decode_echo
from support.command import command, environment, rtstone

pytestmark = pytest.mark.usefixtures("engine", "simulated_engine")

SESSIONS = 5
COUNT = 800
WORDS = ("-m", "interrupt-response", "--load", "none", "-r", str(SESSIONS), "--count", str(COUNT), "--period", "1ms")


def _sessions(archive: Path) -> int:
    return len(open_archive(str(archive)).load("last").sessions) if archive.exists() and _runs(archive) else 0


def _runs(archive: Path) -> int:
    return len(open_archive(str(archive)).list())


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with a run that was ended by SIGKILL after its first session and before its last."""
    archive = tmp_path_factory.mktemp("resume") / "archive.sqlite"
    _killed_when(command("run", *WORDS, "--archive", str(archive), "-q"), lambda: bool(_sessions(archive)))
    return archive


def test_what_was_complete_is_kept_and_the_rest_is_measured(killed: Path) -> None:
    before = open_archive(str(killed)).load("last")
    assert (before.status, before.planned) == ("incomplete", SESSIONS)
    assert 0 < len(before.sessions) < SESSIONS
    done = rtstone("run", "--resume", "last", "--archive", str(killed))
    assert f"{len(before.sessions)} of {SESSIONS} sessions complete" in done.stderr
    after = open_archive(str(killed)).load("last")
    assert (after.status, after.resumes, len(after.sessions)) == ("complete", before.id, SESSIONS)
    assert after.sessions[: len(before.sessions)] == before.sessions
    assert [session.repetition for session in after.sessions] == list(range(SESSIONS))
    latencies = [r for r in after.results() if r.quantity == "thread-wake-up"]
    assert sum(r.count for r in latencies) == SESSIONS * COUNT
    # Every session has its stream, its own plan among them.
    logs = open_archive(str(killed)).raw_logs("last")
    assert [decode_echo(log).repetition for log in logs] == list(range(SESSIONS))
    # The interrupted run stays as it was.
    assert open_archive(str(killed)).load(before.id) == before


def test_a_complete_run_is_not_taken_up(killed: Path) -> None:
    refused = rtstone("run", "--resume", "last", "--archive", str(killed), expect=2)
    assert "is complete: there is nothing left to measure" in refused.stderr


def test_resume_goes_with_no_other_choice(killed: Path) -> None:
    refused = rtstone("run", "--resume", "last", "-m", "queue-fill", "--archive", str(killed), expect=2)
    assert "is not allowed with it" in refused.stderr
    assert "--no-archive" in rtstone("run", "--resume", "last", "--no-archive", expect=2).stderr


def test_another_platform_is_told_and_nothing_of_it_is_mixed_in(tmp_path: Path, killed: Path) -> None:
    archive = open_archive(str(killed))
    oldest = archive.list()[-1].id
    run, logs = archive.load(oldest), archive.raw_logs(oldest)
    from msgspec.structs import replace

    elsewhere = tuple(replace(s, env=s.env | {"kernel.release": "5.4.0-other"}) for s in run.sessions)
    place = tmp_path / "archive.sqlite"
    open_archive(str(place)).save(replace(run, sessions=elsewhere), logs)
    told = rtstone("run", "--resume", "last", "--archive", str(place), expect=4)
    assert "kernel: " in told.stderr
    assert "5.4.0-other" in told.stderr
    assert open_archive(str(place)).load("last").sessions == elsewhere


def test_the_plan_of_a_session_is_in_its_stream(killed: Path) -> None:
    archive = open_archive(str(killed))
    oldest = archive.list()[-1].id
    taken = resume(archive.load(oldest), archive.raw_logs(oldest), virtual=False)
    (item,) = taken.plans[0].items
    assert (item.measurement, item.count, item.period_ns) == ("interrupt-response", COUNT, 1_000_000)
    assert [plan.repetition for plan in taken.plans] == list(range(SESSIONS))


def test_last_is_the_run_that_was_started_last_and_no_older_one(tmp_path: Path) -> None:
    """A run that was killed in its first session had left nothing, and `last` took an older run, which nobody had asked for."""
    place = tmp_path / "archive.sqlite"
    older = command("run", *WORDS, "--archive", str(place))
    _killed_when(older, lambda: bool(_sessions(place)))
    (old,) = open_archive(str(place)).list()
    before = last_begun(str(place))
    assert before == (old.id,)
    newer = command("run", *WORDS[:-6], "-r", "2", "--count", "60000", "--period", "1ms", "--archive", str(place))
    _killed_when(newer, lambda: last_begun(str(place)) != before)
    refused = rtstone("run", "--resume", "last", "--archive", str(place), expect=2)
    assert f"{short_id(last_begun(str(place))[0])}, is not in the archive" in refused.stderr
    assert _runs(place) == 1, "the older run is left alone"
    assert f"resuming {old.id}" in rtstone("run", "--resume", old.id, "--archive", str(place)).stderr


def _killed_when(words: list[str], ready: Callable[[], bool]) -> None:
    running = subprocess.Popen(
        words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        until = time.monotonic() + 60
        while not ready():
            assert running.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
    finally:
        os.kill(running.pid, signal.SIGKILL)
        running.wait(timeout=30)
