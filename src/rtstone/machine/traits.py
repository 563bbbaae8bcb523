# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Traits of platforms: as papers report them, and as probes find them on this machine. No opinions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from rtstone.errors import InfrastructureError
from rtstone.machine.system import CAP_SYS_NICE, System, commas
from rtstone.model.units import counted
from rtstone.resources import data_dir

if TYPE_CHECKING:
    from pathlib import Path


class Trait(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A property by which platforms are compared."""

    id: str
    title: str


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A platform of a paper, with its traits as the paper reports them. Traits that the paper does not mention are
    missing."""

    study: str
    name: str
    traits: dict[str, str]


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    version: str
    trait: tuple[Trait, ...]
    platform: tuple[Platform, ...]


@cache
def published() -> tuple[tuple[Trait, ...], tuple[Platform, ...]]:
    """All traits in the table's order, and all platforms in the papers'. Raises InfrastructureError on a damaged file."""
    file = data_dir("reference") / "traits.toml"
    try:
        document = msgspec.toml.decode(file.read_bytes(), type=_Document)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file}: {error}") from error
    known = {trait.id for trait in document.trait}
    for platform in document.platform:
        for unknown in platform.traits.keys() - known:
            raise InfrastructureError(f"{file}: {platform.name}: there is no trait {unknown}")
    return document.trait, document.platform


class Seen(msgspec.Struct, frozen=True):
    """A probe's finding, and its source."""

    value: str
    means: str


OPTIONS = {
    "PRIORITY_SCHEDULING": "priority scheduling",
    "REALTIME_SIGNALS": "real-time signals",
    "TIMERS": "timers",
    "SEMAPHORES": "semaphores",
    "MESSAGE_PASSING": "message queues",
    "SHARED_MEMORY_OBJECTS": "shared memory",
    "MEMLOCK": "memory locking",
    "THREADS": "threads",
    "THREAD_PRIO_INHERIT": "priority inheritance",
    "THREAD_PRIO_PROTECT": "priority ceiling",
    "THREAD_PROCESS_SHARED": "objects shared by processes",
    "ASYNCHRONOUS_IO": "asynchronous I/O",
}
"""Names of sysconf without SC_ -> the name of the POSIX option."""

_TOOLS_S = 10.0


def licence(system: System) -> Seen | None:
    """The kernel's licence, derived from the kernel's name."""
    if not (system.text("/proc/version") or "").startswith("Linux"):
        return None
    return Seen("GPL-2.0-only", "the kernel calls itself Linux")


def posix(system: System) -> Seen | None:
    """The POSIX options that the C library reports for the system."""
    there = [name for name in OPTIONS if system.sysconf(name) > 0]
    missing = [OPTIONS[name] for name in OPTIONS if name not in there]
    version = system.sysconf("VERSION")
    value = f"{version}: {commas(OPTIONS[name] for name in there)}"
    return Seen(value + (f"; without {commas(missing)}" if missing else ""), "sysconf")


def api(system: System) -> Seen | None:
    """The kernel's interface, and the C library."""
    release = system.text("/proc/sys/kernel/osrelease")
    if release is None:
        return None
    library = system.library()
    return Seen(f"system calls of Linux {release}" + (f", {library}" if library else ""), "/proc, the C library")


def priority(system: System) -> Seen | None:
    """The range of fixed priorities, and whether this user may use them."""
    low, high = os.sched_get_priority_min(os.SCHED_FIFO), os.sched_get_priority_max(os.SCHED_FIFO)
    import resource

    allowed = system.has_capability(CAP_SYS_NICE) or system.limit(resource.RLIMIT_RTPRIO) not in {0}
    kernel = system.text("/proc/sys/kernel/version") or ""
    model = next((word for word in kernel.split() if word.startswith("PREEMPT")), "not preemptible")
    user = "this user may use them" if allowed else "this user may not use them"
    return Seen(f"SCHED_FIFO and SCHED_RR {low} to {high}; {user}; kernel: {model}", "sched_get_priority_max, uname")


def user_interrupts(system: System) -> Seen | None:
    """The ways in which a program can itself wait for an interrupt."""
    uio = len(system.glob("/sys/class/uio/uio*"))
    ways = [f"UIO, {counted(uio, 'device')}" if uio else "", "VFIO" if system.exists("/dev/vfio/vfio") else ""]
    ways += ["the probe module" if system.glob("/dev/rtstone_probe*") else ""]
    named = [way for way in ways if way]
    return Seen(commas(named) if named else "timers by signal only: no UIO, no VFIO, no probe module", "/sys, /dev")


