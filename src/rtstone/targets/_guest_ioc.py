# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC that a Linux guest is measured in, when its plan asks for the load of one."""

from __future__ import annotations

from rtstone.model import load_parts
from rtstone.stream.plan import Plan
from rtstone.targets.boards import Kernel
from rtstone.targets.boards.guest import Extra

LOADS = frozenset({"ioc", "ioc-above"})
"""Loads that are clients of an IOC."""
RECORDS_OF_ONE = 100
"""Pairs of records for each unit of such a load's intensity (linux/loads/ioc_clients.h)."""
PAUSE_MS_OF_ONE = 100
"""Between two bursts, of the same."""
_ARCHITECTURE = "amd64"
"""Debian's name of the one that EPICS base comes for."""


def can_be_ioc(kernel: Kernel) -> bool:
    """Whether a guest with that kernel can be an IOC here: EPICS base is installed, for its architecture, and what builds the IOC."""
    from rtstone import ioc

    return kernel.architecture == _ARCHITECTURE and ioc.guest_obstacle() is None


def intensities(plan: Plan) -> tuple[int, ...]:
    """Those of the plan's loads that are clients of an IOC, each once."""
    asked = (load_parts(item.load, item.intensity) for item in plan.items)
    return tuple(dict.fromkeys(amount for parts in asked for name, amount in parts.items() if name in LOADS))


def inside_ioc(kernel: Kernel, plan: Plan) -> Extra | None:
    """What the guest needs to be an IOC, with as many records as the plan's largest load wants; None where the plan asks for none.

    The whole session is then measured inside the IOC, so that its columns differ by the load and by nothing else. A kernel of another
    architecture goes without, and its engine says so of the load. Raises InfrastructureError when the IOC cannot be built.
    """
    wanted = intensities(plan)
    if not wanted or kernel.architecture != _ARCHITECTURE:
        return None
    from rtstone import ioc

    files, programs = ioc.guest_files(max(1, *wanted) * RECORDS_OF_ONE)
    return Extra("ioc", files, programs)
