# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Places of a lab that labgrid shares: acquired before they are touched, given back whatever happens, one measurement at a time."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from rtstone.archive import open_archive, open_queue
from rtstone.errors import InfrastructureError, UsageError
from rtstone.lab import labgrid
from rtstone.measure import measure
from rtstone.stream.plan import Item, Plan
from rtstone.targets import open_target, serial
from support import lab as labs
from support import postgresql
from support.command import command, environment, rtstone
from support.lab import ENVIRONMENT, Lab
from support.sshd import Sshd
from support.sshd import running as running_sshd

SHORT = ("run", "-m", "semaphore-get-release", "--load", "none", "--count", "200", "-r", "1", "-q")

PLAN = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="semaphore-get-release", count=100),))


def _board(listening: socket.socket, engine: Path) -> None:
    """A board at the end of a line that ser2net would share: whoever connects is answered by an engine in virtual time."""
    with suppress(OSError):
        while True:
            line, _ = listening.accept()
            with line, subprocess.Popen([str(engine), "run"], stdin=line.fileno(), stdout=line.fileno()):
                pass


class _Socket(BaseHTTPRequestHandler):
    """A power switch, and the board behind it: it hangs until it was off and on, then it is an engine in virtual time."""

    def do_GET(self) -> None:
        """`/0`: off, `/1`: on."""
        self.server.switched.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


def _hung(listening: socket.socket, switched: list[str], engine: Path) -> None:
    with suppress(OSError):
        line, _ = listening.accept()
        with line:
            line.setblocking(False)
            while switched[-1:] != ["/1"]:
                time.sleep(0.02)
                with suppress(BlockingIOError):
                    line.recv(1 << 16)
            line.setblocking(True)
            with subprocess.Popen([str(engine), "run"], stdin=line.fileno(), stdout=line.fileno()):
                pass


@pytest.fixture(scope="module")
def hung(simulated_engine: Path) -> Iterator[tuple[int, int, list[str]]]:
    """A board that does not answer: the ports of its line and of its power switch, and the list of switch requests."""
    with socket.create_server(("127.0.0.1", 0)) as listening, HTTPServer(("127.0.0.1", 0), _Socket) as switch:
        switched: list[str] = []
        switch.switched = switched  # type: ignore[attr-defined]
        threading.Thread(target=switch.serve_forever, daemon=True).start()
        threading.Thread(target=_hung, args=(listening, switched, simulated_engine), daemon=True).start()
        yield listening.getsockname()[1], switch.server_port, switched
        switch.shutdown()
        listening.shutdown(socket.SHUT_RDWR)


def _at_tty(line: int, engine: Path, ended: threading.Event) -> None:
    while not ended.is_set():
        with subprocess.Popen([str(engine), "run"], stdin=line, stdout=line) as running:
            while running.poll() is None:
                if ended.wait(0.05):
                    running.kill()


@pytest.fixture(scope="module")
def tty_line(simulated_engine: Path) -> Iterator[str]:
    """The device of a serial line, with a board behind it that takes one plan after the other."""
    ours, line = os.openpty()
    tty.setraw(line)
    ended = threading.Event()
    board = threading.Thread(target=_at_tty, args=(ours, simulated_engine, ended), daemon=True)
    board.start()
    yield os.ttyname(line)
    ended.set()
    board.join()
    os.close(ours)
    os.close(line)


@pytest.fixture(scope="module")
def sshd() -> Iterator[Sshd]:
    with running_sshd() as server:
        yield server


