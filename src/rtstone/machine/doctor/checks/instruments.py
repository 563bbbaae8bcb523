# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks for instruments that watch the machine and add to every figure: debug options, tracers, watchdogs, the
firmware."""

from __future__ import annotations

import gzip
import struct
import zlib
from typing import TYPE_CHECKING

from rtstone.machine.doctor._finding import Finding
from rtstone.machine.system import commas
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.machine.system import System

COSTLY = (
    "PROVE_LOCKING",
    "LOCKDEP",
    "KASAN",
    "KCSAN",
    "DEBUG_PREEMPT",
    "DEBUG_ATOMIC_SLEEP",
    "SLUB_DEBUG_ON",
    "KMEMLEAK",
)
"""Kernel options that add checks to the measured paths."""

SMI_REGISTER = 0x34
"""MSR_SMI_COUNT: Intel SDM vol. 4, table 2-2."""

SMI_LOOK_S = 0.3


def debug_options(system: System) -> Finding | None:
    """Was the kernel built with checks that cost time everywhere?"""
    text = _config(system)
    if text is None:
        return None
    found = [option for option in COSTLY if f"CONFIG_{option}=y" in text.splitlines()]
    if not found:
        return Finding(check="debug-options", level="ok", found="none of the kernel's costly checks is built in")
    return Finding(
        check="debug-options",
        level="warning",
        found=commas(found),
        meaning="every figure holds the cost of these checks: compare it with no kernel that lacks them",
    )


def _config(system: System) -> str | None:
    packed = system.bytes("/proc/config.gz")
    if packed is not None:
        try:
            return gzip.decompress(packed).decode("utf-8", errors="replace")
        except (OSError, EOFError, zlib.error):
            return None
    return system.text(f"/boot/config-{system.text('/proc/sys/kernel/osrelease') or ''}")


def tracing(system: System) -> Finding | None:
    """Is a tracer at work?"""
    for folder in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        tracer = system.text(f"{folder}/current_tracer")
        if tracer is None:
            continue
        events = (system.text(f"{folder}/set_event") or "").split()
        if tracer == "nop" and (not events or system.number(f"{folder}/tracing_on") == 0):
            return Finding(check="tracing", level="ok", found="no tracer is at work")
        return Finding(
            check="tracing",
            level="warning",
            found=f"tracer {tracer}, {counted(len(events), 'event')}",
            meaning="traced events are slower: interrupts and switches most of all",
            remedy=f"echo nop | sudo tee {folder}/current_tracer; echo | sudo tee {folder}/set_event",
        )
    return None


def watchdog(system: System) -> Finding | None:
    """Does a watchdog interrupt every CPU by a performance counter?"""
    value = system.number("/proc/sys/kernel/nmi_watchdog")
    if value is None:
        return None
    if value == 0:
        return Finding(check="nmi-watchdog", level="ok", found="no NMI watchdog")
    return Finding(
        check="nmi-watchdog",
        level="note",
        found="the NMI watchdog is on",
        meaning="an interrupt that nothing masks comes to every CPU every few seconds",
        remedy="sudo sysctl kernel.nmi_watchdog=0",
    )


def firmware(system: System) -> Finding | None:
    """Does the firmware take the CPU away? (system management interrupts, where the CPU's count may be read)"""
    before = _smi(system)
    if before is None:
        return None
    system.sleep(SMI_LOOK_S)
    after = _smi(system)
    came = (after or before) - before
    if came == 0:
        return Finding(
            check="smi", level="ok", found=f"no system management interrupt in {SMI_LOOK_S} s, {before} since boot"
        )
    return Finding(
        check="smi",
        level="warning",
        found=f"{came} system management interrupts in {SMI_LOOK_S} s",
        meaning="the firmware stops all CPUs unseen; no kernel and no priority can bound that",
    )


def _smi(system: System) -> int | None:
    value = system.bytes("/dev/cpu/0/msr", offset=SMI_REGISTER, count=8)
    return struct.unpack("<Q", value)[0] & 0xFFFFFFFF if value is not None and len(value) == 8 else None
