# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""In a container nothing is advised that cannot be carried out there: an option for the container, or the host's own command."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from rtstone.machine import doctor
from rtstone.machine.doctor import Finding

READ_ONLY = (
    "1 0 0:1 / / rw - overlay overlay rw\n"
    "2 1 0:2 / /proc rw - proc proc rw\n"
    "3 2 0:2 /sys /proc/sys ro - proc proc rw\n"
    "4 1 0:3 / /sys ro - sysfs sysfs ro\n"
    "5 4 0:4 / /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n"
)
FILES = {
    "run/.containerenv": "",
    "proc/self/mountinfo": READ_ONLY,
    "proc/self/status": "CapEff:\t0000000000000000\nCapBnd:\t00000000800405fb\nCpus_allowed_list:\t0\n",
    "proc/self/cgroup": "0::/",
    "sys/fs/cgroup/cpu.max": "50000 100000",
    "sys/fs/cgroup/cpu.stat": "nr_periods 236\nnr_throttled 135\nthrottled_usec 6700000",
    "sys/devices/system/cpu/online": "0-1",
    "sys/devices/system/cpu/smt/active": "1",
    "proc/sys/kernel/timer_migration": "1",
    "proc/sys/kernel/osrelease": "6.1.0",
    "proc/irq/9/effective_affinity_list": "1",
    "proc/1/comm": "bash",
}


class _Inside(doctor.System):
    def limit(self, which: int) -> int:
        return 0

    def sleep(self, seconds: float) -> None:
        assert seconds > 0


def _found(root: Path, **changes: str) -> dict[str, Finding]:
    for name, text in {**FILES, **{key.replace("__", "/"): text for key, text in changes.items()}}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "rtstone-engine").touch()
    return {finding.check: finding for finding in doctor.examine(_Inside(root, root / "rtstone-engine"))}


def test_what_the_container_lacks_is_an_option_of_it(tmp_path: Path) -> None:
    found = _found(tmp_path)
    for check in ("real-time", "locked-memory"):
        assert found[check].level == "problem"
        assert found[check].remedy == "podman run --cap-add SYS_NICE --cap-add IPC_LOCK …"
    assert found["cpu-quota"].found == "CPU quota of 0.5 CPU; stopped in 135 of 236 periods so far, for 6.70 s in all"
    assert found["cpu-quota"].remedy == "leave out --cpus"


def test_in_a_pod_it_is_the_security_context(tmp_path: Path) -> None:
    (tmp_path / "var/run/secrets").mkdir(parents=True, exist_ok=True)
    (tmp_path / "var/run/secrets/kubernetes.io").touch()
    found = _found(tmp_path)
    assert found["real-time"].remedy.startswith("securityContext: {capabilities: {add: [SYS_NICE, IPC_LOCK]}")
    assert found["cpu-quota"].remedy == "annotations: {cpu-quota.crio.io: disable}"


def test_a_pod_without_a_token_is_known_by_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    found = _found(tmp_path)
    assert found["cpu-quota"].remedy == "annotations: {cpu-quota.crio.io: disable}"
    (tmp_path / "run/.containerenv").unlink()
    (container,) = (finding for finding in doctor.examine(_Inside(tmp_path)) if finding.check == "container")
    assert container.found.startswith("a container (KUBERNETES_SERVICE_HOST=10.0.0.1)")
    assert container.remedy.startswith("securityContext: ")

    class Remote(_Inside):
        far = True

    assert "container" not in {finding.check for finding in doctor.examine(Remote(tmp_path))}


def test_a_manager_that_makes_no_file_is_known_by_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _found(tmp_path)
    (tmp_path / "run/.containerenv").unlink()
    assert "container" not in {finding.check for finding in doctor.examine(_Inside(tmp_path))}
    monkeypatch.setenv("container", "podman")
    found = {finding.check: finding for finding in doctor.examine(_Inside(tmp_path))}
    assert found["container"].found.startswith("a container (container=podman)")
    assert found["real-time"].remedy == "podman run --cap-add SYS_NICE --cap-add IPC_LOCK …"


IDLE = {
    "sys/devices/system/cpu/cpu0/cpuidle/state1/latency": "500",
    "sys/devices/system/cpu/cpu0/cpuidle/state1/name": "C6",
}


@pytest.mark.parametrize(
    ("check", "files", "option"),
    [
        ("idle-states", IDLE, "podman run --device /dev/cpu_dma_latency …"),
        ("message-queues", {"proc/sys/fs/mqueue/msg_max": "5"}, "podman run --sysctl fs.mqueue.msg_max=10 …"),
        ("message-queues", {"proc/sys/fs/mqueue/msg_max": "10"}, "podman run --ulimit msgqueue=819200 …"),
    ],
)
def test_a_device_and_the_limits_of_queues_are_options_of_the_container(
    tmp_path: Path, check: str, files: dict[str, str], option: str
) -> None:
    finding = _found(tmp_path, **files)[check]
    assert (finding.level, finding.remedy) == ("warning", option)


@pytest.mark.parametrize("check", ["timer-migration", "smt", "governor"])
def test_what_only_the_host_can_change_is_said_to_be_the_host_s(tmp_path: Path, check: str) -> None:
    finding = _found(tmp_path, **{"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave"})[check]
    assert finding.remedy == ""
    assert "is read-only here, so only the host can: " in finding.meaning


@pytest.mark.parametrize(
    ("check", "files"),
    [
        ("swap", {"proc/swaps": "Filename Type Size Used Priority\n/dev/vdb partition 8 4 -2\n"}),
        ("irqbalance", {"proc/77/comm": "irqbalance"}),
    ],
)
def test_a_command_that_only_the_host_can_run_is_not_advised(tmp_path: Path, check: str, files: dict[str, str]) -> None:
    finding = _found(tmp_path, **files)[check]
    assert finding.remedy == ""
    assert "; this is a container, so only the host can: sudo s" in finding.meaning


def test_it_says_what_it_cannot_see(tmp_path: Path) -> None:
    found = _found(tmp_path)
    assert "only its own processes are visible" in found["container"].found


def test_it_counts_the_cpus_that_may_be_used(tmp_path: Path) -> None:
    found = _found(tmp_path)
    assert (found["cpus"].level, found["cpus"].found) == ("warning", "CPU 0 alone may be used, of 2 online")
    assert "the host tool, its progress display, the load and the measurement share it" in found["cpus"].meaning
    # The interrupt is routed to CPU 1, which is not measured by default here.
    assert found["irq-affinity"].found == "no device interrupt is routed to CPU 0"


@pytest.mark.parametrize("status", ["CapBnd:\t00000000800405fb\n", "CapBnd:\tffffffffffffffff\nNoNewPrivs:\t1\n"])
def test_capabilities_of_the_engine_s_file_that_cannot_be_granted_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    wanted = 1 << 23 | 1 << 14
    value = struct.pack("<IIIII", 0x02000001, wanted, 0, 0, 0)
    monkeypatch.setattr("os.getxattr", lambda *_: value)
    found = _found(tmp_path, proc__self__status="CapEff:\t0000000000000000\n" + status)
    assert found["real-time"].level == "problem"
    assert "the capabilities of its file are refused here" in found["real-time"].found
    granted = _found(tmp_path, proc__self__status="CapEff:\t0000000000000000\nCapBnd:\tffffffffffffffff\n")
    assert granted["real-time"].found == "SCHED_FIFO allowed (by the engine's file)"