@pytest.fixture(scope="module")
def shared(sshd: Sshd, simulated_engine: Path, hung: tuple[int, int, list[str]], tty_line: str) -> Iterator[Lab]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_board, args=(listening, simulated_engine), daemon=True).start()
        line = {"host": "127.0.0.1", "port": listening.getsockname()[1], "speed": 115200, "protocol": "raw"}
        machine = {"NetworkService": {"address": "far", "username": sshd.user, "port": sshd.port}}
        switch = {"model": "simplerest", "host": f"http://127.0.0.1:{hung[1]}/{{value}}", "index": 0}
        places = {
            "hung": ({"kind": "hung"}, {"NetworkSerialPort": line | {"port": hung[0]}, "NetworkPowerPort": switch}),
            "rack1": ({"kind": "pc"}, machine),
            "rack2": ({"kind": "pc"}, machine),
            "board2": ({"kind": "tty"}, {"RawSerialPort": {"port": tty_line, "speed": 115200}}),
            "board1": ({"kind": "board"}, {"NetworkSerialPort": line}),
            "plug": ({"kind": "plug"}, {"NetworkPowerPort": {"model": "x", "host": "y", "index": 1}}),
        }
        with labs.running(places) as lab:
            yield lab
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def lab(shared: Lab, sshd: Sshd, engine: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("PATH", f"{sshd.programs}:{os.environ['PATH']}")
    monkeypatch.setenv("RTSTONE_ENGINE", str(engine))
    monkeypatch.setenv("RTSTONE_LABGRID_PYTHON", shared.python)
    monkeypatch.setenv("LG_COORDINATOR", shared.address)
    monkeypatch.setenv("LG_HOSTNAME", "here")
    monkeypatch.setenv("LG_USERNAME", "tester")
    shared.start()
    _until(lambda: "NetworkPowerPort" in shared.client("resources"))
    return shared


def _until(holds: Callable[[], bool], within_s: float = 60) -> None:
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.1)


def _acquired(lab: Lab, place: str) -> bool:
    return "acquired: here/tester-rtstone-" in lab.client("-p", place, "show")


@pytest.mark.parametrize(("text", "place", "kernel"), [("rack2", "rack2", True), ("kind=board", "board1", False)])
def test_a_run_at_a_place(lab: Lab, text: str, place: str, kernel: bool) -> None:
    (run,) = json.loads(rtstone(*SHORT, "--no-archive", "--target", f"labgrid:{text}", "--json").stdout)["runs"]
    assert (run["status"], run["target"]) == ("complete", f"labgrid:{text}")
    assert run["host"]["target.labgrid.place"] == place
    if kernel:
        assert run["host"]["kernel.release"] == Path("/proc/sys/kernel/osrelease").read_text().strip()
    assert not _acquired(lab, place)
    assert "here/tester" not in lab.client("reservations")


def test_a_command_of_the_user_s_acts_on_the_place_that_is_held(lab: Lab, tmp_path: Path) -> None:
    """So that labgrid's own commands bring an image there, before each repetition."""
    said = tmp_path / "said"
    before = f"{ENVIRONMENT}/labgrid-client set-comment 'written by me' && {ENVIRONMENT}/labgrid-client show >{said}"
    rtstone(*SHORT, "--no-archive", "--target", "labgrid:kind=board", "--before", before)
    assert "Place 'board1'" in said.read_text()
    assert "acquired: here/tester-rtstone-" in said.read_text()
    assert "written by me" in said.read_text()
    assert not _acquired(lab, "board1")


def test_a_serial_line_that_an_exporter_shares_by_ser2net(lab: Lab) -> None:
    """The exporter starts ser2net when the place is acquired, and publishes its port then."""
    for _ in range(2):
        (run,) = json.loads(rtstone(*SHORT, "--no-archive", "--target", "labgrid:board2", "--json").stdout)["runs"]
        assert (run["status"], run["host"]["target.labgrid.place"]) == ("complete", "board2")
        assert not _acquired(lab, "board2")


