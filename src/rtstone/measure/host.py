# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts of the host around a session: what its CPUs ran during it, and whether an idle run was idle."""

from __future__ import annotations

import os
import platform
import resource
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from rtstone.machine.identity import identity
from rtstone.machine.quiesce import stopped
from rtstone.machine.settings import journal_path
from rtstone.machine.system import System
from rtstone.model import Session
from rtstone.model.idle import OTHERS, OTHERS_MOST, STEAL, STEAL_MOST

_SHORTEST_S = 1.0
# /proc/stat counts hundredths of a second: smaller shares are noise.
_BUSY_FIELDS = (0, 1, 2, 5, 6)  # user nice system irq softirq, of: user nice system idle iowait irq softirq steal
_STEAL_FIELD = 7
_TOP_INTERRUPTS = 12


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel's counters at one moment; empty where there is no /proc."""

    at_s: float
    busy_ticks: dict[int, int]
    steal_ticks: dict[int, int]
    interrupts: dict[str, tuple[int, ...]]
    """Interrupt counts by source, one for each CPU."""
    context_switches: int
    load_average: str
    children_s: float
    """CPU time of this program's finished child processes: the engine and its loads."""

    @classmethod
    def now(cls) -> Snapshot:
        """Reads the counters now."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return cls.of(
            _read("/proc/stat").splitlines(),
            _read("/proc/interrupts"),
            _read("/proc/loadavg"),
            at_s=time.monotonic(),
            children_s=used.ru_utime + used.ru_stime,
        )

    @classmethod
    def of_counters(cls, counters: Mapping[str, Sequence[str]]) -> Snapshot:
        """A remote machine's own counters:
        lines of `stat`, `interrupts`, `loadavg`, and `at` (ns) and `children` (µs)."""
        return cls.of(
            counters.get("stat", ()),
            "\n".join(counters.get("interrupts", ())),
            "\n".join(counters.get("loadavg", ())),
            at_s=_number(counters.get("at", ())) / 1e9,
            children_s=_number(counters.get("children", ())) / 1e6,
        )

    @classmethod
    def of(cls, stat: Iterable[str], interrupts: str, load: str, *, at_s: float, children_s: float) -> Snapshot:
        """The counters from the contents of a machine's /proc files."""
        busy: dict[int, int] = {}
        steal: dict[int, int] = {}
        switches = 0
        for line in stat:
            words = line.split()
            if words[:1] and words[0].startswith("cpu") and words[0][3:].isdecimal():
                values = [int(word) for word in words[1:] if word.isdecimal()]
                cpu = int(words[0][3:])
                busy[cpu] = sum(values[field] for field in _BUSY_FIELDS if field < len(values))
                steal[cpu] = values[_STEAL_FIELD] if len(values) > _STEAL_FIELD else 0
            elif words[:1] == ["ctxt"]:
                switches = _number(words[1:])
        return cls(
            at_s=at_s,
            busy_ticks=busy,
            steal_ticks=steal,
            interrupts=parse_interrupts(interrupts),
            context_switches=switches,
            load_average=" ".join(load.split()[:3]),
            children_s=children_s,
        )


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """The machine's activity between two snapshots."""

    elapsed_s: float
    busy_s: dict[int, float]
    steal_s: dict[int, float]
    interrupts: dict[str, tuple[int, ...]]
    context_switches: int
    load_before: str
    load_after: str
    children_s: float

    @classmethod
    def between(cls, before: Snapshot, after: Snapshot) -> Usage:
        """The difference of two snapshots."""
        hz = os.sysconf("SC_CLK_TCK")
        return cls(
            elapsed_s=after.at_s - before.at_s,
            busy_s={c: (n - before.busy_ticks.get(c, n)) / hz for c, n in after.busy_ticks.items()},
            steal_s={c: (n - before.steal_ticks.get(c, n)) / hz for c, n in after.steal_ticks.items()},
            interrupts={
                source: tuple(n - b for n, b in zip(counts, before.interrupts[source], strict=True))
                for source, counts in after.interrupts.items()
                if len(before.interrupts.get(source, ())) == len(counts)
            },
            context_switches=after.context_switches - before.context_switches,
            load_before=before.load_average,
            load_after=after.load_average,
            children_s=after.children_s - before.children_s,
        )


def parse_interrupts(text: str) -> dict[str, tuple[int, ...]]:
    """/proc/interrupts as counts by source, indexed by CPU; a CPU that is offline has no column there and 0 here.

    The text of a numbered line includes its device's name.
    """
    lines = text.splitlines()
    if not lines:
        return {}
    online = [int(word.removeprefix("CPU")) for word in lines[0].split() if word.removeprefix("CPU").isdigit()]
    found: dict[str, tuple[int, ...]] = {}
    for line in lines[1:]:
        label, _, rest = line.partition(":")
        words = rest.split()
        counts = [int(word) for word in words[: len(online)] if word.isdigit()]
        if not online or len(counts) != len(online):
            continue
        name = label.strip()
        if name.isdigit() and len(words) > len(online):
            name = f"{name} {words[-1]}"
        of_cpu = dict(zip(online, counts, strict=True))
        found[name] = tuple(of_cpu.get(cpu, 0) for cpu in range(max(online) + 1))
    return found


