# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""May the engine run in the real-time class, with its memory locked?"""

from __future__ import annotations

import resource
import shlex
from typing import TYPE_CHECKING

from rtstone.machine.doctor._finding import Finding
from rtstone.machine.doctor.checks.limits import group_budget
from rtstone.machine.system import CAP_IPC_LOCK, CAP_SYS_NICE

if TYPE_CHECKING:
    from rtstone.machine.system import System

ENGINE_PRIORITY = 95
"""Highest real-time priority that the engine asks for (ports/posix)."""

ENGINE_MEMORY_BYTES = 64 << 20
"""More than the engine ever locks."""

_DEGRADED = "the run goes on in the time-sharing class and is marked degraded"


def engine(system: System) -> Finding:
    """Is the engine there?"""
    path = system.engine()
    if path is None:
        return Finding(
            check="engine",
            level="problem",
            found="no engine program",
            meaning="nothing can be measured on this machine",
            remedy="make engine",
        )
    return Finding(check="engine", level="ok", found=str(path))


def _lacking(system: System, capability: int) -> str:
    """A clause for a finding: why a capability of the engine's file does not help here; empty if it would help."""
    if capability in system.file_capabilities() - system.grantable():
        return ", and the capabilities of its file are refused here"
    return ""


def _grant(system: System) -> str:
    return f"sudo setcap cap_sys_nice,cap_ipc_lock+p {shlex.quote(str(system.engine() or 'rtstone-engine'))}"


def no_new_privileges(system: System) -> Finding | None:
    """Would a capability of the engine's file have any effect? (no_new_privs, prctl(2))"""
    lines = (system.text("/proc/self/status") or "").splitlines()
    if not any(line.split() == ["NoNewPrivs:", "1"] for line in lines):
        return None
    return Finding(
        check="no-new-privs",
        level="warning",
        found="this process may gain no privilege",
        meaning="capabilities of the engine's file are ignored here: a service or container has set no_new_privs",
        remedy="systemd: NoNewPrivileges=no; docker: leave out --security-opt no-new-privileges",
    )


def real_time(system: System) -> Finding:
    """May the engine use SCHED_FIFO at its priorities? (sched(7), RLIMIT_RTPRIO)"""
    limit = system.limit(resource.RLIMIT_RTPRIO)
    how = ""
    if system.has_capability(CAP_SYS_NICE):
        granted = CAP_SYS_NICE in system.file_capabilities() & system.grantable()
        how = "by the engine's file" if granted else "by this user's privilege"
    elif limit == -1 or limit >= ENGINE_PRIORITY:
        how = f"RLIMIT_RTPRIO {limit}"
    if how:
        budget = group_budget(system)
        if budget is not None and budget.level == "problem":
            # The finding about the budget has the remedy.
            return Finding(
                check="real-time",
                level="problem",
                found=f"SCHED_FIFO allowed ({how}), but the control group has no budget for it",
                meaning=_DEGRADED,
            )
        return Finding(check="real-time", level="ok", found=f"SCHED_FIFO allowed ({how})")
    return Finding(
        check="real-time",
        level="problem",
        found=f"SCHED_FIFO denied (RLIMIT_RTPRIO {limit}, no cap_sys_nice{_lacking(system, CAP_SYS_NICE)})",
        meaning=_DEGRADED,
        remedy=_grant(system),
    )


def locked_memory(system: System) -> Finding:
    """May the engine lock its memory? (mlockall(2), RLIMIT_MEMLOCK)"""
    if system.has_capability(CAP_IPC_LOCK):
        return Finding(check="locked-memory", level="ok", found="mlockall allowed without limit")
    limit = system.limit(resource.RLIMIT_MEMLOCK)
    if limit == -1 or limit >= ENGINE_MEMORY_BYTES:
        return Finding(check="locked-memory", level="ok", found=f"RLIMIT_MEMLOCK {limit} bytes is enough")
    return Finding(
        check="locked-memory",
        level="problem",
        found=f"RLIMIT_MEMLOCK is {limit} bytes, no cap_ipc_lock{_lacking(system, CAP_IPC_LOCK)}",
        meaning="page faults can fall into measured windows; the run is marked degraded",
        remedy=_grant(system),
    )
