# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that measure are killed at drawn moments: saved sessions stay, whole, and no process lives on.

Workers are killed in test_measure_all.py; `watch` in test_fit_and_watch.py and `attach` in test_attach.py too.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from support.command import command, environment, rtstone

pytestmark = [pytest.mark.alone, pytest.mark.usefixtures("engine", "simulated_engine")]

MIGRATION = Path("/proc/sys/kernel/timer_migration")
RUN = ("run", "-m", "interrupt-response", "--load", "none", "-r", "400", "--count", "100", "--period", "1ms")
WATCH = ("watch", "-t", "simulated", "-m", "semaphore-ping", "--duration", "60s")
BOARD = (
    "run",
    "-t",
    "board:mps2-an385/bare",
    "-m",
    "interrupt-response",
    "--load",
    "none",
    "-r",
    "400",
    "--count",
    "200",
)
SLEEPER = "import time\nwhile True: time.sleep(0.002)"
SETTINGS = (
    'schema = "rtstone.tune"\nversion = "1.0"\ncount = 1000\nperiod = "250us"\nrounds = 16\nsettle = "1ms"\n'
    "[settings]\ntimer-migration = [1, 0]\n"
)
TUNE = pytest.param("tune", marks=pytest.mark.needs("settings"))
ATTACH = pytest.param("attach", marks=pytest.mark.needs("bpf", "host-processes"))


def _seen(place: Path) -> dict[str, int]:
    """Each saved run, with how many sessions it has; every one but the last of a run is complete, and its counts agree."""
    found = {}
    if place.exists():
        archive = open_archive(str(place))
        for one in archive.list(limit=1000):
            run = archive.load(one.id)
            assert all(session.complete for session in run.sessions[:-1])
            for result in run.results():
                if result.status == "ok" and result.histogram is not None:
                    assert sum(result.histogram.counts()) + result.histogram.overflow == result.count
            found[run.id] = len(run.sessions)
    return found


def _of_group(group: int) -> list[int]:
    """The processes of a group, and of the sessions below it, that still run."""
    listed = subprocess.run(["ps", "-eo", "pid=,sid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [int(pid) for pid, session, state in rows if int(session) == group and not state.startswith("Z")]


@pytest.fixture
def sleeper() -> Iterator[int]:
    """A program whose thread sleeps and wakes."""
    process = subprocess.Popen([sys.executable, "-c", SLEEPER])
    yield process.pid
    process.kill()
    process.wait()


def _words(kind: str, folder: Path, sleeper: int) -> tuple[str, ...]:
    if kind == "tune":
        (folder / "settings.toml").write_text(SETTINGS)
        return ("tune", str(folder / "settings.toml"))
    return {
        "run": RUN,
        "watch": WATCH,
        "board": BOARD,
        "attach": ("attach", "--pid", str(sleeper), "--duration", "60s"),
    }[kind]


def _trial(kind: str, kills: int, longest_s: float, folder: Path, sleeper: int, *, saved_first: bool) -> None:
    place = folder / "archive.sqlite"
    words = _words(kind, folder, sleeper)
    migration = MIGRATION.read_text()
    draw = random.Random(kind)
    saved = runs = 0
    for number in range(kills):
        before = _seen(place)
        with (folder / "said").open("w") as said:
            going = subprocess.Popen(
                command(*words, "--archive", str(place)),
                env=environment(),
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        begun = time.monotonic()
        while (saved_first or not number) and _seen(place) == before:
            assert going.poll() is None, f"{kind} {number} ended by itself: {(folder / 'said').read_text()}"
            assert time.monotonic() < begun + 60
            time.sleep(0.05)
        if saved_first:
            time.sleep(draw.uniform(0.0, longest_s))
        else:
            # The first one finds out how long it takes here: on a busy machine all kills would come before anything is saved.
            longest_s = longest_s if number else max(longest_s, 2 * (time.monotonic() - begun))
            time.sleep(draw.uniform(0.3, longest_s) if number else 0.0)
        at = _seen(place)
        assert going.poll() is None, f"{kind} {number} ended by itself: {(folder / 'said').read_text()}"
        os.kill(going.pid, signal.SIGKILL)
        going.wait(timeout=30)
        until = time.monotonic() + 10
        while _of_group(going.pid):
            assert time.monotonic() < until, f"{kind} {number}: {_of_group(going.pid)} lives on"
            time.sleep(0.05)
        after = _seen(place)
        assert before.items() <= after.items(), "an earlier run changed"
        assert all(after.get(run, 0) >= sessions for run, sessions in at.items()), (
            f"{kind} {number}: {at} became {after}"
        )
        new = {run: sessions for run, sessions in after.items() if run not in before}
        runs, saved = runs + len(new), saved + sum(new.values())
        rtstone("archive", "list", "--archive", str(place), expect=None)
        assert MIGRATION.read_text() == migration, "the next command restores a setting"
    print(f"{kind}: {kills} kills, {runs} runs with {saved} sessions saved, 0 lost")
    assert saved, "no kill came after a session"


@pytest.mark.parametrize("kind", ["run", "board", TUNE])
def test_a_kill_loses_nothing_that_was_saved(kind: str, tmp_path: Path, sleeper: int) -> None:
    _trial(kind, 1, 1.0, tmp_path, sleeper, saved_first=True)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", ["run", "watch", "board", ATTACH, TUNE])
def test_two_hundred_kills_lose_nothing_that_was_saved(kind: str, tmp_path: Path, sleeper: int) -> None:
    """Drawn from the start on, so that some come before anything is saved. With the workers' fifty it is two hundred and more."""
    longest_s = {"attach": 13.0, "tune": 6.0}.get(kind, 4.0)
    _trial(kind, 30 if kind == "attach" else 35, longest_s, tmp_path, sleeper, saved_first=False)
