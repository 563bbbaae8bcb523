# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Whole machines of other architectures over ssh: Debian's stock kernel and sshd in an emulator, used as the page describes.

They show that it works there. Their figures are those of an emulator on a busy host. `make test` has the first test for arm64.
"""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rtstone.archive import open_archive
from rtstone.targets.remote import _machine
from support import debian_guest
from support.command import command, environment, rtstone
from support.debian_guest import Guest
from support.images import lasting, lasting_cache

__all__ = ["lasting"]  # the fixture

pytestmark = pytest.mark.timeout(3600)

TARGET, AS_ROOT = "ssh:far", "ssh:far?sudo"
SHORT = ("run", "-m", "semaphore-get-release", "--load", "none", "--count", "200", "-r", "1", "-q")
SPLIT = ("run", "-m", "interrupt-split", "--load", "none", "--count", "200", "-r", "1", "-q")
SESSIONS = 3
# A period that an emulator keeps on a busy host; each session takes 20 s.
_PACE = ("--period", "10ms", "--count", "2000")
MID_RUN = ("run", "-m", "interrupt-response", "--load", "cpu", *_PACE, "-r", str(SESSIONS), "-q")
NO_TYPES = "this kernel shows no types of its own (no /sys/kernel/btf/vmlinux): it needs CONFIG_DEBUG_INFO_BTF"
PATIENCE_S = 900
"""Time (s) for a command: the emulator may get little of the host's CPUs."""

MACHINE = {"arm64": "aarch64", "armhf": "armv7l", "riscv64": "riscv64"}
WITHOUT_TYPES = {"armhf"}
"""Architectures whose stock kernel has no BTF."""
WITHOUT_JIT = {"riscv64"}
"""Architectures whose stock kernel has its JIT compiler of BPF programs off. Then it refuses those of `attach`."""


@pytest.fixture(
    scope="module", params=["arm64", *(pytest.param(name, marks=pytest.mark.long) for name in ("armhf", "riscv64"))]
)
def booted(request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    with lasting_cache(root):
        debian_guest.disk(debian_guest.MACHINES[request.param])
    with lasting_cache(root), debian_guest.running(request.param, tmp_path_factory.mktemp(request.param)) as guest:
        yield guest


@pytest.fixture
def guest(booted: Guest, monkeypatch: pytest.MonkeyPatch) -> Guest:
    """The guest, its client on PATH with its host key, and nothing remembered of it."""
    monkeypatch.setenv("PATH", f"{booted.programs}:{os.environ['PATH']}")
    _machine.machine.cache_clear()
    booted.client()
    return booted


def _run(*words: str) -> dict[str, Any]:
    """The only run of a command."""
    (run,) = json.loads(rtstone(*words, "--json", timeout_s=PATIENCE_S).stdout)["runs"]
    assert isinstance(run, dict)
    return run


def _fails(*words: str, code: int) -> str:
    """The only line on standard error of a command that fails."""
    said = rtstone(*words, expect=code, timeout_s=PATIENCE_S).stderr
    lines = [line for line in said.splitlines() if line.strip()]
    assert len(lines) == 1, said
    return lines[0]


def _findings() -> dict[str, dict[str, Any]]:
    """The findings of `doctor`, by check."""
    found = json.loads(rtstone("doctor", "--target", TARGET, "--json", timeout_s=PATIENCE_S).stdout)["findings"]
    return {one["check"]: one for one in found}


def _until(true: Callable[[], object], within_s: float = PATIENCE_S) -> None:
    give_up = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.2)


def _accepted(guest: Guest) -> str:
    """Connect once at a terminal and answer *yes*, as a user does. Returns the terminal's output."""
    ours, theirs = pty.openpty()
    words = ["setsid", "--ctty", "--wait", str(guest.programs / "ssh"), "far", "true"]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    with suppress(OSError):  # the terminal is closed
        while chunk := os.read(ours, 4096):
            said += chunk
            if chunk.rstrip().endswith(b"?"):
                os.write(ours, b"yes\n")
    os.close(ours)
    assert process.wait(60) == 0, said
    return said.decode()


def test_an_unknown_host_key_is_refused_until_it_is_accepted(guest: Guest) -> None:
    guest.client(known=False)
    line = "its host key is not known; connect once, check the key, and accept it: ssh far"
    for words in ((*SHORT, "--target", TARGET), ("doctor", "--target", TARGET)):
        assert _fails(*words, code=3) == f"rtstone: {TARGET}: {line}"
    shown = ["ssh-keygen", "-lf", str(guest.folder / "host.pub")]
    fingerprint = subprocess.run(shown, capture_output=True, text=True, check=True, timeout=60).stdout.split()[1]
    assert fingerprint in _accepted(guest)
    assert _run(*SHORT, "--target", TARGET)["status"] == "complete"
    # Another machine answers at its address.
    known = guest.folder / "known"
    known.write_text(f"[127.0.0.1]:{guest.port} {' '.join((guest.folder / 'key.pub').read_text().split()[:2])}\n")
    said = _fails(*SHORT, "--target", TARGET, code=3)
    remedy = said.partition("its host key is another one than before; if that is right: ")[2]
    subprocess.run(remedy, shell=True, check=True, capture_output=True, timeout=60)  # noqa: S602 - as the user would
    assert known.read_text() == ""


