# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC that a Linux guest is measured in, when its plan asks for the load of one."""

from __future__ import annotations

import socket
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from rtstone.errors import UsageError
from rtstone.model import load_parts
from rtstone.stream.plan import Plan
from rtstone.targets.boards import Kernel
from rtstone.targets.boards.guest import Extra

if TYPE_CHECKING:
    from rtstone.ioc import OutsideClients


LOADS = frozenset({"ioc", "ioc-above"})
"""Loads that are clients of an IOC."""
RECORDS_OF_ONE = 100
"""Records for each unit of such a load's intensity (linux/loads/ioc_clients.h)."""
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


_LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A TCP port of the loopback interface that nobody has now. Should another program be faster, the emulator says so and ends."""
    with socket.create_server((_LOOPBACK, 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def clients_outside(plan: Plan, port: int) -> AbstractContextManager[OutsideClients | None]:
    """The clients that the plan's loads want of an IOC on a board with a link; None where it wants none.

    Raises as `one_intensity`, and InfrastructureError when they cannot be built.
    """
    wanted = one_intensity(plan)
    if not wanted:
        return nullcontext(None)
    from rtstone.ioc import OutsideClients

    return OutsideClients(wanted * RECORDS_OF_ONE, wanted * PAUSE_MS_OF_ONE, port)


def one_intensity(plan: Plan) -> int:
    """That of the plan's loads that are clients of an IOC; 0: there are none.

    Raises UsageError for a plan that wants several sorts of bursts, since clients are started once a session.
    """
    wanted = intensities(plan)
    if len(wanted) > 1:
        asked = " and ".join(str(intensity) for intensity in sorted(wanted))
        raise UsageError(f"clients outside of the IOC burst in one way a run: intensity {asked} need a run each")
    return wanted[0] if wanted else 0
