# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Priorities of made-up machines, and of this one: the listed threads, their order, and the remarks about them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest

from rtstone.cli import main
from rtstone.errors import InfrastructureError
from rtstone.machine.doctor import Finding
from rtstone.machine.doctor.checks.limits import throttling
from rtstone.machine.priorities import examine, look
from rtstone.machine.system import System
from support.schemas import schema

KERNEL = 0x00200040
FIFO, RR, DEADLINE = 1, 2, 6


class Planted:
    """Files of a made-up machine with four CPUs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.file("sys/devices/system/cpu/online", "0-3\n")
        self.system = System(root)

    def file(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def thread(
        self, tid: int, name: str, policy: int, priority: int, *, pid: int = 0, flags: int = 0, cpus: str = "0-3"
    ) -> None:
        folder = f"proc/{pid or tid}/task/{tid}"
        rest = ["S", "1", "1", "1", "0", "-1", str(flags), *["0"] * 30, str(priority), str(policy), "0", "0"]
        assert len(rest) == 41
        self.file(f"{folder}/stat", f"{tid} ({name}) {' '.join(rest)}\n")
        self.file(f"{folder}/status", f"Name:\t{name}\nCpus_allowed:\tf\nCpus_allowed_list:\t{cpus}\n")

    def interrupt(
        self, number: int, device: str, tid: int, priority: int, *, cpus: str = "0-3", policy: int = FIFO
    ) -> None:
        self.file(f"sys/kernel/irq/{number}/actions", f"{device}\n")
        self.thread(tid, f"irq/{number}-{device}"[:15], policy, priority, flags=KERNEL, cpus=cpus)

    def findings(self) -> dict[str, Finding]:
        return {finding.check: finding for finding in examine(self.system, look(self.system))}


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    return Planted(tmp_path)


def test_the_order_is_that_of_the_scheduler(planted: Planted) -> None:
    planted.thread(5, "ordinary", 0, 0)
    planted.thread(6, "low (odd) name)", FIFO, 1, pid=2)
    planted.thread(7, "high", RR, 90, pid=2)
    planted.thread(8, "late", DEADLINE, 0)
    planted.thread(9, "early", DEADLINE, 0)
    planted.file(
        "proc/8/task/8/sched", "late (8, #threads: 1)\n-----\ndl.runtime  :  100000\ndl.deadline  :  2000000\n"
    )
    planted.file(
        "proc/9/task/9/sched", "early (9, #threads: 1)\n-----\ndl.runtime  :  100000\ndl.deadline  :  1000000\n"
    )
    planted.thread(10, "migration/0", FIFO, 99, flags=KERNEL, cpus="0")
    planted.interrupt(33, "eth0-rx", 11, 50)
    planted.interrupt(34, "timer", 12, 0, policy=0)
    planted.thread(13, "gone", FIFO, 3)
    (planted.root / "proc/13/task/13/status").unlink()
    found = look(planted.system)
    assert [(one.name, one.policy, one.priority) for one in found] == [
        ("migration/0", "stop", 0),
        ("early", "deadline", 0),
        ("late", "deadline", 0),
        ("high", "RR", 90),
        ("irq/33-eth0-rx", "FIFO", 50),
        ("low (odd) name)", "FIFO", 1),
        ("irq/34-timer", "other", 0),
    ]
    assert (found[1].deadline_ns, found[4].interrupt, found[4].serves) == (1_000_000, 33, "eth0-rx")
    assert (found[3].pid, found[3].tid) == (2, 7)


def _nothing(_: Planted) -> None:
    pass


def _at_99(planted: Planted) -> None:
    planted.thread(41, "hog", FIFO, 99, cpus="3")
    planted.thread(42, "second", RR, 99, cpus="3")


def _above(planted: Planted) -> None:
    planted.thread(41, "scan-1", FIFO, 70, cpus="1")
    planted.interrupt(33, "eth0", 50, 50)


def _apart(planted: Planted) -> None:
    planted.thread(41, "scan-1", FIFO, 70, cpus="1")
    planted.interrupt(33, "eth0", 50, 50, cpus="0,2-3")


def _above_98(planted: Planted) -> None:
    planted.thread(41, "scan-1", RR, 98, cpus="1")
    planted.interrupt(33, "eth0", 50, 50)


def _everywhere(planted: Planted) -> None:
    planted.thread(41, "one", FIFO, 7)
    planted.thread(42, "two", FIFO, 7)


@pytest.mark.parametrize(
    ("plant", "check", "level", "words", "remedy"),
    [
        (_nothing, "at-99", "ok", "", ""),
        (_at_99, "at-99", "warning", "hog (41), second (42)", "sudo chrt -r -p 90 42 && sudo chrt -f -p 90 41"),
        (_above, "above-network", "warning", "scan-1 (41) above irq/33-eth0 (50) of eth0", "sudo chrt -f -p 71 50"),
        (_apart, "above-network", "ok", "", ""),
        (_above_98, "above-network", "warning", "scan-1 (41)", "sudo chrt -r -p 49 41"),
        (_nothing, "every-cpu", "ok", "", ""),
        (_everywhere, "every-cpu", "note", "one (41), two (42)", "for t in 41 42; do sudo taskset -cp 3 $t; done"),
        (_above, "interrupts", "ok", "all 1", ""),
    ],
)
def test_what_is_wrong_is_said_with_the_command_that_mends_it(
    planted: Planted, plant: Callable[[Planted], None], check: str, level: str, words: str, remedy: str
) -> None:
    planted.thread(1, "migration/0", FIFO, 99, flags=KERNEL, cpus="0")
    planted.file("sys/class/net/eth0/address", "")
    plant(planted)
    finding = planted.findings()[check]
    assert (finding.level, finding.remedy) == (level, remedy)
    assert words in finding.found
    assert bool(finding.meaning) == (level != "ok")


def test_the_networks_interrupts_are_known_by_their_device(planted: Planted) -> None:
    (planted.root / "sys/devices/virtio0/net").mkdir(parents=True)
    planted.file("sys/devices/msi_irqs/33", "msix\n")
    planted.file("sys/class/net/lan/address", "")
    (planted.root / "sys/class/net/lan/device").symlink_to(planted.root / "sys/devices/virtio0")
    planted.interrupt(33, "virtio0-input.0", 50, 50)
    planted.thread(51, "napi/lan-8193", FIFO, 45, flags=KERNEL)
    assert [one.network for one in look(planted.system)] == ["lan", "lan"]


def test_an_interrupt_without_a_thread_is_said_to_outrank_all(planted: Planted) -> None:
    planted.interrupt(33, "a", 50, 50)
    planted.file("sys/kernel/irq/34/actions", "b\n")
    planted.file("sys/kernel/irq/35/actions", "\n")
    finding = planted.findings()["interrupts"]
    assert (finding.level, finding.found) == ("note", "1 of 2 device interrupts are not served by threads")


@pytest.mark.parametrize(
    ("release", "runtimes", "level", "words"),
    [
        ("6.12.1", ["50000000", "50000000"], "note", "50 ms of each second"),
        ("6.18.0-x", [], "note", "unless it was changed"),
        ("7.0.0", ["0", "0"], "ok", "not throttled"),
        ("6.11.9", [], "note", "950000 of each 1000000"),
    ],
)
def test_later_kernels_throttle_by_another_means(
    planted: Planted, release: str, runtimes: list[str], level: str, words: str
) -> None:
    planted.file("proc/sys/kernel/osrelease", release)
    planted.file("proc/sys/kernel/sched_rt_runtime_us", "950000")
    planted.file("proc/sys/kernel/sched_rt_period_us", "1000000")
    for cpu, text in enumerate(runtimes):
        planted.file(f"sys/kernel/debug/sched/fair_server/cpu{cpu}/runtime", text)
    finding = throttling(planted.system)
    assert finding is not None
    assert finding.level == level
    assert words in finding.found


def test_a_machine_without_threads_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="no thread can be read"):
        look(System(tmp_path))


def _scheduled() -> set[int]:
    """The real-time threads of this machine."""
    found: set[int] = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            found |= {int(task.name) for task in (process / "task").iterdir() if _is_real_time(int(task.name))}
    return found


def _is_real_time(thread: int) -> bool:
    with suppress(OSError):
        return os.sched_getscheduler(thread) in {FIFO, RR}
    return False


def test_a_thread_of_this_machine_is_listed_as_the_kernel_has_it(capfd: pytest.CaptureFixture[str]) -> None:
    """A kernel thread is there on every machine; a real-time program of ours where that may be."""
    program = (
        "import os, sys\nos.sched_setscheduler(0, os.SCHED_RR, os.sched_param(3))\nprint(flush=True)\nsys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        allowed = child.stdout.readline() == b"\n"
        before = _scheduled()
        with pytest.raises(SystemExit) as end:
            main(["doctor", "priorities", "--json"])
        assert end.value.code == 0
        document = json.loads(capfd.readouterr().out)
        listed = {one["tid"]: one for one in document["threads"]}
        if allowed:
            assert (listed[child.pid]["policy"], listed[child.pid]["priority"]) == ("RR", 3)
            assert listed[child.pid]["name"] == Path(f"/proc/{child.pid}/comm").read_text().strip()
        else:
            assert child.pid not in listed
    finally:
        child.stdin.close()
        child.stdout.close()
        child.wait()
    jsonschema.validate(document, schema("priorities"))
    scheduled = (before & _scheduled()) - {child.pid}  # at both times, so also when they were listed
    assert scheduled <= set(listed)


def test_a_cpu_that_is_not_there_is_a_usage_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["doctor", "priorities", "--cpu", "4095"])
    assert end.value.code == 2
    assert "--cpu 4095: the machine has the CPUs" in capfd.readouterr().err


@pytest.mark.parametrize("comm", ["bash", "", None])
def test_threads_that_a_container_hides_are_said_to_be_hidden(planted: Planted, comm: str | None) -> None:
    planted.thread(5, "own", FIFO, 10)
    if comm is not None:
        planted.file("proc/2/comm", f"{comm}\n")
    hidden = planted.findings()["hidden"]
    assert (hidden.level, hidden.found) == ("note", "only this container's processes are visible")
    assert "threads of the host" in hidden.meaning


def test_where_the_kernel_s_threads_are_visible_nothing_is_hidden(planted: Planted) -> None:
    planted.thread(5, "own", FIFO, 10)
    planted.file("proc/2/comm", "kthreadd\n")
    assert "hidden" not in planted.findings()


def test_nothing_is_advised_that_a_container_refuses(planted: Planted) -> None:
    planted.file("run/.containerenv", "")
    planted.file(
        "proc/self/mountinfo", "1 0 0:1 / / rw - overlay overlay rw\n2 1 0:2 /sys /proc/sys ro - proc proc rw\n"
    )
    planted.file("proc/sys/kernel/sched_rt_runtime_us", "950000\n")
    planted.file("proc/sys/kernel/sched_rt_period_us", "1000000\n")
    planted.thread(5, "own", FIFO, 10)
    throttled = planted.findings()["throttling"]
    assert throttled.remedy == ""
    assert throttled.meaning.endswith("only the host can: sudo sysctl kernel.sched_rt_runtime_us=-1")
