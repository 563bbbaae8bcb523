# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists every real-time thread and every interrupt's thread of a machine by rank, and reports common mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from rtstone.errors import InfrastructureError
from rtstone.machine.doctor import Finding, true_here
from rtstone.machine.doctor.checks.limits import throttling
from rtstone.machine.doctor.checks.topology import parse_cpus
from rtstone.machine.system import System, commas

Policy = Literal["stop", "deadline", "FIFO", "RR", "other"]
_POLICIES: dict[int, Policy] = {1: "FIFO", 2: "RR", 6: "deadline"}
_KERNEL_THREAD = 0x00200000
"""PF_KTHREAD in the flags of /proc/PID/stat."""
_INTERRUPT = re.compile(r"irq/(\d+)-", re.ASCII)
_NAPI = re.compile(r"napi/(.+)-\d+", re.ASCII)
_TOP, _MOST = 99, 98
_NAMED = 6
"""Most threads that a finding names. It counts the others."""


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """A thread with a policy above all ordinary threads (stop, deadline, FIFO, RR), or an interrupt's thread with any policy."""

    pid: int
    tid: int
    name: str
    policy: Policy
    """stop: the kernel's own policy, above all others. other: an interrupt's thread without a real-time priority."""
    priority: int
    """1 to 99 for FIFO and RR; 0 for other policies."""
    deadline_ns: int = 0
    """Relative deadline (ns) for the policy deadline; 0: not known, or another policy."""
    cpus: str
    """The CPUs on which it may run, as the kernel lists them."""
    kernel: bool
    interrupt: int | None = None
    """The number of the interrupt that the thread serves."""
    serves: str = ""
    """The names of that interrupt's devices."""
    network: str = ""
    """The network interface that the thread serves."""

    def rank(self) -> tuple[int, int, int]:
        """The thread's sort key. A smaller key outranks a larger one."""
        order = {"stop": 0, "deadline": 1, "FIFO": 2, "RR": 2, "other": 3}[self.policy]
        return order, self.deadline_ns, -self.priority


class Priorities(msgspec.Struct, frozen=True, kw_only=True):
    """The threads, highest rank first, and findings on common mistakes. `rtstone doctor priorities --json` prints it."""

    schema: Literal["rtstone.priorities"] = "rtstone.priorities"
    version: str = "1.0"
    threads: tuple[Thread, ...]
    findings: tuple[Finding, ...]


def look(system: System) -> tuple[Thread, ...]:
    """The threads in the order in which they outrank each other. InfrastructureError if no thread can be read."""
    stats = system.texts("/proc/[0-9]*/task/[0-9]*/stat")
    if not stats:
        raise InfrastructureError("no thread can be read below /proc")
    actions = _actions(system)
    interfaces = _interfaces(system, actions)
    found = [thread for path, text in stats.items() if (thread := _thread(system, path, text, actions, interfaces))]
    return tuple(sorted(found, key=lambda thread: (*thread.rank(), thread.tid)))


def _actions(system: System) -> dict[int, str]:
    """The names of the devices of each interrupt, by its number; empty if the interrupt is not used."""
    return {int(path.split("/")[4]): text for path, text in system.texts("/sys/kernel/irq/[0-9]*/actions").items()}


def _thread(
    system: System, path: str, text: str, actions: Mapping[int, str], interfaces: Mapping[int, str]
) -> Thread | None:
    """The thread of a file /proc/PID/task/TID/stat (proc(5)). None for an ordinary thread, and for one that has ended
    since."""
    name = text[text.find("(") + 1 : text.rfind(")")]
    fields = text[text.rfind(")") + 1 :].split()
    if len(fields) < 39:
        return None
    kernel = bool(int(fields[6]) & _KERNEL_THREAD)
    policy = _POLICIES.get(int(fields[38]), "other")
    if kernel and name.startswith("migration/"):
        policy = "stop"
    interrupt = _INTERRUPT.match(name) if kernel else None
    if policy == "other" and interrupt is None:
        return None
    folder = path.rpartition("/")[0]
    cpus = _line(system.text(f"{folder}/status"), "Cpus_allowed_list")
    if not cpus:
        return None
    number = int(interrupt[1]) if interrupt else None
    napi = _NAPI.fullmatch(name) if kernel else None
    return Thread(
        pid=int(folder.split("/")[2]),
        tid=int(folder.rpartition("/")[2]),
        name=name,
        policy=policy,
        priority=int(fields[37]) if policy in {"FIFO", "RR"} else 0,
        deadline_ns=_number(_line(system.text(f"{folder}/sched"), "dl.deadline")) if policy == "deadline" else 0,
        cpus=cpus,
        kernel=kernel,
        interrupt=number,
        serves=actions.get(number, "") if number is not None else "",
        network=interfaces.get(number, "") if number is not None else napi[1] if napi else "",
    )


def _line(text: str | None, key: str) -> str:
    """The text after a key and a colon; empty without the key."""
    for line in (text or "").splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip() == key:
            return value.strip()
    return ""


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _interfaces(system: System, actions: Mapping[int, str]) -> dict[int, str]:
    """The network interface of each interrupt, by its number, if the devices show it."""
    found: dict[int, str] = {}
    for within in ("", "/.."):  # a virtio device's interrupts are its parent's
        for path in system.glob(f"/sys/class/net/*/device{within}/msi_irqs/[0-9]*"):
            found[int(path.name)] = path.parts[path.parts.index("net") + 1]
        for name, text in system.texts(f"/sys/class/net/*/device{within}/irq").items():
            if _number(text):
                found.setdefault(int(text), name.split("/")[4])
    names = [path.name for path in system.glob("/sys/class/net/*") if path.name != "lo"]
    for number, devices in actions.items():
        for name in names:
            if re.search(rf"\b{re.escape(name)}\b", devices):
                found.setdefault(number, name)
    return found


