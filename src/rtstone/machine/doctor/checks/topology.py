# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the CPUs: how many there are, which share a core, which are kept free of other work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rtstone.machine.doctor._finding import Finding
from rtstone.machine.doctor.checks.interference import signs
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.machine.system import System


def parse_cpus(text: str) -> set[int]:
    """CPU numbers of a kernel list such as ``0,2-5``."""
    found: set[int] = set()
    for part in filter(None, re.split(r"[,\s]+", text)):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def _allowed(system: System) -> set[int]:
    """The online CPUs that this process may use (Cpus_allowed_list, proc(5))."""
    online = parse_cpus(system.text("/sys/devices/system/cpu/online") or "")
    lines = (system.text("/proc/self/status") or "").splitlines()
    own = next((line.split(":", 1)[1] for line in lines if line.startswith("Cpus_allowed_list:")), "")
    return online & parse_cpus(own.strip()) or online


def cpus(system: System) -> Finding | None:
    """Can the host tool stay off the measured CPU?"""
    online = parse_cpus(system.text("/sys/devices/system/cpu/online") or "")
    allowed = _allowed(system)
    if not online:
        return None
    fewer = f"; this process may use {len(allowed)} of them" if allowed < online else ""
    if len(allowed) > 1:
        return Finding(check="cpus", level="ok", found=f"{counted(len(online), 'CPU')} online{fewer}")
    return Finding(
        check="cpus",
        level="warning",
        found=f"CPU {min(allowed)} alone may be used, of {len(online)} online" if fewer else "one CPU",
        meaning="the host tool, its progress display, the load and the measurement share it",
        remedy="podman run --cpuset-cpus 0-1 …" if fewer and signs(system) else "",
    )


def smt(system: System) -> Finding | None:
    """Do two CPUs share a core?"""
    active = system.number("/sys/devices/system/cpu/smt/active")
    if active is None:
        return None
    if not active:
        return Finding(check="smt", level="ok", found="no two CPUs share a core, as far as this kernel knows")
    return Finding(
        check="smt",
        level="note",
        found="SMT is active",
        meaning="work on a sibling CPU slows the measured one in a way that no affinity prevents",
        remedy="echo off | sudo tee /sys/devices/system/cpu/smt/control",
    )


def isolation(system: System) -> Finding | None:
    """Is a CPU kept free for measurements?"""
    isolated = system.text("/sys/devices/system/cpu/isolated")
    if isolated is None:
        return None
    if isolated:
        return Finding(check="isolation", level="ok", found=f"isolated CPUs: {isolated}; measure there with --cpu")
    return Finding(
        check="isolation",
        level="note",
        found="no isolated CPU",
        meaning="other programs and kernel threads share the measured CPU; booting with isolcpus=N nohz_full=N "
        "rcu_nocbs=N on the kernel's command line keeps CPU N free",
    )


def interrupt_affinity(system: System) -> Finding | None:
    """May device interrupts land on the last CPU, the one measured by default?"""
    online = _allowed(system)
    files = system.glob("/proc/irq/[0-9]*/effective_affinity_list")
    if not online or not files:
        return None
    last = max(online)
    here = [
        path.parent.name
        for path in files
        if last in parse_cpus(system.text("/" + str(path.relative_to(system.root))) or "")
    ]
    if not here:
        return Finding(check="irq-affinity", level="ok", found=f"no device interrupt is routed to CPU {last}")
    return Finding(
        check="irq-affinity",
        level="note",
        found=f"{len(here)} device interrupts are routed to CPU {last}, measured by default",
        meaning="they land in measured windows",
        remedy=f"echo {min(online)} | sudo tee /proc/irq/*/smp_affinity_list" if len(online) > 1 else "",
    )
