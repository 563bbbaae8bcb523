# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings that are changed for a while: undone whatever happens, void after a reboot, and never over somebody else's value."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError, UsageError
from rtstone.machine import settings as settings_module
from rtstone.machine.doctor.checks.interference import left_settings
from rtstone.machine.settings import OF_ROOT, MachineSettings, places, read
from rtstone.machine.system import System

FIRST = {"/proc/sys/kernel/a": "1", "/proc/sys/kernel/b": "20", "/sys/kernel/c": "always [madvise] never"}
VALUES = {"/proc/sys/kernel/a": "3", "/proc/sys/kernel/b": "4", "/sys/kernel/c": "never"}

KILLED = """
import sys, itertools
from pathlib import Path
from rtstone.machine.settings import MachineSettings
from rtstone.machine.system import System
root = Path(sys.argv[1])
with MachineSettings(System(root), root / "journal") as settings:
    for i in itertools.count():
        kernel = {"/proc/sys/kernel/a": str(2 + i % 3), "/proc/sys/kernel/b": str(5 + i % 2)}
        settings.set({**kernel, "/sys/kernel/c": "never always".split()[i % 2]})
        print("x", flush=True)
"""


@pytest.fixture
def tree(tmp_path: Path) -> System:
    """A planted machine."""
    for name, text in {**FIRST, "/proc/sys/kernel/random/boot_id": "boot-1"}.items():
        path = tmp_path / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return System(tmp_path)


def _now(tree: System) -> dict[str, str]:
    return {place: read(tree, place) for place in FIRST}


BEFORE = {"/proc/sys/kernel/a": "1", "/proc/sys/kernel/b": "20", "/sys/kernel/c": "madvise"}


def _kill_in_midst(tree: System, after_s: float) -> None:
    """A process that changes settings without end is ended by SIGKILL."""
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tree.root)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src")},
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"x\n"
        time.sleep(after_s)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=30)
        process.stdout.close()


def test_kill_9_at_a_random_moment_is_undone_at_the_next_start(tree: System) -> None:
    seed = random.randrange(1 << 32)
    draw = random.Random(seed)
    for _ in range(3):
        _kill_in_midst(tree, draw.uniform(0, 0.05))
        with MachineSettings(tree, tree.root / "journal") as settings:
            assert _now(tree) == BEFORE, seed
            assert settings.before.undone
        assert (tree.root / "journal").read_bytes() == b""


def test_a_change_is_on_the_disk_before_it_is_made(tree: System, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, bytes]] = []
    fsync, write = os.fsync, os.write

    def flushed(descriptor: int) -> None:
        seen.append(("fsync", b""))
        fsync(descriptor)

    def written(descriptor: int, data: bytes) -> int:
        seen.append(("write", data))
        return write(descriptor, data)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(os, "write", written)
    with MachineSettings(tree, tree.root / "journal") as settings:
        seen.clear()
        settings.set(VALUES)
        kinds = [kind for kind, _ in seen]
        assert kinds == ["write", "fsync", "write", "write", "write"]
        assert all(place.encode() in seen[0][1] for place in VALUES)
        assert _now(tree) == VALUES
    assert _now(tree) == BEFORE


def test_what_somebody_else_has_set_meanwhile_stays(tree: System) -> None:
    with MachineSettings(tree, tree.root / "journal") as settings:
        settings.set(VALUES)
        (tree.root / "proc/sys/kernel/b").write_text("77")
        with pytest.raises(InfrastructureError, match="'77' by another program"):
            settings.set({"/proc/sys/kernel/b": "5"})
    assert _now(tree) == {**BEFORE, "/proc/sys/kernel/b": "77"}
    assert len(settings.after.others) == 1
    assert "is left so" in settings.after.others[0]
    _kill_in_midst(tree, 0)
    (tree.root / "proc/sys/kernel/a").write_text("99")
    with MachineSettings(tree, tree.root / "journal") as settings:
        assert read(tree, "/proc/sys/kernel/a") == "99"
        assert "'99' by another program" in settings.before.others[0]


def test_after_a_reboot_the_journal_is_void(tree: System) -> None:
    _kill_in_midst(tree, 0)
    left = _now(tree)
    (tree.root / "proc/sys/kernel/random/boot_id").write_text("boot-2")
    with MachineSettings(tree, tree.root / "journal") as settings:
        assert settings.before.undone == ()
    assert _now(tree) == left


def test_doctor_tells_what_was_left(tree: System) -> None:
    assert left_settings(tree) is None
    _kill_in_midst(tree, 0)
    place = tree.root / str(OF_ROOT).lstrip("/")
    place.parent.mkdir(parents=True)
    (tree.root / "journal").rename(place)
    found = left_settings(tree)
    assert found is not None
    assert (found.level, found.remedy) == ("warning", "sudo rtstone tune --restore")
    assert "3 settings" in found.found
    place.write_bytes(b"no journal\n")
    broken = left_settings(tree)
    assert broken is not None
    assert "is no journal" in broken.found


