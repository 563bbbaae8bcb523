# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The EPICS IOC in which a Linux guest is measured, when its plan asks for the load of an IOC."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from rtstone.errors import UsageError
from rtstone.model import load_parts
from rtstone.stream.plan import Plan
from rtstone.targets.boards import Kernel, loads
from rtstone.targets.boards.guest import Extra

if TYPE_CHECKING:
    from rtstone.ioc import OutsideClients


LOADS = frozenset({"ioc", "ioc-above"})
"""Loads that consist of clients of an IOC."""
RECORDS_OF_ONE = 100
"""IOC records for each unit of such a load's intensity (ioc/load/clients.h)."""
PAUSE_MS_OF_ONE = 100
"""Pause (ms) between two bursts, for each unit of such a load's intensity."""
_ARCHITECTURE = "amd64"
"""Debian's name of the one architecture that has EPICS base."""


def can_be_ioc(kernel: Kernel) -> bool:
    """Whether a guest with that kernel can be an IOC here: the kernel's own image is one, or this host has EPICS base for
    its architecture, and the tools that build the IOC."""
    from rtstone import ioc

    if kernel.kind == "firmware":
        return not LOADS.isdisjoint(loads(kernel))
    return kernel.architecture == _ARCHITECTURE and ioc.guest_obstacle() is None


def intensities(plan: Plan) -> tuple[int, ...]:
    """The intensities of the plan's loads that are clients of an IOC, each once."""
    asked = (load_parts(item.load, item.intensity) for item in plan.items)
    return tuple(dict.fromkeys(amount for parts in asked for name, amount in parts.items() if name in LOADS))


def inside_ioc(kernel: Kernel, plan: Plan) -> Extra | None:
    """The files that make the guest an IOC, with enough records for the plan's largest load; None if the plan wants no
    IOC.

    The whole session is then measured inside the IOC, so that its columns differ only by the load. A kernel of another
    architecture gets no IOC, and its engine reports that it lacks the load. Raises InfrastructureError when the IOC
    cannot be built.
    """
    wanted = intensities(plan)
    if not wanted or kernel.architecture != _ARCHITECTURE:
        return None
    from rtstone import ioc

    files, programs = ioc.guest_files(max(1, *wanted) * RECORDS_OF_ONE)
    return Extra("ioc", files, programs)


def clients_outside(plan: Plan, port: int) -> AbstractContextManager[OutsideClients | None]:
    """The clients that load the IOC on a board with a link, as the plan's loads want; None if the plan wants none.

    Raises as `one_intensity`, and InfrastructureError when the clients cannot be built.
    """
    wanted = one_intensity(plan)
    if not wanted:
        return nullcontext(None)
    from rtstone.ioc import OutsideClients

    return OutsideClients(wanted * RECORDS_OF_ONE, wanted * PAUSE_MS_OF_ONE, port)


def one_intensity(plan: Plan) -> int:
    """The intensity of the plan's loads that are clients of an IOC; 0: the plan has no such load.

    Raises UsageError for a plan with several intensities, since clients are started once a session.
    """
    wanted = intensities(plan)
    if len(wanted) > 1:
        asked = " and ".join(str(intensity) for intensity in sorted(wanted))
        raise UsageError(f"clients outside of the IOC burst in one way a run: intensity {asked} need a run each")
    return wanted[0] if wanted else 0