def memory_protection(system: System) -> Seen | None:
    """Whether memory is protected, as tested by a process that reads an address outside its memory."""
    if system.far:
        return None
    reach = "import ctypes, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); ctypes.string_at(8)"
    done = subprocess.run([sys.executable, "-c", reach], capture_output=True, check=False, timeout=_TOOLS_S)
    stopped = done.returncode == -signal.SIGSEGV
    return Seen(
        "yes" if stopped else "no", "a process that read address 8 was " + ("stopped" if stopped else "let go on")
    )


def smp(system: System) -> Seen | None:
    """Whether the kernel supports several CPUs, and which CPUs are online."""
    online = system.text("/sys/devices/system/cpu/online")
    if online is None:
        return None
    kernel = "SMP" in (system.text("/proc/sys/kernel/version") or "").split()
    return Seen(f"{'yes' if kernel else 'no'}; CPUs on line: {online}", "/sys/devices/system/cpu, uname")


def file_systems(system: System) -> Seen | None:
    """The file systems that the kernel can mount now, without those that need no device."""
    text = system.text("/proc/filesystems")
    if text is None:
        return None
    names = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("nodev")]
    return Seen(commas(names) or "none on a device", "/proc/filesystems")


def network(system: System) -> Seen | None:
    """The network protocols that the kernel has now, and the network interfaces."""
    text = system.text("/proc/net/protocols")
    if text is None:
        return None
    there = {line.split()[0] for line in text.splitlines()[1:] if line.split()}
    protocols = [name for name in ("TCP", "UDP", "TCPv6", "UDPv6", "PACKET", "CAN") if name in there]
    interfaces = [path.name for path in system.glob("/sys/class/net/*")]
    return Seen(f"{commas(protocols)}; interfaces: {commas(interfaces)}", "/proc/net/protocols, /sys/class/net")


def loading(system: System) -> Seen | None:
    """The kinds of code that can be loaded at run time, into the kernel and into a process."""
    modules = "kernel modules" if system.exists("/proc/modules") else "no kernel modules"
    if system.number("/proc/sys/kernel/modules_disabled") == 1:
        modules += ", switched off"
    return Seen(f"{modules}; shared libraries", "/proc/modules")


def host(system: System) -> Seen | None:
    """The compilers that are installed on the machine itself."""
    found = [name for name in ("gcc", "clang", "rustc", "go") if system.which(name)]
    return Seen(f"itself: {commas(found)}" if found else "another machine: no compiler here", "the search path")


def debugger(system: System) -> Seen | None:
    """The debuggers and tracers for programs and for the kernel."""
    found = [name for name in ("gdb", "lldb", "strace") if system.which(name)]
    kernel = []
    if system.exists("/sys/kernel/btf/vmlinux"):
        kernel.append("BPF with types")
    if system.exists("/sys/kernel/tracing/trace") or system.exists("/sys/kernel/debug/tracing/trace"):
        kernel.append("ftrace")
    if system.exists("/sys/module/kgdboc"):
        kernel.append("kgdb")
    of = f"programs: {commas(found) or 'none installed'}; kernel: {commas(kernel) or 'none seen'}"
    return Seen(of, "the search path, /sys/kernel")


def targets(system: System) -> Seen | None:
    """The machine's own architecture."""
    return Seen(system.machine(), "uname")


PROBES: dict[str, Callable[[System], Seen | None]] = {
    "licence": licence,
    "posix": posix,
    "api": api,
    "priority": priority,
    "user-interrupts": user_interrupts,
    "memory-protection": memory_protection,
    "smp": smp,
    "file-systems": file_systems,
    "network": network,
    "loading": loading,
    "host": host,
    "debugger": debugger,
    "targets": targets,
    # These two are people's reports of a kernel, which no probe can find.
    "support": lambda _: None,
    "learning": lambda _: None,
}
"""Trait -> its probe."""


def probe(root: Path | None = None, *, system: System | None = None) -> dict[str, Seen]:
    """Every trait that a probe finds on this machine (``root``: the folder of its files, if not /), or on another
    machine (`system`)."""
    system = system or (System(root) if root is not None else System())
    seen = {trait: look(system) for trait, look in PROBES.items()}
    return {trait: one for trait, one in seen.items() if one is not None}