def test_two_at_a_time_are_refused(tree: System) -> None:
    with (
        MachineSettings(tree, tree.root / "journal"),
        pytest.raises(InfrastructureError, match="another rtstone is at work"),
        MachineSettings(tree, tree.root / "journal"),
    ):
        pass


def test_a_journal_that_is_none_changes_nothing(tree: System) -> None:
    (tree.root / "journal").write_bytes(b'{"what":"nothing"}\n')
    with pytest.raises(InfrastructureError, match="is no journal"), MachineSettings(tree, tree.root / "journal"):
        pass
    assert _now(tree) == BEFORE


def test_a_value_that_reads_otherwise_is_refused_and_undone(tree: System) -> None:
    with MachineSettings(tree, tree.root / "journal") as settings:
        settings.try_out([("c", "/sys/kernel/c", "never"), ("a", "/proc/sys/kernel/a", "5")])
        assert _now(tree) == BEFORE
        with pytest.raises(UsageError, match="reads '7' after ' 7' was written"):
            settings.try_out([("b", "/proc/sys/kernel/b", " 7")])
    assert _now(tree) == BEFORE


def test_what_could_not_be_set_back_is_not_changed(tree: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """As vm.dirty_bytes, which is 0 and takes no 0, or a thread with a deadline."""
    given = settings_module._write

    def write(system: System, place: str, value: str, journal: int) -> None:
        if value == FIRST["/proc/sys/kernel/b"]:
            raise OSError(22, "Invalid argument")
        given(system, place, value, journal)

    monkeypatch.setattr(settings_module, "_write", write)
    with MachineSettings(tree, tree.root / "journal") as settings:
        with pytest.raises(UsageError, match=r"refuses '20' for .*b: Invalid argument; that is its value now"):
            settings.try_out([("a", "/proc/sys/kernel/a", "5"), ("b", "/proc/sys/kernel/b", "7")])
        assert _now(tree) == BEFORE
    assert settings.after.failed == ()


def test_what_is_no_value_is_refused_at_once(tree: System) -> None:
    sys_kernel = tree.root / "proc/sys/kernel"
    os.mkfifo(sys_kernel / "waits")
    writer = os.open(sys_kernel / "waits", os.O_RDWR)  # without one its reading would end at once
    (sys_kernel / "long").write_text("0" * (1 << 17))
    try:
        for name, said in {"waits": "temporarily unavailable", "long": "no text"}.items():
            with (
                MachineSettings(tree, tree.root / "journal") as settings,
                pytest.raises(InfrastructureError, match=said),
            ):
                settings.try_out([(name, f"/proc/sys/kernel/{name}", "1")])
    finally:
        os.close(writer)
    with MachineSettings(tree, tree.root / "journal") as settings, pytest.raises(UsageError, match="is a folder"):
        settings.try_out([("kernel", "/proc/sys/kernel", "1")])


def test_a_change_that_the_journal_cannot_hold_is_not_made(tree: System, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with MachineSettings(tree, tree.root / "journal") as settings:
        settings.set({"/proc/sys/kernel/a": "3"})
        monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[: len(data) // 2]))
        with pytest.raises(InfrastructureError, match="No space left on device; nothing was changed"):
            settings.set({"/proc/sys/kernel/b": "5"})
        assert read(tree, "/proc/sys/kernel/b") == "20"
        monkeypatch.undo()
    assert _now(tree) == BEFORE


def test_names_of_settings(tree: System) -> None:
    (tree.root / "proc/irq/9").mkdir(parents=True)
    (tree.root / "proc/irq/9/smp_affinity_list").write_text("0-1")
    assert places(tree, "irq:9") == ("/proc/irq/9/smp_affinity_list",)
    assert places(tree, "/proc/sys/kernel/[ab]") == ("/proc/sys/kernel/a", "/proc/sys/kernel/b")
    for name, said in {
        "governer": "Did you mean 'governor'",
        "governor": "this machine has no",
        "/etc/passwd": "below /proc or /sys",
        "/proc/../etc/passwd": "below /proc or /sys",
        "thread:none such": "no thread of this name",
    }.items():
        with pytest.raises(UsageError, match=said):
            places(tree, name)


def test_a_threads_priority_is_a_setting(tree: System) -> None:
    own = Path("/proc/self/comm").read_text().strip()
    here = f"thread:{os.getpid()}:{own}"
    system = System()
    assert here in places(system, f"thread:{own}")
    before = read(system, here)
    with MachineSettings(system, tree.root / "journal") as settings:
        settings.set({here: "batch:0"})
        assert read(system, here) == "batch:0"
    assert read(system, here) == before


def test_a_thread_whose_children_lose_its_priority_stays_such_a_one(tree: System) -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        try:
            until = time.monotonic() + 30
            while Path(f"/proc/{child.pid}/comm").read_text() != "sleep\n":  # the kernel names it after Popen returns
                assert time.monotonic() < until
            os.sched_setscheduler(child.pid, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
            with MachineSettings(System(), tree.root / "journal") as settings:
                settings.set({f"thread:{child.pid}:sleep": "batch:0"})
            assert os.sched_getscheduler(child.pid) == os.SCHED_OTHER | os.SCHED_RESET_ON_FORK
        finally:
            child.kill()
