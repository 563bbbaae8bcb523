# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which clocks time the measurements, and where timers fire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.machine.doctor._finding import Finding

if TYPE_CHECKING:
    from rtstone.machine.system import System

_FOLDER = "/sys/devices/system/clocksource/clocksource0"

FAST = {"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"}
"""Clock sources that are read without leaving user space."""


def clock_source(system: System) -> Finding | None:
    """Does reading the kernel's clock take nanoseconds, or does it enter the kernel and read a slow device?"""
    current = system.text(f"{_FOLDER}/current_clocksource")
    if current is None:
        return None
    if current in FAST:
        return Finding(check="clock-source", level="ok", found=current)
    others = (system.text(f"{_FOLDER}/available_clocksource") or "").split()
    better = [name for name in others if name in FAST]
    return Finding(
        check="clock-source",
        level="warning",
        found=current,
        meaning="each reading of the clock is slow and enters the kernel; short times drown in it",
        remedy=f"echo {better[0]} | sudo tee {_FOLDER}/current_clocksource" if better else "",
    )


def tickless(system: System) -> Finding | None:
    """Are there CPUs without a tick? (nohz_full)"""
    cpus = system.text("/sys/devices/system/cpu/nohz_full")
    if cpus is None or cpus in {"", "(null)"}:
        return None
    return Finding(check="nohz-full", level="ok", found=f"CPUs without a tick while one thread runs: {cpus}")


def timer_migration(system: System) -> Finding | None:
    """May the kernel move timers to another CPU? (CPUs isolated by nohz_full send theirs away)"""
    value = system.number("/proc/sys/kernel/timer_migration")
    if value is None:
        return None
    if value == 0:
        return Finding(check="timer-migration", level="ok", found="timers stay on their CPU")
    return Finding(
        check="timer-migration",
        level="note",
        found="timers may migrate to a busy CPU",
        meaning="pinned real-time timers, as the engine's, stay; those of ordinary programs may not",
        remedy="sudo sysctl kernel.timer_migration=0",
    )
