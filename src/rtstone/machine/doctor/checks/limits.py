# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Budgets and limits that stop or refuse real-time work."""

from __future__ import annotations

import re
import resource
from typing import TYPE_CHECKING

from rtstone.machine.doctor._finding import Finding
from rtstone.machine.groups import groups
from rtstone.model.units import duration

if TYPE_CHECKING:
    from rtstone.machine.system import System

QUEUE_DEPTH = 8
"""Depth of every queue that is measured (engine/include/rtstone/port.h)."""

QUEUE_BYTES = 64 << 10
"""Bytes of RLIMIT_MSGQUEUE that suffice for two queues of that depth (mq_overview(7))."""

MEMORY_BYTES = 80_000_000
"""Memory that a run with its archive needs, as measured: 60 MiB were too little, 64 MiB just sufficed."""

_USUAL_BUDGET = 0.95
"""Share of a CPU that Linux gives real-time threads of the root group."""

_SERVERS = "/sys/kernel/debug/sched/fair_server/cpu*/runtime"


def _fair_server(system: System) -> Finding:
    """Does a deadline server give starved ordinary threads a share? (Linux 6.12 and later; sched_rt_runtime_us does not
    affect it)"""
    shares = {int(text) for text in system.texts(_SERVERS).values() if text.isdecimal()}
    if shares == {0}:
        return Finding(check="throttling", level="ok", found="real-time threads are not throttled")
    share = f"{max(shares) // 1_000_000} ms" if shares else "50 ms, unless it was changed,"
    return Finding(
        check="throttling",
        level="note",
        found=f"ordinary threads that starve get {share} of each second (fair server)",
        meaning="the engine rests by it; a real-time program that never rests is stopped for as long, whatever sched_rt_runtime_us is",
        remedy=f"for f in {_SERVERS}; do echo 0 | sudo tee $f; done",
    )


def throttling(system: System) -> Finding | None:
    """Does the kernel stop real-time threads that use too much? (sched(7))"""
    release = re.match(r"(\d+)\.(\d+)", system.text("/proc/sys/kernel/osrelease") or "", re.ASCII)
    served = release is not None and (int(release[1]), int(release[2])) >= (6, 12)
    if served and not system.exists(
        "/sys/fs/cgroup/cpu/cpu.rt_runtime_us"
    ):  # CONFIG_RT_GROUP_SCHED throttles as before
        return _fair_server(system)
    runtime = system.number("/proc/sys/kernel/sched_rt_runtime_us")
    period = system.number("/proc/sys/kernel/sched_rt_period_us")
    if runtime is None or period is None:
        return None
    if runtime < 0 or runtime >= period:
        if served:
            return _fair_server(system)
        return Finding(check="throttling", level="ok", found="real-time threads are not throttled")
    return Finding(
        check="throttling",
        level="note",
        found=f"real-time threads get at most {runtime} of each {period} µs",
        meaning="the engine pauses between parts of a measurement, so that the kernel never stops it while it "
        "times an operation; your own real-time program may be stopped",
        remedy="sudo sysctl kernel.sched_rt_runtime_us=-1",
    )


def group_budget(system: System) -> Finding | None:
    """How long may real-time threads of this control group, and of all above it, run? (version 1, CONFIG_RT_GROUP_SCHED)"""
    stated = [(share, group) for group in groups(system, "cpu") if (share := group.realtime(system)) is not None]
    if not stated:
        return None
    share, group = min(stated, key=lambda pair: pair[0])
    remedy = f"echo 950000 | sudo tee {group.folder}/cpu.rt_runtime_us"
    if share == 0:
        return Finding(
            check="group-budget",
            level="problem",
            found=f"control group {group.folder} has no real-time budget",
            meaning="SCHED_FIFO fails with EPERM even for root, as it does in privileged containers",
            remedy=remedy,
        )
    found = f"real-time budget: {share:.1%} of each CPU ({group.folder})"
    if share >= _USUAL_BUDGET:
        return Finding(check="group-budget", level="ok", found=found)
    return Finding(
        check="group-budget",
        level="warning",
        found=found,
        meaning="the engine pauses between parts of a measurement, so that the kernel does not stop it while it times an "
        "operation, and a run takes longer; your own real-time program is stopped when the budget is used up",
        remedy=remedy,
    )


def cpu_quota(system: System) -> Finding | None:
    """May this control group, and all above it that are visible, use CPUs all the time? (cpu.max, cpu.cfs_quota_us)"""
    limited = [(share, group) for group in groups(system, "cpu") if (share := group.quota(system)) is not None]
    if not limited:
        return None
    share, group = min(limited, key=lambda pair: pair[0])
    periods, stopped, seconds = group.stops(system)
    was = f"; stopped in {stopped} of {periods} periods so far, for {duration(seconds * 1e9)} in all" if periods else ""
    file, value = ("cpu.max", "max") if group.version == 2 else ("cpu.cfs_quota_us", "-1")
    return Finding(
        check="cpu-quota",
        level="warning",
        found=f"CPU quota of {share:g} CPU{was}",
        meaning="time-sharing threads, the program and the loads are stopped when the quota is used up: a run records how often",
        remedy=f"echo {value} | sudo tee {group.folder}/{file}",
    )


def memory_limit(system: System) -> Finding | None:
    """May this control group, and all above it that are visible, hold the program and its engine? (memory.max)"""
    limited = [(limit, group) for group in groups(system, "memory") if (limit := group.memory(system)) is not None]
    if not limited:
        return None
    limit, group = min(limited, key=lambda pair: pair[0])
    found = f"memory limit of {limit / (1 << 20):.0f} MiB"
    if limit >= MEMORY_BYTES:
        return Finding(check="memory-limit", level="ok", found=found)
    file = "memory.max" if group.version == 2 else "memory.limit_in_bytes"
    return Finding(
        check="memory-limit",
        level="problem",
        found=found,
        meaning=f"the program and its engine need {MEMORY_BYTES // 1_000_000} MB: with less the kernel kills one of them",
        remedy=f"echo 128M | sudo tee {group.folder}/{file}",
    )


def message_queues(system: System) -> Finding | None:
    """May the queues of the measurements be made? (mq_overview(7))"""
    depth = system.number("/proc/sys/fs/mqueue/msg_max")
    if depth is None:
        return Finding(
            check="message-queues",
            level="warning",
            found="this kernel shows no POSIX message queues",
            meaning="the queue rows may print *",
        )
    room = system.limit(resource.RLIMIT_MSGQUEUE)
    if depth < QUEUE_DEPTH:
        return Finding(
            check="message-queues",
            level="warning",
            found=f"queues hold at most {depth} messages",
            meaning=f"the queue rows need {QUEUE_DEPTH} and print * for others than root",
            remedy="sudo sysctl fs.mqueue.msg_max=10",
        )
    if room != -1 and room < QUEUE_BYTES:
        return Finding(
            check="message-queues",
            level="warning",
            found=f"RLIMIT_MSGQUEUE is {room} bytes",
            meaning="the queue rows may print *",
            remedy="ulimit -q 819200",
        )
    return Finding(check="message-queues", level="ok", found=f"depth up to {depth}")
