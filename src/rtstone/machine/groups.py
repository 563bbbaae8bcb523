# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The control group of this process and the visible groups above it, of versions 1 and 2 (cgroups(7))."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from rtstone.machine.system import System

_MEMORY_MOST = 1 << 60
"""A limit (bytes) from here on means no limit: version 1 states that by a number near 2^63."""


class ControlGroup(msgspec.Struct, frozen=True):
    """A control group, as a folder of the controller's hierarchy."""

    folder: str
    version: Literal[1, 2]

    def quota(self, system: System) -> float | None:
        """The group's CPU quota, in CPUs (cpu.max, cpu.cfs_quota_us); None: no limit."""
        if self.version == 2:
            words = (system.text(f"{self.folder}/cpu.max") or "").split()
            return _share(_number(words[0]), _number(words[1])) if len(words) == 2 else None
        return _share(
            system.number(f"{self.folder}/cpu.cfs_quota_us"), system.number(f"{self.folder}/cpu.cfs_period_us")
        )

    def realtime(self, system: System) -> float | None:
        """The quota of the group's real-time threads, in CPUs (cpu.rt_runtime_us); None: no limit is stated."""
        return _share(
            system.number(f"{self.folder}/cpu.rt_runtime_us"), system.number(f"{self.folder}/cpu.rt_period_us")
        )

    def memory(self, system: System) -> int | None:
        """The group's memory limit in bytes (memory.max, memory.limit_in_bytes); None: no limit."""
        file = "memory.max" if self.version == 2 else "memory.limit_in_bytes"
        limit = system.number(f"{self.folder}/{file}")
        return None if limit is None or not 0 <= limit < _MEMORY_MOST else limit

    def kills(self, system: System) -> int:
        """How many of the group's processes the kernel has killed for lack of memory (memory.events,
        memory.oom_control)."""
        file = "memory.events" if self.version == 2 else "memory.oom_control"
        lines = map(str.split, (system.text(f"{self.folder}/{file}") or "").splitlines())
        return next((int(words[1]) for words in lines if words[:1] == ["oom_kill"] and len(words) == 2), 0)

    def stops(self, system: System) -> tuple[int, int, float]:
        """Number of periods of the CPU quota since the group was made, number of those in which it was stopped, and the
        total time stopped (s)."""
        lines = map(str.split, (system.text(f"{self.folder}/cpu.stat") or "").splitlines())
        counts = {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdecimal()}
        seconds = counts.get("throttled_usec", 0) / 1e6 + counts.get("throttled_time", 0) / 1e9
        return counts.get("nr_periods", 0), counts.get("nr_throttled", 0), seconds


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _share(runtime: int | None, period: int | None) -> float | None:
    return None if runtime is None or runtime < 0 or not period else runtime / period


def groups(system: System, controller: str) -> tuple[ControlGroup, ...]:
    """The group of this process for a controller ("cpu", "cpuset", "memory") and the groups above it, innermost
    first."""
    lines = [line.split(":", 2) for line in (system.text("/proc/self/cgroup") or "").splitlines()]
    own = {name: words[2] for words in lines if len(words) == 3 for name in words[1].split(",")}
    if controller in own and (found := _mounted(system, controller, own[controller])) is not None:
        return tuple(ControlGroup(folder, 1) for folder in _upwards(*found))
    if "" in own and (found := _mounted(system, "", own[""])) is not None:
        return tuple(ControlGroup(folder, 2) for folder in _upwards(*found))
    return ()


def _upwards(mount: str, path: str) -> Iterator[str]:
    """A folder below a mount point and each folder above it, up to the mount point."""
    while path:
        yield mount + path
        path = path.rpartition("/")[0]
    yield mount


def _mounted(system: System, controller: str, path: str) -> tuple[str, str] | None:
    """The mount point of a hierarchy, and the group's path below it (/proc/self/mountinfo, proc(5))."""
    nearest = None
    for line in (system.text("/proc/self/mountinfo") or "").splitlines():
        words = line.split()
        if "-" not in words[6:]:
            continue
        kind = words[words.index("-", 6) + 1 :]
        if len(kind) < 3 or kind[0] != ("cgroup" if controller else "cgroup2"):
            continue
        if controller and controller not in kind[2].split(","):
            continue
        part = "" if words[3] == "/" else words[3]
        if not path.startswith("/..") and (path == part or path.startswith(f"{part}/")):
            return words[4], path.removeprefix(part).rstrip("/")
        # A mount that does not contain the process's path is the group's own folder: most container engines mount it
        # so.
        nearest = nearest or (words[4], "")
    return nearest
