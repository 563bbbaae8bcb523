# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A fault in the queue ends one measurement, never a worker.

A signal ends a worker within a second, whatever it waits for.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from psycopg import OperationalError
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from rtstone.archive import open_archive, open_queue
from rtstone.archive._queue import Lease, LeaseLostError, Queue, Standing
from rtstone.errors import InfrastructureError
from rtstone.lab import _patience, labgrid, worker
from rtstone.lab.worker import Work, Worker, WorkerListener
from rtstone.lab.worker_command import request_of
from rtstone.measure._interrupt import Interruption
from support.children import children
from support.command import command, environment, rtstone
from support.postgresql import Server, running

GOOD = msgspec.json.encode(
    Work(target="simulated", measurement="semaphore-get-release", load="none", profile="quick", count=50)
).decode()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture(params=["postgresql", "sqlite"])
def where(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> str:
    return server.url(server.database()) if request.param == "postgresql" else str(tmp_path / "archive.sqlite")


@pytest.fixture(autouse=True)
def _simulated(simulated_engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTSTONE_ENGINE_SIMULATED", str(simulated_engine))


def _change(queue: Queue, statement: str) -> None:
    with queue._archive.transaction() as connection:
        connection.execute(text(statement))


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ("{", "its request cannot be read: Input data was truncated"),
        ("[1]", "its request cannot be read: Expected `object`, got `array`"),
        (
            '{"target": "simulated", "tomorrow": 1}',
            "its request cannot be read: Object contains unknown field `tomorrow`",
        ),
        ('{"target": 3}', "its request cannot be read: Expected `str`, got `int` - at `$.target`"),
        ('{"target": "simulated", "measurement": "nope"}', "unknown measurement 'nope'"),
    ],
)
def test_a_request_that_cannot_be_read_has_failed_and_the_next_is_measured(
    where: str, request_: str, reason: str
) -> None:
    queue = open_queue(where)
    queue.add("b", [("p", request_), ("p", GOOD)])
    said = rtstone("measure-all", "worker", "--until-done", "--archive", where).stderr
    assert reason in said
    assert queue.standing() == Standing(done=1, failed=1)
    ((_, told),) = queue.results("b", "failed")
    assert told.startswith(reason)


def test_a_request_of_a_newer_version_is_left_alone(where: str) -> None:
    queue = open_queue(where)
    queue.add("b", [("p", '{"tomorrow": 1}'), ("p", GOOD)])
    _change(queue, "UPDATE work SET version = 99 WHERE number = 1")
    said = rtstone("measure-all", "worker", "--until-done", "--archive", where).stderr
    assert "1 measurement left: a newer rtstone put them in, and can read them" in said
    assert queue.standing() == Standing(waiting=1, done=1)
    assert queue.newer() == queue.newer("b") == 1
    _change(queue, "UPDATE work SET state = 'in a state of tomorrow' WHERE number = 1")
    assert queue.standing() == Standing(waiting=1, done=1)
    assert queue.take("me") is None


def _asked(folder: Path, *words: str, batch: str = 'targets = ["simulated"]\n') -> list[str]:
    """`measure-all` of a small measurement of simulated targets."""
    file = folder / "lab.toml"
    small = 'measurements = ["semaphore-get-release"]\nloads = ["none"]\ncount = 50\nprofile = "quick"\n'
    file.write_text(small + batch)
    return command("measure-all", str(file), *words)


def _by_script(folder: Path, engine: str) -> dict[str, str]:
    """The environment in which the simulated targets' engine is this script."""
    program = folder / "engine"
    program.write_text(f"#!/bin/sh\n{engine}\n")
    program.chmod(0o755)
    return environment() | {"RTSTONE_ENGINE_SIMULATED": str(program)}


def _all_measured(where: str, folder: Path, engine: str, batch: str, *words: str) -> subprocess.CompletedProcess[str]:
    """`measure-all` of a small measurement of simulated targets, whose engine is a script."""
    own, asked = _by_script(folder, engine) | {"RTSTONE_ARCHIVE": where}, _asked(folder, *words, batch=batch)
    return subprocess.run(asked, env=own, capture_output=True, text=True, check=False, timeout=120)


