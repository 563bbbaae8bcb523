# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine on EPICS's own OS interface: a whole session, what libCom lacks left out with a reason, what stands in named."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.ioc import build, build_engine
from rtstone.model import Session
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan
from rtstone.targets import open_target
from support.images import lasting_cache

pytestmark = pytest.mark.timeout(300)

MEASURED = (
    *("task-create-delete", "semaphore-ping", "semaphore-get-release", "queue-fill", "queue-alternate"),
    *("block-allocate", "task-preemption", "semaphore-shuffle", "deadlock-break", "message-latency", "thread-switch"),
    "task-ping-suspend-resume",
    "interrupt-response",
)
LACKING = {
    "queue-fill-urgent": "epicsMessageQueue has no send to the head",
    "task-suspend-resume": "libCom lets a thread suspend itself, not another one",
    "task-switch": "libCom has no yield",
    "process-switch": "libCom's threads share one address space",
}


@pytest.fixture(scope="module")
def session(root: Path) -> Iterator[Session]:
    """One session with a few samples of everything."""
    with lasting_cache(root), pytest.MonkeyPatch.context() as patch:
        patch.setenv("RTSTONE_ENGINE_EPICS", str(build_engine()))
        names = (*MEASURED, *LACKING)
        plan = Plan(
            seed=1, repetition=0, items=tuple(Item(item=i, measurement=n, count=200) for i, n in enumerate(names))
        )
        with open_target("epics") as target:
            target.deploy()
            (found,) = collect(list(target.start(plan)), plan)
        yield found


def test_it_is_whole(session: Session) -> None:
    assert session.complete
    assert {result.measurement for result in session.results} == {*MEASURED, *LACKING}


@pytest.mark.needs("file-capabilities")
@pytest.mark.parametrize("granted", [pytest.param(True, marks=pytest.mark.needs("realtime")), False])
@pytest.mark.parametrize("name", ["rtstone-engine-epics", "rtstone-ioc"])
def test_what_its_file_grants_is_effective_and_what_is_refused_keeps_no_program_from_its_start(
    root: Path, tmp_path: Path, name: str, granted: bool
) -> None:
    """As `setcap …+p` grants it, to a user without capabilities: root without root's privileges."""
    with lasting_cache(root):
        built = build_engine() if name == "rtstone-engine-epics" else build() / name
    program = tmp_path / name
    shutil.copyfile(built, program)
    if name == "rtstone-ioc":  # for an ordinary user, $ORIGIN has no meaning then
        said = subprocess.run(["readelf", "-d", built], capture_output=True, text=True, check=True).stdout
        (path,) = re.findall(r"runpath: \[(.*)\]", said)
        assert str(built.parent) in path.split(":")
    program.chmod(0o755)
    wanted = 1 << 23 | 1 << 14  # CAP_SYS_NICE, CAP_IPC_LOCK
    os.setxattr(program, "security.capability", struct.pack("<IIIII", 0x02000000, wanted, 0, 0, 0))
    bounds = [] if granted else ["--bounding-set", "-sys_nice,-ipc_lock"]
    empty = tmp_path / "empty.cmd"
    empty.touch()
    words = [str(program), *(["run", "--plan", "-"] if name == "rtstone-engine-epics" else [str(empty)])]
    started = subprocess.Popen(
        ["setpriv", "--securebits", "+noroot,+noroot_locked", *bounds, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        until = time.monotonic() + 60
        status = Path(f"/proc/{started.pid}/status")
        while (effective := _effective(status)) != (wanted if granted else 0):
            assert started.poll() is None, (started.stderr or sys.stderr).read()
            assert time.monotonic() < until, hex(effective)
            time.sleep(0.05)
        assert started.poll() is None
    finally:
        started.kill()
        started.communicate()


def _effective(status: Path) -> int:
    """The effective capabilities of a program that runs as it was started; -1 while that is still setpriv."""
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return -1 if lines["Name"].strip() == "setpriv" or "CapEff" not in lines else int(lines["CapEff"], 16)


PREEMPTING = {
    *("task-create-delete", "task-preemption", "semaphore-shuffle", "deadlock-break", "message-latency"),
    "task-ping-suspend-resume",
}
"""These measure that a more urgent task runs at once: without real-time priorities none is more urgent."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.needs("realtime")) if name in PREEMPTING else name for name in MEASURED],
)
def test_it_measures(session: Session, name: str) -> None:
    found = [result for result in session.results if result.measurement == name]
    assert {result.status for result in found} == {"ok"}


@pytest.mark.parametrize(("name", "why"), LACKING.items())
def test_what_libcom_lacks_is_left_out_with_the_reason(session: Session, name: str, why: str) -> None:
    (found,) = (result for result in session.results if result.measurement == name)
    assert (found.status, found.text) == ("skipped", why)
