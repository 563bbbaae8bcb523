# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The registry of checks, one line for each, in the order in which their findings are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.machine.doctor.checks import clocks, instruments, interference, kernel, limits, power, privilege, topology

if TYPE_CHECKING:
    from collections.abc import Callable

    from rtstone.machine.doctor._finding import Finding
    from rtstone.machine.system import System

CHECKS: tuple[Callable[[System], Finding | None], ...] = (
    privilege.engine,
    privilege.real_time,
    privilege.locked_memory,
    privilege.no_new_privileges,
    limits.throttling,
    limits.group_budget,
    limits.cpu_quota,
    limits.memory_limit,
    limits.message_queues,
    kernel.preemption,
    kernel.btf,
    kernel.huge_pages,
    kernel.swap,
    clocks.clock_source,
    clocks.tickless,
    clocks.timer_migration,
    power.governor,
    power.idle_states,
    topology.cpus,
    topology.smt,
    topology.isolation,
    topology.interrupt_affinity,
    instruments.debug_options,
    instruments.tracing,
    instruments.watchdog,
    instruments.firmware,
    interference.virtualisation,
    interference.container,
    interference.balancer,
    interference.busy,
    interference.steal,
    interference.left_settings,
)