def test_a_measurement_that_kills_its_workers_fails_after_some(
    where: str, tmp_path: Path, simulated_engine: Path
) -> None:
    """The engine of the first kills the worker that started it; the second is measured by the next worker."""
    killer = (
        f'if [ "$2" = deadly ]; then echo x >>"{tmp_path}/killed"; kill -9 $PPID; exit 1; fi\n'
        f'exec "{simulated_engine}" --script steady run'
    )
    places = '[places]\ndeadly = "simulated:deadly"\ngood = "simulated:good"\n'
    done = _all_measured(where, tmp_path, killer, places, "--lease", "1s", "--max-lost", "3")
    assert done.returncode == 4, done.stderr
    assert "1 measured, 1 failed" in done.stdout
    assert "3 workers did not end it: each was killed, stopped or cut off while measuring" in done.stderr
    assert (tmp_path / "killed").read_text().count("x") == 3
    assert [run.target for run in open_archive(where).list()] == ["simulated:good"]


def test_workers_whose_common_parent_is_killed_are_replaced(where: str, tmp_path: Path, simulated_engine: Path) -> None:
    """The engine of the first measurement kills the process that forks the workers."""
    killer = (
        f'if mkdir "{tmp_path}/once" 2>/dev/null; then kill -9 $(cut -d" " -f4 /proc/$PPID/stat); sleep 2; fi\n'
        f'exec "{simulated_engine}" --script steady run'
    )
    batch = 'repetitions = 9\ntargets = ["simulated"]\n'
    done = _all_measured(where, tmp_path, killer, batch, "--workers", "2", "--lease", "3s")
    assert (done.returncode, done.stdout.partition(": ")[2]) == (0, "9 measured, 0 failed\n"), done.stderr
    assert (tmp_path / "once").is_dir()