def look(system: System | None = None) -> dict[str, str]:
    """Identifies a machine by its files. None: this machine."""
    system = system or System()
    node = system.text("/proc/sys/kernel/hostname") or platform.node()
    machine = system.machine()
    online = system.glob("/sys/devices/system/cpu/cpu[0-9]*")
    return {
        "system.mode": _mode(system),
        **_stopped(system),
        "os.name": _pretty_name(system) or system.text("/proc/sys/kernel/ostype") or "",
        "kernel.release": system.text("/proc/sys/kernel/osrelease") or "",
        "kernel.version": system.text("/proc/sys/kernel/version") or "",
        "cpu.model": _cpu_model(system) or machine,
        "cpu.count": str(len(online) if system.far else os.cpu_count() or 0),
        **({} if system.far else {"python": platform.python_version()}),
        **_identity(system, node),
    }


def facts(
    usages: Sequence[Usage], sessions: Iterable[Session] = (), of: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The host as strings; with the activity of its measured CPU, when ``sessions`` were measured on this very host.

    `of`: facts of another machine, if that one is the measured host.
    """
    found = dict(look() if of is None else of)
    if usages:
        found["load.average.before"] = usages[0].load_before
        found["load.average.after"] = usages[-1].load_after
        found["context_switches"] = str(sum(usage.context_switches for usage in usages))
    cpu = measured_cpu(sessions)
    if cpu is None or not usages:
        return found
    found["cpu.measured"] = str(cpu)
    if of is None:
        found |= {f"cpu.frequency.{key}": value for key, value in _frequency(cpu).items()}
    elapsed = sum(usage.elapsed_s for usage in usages)
    if elapsed <= 0:
        return found
    found[STEAL] = f"{100 * sum(u.steal_s.get(cpu, 0.0) for u in usages) / elapsed:.2f}"
    found[OTHERS] = f"{sum(others_percent(u, cpu) * u.elapsed_s for u in usages) / elapsed:.2f}"
    totals: dict[str, int] = {}
    for usage in usages:
        for source, counts in usage.interrupts.items():
            if cpu < len(counts):
                totals[source] = totals.get(source, 0) + counts[cpu]
    busiest = sorted(((count, source) for source, count in totals.items() if count), reverse=True)[:_TOP_INTERRUPTS]
    found |= {f"interrupts_per_s.{source}": f"{count / elapsed:.1f}" for count, source in busiest}
    return found


def warnings(usages: Sequence[Usage], sessions: Sequence[Session]) -> tuple[str, ...]:
    """Reasons to doubt the figures of a run on this host, one sentence each."""
    cpu = measured_cpu(sessions)
    elapsed = sum(usage.elapsed_s for usage in usages)
    if cpu is None or elapsed < _SHORTEST_S:
        return ()
    found: list[str] = []
    others = sum(others_percent(usage, cpu) * usage.elapsed_s for usage in usages) / elapsed
    idle = any(result.variant.load == "none" for session in sessions for result in session.results)
    if idle and others > OTHERS_MOST:
        found.append(f"the idle run was not idle: {others:.0f} % of CPU {cpu} was used by others")
    stolen = 100 * sum(usage.steal_s.get(cpu, 0.0) for usage in usages) / elapsed
    if stolen > STEAL_MOST:
        found.append(f"the hypervisor took {stolen:.1f} % of CPU {cpu} for others (steal time): latencies contain it")
    return tuple(found)


def others_percent(usage: Usage, cpu: int) -> float:
    """Share of a CPU used by programs other than the engine and its loads;
    too low if the engine also ran elsewhere, never too high."""
    if usage.elapsed_s <= 0:
        return 0.0
    return 100 * max(0.0, usage.busy_s.get(cpu, 0.0) - usage.children_s) / usage.elapsed_s


def measured_cpu(sessions: Iterable[Session]) -> int | None:
    """The CPU of most results; None: no result records its CPU."""
    cpus = [result.cpu for session in sessions for result in session.results if result.cpu >= 0]
    return max(sorted(set(cpus)), key=cpus.count) if cpus else None


def _identity(system: System, node: str) -> dict[str, str]:
    known, source = identity(system, node)
    return {**({"host.machine.id": known} if known else {}), "host.machine.id-source": source}


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _number(words: Sequence[str]) -> int:
    """The first word as a whole number; 0 if it is not one."""
    return int(words[0]) if words and words[0].isdecimal() and len(words[0]) < 20 else 0


def _cpu_model(system: System) -> str:
    for line in (system.text("/proc/cpuinfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return ""


def _pretty_name(system: System) -> str:
    for line in (system.text("/etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return ""


_SHELLS = frozenset({"sh", "bash", "dash", "sulogin", "busybox"})


def _mode(system: System) -> str:
    """The system's mode, single-user or not: by the program that is process 1, or by systemd's targets."""
    init = system.text("/proc/1/comm") or ""
    # In a container any program may be process 1.
    if init in _SHELLS and system.text("/proc/2/comm") == "kthreadd":
        return f"single-user: process 1 is {init}"
    for target in ("rescue.target", "emergency.target"):
        if system.exists("/run/systemd/system") and system.unit_active(target):
            return f"single-user: {target}"
    return f"multi-user: process 1 is {init or 'not known'}"


def _stopped(system: System) -> dict[str, str]:
    """The units that --quiesce has stopped for this run."""
    units = () if system.far else stopped(system, str(journal_path()))
    return {"system.stopped": " ".join(units)} if units else {}


def _frequency(cpu: int) -> dict[str, str]:
    folder = Path(f"/sys/devices/system/cpu/cpu{cpu}/cpufreq")
    names = {"governor": "scaling_governor", "khz": "scaling_cur_freq", "max_khz": "scaling_max_freq"}
    values = {key: _read(str(folder / name)).strip() for key, name in names.items()}
    return {key: value for key, value in values.items() if value}
