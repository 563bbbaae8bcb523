# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks for other users of the machine: a hypervisor, a container's limits, other programs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rtstone.errors import InfrastructureError, this_program
from rtstone.machine.doctor._finding import Finding
from rtstone.machine.settings import OF_ROOT, journal_path, left
from rtstone.machine.system import commas
from rtstone.model.idle import STEAL_MOST
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.machine.system import System

LOOK_S = 0.3
"""How long CPU use is watched (seconds)."""

BUSY_PERCENT = 5.0

SIGNS = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container", "/var/run/secrets/kubernetes.io")
"""Files that only containers have."""

POD = "KUBERNETES_SERVICE_HOST"
"""Environment variable that every container of a pod has, with or without a service account's token."""

MANAGER = "container"
"""Environment variable with the name of the container's manager (podman, lxc, systemd-nspawn). With a read-only root
podman sets it, and makes no file."""


def in_pod(system: System) -> bool:
    """Whether this is a container of a Kubernetes pod. The variable counts for this machine only."""
    return system.exists(SIGNS[-1]) or (not system.far and POD in os.environ)


VIRTUAL_BOARDS = ("linux,dummy-virt", "riscv-virtio")
"""Boards that only emulators and hypervisors have (QEMU's `virt`), by the device tree. The engine records the same ones
(linux/describe_cpu.c); doctor works without an engine, so it cannot read them from a record. A test compares the two."""


def signs(system: System) -> list[str]:
    """The files or the environment variable that show that this is a container; empty if nothing shows it."""
    found = [path for path in SIGNS if system.exists(path)]
    if not found and not system.far:
        found = [f"{name}={os.environ[name]}" for name in (POD, MANAGER) if os.environ.get(name)]
    return found


def virtualisation(system: System) -> Finding:
    """Is this a virtual machine?"""
    flags = next((line for line in (system.text("/proc/cpuinfo") or "").splitlines() if line.startswith("flags")), "")
    board = (system.text("/proc/device-tree/compatible") or "").partition("\0")[0]
    board = board if board in VIRTUAL_BOARDS else ""
    vendor = system.text("/sys/class/dmi/id/sys_vendor") or system.text("/sys/hypervisor/type") or board
    if "hypervisor" not in flags.split() and not system.exists("/sys/hypervisor/type") and not board:
        return Finding(check="virtualisation", level="ok", found="none seen")
    return Finding(
        check="virtualisation",
        level="warning",
        found=f"a virtual machine{f' ({vendor})' if vendor else ''}",
        meaning="the hypervisor can take the CPU away unseen: a maximum may come from the host, not from this kernel",
    )


def container(system: System) -> Finding | None:
    """Is this a container?"""
    shown = signs(system)
    if not shown:
        return None
    # The kernel's own threads are only in the first name space of processes.
    hidden = system.text("/proc/2/comm") != "kthreadd"
    return Finding(
        check="container",
        level="note",
        found=f"a container ({shown[0]}){'; only its own processes are visible' if hidden else ''}",
        meaning="real-time class, memory locking and /dev/cpu_dma_latency must be granted to it"
        + ("; other programs and the kernel's threads of this machine are not seen" if hidden else ""),
        remedy="podman run --cap-add SYS_NICE --cap-add IPC_LOCK --device /dev/cpu_dma_latency …",
    )


def _shares(system: System) -> tuple[float, float] | None:
    """Percent of all CPUs' time that was used, and that was stolen, during `LOOK_S` (s)."""
    before = system.cpu_ticks().get("cpu")
    system.sleep(LOOK_S)
    after = system.cpu_ticks().get("cpu")
    if before is None or after is None:
        return None
    # user nice system idle iowait irq softirq steal; guest times are in user and nice already (proc(5)).
    spent = [later - sooner for sooner, later in zip(before[:8], after[:8], strict=True)]
    total = sum(spent)
    if total <= 0:
        return None
    return 100.0 * (total - spent[3] - spent[4] - spent[7]) / total, 100.0 * spent[7] / total


def busy(system: System) -> Finding | None:
    """Are other programs running?"""
    shares = _shares(system)
    if shares is None:
        return None
    if shares[0] < BUSY_PERCENT:
        return Finding(check="busy", level="ok", found=f"CPUs {shares[0]:.1f} % used over {LOOK_S} s")
    return Finding(
        check="busy",
        level="warning",
        found=f"CPUs {shares[0]:.1f} % used over {LOOK_S} s",
        meaning="an idle run will not be idle, and will be marked",
        remedy="top",
    )


def balancer(system: System) -> Finding | None:
    """Does a daemon move interrupts between CPUs?"""
    names = {system.text("/" + str(path.relative_to(system.root))) for path in system.glob("/proc/[0-9]*/comm")}
    if "irqbalance" not in names:
        return None
    return Finding(
        check="irqbalance",
        level="note",
        found="irqbalance is running",
        meaning="device interrupts may be moved onto the measured CPU in mid-run",
        remedy="sudo systemctl stop irqbalance",
    )


def steal(system: System) -> Finding | None:
    """Does the hypervisor take time away?"""
    ticks = system.cpu_ticks().get("cpu")
    if ticks is None or len(ticks) < 8 or sum(ticks[:8]) == 0:
        return None
    percent = 100.0 * ticks[7] / sum(ticks[:8])
    if percent < STEAL_MOST:
        return Finding(check="steal", level="ok", found=f"{percent:.2f} % of CPU time stolen since boot")
    return Finding(
        check="steal",
        level="warning",
        found=f"{percent:.2f} % of CPU time stolen since boot",
        meaning="the hypervisor ran something else in our place; long tails are its doing",
    )


def left_settings(system: System) -> Finding | None:
    """Did an rtstone end without restoring the settings that it had changed?"""
    for path in dict.fromkeys((OF_ROOT, journal_path())):
        data = system.bytes(str(path))
        try:
            found = left(system, data, path) if data else None
        except InfrastructureError as error:
            return Finding(check="left-settings", level="warning", found=str(error), remedy=f"sudo rm {path}")
        if found is None:
            continue
        if system.exists(f"/proc/{found.pid}"):
            return Finding(
                check="left-settings",
                level="note",
                found=f"rtstone is at work on {counted(len(found.changes), 'setting')}",
                meaning="settings may change during a measurement",
            )
        return Finding(
            check="left-settings",
            level="warning",
            found=f"a killed rtstone has left {counted(len(found.changes), 'setting')} changed: {commas(list(found.changes)[:3])}",
            meaning="the machine is not as its owner has set it",
            remedy=f"sudo {this_program()} tune --restore" if path == OF_ROOT else f"{this_program()} tune --restore",
        )
    return None
