# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`--quiesce` under a real systemd: first process of name spaces of its own, with units of its own, on this machine's kernel.

It takes root, a systemd to run and mounts, so it is marked `long`: tests/unit/machine/test_quiesce.py has a program in systemd's place.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.children import children

pytestmark = pytest.mark.long

SERVICE = "[Service]\nExecStart=/bin/sleep infinity\n"
UNITS = {
    "cron.service": SERVICE,
    "ssh.service": SERVICE,
    "own-work.service": SERVICE,
    "apt-daily.service": "[Service]\nType=oneshot\nExecStart=/bin/true\n",
    "apt-daily.timer": "[Timer]\nOnCalendar=*-*-* 6,18:00\nPersistent=true\n",
    **{f"{name}.target": "[Unit]\n" for name in ("basic", "shutdown", "sysinit", "time-set", "time-sync")},
    "default.target": "[Unit]\nWants=cron.service ssh.service own-work.service apt-daily.timer\n",
}
SPARED = ("apt-daily.timer", "cron.service")
KEPT = ("own-work.service", "ssh.service")
PATIENCE_S = 60
BOOT = """
set -e
mount --make-rprivate /
mount -t tmpfs run /run
mount -t proc proc /proc
mount --rbind -o ro /proc/sys /proc/sys
mount -t cgroup2 groups /sys/fs/cgroup
mkdir /sys/fs/cgroup/$GROUP
echo $$ > /sys/fs/cgroup/$GROUP/cgroup.procs
exec unshare --cgroup sh -c '
    umount /sys/fs/cgroup
    mount -t cgroup2 groups /sys/fs/cgroup
    exec env -i container=lxc SYSTEMD_UNIT_PATH='"$UNITS"' /lib/systemd/systemd --system --log-target=null'
"""
REMOVE = """
mount -t cgroup2 groups /mnt
until find /mnt/$GROUP -depth -type d -exec rmdir {} + 2> /dev/null; do sleep 0.1; done
"""

Inside = Callable[..., list[str]]


def _state(inside: Inside, unit: str) -> tuple[str, str]:
    """Whether a unit is active, and the process that it is."""
    words = inside("systemctl", "show", "--property=ActiveState,MainPID", unit)
    told = dict(
        line.partition("=")[::2]
        for line in subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S).stdout.splitlines()
    )
    return told.get("ActiveState", ""), told.get("MainPID", "")


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[Inside]:
    """Returns a function that makes a command line, to run beside a systemd that has started all of its units."""
    folder = tmp_path / "units"
    folder.mkdir()
    for name, text in UNITS.items():
        (folder / name).write_text(text, encoding="ascii")
    env = {**os.environ, "GROUP": f"rtstone-quiesce-{os.getpid()}", "UNITS": str(folder)}
    spaces = ["--pid", "--fork", "--mount", "--ipc", "--uts", "--net", "--kill-child"]
    outer = subprocess.Popen(["unshare", *spaces, "sh", "-c", BOOT], env=env)

    def words(*command: str) -> list[str]:
        (first,) = children(outer.pid)
        return ["nsenter", "--target", str(first), *spaces[:1], "--mount", "--cgroup", *command]

    try:
        _until(lambda: outer.poll() is None and bool(children(outer.pid)))
        _until(lambda: all(_state(words, unit)[0] == "active" for unit in (*SPARED, *KEPT)))
        yield words
    finally:
        outer.kill()
        outer.wait()
        subprocess.run(["unshare", "--mount", "sh", "-c", REMOVE], env=env, check=True, timeout=PATIENCE_S)


def test_a_real_systemds_units_are_stopped_and_after_kill_9_started_by_the_next_command(
    inside: Inside, root: Path, tmp_path: Path, engine: Path
) -> None:
    env = {**os.environ, "PYTHONPATH": str(root / "src"), "RTSTONE_ENGINE": str(engine), "TMPDIR": str(tmp_path)}
    env |= {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("STATE", "DATA", "CACHE", "CONFIG")}
    rtstone = inside(sys.executable, "-m", "rtstone")
    few = ["run", "-m", "semaphore-ping", "--load", "none", "--quiesce", "--no-archive"]
    before = {unit: _state(inside, unit) for unit in KEPT}

    done = subprocess.run(
        [*rtstone, *few, "--count", "1000", "--json"], env=env, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"rtstone: stopped until the end of the run: {', '.join(SPARED)}\n")
    assert json.loads(done.stdout)["runs"][0]["host"]["system.stopped"].split() == list(SPARED)
    assert all(_state(inside, unit)[0] == "active" for unit in SPARED)

    running = subprocess.Popen([*rtstone, *few, "--count", "4000000000"], env=env, stderr=subprocess.DEVNULL)
    try:
        _until(lambda: all(_state(inside, unit)[0] == "inactive" for unit in SPARED))
        assert running.poll() is None
    finally:
        for child in children(running.pid):
            os.kill(child, signal.SIGKILL)
        running.kill()
        running.wait(timeout=PATIENCE_S)
    assert all(_state(inside, unit)[0] == "inactive" for unit in SPARED)
    after = subprocess.run([*rtstone, "config"], env=env, capture_output=True, text=True, timeout=PATIENCE_S)
    assert f"had left changed: {', '.join(SPARED)}\n" in after.stderr
    assert all(_state(inside, unit)[0] == "active" for unit in SPARED)
    assert {unit: _state(inside, unit) for unit in KEPT} == before
