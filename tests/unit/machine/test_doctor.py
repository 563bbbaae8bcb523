# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The doctor on made-up machines: each check says what the files say, and nothing where they are missing."""

from __future__ import annotations

import gzip
import json
import re
import resource
from typing import TYPE_CHECKING

import jsonschema
import pytest
import typer
from typer.testing import CliRunner

from rtstone.cli.doctor import register
from rtstone.machine import doctor
from rtstone.machine.doctor.checks import topology
from rtstone.machine.doctor.checks.interference import VIRTUAL_BOARDS
from support.schemas import schema

if TYPE_CHECKING:
    from pathlib import Path

# Files of a machine on which all is as it should be.
GOOD = {
    "proc/self/status": "Name:\tx\nCapEff:\t000001ffffffffff\n",
    "proc/sys/kernel/sched_rt_runtime_us": "-1",
    "proc/sys/kernel/sched_rt_period_us": "1000000",
    "proc/sys/fs/mqueue/msg_max": "10",
    "proc/sys/kernel/version": "#1 SMP PREEMPT_RT Debian 6.1",
    "proc/sys/kernel/osrelease": "6.1.0-rt",
    "proc/swaps": "Filename Type Size Used Priority",
    "proc/cpuinfo": "flags\t: fpu tsc\n",
    "proc/stat": "cpu  10 0 10 9980 0 0 0 0 0 0\ncpu0 10 0 10 9980 0 0 0 0 0 0\n",
    "proc/irq/5/effective_affinity_list": "0",
    "proc/sys/kernel/timer_migration": "0",
    "proc/sys/kernel/nmi_watchdog": "0",
    "proc/self/cgroup": "0::/job",
    "proc/self/mountinfo": "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate",
    "sys/fs/cgroup/job/cpu.max": "max 100000",
    "sys/devices/system/cpu/nohz_full": "3",
    "boot/config-6.1.0-rt": "CONFIG_SMP=y",
    "sys/kernel/tracing/current_tracer": "nop",
    "sys/kernel/tracing/tracing_on": "1",
    "sys/kernel/btf/vmlinux": "",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet",
    "sys/devices/system/cpu/online": "0-3",
    "sys/devices/system/cpu/smt/active": "0",
    "sys/devices/system/cpu/isolated": "3",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/latency": "0",
}


class Machine(doctor.System):
    """A made-up machine: files below a folder, limits from a table, a /proc/stat that moves on."""

    def __init__(self, root: Path, files: dict[str, str], limits: dict[int, int] | None = None) -> None:
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        engine = root / "rtstone-engine"
        engine.touch()
        super().__init__(root, engine)
        self.limits = {resource.RLIMIT_MSGQUEUE: 819200, **(limits or {})}
        self.used = 0

    def limit(self, which: int) -> int:
        return self.limits.get(which, 0)

    def cpu_ticks(self) -> dict[str, tuple[int, ...]]:
        ticks = super().cpu_ticks()
        return {cpu: (row[0] + self.used, *row[1:3], row[3] + 10, *row[4:]) for cpu, row in ticks.items()}

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.used += 90


def findings(machine: Machine) -> dict[str, doctor.Finding]:
    return {finding.check: finding for finding in doctor.examine(machine)}


def test_a_good_machine_has_nothing_to_mend(tmp_path: Path) -> None:
    machine = Machine(tmp_path, GOOD)
    machine.sleep = lambda seconds: None  # type: ignore[method-assign]
    levels = {check: finding.level for check, finding in findings(machine).items()}
    assert levels.pop("busy", "ok") == "ok"
    assert set(levels.values()) == {"ok"}, levels
    assert len(levels) >= 18


def test_an_empty_machine_is_not_guessed_at(tmp_path: Path) -> None:
    found = findings(Machine(tmp_path, {}))
    assert set(found) == {
        *("engine", "real-time", "locked-memory", "message-queues", "btf"),
        *("governor", "idle-states", "virtualisation"),
    }


def test_doctor_and_engine_know_the_same_virtual_boards(root: Path) -> None:
    engine = (root / "linux" / "describe_cpu.c").read_text("utf-8")
    there = re.search(r"/proc/device-tree/compatible(.*?)\{", engine, re.DOTALL)
    assert there is not None
    assert re.findall(r'strcmp\(told, "(.*?)"\) == 0', there[1]) == list(VIRTUAL_BOARDS)


