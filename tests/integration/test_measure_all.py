# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Many measurements by many workers from one queue.

Each measurement is saved once and none is lost. No two run on one place. This holds even if any part is killed.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import _queue, open_archive, open_queue
from rtstone.archive._queue import LeaseLostError, Standing
from rtstone.lab.command import BatchFile, _all_of
from rtstone.lab.worker import Work
from support.command import command, environment, rtstone
from support.postgresql import Server, running
from support.runs import make_result, make_run

_ENGINE = """#!/bin/sh
# Stands before the engine: holds a lock of its place for as long as it lives, and tells of whoever finds it held.
place=$2
exec 9>"{folder}/$place.lock"
flock -n 9 || {{ echo "$place" >>"{folder}/twice"; exit 9; }}
echo "$place" >>"{folder}/starts"
sleep {pause}
exec "{engine}" --script steady run
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        yield made


def _write(folder: Path, *, places: int, repetitions: int) -> Path:
    lines = ['measurements = ["interrupt-response", "semaphore-ping"]', 'loads = ["none"]', "count = 50"]
    lines += ['profile = "quick"', f"repetitions = {repetitions}", "[places]"]
    lines += [f'p{number} = "simulated:p{number}"' for number in range(places)]
    file = folder / "lab.toml"
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def _trial(
    server: Server,
    folder: Path,
    engine: Path,
    *,
    places: int,
    repetitions: int,
    workers: int,
    kills: int,
    pause_s: float,
    limit_s: float,
) -> None:
    """All of a file's measurements, while workers and the database are killed and started again."""
    wrapper = folder / "engine"
    wrapper.write_text(_ENGINE.format(folder=folder, engine=engine, pause=pause_s))
    wrapper.chmod(0o755)
    database = server.database()
    url = server.url(database)
    own = environment() | {"RTSTONE_ENGINE_SIMULATED": str(wrapper), "RTSTONE_ARCHIVE": url}
    file = _write(folder, places=places, repetitions=repetitions)
    total = places * repetitions * 2
    queue = _queue.Queue(open_archive(url))  # a connection for each question: the server is killed between them

    def start(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(command(*words), env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(done: int) -> None:
        until = time.monotonic() + limit_s
        while queue.standing().done < done:
            assert time.monotonic() < until, queue.standing()
            time.sleep(0.05)

    # Interrupted, and continued by the same command.
    first = start("measure-all", str(file), "--lease", "3s")
    while not (folder / "starts").exists():
        assert first.poll() is None, first.communicate()
        time.sleep(0.05)
    first.send_signal(signal.SIGINT)
    said = first.communicate(timeout=60)
    assert first.returncode == 130, said
    assert "the same command continues" in said[1]
    assert queue.standing().total == total
    assert queue.standing().leased == 0  # given back

    draw = random.Random(1)
    watch = start("measure-all", str(file), "--workers", "0", "--lease", "3s")
    working = [start("measure-all", "worker", "--lease", "3s", "--until-done", "-q") for _ in range(workers)]
    killed = []
    try:
        for number in range(kills):
            wait_for(min(total - 5, (number + 1) * total // (kills + 3)))
            victim = draw.randrange(workers)
            working[victim].kill()
            killed.append(working[victim])
            working[victim] = start("measure-all", "worker", "--lease", "3s", "--until-done", "-q")
            if number % 3 == 0:
                server.kill()
                time.sleep(0.5)
                server.start()
        told, said_then = watch.communicate(timeout=limit_s)
        assert watch.returncode == 0, said_then
        assert f"{total} measured, 0 failed" in told
        for one in working:
            _, complaint = one.communicate(timeout=60)
            assert one.returncode == 0, complaint
    finally:
        for one in (watch, *working, *killed):
            if one.poll() is None:
                one.kill()
            one.communicate()

    assert not (folder / "twice").exists(), (folder / "twice").read_text()
    starts = (folder / "starts").read_text().split()
    assert set(starts) == {f"p{number}" for number in range(places)}
    assert len(starts) > total  # some were cut, and measured again
    archive = open_archive(url)
    runs = archive.list()
    assert len(runs) == total
    batch = runs[0].group
    results = queue.results(batch, "done")
    assert {run for _, run in results} == {run.id for run in runs}
    assert len(results) == total == len({request for request, _ in results})
    for run in runs:
        assert (run.status, run.measured > 0, run.group) == ("complete", True, batch)
    # Each run is of the place that its request names, and each save has a turn of its own.
    target_of = {run.id: run.target for run in runs}
    assert all(msgspec.json.decode(request, type=Work).target == target_of[run] for request, run in results)
    assert server.sql("SELECT count(*), count(DISTINCT turn) FROM runs", database) == f"{total}|{total}"
    again = rtstone("measure-all", str(file), "--archive", url)
    assert f"{total} of {total} were measured before" in again.stderr


def test_fifty_measurements_over_five_places(server: Server, tmp_path: Path, simulated_engine: Path) -> None:
    _trial(
        server,
        tmp_path,
        simulated_engine,
        places=5,
        repetitions=5,
        workers=3,
        kills=2,
        pause_s=0.2,
        limit_s=120,
    )


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_thousand_over_fifty_places_with_fifty_kills(server: Server, tmp_path: Path, simulated_engine: Path) -> None:
    _trial(
        server,
        tmp_path,
        simulated_engine,
        places=50,
        repetitions=10,
        workers=8,
        kills=50,
        pause_s=0.05,
        limit_s=1500,
    )


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_a_lost_lease_changes_nothing(
    server: Server, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_queue, "_LATER_S", 0.05)
    where = server.url(server.database()) if kind == "postgresql" else str(tmp_path / "archive.sqlite")
    queue = open_queue(where, lease_s=1.0)
    assert queue.add("b", [("p", "1"), ("p", "2")])
    assert not queue.add("b", [("p", "3")])
    slow = queue.take("slow", "b")
    assert slow is not None
    assert queue.take("other", "b") is None  # the place is held
    queue.beat(slow)
    time.sleep(1.1)
    quick = queue.take("quick", "b")
    assert quick is not None
    assert (quick.number, quick.tries) == (slow.number, 2)
    runs = [make_run(f"20261123T120000-{n:020x}", results=(make_result(count=5),)) for n in range(3)]
    with pytest.raises(LeaseLostError):
        queue.beat(slow)
    with pytest.raises(LeaseLostError):
        queue.finish(slow, runs[0])
    queue.give_back(slow)
    queue.beat(quick)
    assert queue.finish(quick, runs[1])
    assert queue.finish(quick, runs[1])  # its answer was lost on the way
    with pytest.raises(LeaseLostError):
        queue.finish(quick, runs[2])
    # What goes wrong is tried three times; the last run is kept.
    reasons: list[bool] = []
    while (lease := queue.take("w", "b")) is not None or len(reasons) < 3:
        if lease is None:
            time.sleep(0.1)
            continue
        reasons.append(queue.finish(lease, runs[2], failure="it broke"))
    assert reasons == [False, False, True]
    assert queue.standing("b") == Standing(done=1, failed=1)
    assert queue.results("b", "failed") == (("2", "it broke"),)
    assert {run.id for run in open_archive(where).list()} == {runs[1].id, runs[2].id}


def test_a_place_that_is_found_later_is_held_by_one(server: Server) -> None:
    queue = open_queue(server.url(server.database()))
    assert queue.add("b", [("", "1"), ("", "2")])
    one, other = queue.take("one"), queue.take("other")
    assert one is not None
    assert other is not None
    held = queue.occupy(one, "labgrid:p")
    assert held is not None
    assert queue.occupy(other, "labgrid:p") is None
    assert queue.finish(held, None, failure="nothing came", hopeless=True)
    assert queue.occupy(other, "labgrid:p") is not None
    queue.give_back(msgspec.structs.replace(other, tries=9))  # not the one that holds it
    assert queue.standing() == Standing(leased=1, failed=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is nothing to measure"),
        ("studies = 3", "Expected `array`"),
        ('studies = ["sscl"]\nplaces = {a = "local"}', "another machine for each worker"),
        ('studies = ["nope"]\ntargets = ["simulated"]', "unknown study 'nope'"),
        ('measurements = ["nope"]\ntargets = ["simulated"]', "unknown measurement 'nope'"),
        ('studies = ["sscl", "sscl"]\ntargets = ["simulated"]', "stands there twice"),
        ('studies = ["sscl"]\ntarget = ["simulated"]', "unknown field `target`"),
        ('studies = ["sscl"]\ntargets = ["simulated"]\nrepetitions = 0', "repetitions"),
        ("studies = [", "lab.toml"),
        (
            'measurements = ["semaphore-ping"]\nloads = ["none", "fork"]\nplaces = {a = "board:riscv32/rt", b = "board:riscv32/rt"}',
            "unknown load of board:riscv32/rt 'fork'",
        ),
        (
            'measurements = ["semaphore-ping"]\nloads = ["fork"]\ntargets = ["board:mps2-an385/bare"]',
            "unknown load of board:mps2-an385/bare 'fork'",
        ),
    ],
)
def test_a_file_that_says_nothing_to_be_measured(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(text)
    assert said in rtstone("measure-all", str(file), expect=2).stderr
    assert not any(tmp_path.glob("**/*.sqlite"))


def test_a_load_that_one_board_lacks_is_left_out_there_alone(capsys: pytest.CaptureFixture[str]) -> None:
    lab = BatchFile(
        measurements=("semaphore-ping",),
        loads=("none", "fork", "cpu"),
        targets=("board:mps2-an385/bare", "simulated"),
        repetitions=1,
    )
    measured = [(work.target, work.load) for _, work in _all_of(lab, -1)]
    of_simulated = [("simulated", load) for load in ("cpu", "fork", "none")]
    assert sorted(measured) == [("board:mps2-an385/bare", "none"), *of_simulated]
    reported = capsys.readouterr().err
    for load in ("fork", "cpu"):
        assert f"left out: the load {load} of board:mps2-an385/bare, which has none, traffic\n" in reported
