# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of runs that are shown together, and the meaning of a second in a run's figures."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model.ids import short_id
from rtstone.model.run import Run
from rtstone.model.units import instruction_rate

THIS_MACHINE = "this machine"


_HYPERVISORS = {
    "KVMKVMKVM": "KVM",
    "Linux KVM Hv": "KVM",
    "linux,kvm": "KVM",
    "TCGTCGTCGTCG": "QEMU TCG",
    "VMwareVMware": "VMware",
    "Microsoft Hv": "Hyper-V",
    "XenVMMXenVMM": "Xen",
    "VBoxVBoxVBox": "VirtualBox",
}
"""Names of hypervisors: the CPU's text, as engines up to 0.1.0 recorded it -> the name that engines record now."""


def hypervisor(text: str) -> str:
    """A hypervisor, or a list that begins with one, under the name that an engine records today."""
    first, comma, rest = text.partition(", ")
    return f"{_HYPERVISORS.get(first, first)}{comma}{rest}"


def names(runs: Sequence[Run]) -> tuple[str, ...]:
    """A unique name for each run: its label, or its target; its machine where they differ; then the start of its id."""
    several = len({run.machine for run in runs if run.machine}) > 1
    plain = [_plain(run, runs, several=several) for run in runs]
    return tuple(
        name if plain.count(name) == 1 else f"{name} {short_id(run.id)[:12]}"
        for name, run in zip(plain, runs, strict=True)
    )


def _plain(run: Run, runs: Sequence[Run], *, several: bool) -> str:
    """Label or target; with runs of several machines also the machine, unless the name already contains it."""
    name = run.label or (THIS_MACHINE if run.target == "local" else run.target)
    if not several or not run.machine or run.time != "time":
        return name
    same_name = {other.machine for other in runs if other.machine_name == run.machine_name}
    machine = f"{run.machine_name} {run.machine[:6]}".strip() if len(same_name) > 1 else run.machine_name
    if name == THIS_MACHINE:
        return machine
    same_text = {other.machine for other in runs if (other.label, other.target) == (run.label, run.target)}
    return f"{name}, {machine}" if len(same_text) > 1 else name


def unit_of_time(run: Run) -> str:
    """The meaning of a second in a run's figures:
    empty for a machine's time, else instruction-time with its rate, or an emulator's."""
    if run.time == "time":
        return ""
    if run.time == "emulated-time":
        return "emulated time"
    if not run.instructions_per_second:
        return "instruction-time at a rate that was not told"
    return f"instruction-time at {instruction_rate(run.instructions_per_second)}"
