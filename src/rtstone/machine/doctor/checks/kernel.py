# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the kernel's kind, and of its memory management, which can disturb measurements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rtstone.machine.doctor._finding import Finding
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.machine.system import System


def preemption(system: System) -> Finding | None:
    """Which preemption model does it run?"""
    version = system.text("/proc/sys/kernel/version")
    release = system.text("/proc/sys/kernel/osrelease")
    if version is None or release is None:
        return None
    if system.number("/sys/kernel/realtime") == 1 or "PREEMPT_RT" in version:
        return Finding(check="preemption", level="ok", found=f"{release}: PREEMPT_RT")
    dynamic = system.text("/sys/kernel/debug/sched/preempt")
    mode = re.search(r"\((\w+)\)", dynamic or "")
    if mode:
        model = f"{mode.group(1)} (chosen at boot)"
    elif "PREEMPT_DYNAMIC" in version:
        model = "PREEMPT_DYNAMIC (its mode shows in /sys/kernel/debug/sched/preempt)"
    else:
        model = "PREEMPT" if "PREEMPT" in version else "none or voluntary"
    return Finding(
        check="preemption",
        level="note",
        found=f"{release}: {model}",
        meaning="without PREEMPT_RT the longest latencies under load are bounded by no design",
    )


def btf(system: System) -> Finding:
    """Does the kernel have the type information that BPF programs need?"""
    if system.exists("/sys/kernel/btf/vmlinux"):
        return Finding(check="btf", level="ok", found="BTF present: the kernel-side split can be had")
    return Finding(
        check="btf", level="note", found="no BTF", meaning="where inside the kernel the time goes cannot be shown"
    )


def huge_pages(system: System) -> Finding | None:
    """Can transparent huge pages stall a thread?"""
    text = system.text("/sys/kernel/mm/transparent_hugepage/enabled")
    mode = re.search(r"\[(\w+)\]", text or "")
    if not mode:
        return None
    if mode.group(1) != "always":
        return Finding(check="huge-pages", level="ok", found=f"transparent huge pages: {mode.group(1)}")
    return Finding(
        check="huge-pages",
        level="note",
        found="transparent huge pages: always",
        meaning="compaction can delay programs that do not lock their memory",
        remedy="echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
    )


def swap(system: System) -> Finding | None:
    """Is there swap?"""
    text = system.text("/proc/swaps")
    if text is None:
        return None
    areas = text.splitlines()[1:]
    if not areas:
        return Finding(check="swap", level="ok", found="no swap")
    return Finding(
        check="swap",
        level="note",
        found=f"{counted(len(areas), 'swap area')} in use",
        meaning="the engine locks its memory, a load does not: paging adds disk interrupts",
        remedy="sudo swapoff -a",
    )
