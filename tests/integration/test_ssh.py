# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A machine over ssh, by a private server on the loopback interface.

Requests reach that machine, and nothing outlives the connection.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from rtstone.measure import measure
from rtstone.stream import Progress
from rtstone.stream.plan import Item, Plan
from rtstone.targets.remote import _machine
from support.children import children, words
from support.command import command, environment, rtstone
from support.sshd import Sshd, running

SHORT = ("run", "-m", "semaphore-get-release", "--load", "none", "--count", "200", "-r", "1", "-q", "--no-archive")
LONG = Plan(
    seed=1, repetition=0, items=(Item(item=0, measurement="interrupt-response", count=60_000, load="cpu", warmup=0),)
)


@pytest.fixture(scope="module")
def server() -> Iterator[Sshd]:
    with running() as sshd:
        yield sshd


@pytest.fixture
def far(server: Sshd, engine: Path, monkeypatch: pytest.MonkeyPatch) -> Sshd:
    """The server, its client on PATH, and nothing remembered of it."""
    monkeypatch.setenv("PATH", f"{server.programs}:{os.environ['PATH']}")
    monkeypatch.setenv("RTSTONE_ENGINE", str(engine))
    _machine.machine.cache_clear()
    server.client(server.port)
    return server


def _started(far: Sshd, *words: str) -> subprocess.Popen[str]:
    """The tool in mid-run: the far engine measures, beside its load."""
    process = subprocess.Popen(
        command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    until = time.monotonic() + 60
    while len(far.engines()) < 3 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    if len(far.engines()) < 3:
        process.kill()
        pytest.fail(f"no engine there: {process.communicate()}")
    time.sleep(0.3)
    return process


_MID_RUN = ("run", "-m", "interrupt-response", "--load", "cpu", "--count", "60000", "-r", "2", "--target", "ssh:far")


def test_a_run_and_what_is_left(far: Sshd) -> None:
    document = json.loads(rtstone(*SHORT, "--target", "ssh:far", "--json").stdout)
    (run,) = document["runs"]
    assert run["target"] == "ssh:far"
    assert run["status"] == "complete"
    release = Path("/proc/sys/kernel/osrelease").read_text().strip()
    assert run["host"]["kernel.release"] == release
    assert "cpu.measured.steal_percent" in run["host"]
    assert "python" not in run["host"]
    kept = sorted(path.name for path in far.kept.glob("*/*"))
    assert kept == ["rtstone-engine"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in [far.kept, *far.kept.glob("*"), *far.kept.glob("*/*")])
    assert far.engines() == {}
    # Copied once.
    (program,) = far.kept.glob("*/rtstone-engine")
    before = program.stat()
    assert json.loads(rtstone("list", "loads", "--target", "ssh:far", "--json").stdout)["loads"]
    assert program.stat().st_ino == before.st_ino
    # The same words as of this machine.
    assert "removed" in rtstone("doctor", "--clean", "ssh:far").stdout
    assert not far.kept.exists()
    assert [path.name for path in far.home.iterdir() if path.name != ".cache"] == []
    assert "there is no engine of rtstone" in rtstone("doctor", "--clean", "ssh:far").stdout


@pytest.mark.needs("host-processes")
def test_looked_at_there(far: Sshd) -> None:
    found = json.loads(rtstone("doctor", "--target", "ssh:far", "--json").stdout)["findings"]
    engine = next(one for one in found if one["check"] == "engine")
    assert str(far.kept) in engine["found"]
    here = json.loads(rtstone("doctor", "--json").stdout)["findings"]
    changing = {"engine", "busy", "steal", "smi"}  # what is not the same twice
    assert [one for one in found if one["check"] not in changing] == [
        one for one in here if one["check"] not in changing
    ]
    there, ours = (
        json.loads(rtstone("doctor", "priorities", "--json", *at).stdout) for at in (("--target", "ssh:far"), ())
    )
    kernels = [[one for one in document["threads"] if one["kernel"]] for document in (there, ours)]
    assert kernels[0] == kernels[1] != []
    seen = json.loads(rtstone("traits", "--target", "ssh:far", "--json").stdout)["this_machine"]
    assert seen["targets"]["value"] == os.uname().machine
    assert "memory-protection" not in seen


def test_kill_9_of_the_tool(far: Sshd) -> None:
    process = _started(far, *_MID_RUN)
    process.kill()
    process.communicate()
    assert far.gone(4) == {}


def test_ctrl_c_keeps_what_there_is_and_resume_goes_on(far: Sshd) -> None:
    quick = [word if word != "60000" else "400" for word in _MID_RUN]
    process = _started(far, *_MID_RUN[:-4], "-r", "2", "--raw", "--target", "ssh:far")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert far.gone(2) == {}
    process = subprocess.Popen(command(*quick, "-r", "9"), stderr=subprocess.PIPE, text=True, env=environment())

    def measuring() -> set[int]:
        while not (found := {pid for pid, words in far.engines().items() if " run " in words}):
            assert process.poll() is None
            time.sleep(0.01)
        return found

    # Once the second repetition is measured, the first has come: there is something to go on from, however slow the machine is.
    first = measuring()
    while measuring() & first:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    runs = json.loads(rtstone("archive", "list", "--json").stdout)["runs"]
    assert runs[0]["status"] == "interrupted"
    # A run may come from another machine, so the target name in it is not trusted.
    refused = rtstone("run", "--resume", "last", expect=2).stderr
    assert f"name it: --resume {runs[0]['id']} --target ssh:far" in refused
    resumed = json.loads(rtstone("run", "--resume", "last", "--target", "ssh:far", "--json", "-q", expect=None).stdout)[
        "runs"
    ][0]
    assert resumed["status"] == "complete"
    assert len(resumed["sessions"]) == 9


def test_the_servers_side_is_killed(far: Sshd) -> None:
    process = _started(far, *_MID_RUN)
    serving = _serving(far)
    for pid in serving:
        with suppress(ProcessLookupError):  # it ends by itself once the one before it is gone
            os.kill(pid, signal.SIGKILL)
    _, said = process.communicate(timeout=30)
    assert process.returncode in (3, 4), said
    assert "the connection went in mid-run" in said
    assert "Traceback" not in said
    assert far.gone(4) == {}
    assert json.loads(rtstone("archive", "list", "--json").stdout)["runs"][0]["status"] == "incomplete"


def _serving(far: Sshd) -> list[int]:
    """The server's processes of the connection that is open."""
    found: list[int] = []
    above = {far.pid}
    for _ in range(3):
        above = {pid for parent in above for pid in children(parent) if b"sshd" in b"".join(words(pid))}
        found += above
    assert found
    return found


def test_a_far_end_that_hears_nothing_ends_by_itself(engine: Path) -> None:
    """As after a cut cable: nothing comes, and no end either."""
    from rtstone.stream.plan import encode

    def waits(first: bytes, *, answer: bytes = b"") -> float:
        process = subprocess.Popen(
            [engine, "far"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        assert process.stdin is not None
        assert process.stdout is not None
        began = time.monotonic()  # before it can have heard anything: from then on it waits
        process.stdin.write(first)
        if answer:
            while not (line := process.stdout.readline()).startswith(b"@item"):
                assert line
            began = time.monotonic()
            process.stdin.write(answer)
        assert process.wait(20) == 3
        took = time.monotonic() - began
        assert process.stderr is not None
        assert b"the deadline" in process.stderr.read() or b"did not answer" in first or not answer
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        return took

    assert 0.4 <= waits(b"allow 400\n") < 3
    assert 1 <= waits(b"allow 60000\n" + encode(LONG), answer=b"next 1000\n") < 5


class _Wire:
    """Between client and server: records when bytes went over the wire, and can cut it without notice to a side."""

    def __init__(self, port: int) -> None:
        self.times: list[float] = []
        self.cut = False
        self._to = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._open = [self._door]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                there = socket.create_connection(("127.0.0.1", self._to))
                self._open += [near, there]
                for one, other in ((near, there), (there, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                self.times.append(time.monotonic())
                while self.cut:
                    time.sleep(0.05)
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.cut = False
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.fixture
def wire(far: Sshd) -> Iterator[_Wire]:
    between = _Wire(far.port)
    far.client(between.port)
    yield between
    between.close()


def test_nothing_is_on_the_wire_while_an_item_is_measured(wire: _Wire) -> None:
    counts = (900, 1300, 1100)
    items = tuple(
        Item(item=n, measurement="interrupt-response", count=count, raw=1, load="cpu") for n, count in enumerate(counts)
    )
    outcome = measure("ssh:far", lambda _: Plan(seed=1, repetition=0, items=items), 1)
    assert outcome.error is None
    assert outcome.run.status == "complete"
    lasted = [count / 1000 + 0.1 for count in counts]  # ms periods, and the rest before each
    gaps = sorted((b - a for a, b in zip(wire.times, wire.times[1:], strict=False)), reverse=True)[: len(counts)]
    assert all(gap >= least for gap, least in zip(gaps, sorted(lasted, reverse=True), strict=True)), gaps
    # Its counters are the far machine's, and all there is of the far end's own words is left out of the stream.
    assert "interrupts_per_s.LOC" in outcome.run.host or outcome.run.host["context_switches"] != "0"
    assert b"\n@" not in outcome.logs[0]


def _fails(*words: str, code: int = 3) -> str:
    said = rtstone(*words, expect=code).stderr
    lines = [line for line in said.splitlines() if line.strip()]
    assert len(lines) == 1, said
    return lines[0]


def test_bad_hosts_are_one_line(far: Sshd) -> None:
    run = (*SHORT, "--target", "ssh:far")
    far.client(far.port, known=False)
    assert "host key is not known" in _fails(*run)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    far.client(port)
    assert "Connection refused" in _fails(*run)
    far.client(far.port)
    (far.folder / "key.pub").rename(far.folder / "kept")
    try:
        assert "without a password" in _fails(*run)
    finally:
        (far.folder / "kept").rename(far.folder / "key.pub")
    sudo = far.far_programs / "sudo"
    sudo.write_text("#!/bin/sh\necho sudo: a password is required >&2\nexit 1\n")
    sudo.chmod(0o755)
    assert "sudo does not run the engine without a password" in _fails(*SHORT, "--target", "ssh:far?sudo")
    sudo.write_text('#!/bin/sh\n[ "$1 $2" = "-n -H" ] || exit 9\nshift 2\nexec "$@"\n')
    (run_,) = json.loads(rtstone(*SHORT, "--target", "ssh:far?sudo", "--json").stdout)["runs"]
    assert (run_["status"], run_["host"]["target.ssh.sudo"]) == ("complete", "yes")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("echo Welcome to the menu", "its login shell did not run /bin/sh (exit code 0); it said: Welcome to the menu"),
        ("exit 7", "its login shell did not run /bin/sh (exit code 7)"),
    ],
)
def test_a_shell_that_does_something_else(
    engine: Path, answer: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running() as other:
        other.stop()
        other.start(answering=f"/bin/sh -c '{answer}'")
        monkeypatch.setenv("PATH", f"{other.programs}:{os.environ['PATH']}")
        assert words in _fails(*SHORT, "--target", "ssh:far")


@pytest.mark.parametrize("banner", ["printf banner", "printf '~0 {} 00000000\\n@no\\n'", "cat /etc/os-release"])
def test_a_banner_is_no_record(engine: Path, banner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as other:
        login = other.folder / "login"
        login.write_text(f'#!/bin/sh\n{banner}\nexec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n')
        login.chmod(0o755)
        other.stop()
        other.start(answering=str(login))
        monkeypatch.setenv("PATH", f"{other.programs}:{os.environ['PATH']}")
        (run,) = json.loads(rtstone(*SHORT, "--target", "ssh:far", "--json").stdout)["runs"]
        assert run["status"] == "complete"
        assert run["error"] == ""


def test_a_home_that_is_full(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy is broken off in the middle: one line, and nothing of it stays."""
    with running() as other:
        login = other.folder / "login"
        login.write_text('#!/bin/sh\ntrap "" XFSZ\nulimit -f 64\nexec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n')
        login.chmod(0o755)
        other.stop()
        other.start(answering=str(login))
        monkeypatch.setenv("PATH", f"{other.programs}:{os.environ['PATH']}")
        said = _fails(*SHORT, "--target", "ssh:far")
        assert "ssh:far: " in said
        assert "File too large" in said
        assert [path for path in other.kept.rglob("*") if path.is_file()] == []


@pytest.mark.long  # mounts, as root
@pytest.mark.parametrize(("option", "words"), [("ro", "Read-only file system"), ("noexec", "noexec")])
def test_a_home_where_no_engine_can_be(engine: Path, monkeypatch: pytest.MonkeyPatch, option: str, words: str) -> None:
    with running() as other:
        login = other.folder / "login"
        mount = f'mount --bind "$HOME" "$HOME" && mount -o remount,bind,{option} "$HOME" && exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"'
        login.write_text(f"#!/bin/sh\nexec unshare --mount /bin/sh -c '{mount}'\n")
        login.chmod(0o755)
        other.stop()
        other.start(answering=str(login))
        monkeypatch.setenv("PATH", f"{other.programs}:{os.environ['PATH']}")
        said = _fails(*SHORT, "--target", "ssh:far")
        assert "ssh:far: " in said
        assert words in said


def test_places_that_cannot_be_used(far: Sshd) -> None:
    run = (*SHORT, "--target", "ssh:far")
    shutil.rmtree(far.home / ".cache", ignore_errors=True)
    (far.home / ".cache").write_text("a file in the way")
    assert "ssh:far: mkdir: " in _fails(*run)
    (far.home / ".cache").unlink()
    rtstone(*run)
    # Somebody else could put another engine there.
    far.kept.chmod(0o777)
    assert "other users can write to" in _fails(*run)
    assert "other users can write to" in _fails("doctor", "--clean", "ssh:far")
    far.kept.chmod(0o700)
    # One that was changed is not run.
    (program,) = far.kept.glob("*/rtstone-engine")
    with program.open("ab") as file:
        file.write(b"x")
    rtstone(*run)  # it is copied again
    far.home.chmod(0o777)
    try:
        assert "other users can write to" in _fails(*run)
    finally:
        far.home.chmod(0o755)


def test_a_machine_with_a_new_image_gets_the_engine_again(far: Sshd) -> None:
    """As the page recommends: --before writes an image. Here it deletes what was kept there, before each session."""
    seen = far.folder / "seen"
    kept = shlex.quote(str(far.kept))
    wipe = f"find {kept} -type f | wc -l >> {seen}; rm -rf {kept}"
    words = ("run", "-t", "ssh:far", "-m", "semaphore-ping", "--load", "none", "--count", "100", "-r", "3")
    done = rtstone(*words, "--before", wipe)
    assert "Traceback" not in done.stderr
    run = open_archive().load("last")
    assert (run.status, len(run.sessions)) == ("complete", 3)
    found = [int(line) for line in seen.read_text().split()]
    assert len(found) == 3
    assert min(found[1:]) > 0, "an engine was there before each later session, and was deleted"


def test_several_copy_the_same_engine_at_once(far: Sshd) -> None:
    shutil.rmtree(far.home / ".cache", ignore_errors=True)
    tools = [
        subprocess.Popen(
            command("list", "loads", "--target", "ssh:far"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        for _ in range(3)
    ]
    said = [tool.communicate(timeout=60) for tool in tools]
    assert [tool.returncode for tool in tools] == [0, 0, 0], said
    assert not list(far.kept.glob("*/.part*"))


def test_a_copy_that_is_cut_leaves_nothing(far: Sshd) -> None:
    from rtstone.targets.remote import _client, _scripts, parse

    shutil.rmtree(far.home / ".cache", ignore_errors=True)
    answer = _client.ask(parse("far"), _scripts.put("0" * 16, "rtstone-engine", "0" * 64), b"half an engine")
    assert answer.values("no") == ["the copy differs from the original"]
    assert [path for path in far.kept.rglob("*") if path.is_file()] == []


@pytest.mark.long
def test_a_cut_cable(wire: _Wire, far: Sshd) -> None:
    """No side gets a notice: the far engine ends at its deadlines, the tool later; it saves the received records."""
    items = (
        Item(item=0, measurement="semaphore-get-release", count=100),
        Item(item=1, measurement="interrupt-response", count=5_000),
    )
    plan = Plan(seed=1, repetition=0, items=items)
    told: list[float] = []

    def watch() -> None:
        while far.engines():
            time.sleep(0.2)
        told.append(time.monotonic())

    def cut(progress: Progress) -> None:
        """In mid-run: the short item has come, the long one has not."""
        if progress.items_done == 1 and not wire.cut:
            wire.cut = True
            told.append(time.monotonic())
            threading.Thread(target=watch, daemon=True).start()

    outcome = measure("ssh:far", lambda _: plan, 1, on_progress=cut)
    assert outcome.error is not None
    assert outcome.run.status == "incomplete"
    assert [result.measurement for result in outcome.run.results() if result.count] == ["semaphore-get-release"]
    began, ended = told
    assert ended - began < 40 + 60 + 20
    assert time.monotonic() - began < 300


@pytest.mark.long
def test_a_far_engine_that_is_stopped(far: Sshd) -> None:
    """A machine that freezes says nothing: the tool gives up, and keeps what came."""
    items = (
        Item(item=0, measurement="semaphore-get-release", count=100),
        Item(item=1, measurement="interrupt-response", count=5_000),
    )
    frozen: set[int] = set()

    def freeze(progress: Progress) -> None:
        if progress.items_done == 1 and not frozen:
            frozen.update(far.engines())
            for engine in frozen:
                os.kill(engine, signal.SIGSTOP)

    try:
        outcome = measure("ssh:far", lambda _: Plan(seed=1, repetition=0, items=items), 1, on_progress=freeze)
    finally:
        for engine in frozen & far.engines().keys():
            os.kill(engine, signal.SIGCONT)
    assert frozen
    assert outcome.error is not None
    assert outcome.run.status == "incomplete"
    assert [result.measurement for result in outcome.run.results() if result.count] == ["semaphore-get-release"]
    assert far.gone(30) == {}
