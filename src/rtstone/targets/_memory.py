# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks whether this process's control groups have the memory for an engine, and whether the kernel killed one for
lack of it."""

from __future__ import annotations

from rtstone.errors import InfrastructureError
from rtstone.machine.groups import ControlGroup, groups
from rtstone.machine.system import System


def require(name: str) -> None:
    """Raises InfrastructureError when the memory limit is too low for the program and its engine. `name`: the
    target."""
    from rtstone.machine.doctor import true_here
    from rtstone.machine.doctor.checks.limits import memory_limit

    system = System()
    found = memory_limit(system)
    if found is None or found.level == "ok":
        return
    finding = true_here(system, found)
    remedy = f": {finding.remedy}" if finding.remedy else ""
    raise InfrastructureError(f"{name}: {finding.found}; {finding.meaning}{remedy}")


class Kills:
    """Counts the processes in this process's control groups that the kernel kills for lack of memory, from now on."""

    def __init__(self, system: System | None = None) -> None:
        self._system = system or System()
        self._groups = groups(self._system, "memory")
        self._before = self._counts()

    def _counts(self) -> tuple[int, ...]:
        return tuple(group.kills(self._system) for group in self._groups)

    def since(self) -> str:
        """A clause for an error: which memory limit was reached since this object was made. Empty if the kernel killed
        no process."""
        killed = [i for i, count in enumerate(self._counts()) if count > self._before[i]]
        if not killed:
            return ""
        limited = [(limit, group) for group in self._groups if (limit := group.memory(self._system)) is not None]
        if not limited:
            return ", since this machine's memory was used up"
        limit, group = min(limited, key=lambda pair: pair[0])
        return f", since the memory limit of {limit / (1 << 20):.0f} MiB was reached ({_file(group)})"


def _file(group: ControlGroup) -> str:
    return f"{group.folder}/{'memory.max' if group.version == 2 else 'memory.limit_in_bytes'}"