@pytest.mark.long
def test_a_user_without_privileges_and_the_command_that_doctor_prints(guest: Guest) -> None:
    run = _run(*SHORT, "--target", TARGET)
    assert (run["status"], run["host"]["target.ssh.engine.architecture"]) == ("complete", guest.machine.architecture)
    (session,) = run["sessions"]
    assert session["env"]["kernel.machine"] == MACHINE[guest.machine.architecture]
    assert session["env"]["machine.virtualisation"] in {"linux,dummy-virt", "riscv-virtio"}
    assert {one["reason"] for one in run["degraded"]} == {"no-realtime", "no-memory-lock"}
    found = _findings()
    assert found["real-time"]["level"] == found["locked-memory"]["level"] == "problem"
    assert found["virtualisation"]["level"] == "warning"
    has_types = guest.machine.architecture not in WITHOUT_TYPES
    assert found["btf"]["level"] == ("ok" if has_types else "note")
    guest.shell(found["real-time"]["remedy"])
    assert {one["level"] for one in _findings().values()} <= {"ok", "note", "warning"}
    assert _run(*SHORT, "--target", TARGET)["degraded"] == []


@pytest.mark.long
def test_killed_in_mid_run_and_resumed(guest: Guest) -> None:
    def sessions() -> int:
        archive = open_archive()
        return len(archive.load("last").sessions) if archive.list() else 0

    def started(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment()
        )

    # Two processes: the one that talks to this host, and the engine.
    measuring = 'until [ "$(pgrep -xc rtstone-engine)" -ge 2 ]; do sleep 0.2; done; sleep 1'
    over = "while pgrep -x rtstone-engine >/dev/null; do sleep 0.2; done"
    process = started(*MID_RUN, "--target", AS_ROOT)
    _until(lambda: sessions() or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    guest.shell(measuring)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    guest.shell(over, timeout_s=60)
    first = open_archive().load("last")
    assert (first.status, 0 < len(first.sessions) < SESSIONS) == ("incomplete", True)
    resume = ("run", "--resume", "last", "--target", AS_ROOT, "-q")
    process = started(*resume)
    with pytest.raises(AssertionError, match="closed by remote host"):  # the connection of this command ends too
        guest.shell(f"{measuring}; sudo -n pkill -KILL -f '^sshd[^ ]*: me'")
    _, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, "Traceback" in said) == (3, False), said
    assert f"{AS_ROOT}: the connection went in mid-run" in said
    assert "\\x" not in said
    guest.shell(over, timeout_s=60)
    done = rtstone(*resume, expect=None, timeout_s=PATIENCE_S)
    # 4: where a busy host starves the emulator, a figure may be doubtful. This is about whole sessions.
    assert done.returncode in {0, 4}, done.stderr
    run = open_archive().load("last")
    assert (run.status, [one.repetition for one in run.sessions]) == ("complete", list(range(SESSIONS)))
    assert all(one.complete for one in run.sessions)
    assert run.sessions[: len(first.sessions)] == first.sessions


@pytest.mark.long
def test_the_stages_in_the_kernel_and_the_wake_ups_of_other_programs(guest: Guest) -> None:
    has_types = guest.machine.architecture not in WITHOUT_TYPES
    # The command of the engine itself: `rtstone attach` watches programs of the machine on which it runs.
    watched = "(while :; do sleep 0.02; done) & p=$!; "
    watched += "/root/.cache/rtstone/far/*/rtstone-engine attach --pid=$p --children --duration-ns=3000000000; "
    watched += 'r=$?; kill $p; echo "code $r"'
    if not has_types:
        done = rtstone(*SPLIT, "--target", AS_ROOT, expect=4, timeout_s=PATIENCE_S)
        (line,) = (line for line in done.stderr.splitlines() if "nothing was measured" in line)
        assert NO_TYPES in line
        assert NO_TYPES in guest.shell(f"sudo -n sh -c '{watched}' 2>&1")
        return
    run = _run(*SPLIT, "--target", AS_ROOT)
    (session,) = run["sessions"]
    counts = {one["quantity"]: one["count"] for one in session["results"]}
    assert counts["expiry-to-handler"] == counts["switch-to-user"] > 20, counts
    lines = guest.shell(f"sudo -n sh -c '{watched}' 2>&1").splitlines()
    if guest.machine.architecture in WITHOUT_JIT:
        refused, code = lines
        assert "JIT compiler, which is off: " in refused
        assert code == "code 3"
        guest.shell(refused.partition(" is off: ")[2].partition(" (")[0].replace("sudo", "sudo -n"))
        lines = guest.shell(f"sudo -n sh -c '{watched}' 2>&1").splitlines()
    assert lines[-1] == "code 0", lines
    (total,) = (json.loads(line) for line in lines if line.startswith('{"at":3000000000,'))
    assert total["samples"] > 20, total


@pytest.mark.long
def test_clean_leaves_nothing(guest: Guest) -> None:
    for target in (TARGET, AS_ROOT):
        _run(*SHORT, "--target", target)
        assert "removed" in rtstone("doctor", "--clean", target, timeout_s=PATIENCE_S).stdout
        assert "there is no engine of rtstone" in rtstone("doctor", "--clean", target, timeout_s=PATIENCE_S).stdout
    assert guest.shell("sudo -n find / -xdev -name '*rtstone*'") == ""