def test_an_interrupt_while_the_workers_modules_are_loaded(tmp_path: Path, simulated_engine: Path) -> None:
    """Ctrl-C reaches the process that forks the workers, too."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if any('multiprocessing.forkserver' in word for word in sys.orig_argv):\n"
        "    os.killpg(0, signal.SIGINT)\n"
    )
    own = environment()
    own["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{own['PYTHONPATH']}"
    asked = _asked(tmp_path, "--archive", str(tmp_path / "archive.sqlite"), "--quiet")
    done = subprocess.run(
        asked, env=own, capture_output=True, text=True, check=False, timeout=120, start_new_session=True
    )
    assert done.returncode == 130
    assert done.stderr == "rtstone: interrupted: 1 of 1 measurements to go; the same command continues\n"


def test_a_second_interrupt_ends_a_worker_that_does_not_end(tmp_path: Path, simulated_engine: Path) -> None:
    """The engine stops its worker."""
    stopped = tmp_path / "stopped"
    own = _by_script(tmp_path, f'echo $PPID >"{stopped}.draft"\nkill -STOP $PPID\nmv "{stopped}.draft" "{stopped}"')
    asked = _asked(tmp_path, "--archive", str(tmp_path / "archive.sqlite"), "--quiet")
    with subprocess.Popen(asked, env=own, stderr=subprocess.PIPE, text=True) as process:
        try:
            while not stopped.exists():
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert process.stderr.readline().startswith("rtstone: interrupted: 1 of 1")
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=50) == 130
            with pytest.raises(ProcessLookupError):
                os.kill(int(stopped.read_text()), 0)
            assert "Traceback" not in process.stderr.read()
        finally:
            with suppress(OSError, ValueError):
                os.kill(int(stopped.read_text()), signal.SIGKILL)
            process.kill()


def test_an_archive_that_cannot_be_opened_is_named_while_the_command_tries_again(tmp_path: Path) -> None:
    asked = _asked(tmp_path, "--archive", str(tmp_path))
    with subprocess.Popen(asked, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        end = threading.Timer(20, process.kill)
        end.start()
        try:
            assert process.stderr.readline() == f"rtstone: archive {tmp_path} cannot be opened; trying again\n"
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
        finally:
            end.cancel()
            process.kill()


@pytest.mark.parametrize("given", [[], ["OPENBLAS_NUM_THREADS=3"]])
def test_a_user_s_program_gets_no_variable_that_is_for_numpy(
    tmp_path: Path, simulated_engine: Path, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    for one in given:
        monkeypatch.setenv(*one.split("="))
    engine, batch = f'env >>{tmp_path}/env\nexec {simulated_engine} "$@"', 'targets = ["simulated"]\n'
    done = _all_measured(str(tmp_path / "archive.sqlite"), tmp_path, engine, batch, "--workers", "1")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "env").read_text().splitlines()
    starts = sum(line.startswith("PATH=") for line in lines)
    assert starts > 0
    assert [line for line in lines if line.startswith("OPENBLAS_NUM_THREADS=")] == given * starts


def test_a_worker_that_is_done_ends_its_session_with_the_lab(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    monkeypatch.setattr(labgrid, "close", lambda *, at_once: closed.append(at_once))
    queue = open_queue(where)
    queue.add("done", [("", GOOD)])
    assert Worker(where, request_of, _Told(), lease_s=30).work("done", until_done=True) == 0
    assert queue.standing("done") == Standing(done=1)
    assert closed == [False]


@pytest.mark.parametrize(("limit", "code"), [("-S -n 40", 0), ("-n 40", 3)])
def test_many_workers_and_the_limit_of_open_files(
    tmp_path: Path, simulated_engine: Path, limit: str, code: int
) -> None:
    asked = _asked(tmp_path, "--archive", str(tmp_path / "a.sqlite"), "--workers", "20", "--quiet")
    done = subprocess.run(
        ["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *asked],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    said = "" if code == 0 else "rtstone: 20 workers need 72 open files, and this machine allows 40 (ulimit -n)\n"
    assert done.stderr == said


def test_a_place_that_is_busy_again_and_again_costs_nothing(where: str) -> None:
    queue = open_queue(where, most_lost=2)
    queue.add("b", [("p", GOOD)])
    for tries in range(1, 8):
        lease = queue.take("me")
        assert lease is not None
        assert (lease.tries, lease.failures) == (tries, 0)
        queue.give_back(lease)
    assert queue.standing() == Standing(waiting=1)


def test_leases_that_expire_are_counted_apart(where: str) -> None:
    queue = open_queue(where, lease_s=0.05, most_lost=3)
    queue.add("b", [("p", "a"), ("q", "b")])
    taken: list[str] = []
    while (lease := queue.take("dies")) is not None or len(taken) < 6:
        time.sleep(0.1)
        taken += [lease.request] if lease is not None else []
    assert sorted(taken) == ["a", "a", "a", "b", "b", "b"]
    assert queue.standing() == Standing(failed=2)
    assert {why for _, why in queue.results("b", "failed")} == {
        "3 workers did not end it: each was killed, stopped or cut off while measuring"
    }


class _Lab:
    """Stands in for labgrid: a place that is acquired at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.held: list[str] = []
        self.log: list[str] = []
        monkeypatch.setattr(labgrid, "acquire", self.acquire)
        monkeypatch.setattr(labgrid, "release", self.release)

    def acquire(self, text: str) -> labgrid.LabPlace:
        self.log.append("acquired")
        self.held.append(text)
        return labgrid.LabPlace("one")

    def release(self, text: str) -> None:
        self.log.append("released")
        self.held.remove(text)


class _Told(WorkerListener):
    def __init__(self) -> None:
        self.said: list[str] = []

    def ended(self, work: Work, result: str) -> None:
        self.said.append(result)


def _lab_work(target: str = "labgrid:kind=pc") -> str:
    return GOOD.replace('"simulated"', f'"{target}"')


def _worker(where: str, told: WorkerListener, monkeypatch: pytest.MonkeyPatch) -> Worker:
    """Measures the simulated target wherever the request says to go."""
    made = Worker(where, lambda work: request_of(msgspec.structs.replace(work, target="simulated")), told, lease_s=30)
    real = made._measured
    monkeypatch.setattr(
        made, "_measured", lambda work, *rest: real(msgspec.structs.replace(work, target="simulated"), *rest)
    )
    return made


