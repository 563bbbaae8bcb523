# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks for power saving that costs latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.machine.doctor._finding import Finding
from rtstone.machine.system import commas

if TYPE_CHECKING:
    from rtstone.machine.system import System

DEEP_US = 20
"""Time (µs) to leave an idle state above which the state shows in a wake-up latency."""


def governor(system: System) -> Finding | None:
    """Does the CPU's frequency change under a measurement?"""
    files = system.glob("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
    names = {text for path in files if (text := system.text("/" + str(path.relative_to(system.root))))}
    if not names:
        return Finding(check="governor", level="ok", found="no frequency scaling is visible from here")
    if names == {"performance"}:
        return Finding(check="governor", level="ok", found="performance")
    return Finding(
        check="governor",
        level="warning",
        found=commas(sorted(names)),
        meaning="the CPU's speed follows its load, and so do the figures",
        remedy="sudo cpupower frequency-set -g performance",
    )


def idle_states(system: System) -> Finding | None:
    """Are there deep idle states, and can the engine block them?"""
    deep = []
    for path in system.glob("/sys/devices/system/cpu/cpu0/cpuidle/state[0-9]*"):
        folder = "/" + str(path.relative_to(system.root))
        latency = system.number(f"{folder}/latency")
        if latency is not None and latency > DEEP_US:
            deep.append(f"{system.text(f'{folder}/name') or path.name} ({latency} µs)")
    if not deep:
        return Finding(
            check="idle-states", level="ok", found="no idle state that is slow to leave is visible from here"
        )
    if system.writable("/dev/cpu_dma_latency"):
        return Finding(
            check="idle-states",
            level="note",
            found=commas(deep),
            meaning="the engine holds /dev/cpu_dma_latency at 0 while it measures, and records that; "
            "an application that does not would see longer wake-ups",
        )
    return Finding(
        check="idle-states",
        level="warning",
        found=commas(deep),
        meaning="waking from them is part of every idle latency; this user may not hold /dev/cpu_dma_latency",
        remedy='sudo setfacl -m "u:$USER:rw" /dev/cpu_dma_latency',
    )