def test_a_board_that_does_not_answer_is_switched_off_and_on(
    lab: Lab, hung: tuple[int, int, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial, "silence_limit_s", lambda _: 8.0)
    try:
        run = measure("labgrid:hung", lambda _: PLAN, 1).run
    finally:
        labgrid.close()
    assert (run.status, run.error) == ("complete", "")
    assert hung[2] == ["/0", "/1"]
    assert run.host["target.labgrid.power_cycles"] == "1"
    assert not _acquired(lab, "hung")


def test_a_power_switch_that_is_away(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says that the board does not answer, and why its power stays as it is."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = {"host": "127.0.0.1", "port": silent.getsockname()[1], "protocol": "raw"}
        switch = {"model": "simplerest", "host": "http://127.0.0.1:1/{value}", "index": 0}
        has = tuple(
            labgrid.Resource(kind, params)
            for kind, params in (("NetworkSerialPort", port), ("NetworkPowerPort", switch))
        )
        monkeypatch.setattr(serial, "silence_limit_s", lambda _: 0.5)
        target = labgrid.open_labgrid("plug")
        try:
            labgrid.acquire("plug")
            made = target._made(labgrid.LabPlace("plug", resources=has))
            with made, pytest.raises(InfrastructureError) as raised:
                list(made.start(PLAN))
        finally:
            labgrid.close()
    assert "labgrid:plug: the board does not answer, and its power cannot be switched: " in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_place_that_another_holds(lab: Lab) -> None:
    lab.client("-p", "rack1", "acquire")
    said = rtstone(*SHORT, "--target", "labgrid:rack1", expect=3).stderr
    assert said == "rtstone: labgrid:rack1: here/tester has it\n"
    lab.client("-p", "rack1", "release")


def test_a_target_that_is_left_gives_the_place_back_while_the_process_lives(lab: Lab) -> None:
    """As in a suite of pytest that measures one place after the other."""
    try:
        for _ in range(2):
            target = open_target("labgrid:board1")
            with target:
                assert _acquired(lab, "board1")
            _until(lambda: not _acquired(lab, "board1"), 10)
        assert measure("labgrid:board1", lambda _: PLAN, 1).run.status == "complete"
        assert not _acquired(lab, "board1")
        # Two of this process use it: the first that is left does not give it away.
        with open_target("labgrid:board1"):
            with open_target("labgrid:board1"):
                pass
            assert _acquired(lab, "board1")
        assert not _acquired(lab, "board1")
    finally:
        labgrid.close()


def _waits_for_a_place(lab: Lab, *words: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        command(*words), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _until(lambda: "here/tester-rtstone-" in lab.client("reservations"))
    return process


@pytest.mark.alone
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_a_signal_ends_the_wait_for_a_place(lab: Lab, number: int, code: int) -> None:
    """Nothing is measured then, nothing saved, and the place in the line is given back."""
    lab.client("-p", "hung", "acquire")
    process = _waits_for_a_place(lab, *SHORT, "--target", "labgrid:kind=hung")
    begun = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    took = time.monotonic() - begun
    lab.client("-p", "hung", "release")
    assert (process.returncode, "Traceback" in said) == (code, False), said
    assert took < 1, took
    _until(lambda: "here/tester-rtstone-" not in lab.client("reservations"), 15)
    assert not _acquired(lab, "hung")
    assert open_archive().list() == ()


@pytest.mark.alone
def test_sigterm_ends_a_worker_that_waits_for_a_place(lab: Lab) -> None:
    queue = open_queue()
    queue.add("b", [("", '{"target": "labgrid:kind=hung", "measurement": "semaphore-get-release", "load": "none"}')])
    lab.client("-p", "hung", "acquire")
    process = _waits_for_a_place(lab, "measure-all", "worker")
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    took = time.monotonic() - begun
    lab.client("-p", "hung", "release")
    assert (process.returncode, "Traceback" in said) == (0, False), said
    assert took < 1, took
    assert queue.standing().waiting == 1
    _until(lambda: not _acquired(lab, "hung"), 15)


def test_kill_9_gives_the_place_back(lab: Lab, sshd: Sshd) -> None:
    long = ("run", "-m", "interrupt-response", "--load", "none", "--count", "60000", "--target", "labgrid:kind=pc")
    with subprocess.Popen(command(*long), env=environment(), stderr=subprocess.DEVNULL) as process:
        _until(lambda: bool(sshd.engines()))
        assert _acquired(lab, "rack1") or _acquired(lab, "rack2")
        process.kill()
    _until(lambda: not _acquired(lab, "rack1") and not _acquired(lab, "rack2"), 15)
    assert "here/tester" not in lab.client("reservations")
    assert sshd.gone(5) == {}


@pytest.mark.parametrize(
    ("change", "target", "said"),
    [
        ({}, "labgrid:nowhere", "labgrid:nowhere: there is no such place"),
        ({}, "labgrid:plug", "a NetworkService or a NetworkSerialPort is needed; plug has NetworkPowerPort"),
        ({"LG_COORDINATOR": "127.0.0.1:1"}, "labgrid:rack1", "labgrid's coordinator 127.0.0.1:1 is away"),
        ({"RTSTONE_LABGRID_PYTHON": "/usr/bin/python3"}, "labgrid:rack1", "25 or newer is needed"),
        ({"RTSTONE_LABGRID_PYTHON": "/no/python"}, "labgrid:rack1", "cannot be started"),
        ({"RTSTONE_LABGRID_PYTHON": ""}, "labgrid:rack1", "there is no labgrid: python3 -m venv"),
    ],
)
def test_what_is_not_to_be_had(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, change: dict[str, str], target: str, said: str
) -> None:
    for name, value in change.items():
        monkeypatch.setenv(name, value)
    told = rtstone(*SHORT, "--target", target, expect=3).stderr
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("rest", ["", "-x", "a b", "a=", "a=b,c", "rack1?root", "rack1\n"])
def test_a_text_that_names_no_place(rest: str) -> None:
    with pytest.raises(UsageError, match="names no place"):
        open_target(f"labgrid:{rest}")


def test_what_was_lost_is_not_acquired_anew_in_silence(lab: Lab) -> None:
    """After a restart the coordinator would give the place, or another one, to the first client that asks."""
    try:
        assert labgrid.acquire("board1").place == "board1"
        lab.kill("coordinator")
        lab.start()
        _until(lambda: bool(labgrid._held["board1"].holder.lost))
        with pytest.raises(labgrid.PlaceError, match="is away"):
            labgrid.acquire("board1")
        labgrid.release("board1")
        assert labgrid.acquire("board1").acquired.startswith("here/tester-rtstone-")
    finally:
        labgrid.close()
    assert not _acquired(lab, "board1")


def test_the_commands_of_the_page(
    lab: Lab, sshd: Sshd, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/how-to/run-a-lab.md as it stands, but for addresses and ports."""
    page = (root / "docs" / "how-to" / "run-a-lab.md").read_text()
    blocks = {kind: re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("toml", "yaml", "sh")}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    monkeypatch.setenv("LG_COORDINATOR", address)
    monkeypatch.setenv("PATH", f"{ENVIRONMENT}:{os.environ['PATH']}")
    monkeypatch.setenv("RTSTONE_LABGRID_PYTHON", "")  # it is found by labgrid-client
    monkeypatch.chdir(tmp_path)
    Path("lab.toml").write_text(blocks["toml"][0])
    there = re.sub(
        "address: rack[12], username: bench, port: 22",
        f"address: far, username: {sshd.user}, port: {sshd.port}",
        blocks["yaml"][0],
    )
    Path("exporter.yaml").write_text(there)
    _, coordinator, exporter = blocks["sh"]
    wait = f"until (exec 3<>/dev/tcp/{address.replace(':', '/')}) 2>&-; do sleep 0.1; done\n"
    script = (coordinator + wait + exporter).replace("127.0.0.1:20408", address) + "echo ready\nwait\n"
    assert script.count(address) == 2
    with subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, text=True, process_group=0) as services:
        try:
            assert services.stdout is not None
            assert any(line == "ready\n" for line in services.stdout)
            _until(lambda: lab.client("-x", address, "resources").count("NetworkService") == 2)
            for line in re.findall(r"^    rtstone ((?:run|measure-all) (?!worker).*)$", page, re.MULTILINE):
                rtstone(*line.split())
        finally:
            os.killpg(services.pid, signal.SIGKILL)
    assert [run.target for run in open_archive().list()[:2]] == ["labgrid:kind=pc", "labgrid:rack1"]
    assert len(open_archive().list()) == 10


def test_many_while_the_lab_is_killed(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each measurement is there once, though the coordinator forgets in the middle which worker has which place."""
    file = tmp_path / "lab.toml"
    file.write_text(
        'measurements = ["semaphore-get-release"]\nloads = ["none"]\ncount = 200\nrepetitions = 4\nprofile = "quick"\n'
        'targets = ["labgrid:kind=pc", "labgrid:board1"]\n'
    )
    with postgresql.running() as server:
        database = server.database()
        url = server.url(database)
        monkeypatch.setenv("RTSTONE_ARCHIVE", url)
        queue = open_queue(url)
        words = command("measure-all", str(file), "--workers", "2", "--lease", "30s")
        with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True) as process:
            for done, name in ((1, "coordinator"), (3, "exporter")):
                _until(lambda done=done: queue.standing().done >= done, 120)  # type: ignore[misc]
                lab.kill(name)
                time.sleep(2)
                lab.start()
            said, _ = process.communicate(timeout=180)
        assert "8 measured, 0 failed" in said
        runs = open_archive(url).list()
        assert len(runs) == len({run for _, run in queue.results(runs[0].group, "done")}) == 8
        assert {run.status for run in runs} == {"complete"}
        assert server.sql("SELECT count(*) FROM places WHERE until IS NOT NULL", database) == "0"
