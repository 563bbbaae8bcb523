# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Units that are stopped for a run: only what can be spared, and active again whatever happens."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rtstone.cli import _quiesce
from rtstone.errors import InfrastructureError, UsageError
from rtstone.machine.quiesce import quiesced, spare_units
from rtstone.machine.settings import MachineSettings
from rtstone.machine.system import System
from support.board_command import Command, rtstone

__all__ = ["rtstone"]  # the fixture

SPARED = ["apt-daily.timer", "cron.service", "fwupd-refresh.timer", "unattended-upgrades.service"]
KEPT = [
    "dbus.service",
    "docker.service",
    "networking.service",
    "NetworkManager.service",
    "nginx.service",
    "ssh.service",
]
KEPT += [
    "sshd.service",
    "systemd-journald.service",
    "systemd-logind.service",
    "systemd-udevd.service",
    "wpa_supplicant.service",
]

SYSTEMCTL = """#!/bin/sh
# A folder stands for the manager: a file a unit, of its state; `slow` is how long a job takes, `stubborn` what cannot be stopped.
cd "$STATES" || exit 1
for unit; do :; done
case " $* " in
*" list-units "*)
    for one in *.service *.timer; do [ "$(cat $one)" = active ] && echo "$one loaded active running It is $one"; done
    exit 0 ;;
*" is-active "*) [ "$(cat $unit)" = active ] ;;
*" start "*) sleep "$(cat slow)"; echo active > $unit ;;
*" stop "*) grep -qx "$unit" stubborn && { echo "Failed to stop $unit: it will not." >&2; exit 1; }
    sleep "$(cat slow)"; echo inactive > $unit ;;
esac
"""


class Planted(System):
    """This machine, with a systemd."""

    def exists(self, path: str) -> bool:
        return path == "/run/systemd/system" or super().exists(path)


@pytest.fixture
def states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The units of a planted systemd, all active."""
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(SYSTEMCTL)
    program.chmod(0o755)
    folder = tmp_path / "states"
    folder.mkdir()
    for unit in (*SPARED, *KEPT):
        (folder / unit).write_text("active\n")
    (folder / "slow").write_text("0\n")
    (folder / "stubborn").write_text("\n")
    monkeypatch.setenv("STATES", str(folder))
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(_quiesce, "System", Planted)
    return folder


def _stopped(states: Path) -> list[str]:
    return sorted(path.name for path in states.glob("*.*") if path.read_text() != "active\n")


def test_only_what_can_be_spared_is_stopped_and_all_is_active_again(states: Path, tmp_path: Path) -> None:
    units = spare_units(Planted())
    assert sorted(units) == SPARED
    settings = MachineSettings(Planted(), tmp_path / "journal")
    with quiesced(units, settings):
        assert _stopped(states) == SPARED
    assert _stopped(states) == []
    assert settings.after.failed == settings.after.others == ()


def test_a_run_tells_what_was_stopped(states: Path, rtstone: Command) -> None:
    ended = rtstone("run", "-t", "simulated", "-m", "semaphore-ping", "--load", "none", "--quiesce", "--json")
    assert ended.code == 0, ended.err
    assert ended.err.startswith(f"rtstone: stopped until the end of the run: {', '.join(SPARED)}\n")
    assert _stopped(states) == []
    (states / "stubborn").write_text("cron.service\n")
    ended = rtstone("run", "-t", "simulated", "-m", "semaphore-ping", "--load", "none", "--quiesce", "--quiet")
    assert ended.code == 3
    assert (
        ended.err == "rtstone: unit:cron.service cannot be made inactive: Failed to stop cron.service: it will not.\n"
    )
    assert _stopped(states) == []


def test_the_host_of_a_run_has_the_units(states: Path) -> None:
    from rtstone.measure import host

    assert "system.stopped" not in host.look()
    with quiesced(spare_units(Planted()), MachineSettings()):
        assert host.look()["system.stopped"].split() == SPARED
    assert "system.stopped" not in host.look()


KILLED = """
import sys, time
from rtstone.machine.quiesce import quiesced
from rtstone.machine.settings import MachineSettings
print("x", flush=True)
for _ in range(100):
    with quiesced(tuple(sys.argv[2:]), MachineSettings()):
        print("stopped", flush=True)
        time.sleep(float(sys.argv[1]))
"""


def _killed(hold_s: float, after_s: float) -> None:
    """A process that stops and starts units over and over, or holds them stopped, is ended by SIGKILL."""
    words = [sys.executable, "-c", KILLED, str(hold_s), *SPARED]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"x\n"
        if hold_s:
            assert process.stdout.readline() == b"stopped\n"
        time.sleep(after_s)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
        process.stdout.close()


def _until_free() -> None:
    """A systemctl of a process that was killed may still be at work: until it has ended nobody else is."""
    end = time.monotonic() + 30
    while not _free():
        assert time.monotonic() < end
        time.sleep(0.05)


def _free() -> bool:
    try:
        with MachineSettings():
            return True
    except InfrastructureError as error:
        if "at work" not in str(error):
            raise
        return False


def test_kill_9_at_a_random_moment_is_undone_by_the_next_command(
    states: Path, rtstone: Command, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(root / "src"))
    seed = random.randrange(1 << 32)
    draw = random.Random(seed)
    for slow in ("0", "0", "0.2"):
        (states / "slow").write_text(f"{slow}\n")
        _killed(0, draw.uniform(0, 0.3))
        rtstone("config", "--json")
        _until_free()
        assert _stopped(states) == [], seed
    _killed(60, 0)
    assert _stopped(states) == SPARED
    said = rtstone("config", "--json").err
    assert said == f"rtstone: restored settings that a killed rtstone had left changed: {', '.join(SPARED)}\n"
    assert _stopped(states) == []


def test_a_job_of_a_killed_process_is_waited_for(
    states: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(root / "src"))
    (states / "slow").write_text("2\n")
    process = subprocess.Popen([sys.executable, "-c", KILLED, "0", "cron.service"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    journal = Path(os.environ["XDG_STATE_HOME"]) / "rtstone" / "settings.journal"
    end = time.monotonic() + 30
    while not (journal.exists() and journal.stat().st_size):
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.5)  # its systemctl is at work
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    process.stdout.close()
    with pytest.raises(InfrastructureError, match="another rtstone is at work"), MachineSettings():
        pass
    _until_free()
    assert _stopped(states) == []


def test_without_systemd_or_root_nothing_is_stopped(
    states: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="systemd does not run"):
        spare_units(System(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(InfrastructureError, match="only root"), _quiesce.stop_units(quiet=True):
        pass
    assert _stopped(states) == []