def examine(system: System, threads: Sequence[Thread]) -> tuple[Finding, ...]:
    """Checks for common mistakes in a machine's priorities. Each finding has the command that fixes it."""
    online = parse_cpus(system.text("/sys/devices/system/cpu/online") or "")
    made = (
        _hidden(system),
        _at_99(threads),
        _above_network(threads),
        throttling(system),
        _everywhere(threads, online, parse_cpus(system.text("/sys/devices/system/cpu/isolated") or "")),
        _unthreaded(system, threads),
    )
    return tuple(true_here(system, finding) for finding in made if finding is not None)


def _hidden(system: System) -> Finding | None:
    """A finding if the kernel's threads are hidden, as from a container."""
    if system.text("/proc/2/comm") in {"kthreadd", None} and system.exists("/proc/2"):
        return None
    return Finding(
        check="hidden",
        level="note",
        found="only this container's processes are visible",
        meaning="threads of the host, and the kernel's own that serve interrupts, are not in the list",
    )


def _users(threads: Sequence[Thread]) -> list[Thread]:
    return [thread for thread in threads if not thread.kernel and thread.policy in {"FIFO", "RR"}]


def _named(threads: Sequence[Thread]) -> str:
    more = len(threads) - _NAMED
    return commas(f"{one.name} ({one.tid})" for one in threads[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _for_each(threads: Sequence[Thread], command: str) -> str:
    """A shell command for one thread, or for several; $t in it is the thread's number."""
    tids = [str(thread.tid) for thread in threads]
    if len(tids) == 1:
        return command.replace("$t", tids[0])
    return f"for t in {' '.join(tids)}; do {command}; done"


def _change(threads: Sequence[Thread], priority: int) -> str:
    """The shell command that gives threads a priority and keeps the policy of each."""
    return " && ".join(
        _for_each(some, f"sudo chrt {option} -p {priority} $t")
        for option, some in (
            ("-r", [thread for thread in threads if thread.policy == "RR"]),
            ("-f", [thread for thread in threads if thread.policy != "RR"]),
        )
        if some
    )


def _at_99(threads: Sequence[Thread]) -> Finding:
    found = [thread for thread in _users(threads) if thread.priority == _TOP]
    if not found:
        return Finding(check="at-99", level="ok", found="no program's thread has priority 99")
    return Finding(
        check="at-99",
        level="warning",
        found=f"priority 99: {_named(found)}",
        meaning="nothing can be put above it: while it runs, the kernel's own threads of 99 and every interrupt's thread wait",
        remedy=_change(found, 90),
    )


def _share(one: Thread, other: Thread) -> bool:
    return bool(parse_cpus(one.cpus) & parse_cpus(other.cpus))


def _above_network(threads: Sequence[Thread]) -> Finding | None:
    network = [thread for thread in threads if thread.network and thread.policy != "stop"]
    if not network:
        return None
    above = [
        one for one in _users(threads) if any(one.rank() < other.rank() and _share(one, other) for other in network)
    ]
    if not above:
        return Finding(check="above-network", level="ok", found="no program's thread outranks the network's")
    highest = max(one.priority for one in above)
    below = [one for one in network if any(other.rank() < one.rank() and _share(one, other) for other in above)]
    lowest = min(one.priority for one in below)
    if highest < _MOST:
        remedy = _change(below, highest + 1)
    elif lowest > 1:
        remedy = _change(above, lowest - 1)
    else:  # no room on either side
        remedy = f"{_change(above, 80)} && {_change(below, 81)}"
    return Finding(
        check="above-network",
        level="warning",
        found=f"{_named(above)} above {_named(below)} of {commas(dict.fromkeys(one.network for one in below))}",
        meaning="while they run, no packet is taken on their CPUs: a program that is to answer the network (an IOC) waits for itself",
        remedy=remedy,
    )


def _everywhere(threads: Sequence[Thread], online: set[int], isolated: set[int]) -> Finding | None:
    if len(online) < 2:
        return None
    found = [thread for thread in _users(threads) if online <= parse_cpus(thread.cpus)]
    if not found:
        return Finding(check="every-cpu", level="ok", found="no program's real-time thread may run on every CPU")
    cpu = max(isolated & online or online)
    return Finding(
        check="every-cpu",
        level="note",
        found=f"allowed on every CPU: {_named(found)}",
        meaning="it can meet any other thread of this list, and moves between caches; one that runs on one CPU meets few",
        remedy=_for_each(found, f"sudo taskset -cp {cpu} $t"),
    )


def _unthreaded(system: System, threads: Sequence[Thread]) -> Finding | None:
    used = {number for number, devices in _actions(system).items() if devices}
    if not used:
        return None
    outside = used - set(_numbers(threads))
    if not outside:
        return Finding(check="interrupts", level="ok", found=f"all {len(used)} device interrupts are served by threads")
    return Finding(
        check="interrupts",
        level="note",
        found=f"{len(outside)} of {len(used)} device interrupts are not served by threads",
        meaning="their handlers, and the soft interrupts that they raise, outrank every thread of this list; a kernel without "
        "PREEMPT_RT serves them by threads if threadirqs stands on its command line",
    )


def _numbers(threads: Sequence[Thread]) -> Iterator[int]:
    return (thread.interrupt for thread in threads if thread.interrupt is not None)