def test_a_lease_that_is_lost_at_its_place_ends_no_worker(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lab, told, lost = _Lab(monkeypatch), _Told(), [True]
    real = Queue.occupy

    def occupy(self: Queue, lease: Lease, place: str) -> Lease | None:
        if lost:
            lost.clear()
            raise LeaseLostError
        return real(self, lease, place)

    monkeypatch.setattr(Queue, "occupy", occupy)
    open_queue(where).add("b", [("", _lab_work()), ("", _lab_work())])
    _worker(where, told, monkeypatch).work(until_done=True)
    assert open_queue(where).standing() == Standing(done=2)
    assert told.said[0] == "thrown away: its lease ended before it did"
    assert len(open_archive(where).list()) == 2
    assert lab.held == []


def test_a_database_that_is_away_while_a_place_is_taken_is_no_failure(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, told, away = _Lab(monkeypatch), _Told(), [True, True]
    real = Queue.occupy

    def occupy(self: Queue, lease: Lease, place: str) -> Lease | None:
        if away:
            away.pop()
            raise InfrastructureError("away") from DBAPIError.instance(
                "", {}, OperationalError("the server closed the connection"), Exception, connection_invalidated=True
            )
        return real(self, lease, place)

    monkeypatch.setattr(Queue, "occupy", occupy)
    monkeypatch.setattr(_patience, "_PAUSE_S", (0.01, 0.02))
    queue = open_queue(where)
    queue.add("b", [("", _lab_work())])
    _worker(where, told, monkeypatch).work(until_done=True)
    assert queue.standing() == Standing(done=1)
    with queue._archive.transaction() as connection:
        assert connection.execute(text("SELECT tries, failures, expired FROM work")).one() == (1, 0, 0)
    assert lab.log == ["acquired", "released"]


def test_the_place_is_held_until_the_run_is_saved(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lab, real = _Lab(monkeypatch), Queue.finish

    def finish(self: Queue, *words: object, **more: object) -> bool:
        assert lab.held == ["kind=pc"]
        lab.log.append("saved")
        return real(self, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Queue, "finish", finish)
    open_queue(where).add("b", [("", _lab_work())])
    _worker(where, _Told(), monkeypatch).work(until_done=True)
    assert lab.log == ["acquired", "saved", "released"]


@pytest.mark.parametrize("lease_s", [30.0, 600.0])
def test_a_worker_looks_ever_less_often_while_nothing_is_open(
    where: str, lease_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its waits drive its clock. It measures a new request at its next look, and then it looks often again."""
    queue, now = open_queue(where), [0.0]
    waits: list[float] = []
    asked: list[float] = []
    real = Queue.is_over

    def is_over(self: Queue, batch: str = "") -> bool:
        asked.append(now[0])
        if now[0] >= 600 and not queue.standing().total:
            queue.add("b", [("p", GOOD)])
        return real(self, batch)

    def wait(interruption: Interruption, seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds
        if queue.standing().done and now[0] > 700:
            interruption.request()

    monkeypatch.setattr(Queue, "is_over", is_over)
    monkeypatch.setattr(worker, "wait", wait)
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: now[0]))
    Worker(where, request_of, _Told(), lease_s=lease_s).work()
    assert queue.standing() == Standing(done=1)
    most_s = min(20.0, lease_s / 2)
    assert max(waits) == most_s  # a sixth of a longer time; a node's claim, too, is renewed so often
    assert all(0.2 <= wait_s <= 1 for wait_s, at in zip(waits, asked, strict=False) if at <= 1)
    idle = [at for at in asked if 200 <= at <= 580]
    assert all(later - sooner == pytest.approx(most_s) for sooner, later in pairwise(idle))
    measured = next(at for at in asked if at >= 600)
    assert measured <= 600 + most_s
    assert next(at for at in asked if at > measured) <= measured + 1


def _ends_within_a_second(process: subprocess.Popen[str]) -> None:
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=30)
    took = time.monotonic() - begun
    assert process.returncode == 0, said
    assert took < 1, took


def _started(where: str, is_there: Callable[[], bool], **more: str) -> subprocess.Popen[str]:
    """A worker that has come to where the signal is to meet it."""
    own = environment() | {"RTSTONE_ARCHIVE": where, **more}
    process = subprocess.Popen(
        command("measure-all", "worker", "--lease", "30s"),
        env=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not is_there():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    return process


@pytest.mark.alone
def test_sigterm_ends_a_worker_that_has_nothing_to_do(where: str) -> None:
    queue = open_queue(where)
    queue.add("b", [("p", GOOD)])
    process = _started(where, lambda: queue.standing().done == 1)
    _ends_within_a_second(process)


@pytest.mark.alone
def test_sigterm_ends_a_worker_that_measures(where: str, tmp_path: Path) -> None:
    """The engine ignores all requests to end, so it is killed. Its measurement goes back to the queue."""
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\necho x >"{tmp_path}/started"\nexec sleep 60\n')
    slow.chmod(0o755)
    queue = open_queue(where)
    queue.add("b", [("p", GOOD)])
    process = _started(where, (tmp_path / "started").exists, RTSTONE_ENGINE_SIMULATED=str(slow))
    _ends_within_a_second(process)
    assert queue.standing() == Standing(waiting=1)


@pytest.mark.alone
def test_sigterm_ends_a_worker_whose_database_does_not_answer() -> None:
    """Stopped, as a failing machine is: no connection is refused, and no question is answered."""
    with running() as server:
        url = server.url(server.database())
        queue = open_queue(url)
        queue.add("b", [("p", GOOD)])
        process = _started(url, lambda: queue.standing().done == 1)
        assert server._process is not None
        stopped = [server._process.pid, *children(server._process.pid)]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(2)  # it asks at least once a second
            _ends_within_a_second(process)
        finally:
            for pid in stopped:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


@pytest.mark.alone
def test_sigterm_ends_a_worker_whose_database_is_away() -> None:
    with running() as server:
        url = server.url(server.database())
        queue = open_queue(url)
        queue.add("b", [("p", GOOD)])
        process = _started(url, lambda: queue.standing().done == 1)
        server.stop()
        time.sleep(2)
        _ends_within_a_second(process)


def test_a_node_s_measurements_are_taken_by_its_worker_alone(where: str) -> None:
    queue = open_queue(where)
    queue.add("b", [("local@a", "1"), ("local@b", "2"), ("p", "3"), ("", "4")])
    # An older worker knows nothing of nodes: it leaves these rows.
    with queue._archive.transaction() as connection:
        assert [*connection.execute(text("SELECT version FROM work ORDER BY number")).scalars()] == [2, 2, 1, 1]
    taken = [queue.take("none") for _ in range(3)]
    assert [lease.request if lease else None for lease in taken] == ["3", "4", None]
    of_b = queue.take("b", place="local@b")
    assert of_b is not None
    assert (of_b.request, set(of_b.places)) == ("2", {"local@b"})
    assert queue.take("b", place="local@b") is None
    assert queue.take("nearly", place="local@%") is None
    assert queue.standing() == Standing(waiting=1, leased=3)


def test_one_worker_serves_a_node_at_a_time(where: str) -> None:
    queue = open_queue(where, lease_s=1.0)
    queue.add("b", [("local@a", "1"), ("local@b", "2")])
    assert queue.unserved("b") == ("local@a", "local@b")
    assert queue.serve("local@a", "one") == ""
    assert queue.serve("local@a", "one") == ""
    assert queue.serve("local@a", "other") == "one"
    assert queue.unserved("b") == ("local@b",)
    queue.serve_no_more("local@a", "other")  # not the one that serves it
    assert queue.serve("local@a", "other") == "one"
    queue.serve_no_more("local@a", "one")
    assert queue.serve("local@a", "other") == ""
    _change(queue, "UPDATE places SET until = 1")  # a killed worker is silent until its lease ends
    assert queue.unserved("b") == ("local@a", "local@b")
    assert queue.serve("local@a", "one") == ""


def _node_worker(where: str, node: str, *words: str) -> subprocess.Popen[str]:
    own = environment() | {"RTSTONE_ARCHIVE": where, "RTSTONE_MACHINE": node}
    said = command("measure-all", "worker", "--lease", "3s", *words)
    return subprocess.Popen(said, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.usefixtures("engine")
def test_each_node_is_measured_by_its_own_worker_though_workers_are_killed(where: str, tmp_path: Path) -> None:
    """Two workers stand for two machines: RTSTONE_MACHINE names each, and each run records it."""
    file = tmp_path / "nodes.toml"
    file.write_text(
        'measurements = ["semaphore-get-release"]\nloads = ["none"]\ncount = 50\nprofile = "quick"\n'
        'repetitions = 3\ntargets = ["local@a"]\n[places]\nsecond = "local@b"\n'
    )
    words = command("measure-all", str(file), "--workers", "0", "--lease", "3s")
    watch = subprocess.Popen(
        words, env=environment() | {"RTSTONE_ARCHIVE": where}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    working: list[subprocess.Popen[str]] = []
    try:
        queue = open_queue(where)
        until = time.monotonic() + 60
        while not queue.standing().total:
            assert time.monotonic() < until
            time.sleep(0.1)
        time.sleep(4)  # longer than a lease: nobody serves them, and it is printed
        assert queue.standing() == Standing(waiting=6)
        working.append(_node_worker(where, "a"))
        while not queue.standing().done:
            assert time.monotonic() < until
            time.sleep(0.02)
        working[0].kill()
        working += [_node_worker(where, "a", "--until-done"), _node_worker(where, "b", "--until-done")]
        told, said = watch.communicate(timeout=120)
        assert watch.returncode == 0, said
        assert "6 measured, 0 failed" in told
        assert "no worker serves local@a, local@b: on each node start `rtstone measure-all worker --place NODE`" in said
        for one in working[1:]:
            assert one.communicate(timeout=60)[1] is not None
            assert one.returncode == 0
    finally:
        for one in (watch, *working):
            if one.poll() is None:
                one.kill()
            one.communicate()
    archive = open_archive(where)
    runs = [archive.load(one.id) for one in archive.list()]
    assert sorted(run.machine_name for run in runs) == ["a"] * 3 + ["b"] * 3
    assert {run.target for run in runs} == {"local"}
    assert len({run.machine for run in runs}) == 2


def test_the_second_worker_of_a_node_waits_with_one_line(where: str) -> None:
    queue = open_queue(where, lease_s=60)
    queue.add("b", [("local@a", GOOD)])
    assert queue.serve("local@a", "box-1/7") == ""
    with _node_worker(where, "a", "--until-done") as second:
        assert second.stderr is not None
        first = second.stderr.readline().rstrip()
        assert first.endswith(
            "another worker (box-1/7) serves local@a, so this one waits until that one ends: "
            "give each node a --place of its own"
        )
        assert queue.standing() == Standing(waiting=1)
        queue.serve_no_more("local@a", "box-1/7")
        _, rest = second.communicate(timeout=60)
    assert second.returncode == 0
    assert "another worker" not in rest
    assert queue.standing() == Standing(done=1)
    assert queue.serve("local@a", "next") == ""  # it gave its node back at its end


@pytest.mark.parametrize("node", ["", "a b", "-", "ä", "%"])
def test_a_name_that_is_no_node_s_is_refused(tmp_path: Path, node: str) -> None:
    file = tmp_path / "nodes.toml"
    file.write_text(f'measurements = ["semaphore-get-release"]\ntargets = ["local@{node}"]\n')
    said = rtstone("measure-all", str(file), expect=2).stderr
    assert f"'{node}' is no name of a node" in said
    if node not in {"", "-"}:  # '-': none
        assert "is no name of a node" in rtstone("measure-all", "worker", "--place", node, expect=2).stderr