@pytest.mark.parametrize(
    ("name", "text", "check", "level", "words"),
    [
        ("proc/sys/kernel/sched_rt_runtime_us", "950000", "throttling", "note", "950000 of each 1000000"),
        ("proc/sys/fs/mqueue/msg_max", "4", "message-queues", "warning", "at most 4"),
        ("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC", "preemption", "note", "PREEMPT_DYNAMIC"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise", "huge-pages", "note", "always"),
        ("proc/swaps", "Filename\n/dev/sda2 partition 1 0 -2", "swap", "note", "1 swap area in use"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet", "clock-source", "warning", "hpet"),
        ("proc/sys/kernel/timer_migration", "1", "timer-migration", "note", "migrate"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave", "governor", "warning", "powersave"),
        ("sys/devices/system/cpu/cpu0/cpuidle/state3/latency", "130", "idle-states", "warning", "130 µs"),
        ("sys/devices/system/cpu/online", "0", "cpus", "warning", "one CPU"),
        ("sys/devices/system/cpu/smt/active", "1", "smt", "note", "SMT is active"),
        ("sys/devices/system/cpu/isolated", "", "isolation", "note", "no isolated CPU"),
        ("proc/irq/9/effective_affinity_list", "3", "irq-affinity", "note", "1 device interrupts are routed to CPU 3"),
        ("proc/cpuinfo", "flags\t: fpu hypervisor\n", "virtualisation", "warning", "virtual machine"),
        ("proc/device-tree/compatible", "linux,dummy-virt\0", "virtualisation", "warning", "(linux,dummy-virt)"),
        ("proc/device-tree/compatible", "riscv-virtio\0", "virtualisation", "warning", "(riscv-virtio)"),
        (".dockerenv", "", "container", "note", "/.dockerenv"),
        ("proc/self/status", "CapEff:\t000001ffffffffff\nNoNewPrivs:\t1\n", "no-new-privs", "warning", "no privilege"),
        ("sys/fs/cgroup/job/cpu.max", "50000 100000", "cpu-quota", "warning", "CPU quota of 0.5 CPU"),
        ("sys/fs/cgroup/cpu.max", "20000 100000", "cpu-quota", "warning", "CPU quota of 0.2 CPU"),  # of the group above
        ("boot/config-6.1.0-rt", "CONFIG_SMP=y\nCONFIG_PROVE_LOCKING=y\n", "debug-options", "warning", "PROVE_LOCKING"),
        ("sys/kernel/tracing/current_tracer", "function", "tracing", "warning", "tracer function"),
        ("sys/kernel/tracing/set_event", "sched:sched_switch", "tracing", "warning", "1 event"),
        ("proc/sys/kernel/nmi_watchdog", "1", "nmi-watchdog", "note", "is on"),
        ("proc/99/comm", "irqbalance", "irqbalance", "note", "irqbalance"),
        ("proc/stat", "cpu  10 0 10 900 0 0 0 80\n", "steal", "warning", "% of CPU time stolen"),
    ],
)
def test_one_thing_amiss_is_the_one_thing_said(
    tmp_path: Path, name: str, text: str, check: str, level: str, words: str
) -> None:
    finding = findings(Machine(tmp_path, {**GOOD, name: text}))[check]
    assert finding.level == level
    assert words in finding.found
    assert finding.meaning


@pytest.mark.parametrize(
    ("here", "above", "level", "words"),
    [
        ("950000", "950000", "ok", "95.0% of each CPU"),
        ("50000", "950000", "warning", "5.0% of each CPU (/sys/fs/cgroup/cpu/pod/box)"),
        ("-1", "50000", "warning", "5.0% of each CPU (/sys/fs/cgroup/cpu/pod)"),
        ("0", "50000", "problem", "control group /sys/fs/cgroup/cpu/pod/box has no real-time budget"),
        ("950000", "0", "problem", "control group /sys/fs/cgroup/cpu/pod has no real-time budget"),
    ],
)
def test_a_real_time_budget_is_that_of_the_group_and_of_all_above(
    tmp_path: Path, here: str, above: str, level: str, words: str
) -> None:
    folder = "sys/fs/cgroup/cpu"
    groups = {
        "proc/self/cgroup": "2:cpu:/pod/box\n0::/job",
        "proc/self/mountinfo": GOOD["proc/self/mountinfo"]
        + "\n31 22 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu",
        **{f"{folder}{name}/cpu.rt_period_us": "1000000" for name in ("", "/pod", "/pod/box")},
        f"{folder}/cpu.rt_runtime_us": "950000",
        f"{folder}/pod/cpu.rt_runtime_us": above,
        f"{folder}/pod/box/cpu.rt_runtime_us": here,
    }
    found = findings(Machine(tmp_path, {**GOOD, **groups}))
    finding = found["group-budget"]
    assert finding.level == level
    # A right without a budget is not enough.
    assert found["real-time"].level == ("problem" if level == "problem" else "ok")
    assert ("but the control group has no budget for it" in found["real-time"].found) == (level == "problem")
    assert words in finding.found
    assert level == "ok" or finding.remedy.endswith("cpu.rt_runtime_us")


def test_system_management_interrupts_are_counted_where_the_register_can_be_read(tmp_path: Path) -> None:
    machine = Machine(tmp_path, GOOD)
    assert "smi" not in findings(machine)
    register = tmp_path / "dev/cpu/0/msr"
    register.parent.mkdir(parents=True)
    register.write_bytes(bytes(0x34) + (5).to_bytes(8, "little"))
    assert findings(machine)["smi"].level == "ok"

    def meanwhile(seconds: float) -> None:
        register.write_bytes(bytes(0x34) + (7).to_bytes(8, "little"))

    machine.sleep = meanwhile  # type: ignore[method-assign]
    assert findings(machine)["smi"].found.startswith("2 system management interrupts")


def test_a_packed_config_is_read_and_a_broken_one_is_no_finding(tmp_path: Path) -> None:
    machine = Machine(tmp_path, GOOD)
    packed = tmp_path / "proc/config.gz"
    packed.write_bytes(gzip.compress(b"CONFIG_KASAN=y\n"))
    assert findings(machine)["debug-options"].found == "KASAN"
    packed.write_bytes(b"\x1f\x8b broken")
    assert "debug-options" not in findings(machine)


def test_a_remedy_quotes_a_path_with_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "my engine"
    machine = Machine(folder, {**GOOD, "proc/self/status": "CapEff:\t0000000000000000\n"})
    assert findings(machine)["real-time"].remedy.endswith(f"'{folder / 'rtstone-engine'}'")


def test_used_time_between_two_looks_is_busy(tmp_path: Path) -> None:
    finding = findings(Machine(tmp_path, GOOD))["busy"]
    assert (finding.level, finding.found) == ("warning", "CPUs 100.0 % used over 0.3 s")


def test_without_privilege_the_remedy_is_a_capability_of_the_engine(tmp_path: Path) -> None:
    plain = {**GOOD, "proc/self/status": "CapEff:\t0000000000000000\n"}
    found = findings(Machine(tmp_path, plain))
    for check in ("real-time", "locked-memory"):
        assert found[check].level == "problem"
        assert found[check].remedy == f"sudo setcap cap_sys_nice,cap_ipc_lock+p {tmp_path / 'rtstone-engine'}"


def test_limits_do_instead_of_capabilities(tmp_path: Path) -> None:
    plain = {**GOOD, "proc/self/status": "CapEff:\t0000000000000000\n"}
    enough = {resource.RLIMIT_RTPRIO: 95, resource.RLIMIT_MEMLOCK: -1}
    found = findings(Machine(tmp_path, plain, enough))
    assert found["real-time"].level == "ok"
    assert found["locked-memory"].level == "ok"


def test_a_kernel_list_of_cpus_is_read() -> None:
    assert topology.parse_cpus("0,2-4\n") == {0, 2, 3, 4}
    assert topology.parse_cpus("") == set()


def test_the_command_prints_a_versioned_document() -> None:
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    outcome = CliRunner().invoke(app, ["doctor", "--json"])
    assert outcome.exit_code == 0
    document = json.loads(outcome.stdout)
    wanted = schema("doctor")
    jsonschema.Draft202012Validator(wanted).validate(document)
    assert {"check", "level", "found", "meaning", "remedy"} == set(document["findings"][0])


def test_the_command_says_each_finding_and_counts_them() -> None:
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    outcome = CliRunner().invoke(app, ["doctor"])
    assert outcome.exit_code == 0
    for finding in doctor.examine():
        assert finding.check in outcome.stdout
    assert re.fullmatch(r"\d+ problems?, \d+ warnings?, \d+ notes?, \d+ ok", outcome.stdout.splitlines()[-1])
