# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Budgets and limits that stop or refuse real-time work."""

from __future__ import annotations

import re
import resource
from typing import TYPE_CHECKING

from rtstone.machine.doctor._finding import Finding

if TYPE_CHECKING:
    from rtstone.machine.system import System

QUEUE_DEPTH = 8
"""Depth of every queue that is measured (engine/include/rtstone/port.h)."""

QUEUE_BYTES = 64 << 10
"""More than two queues of that depth cost against RLIMIT_MSGQUEUE (mq_overview(7))."""


_SERVERS = "/sys/kernel/debug/sched/fair_server/cpu*/runtime"


def _fair_server(system: System) -> Finding:
    """Does a deadline server give starved ordinary threads a share? (Linux 6.12 and later; sched_rt_runtime_us does not stop it)"""
    shares = {int(text) for text in system.texts(_SERVERS).values() if text.isdecimal()}
    if shares == {0}:
        return Finding(check="throttling", level="ok", found="real-time threads are not throttled")
    told = f"{max(shares) // 1_000_000} ms" if shares else "50 ms, unless it was changed,"
    return Finding(
        check="throttling",
        level="note",
        found=f"ordinary threads that starve get {told} of each second (fair server)",
        meaning="a real-time program that never rests is stopped for as long; sched_rt_runtime_us changes nothing of it here",
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
        meaning="the engine rests between slices so that it is never stopped in a window; your own "
        "real-time program may be stopped",
        remedy="sudo sysctl kernel.sched_rt_runtime_us=-1",
    )


def group_budget(system: System) -> Finding | None:
    """Has this control group a real-time budget? (cgroup v1, CONFIG_RT_GROUP_SCHED)"""
    budget = system.number("/sys/fs/cgroup/cpu/cpu.rt_runtime_us")
    if budget is None:
        return None
    if budget > 0 or budget == -1:
        return Finding(check="group-budget", level="ok", found=f"real-time budget of the root group: {budget} µs")
    return Finding(
        check="group-budget",
        level="problem",
        found="this control group has no real-time budget",
        meaning="SCHED_FIFO fails with EPERM even for root, as it does in privileged containers",
        remedy="echo 950000 | sudo tee /sys/fs/cgroup/cpu/cpu.rt_runtime_us",
    )


def cpu_quota(system: System) -> Finding | None:
    """May this control group use its CPUs all the time? (cgroup v2, cpu.max)"""
    own = next((line for line in (system.text("/proc/self/cgroup") or "").splitlines() if line.startswith("0::")), None)
    if own is None:
        return None
    group = own.removeprefix("0::").strip("/")
    quota = system.text(f"/sys/fs/cgroup/{group}/cpu.max")
    if quota is None or quota.startswith("max"):
        return None
    return Finding(
        check="cpu-quota",
        level="warning",
        found=f"cpu.max of this control group is {quota}",
        meaning="time-sharing threads are stopped when the quota is spent: their tails are the quota's",
        remedy=f"echo max | sudo tee /sys/fs/cgroup/{group}/cpu.max",
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
