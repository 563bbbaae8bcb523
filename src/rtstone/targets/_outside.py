# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The way into a board with a link, and the clients on the host that take it."""

from __future__ import annotations

import socket
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from rtstone.errors import UsageError
from rtstone.stream.plan import Plan
from rtstone.targets._guest_ioc import PAUSE_MS_OF_ONE, RECORDS_OF_ONE, intensities

if TYPE_CHECKING:
    from rtstone.ioc import OutsideClients

_LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A TCP port of the loopback interface that nobody has now. Should another program be faster, the emulator says so and ends."""
    with socket.create_server((_LOOPBACK, 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def clients_outside(plan: Plan, port: int) -> AbstractContextManager[OutsideClients | None]:
    """The clients that the plan's loads want of an IOC on a board with a link; None where it wants none.

    Raises UsageError for a plan that wants several sorts of bursts, since clients are started once a session; InfrastructureError when they
    cannot be built.
    """
    wanted = intensities(plan)
    if not wanted:
        return nullcontext(None)
    if len(wanted) > 1:
        asked = " and ".join(str(intensity) for intensity in sorted(wanted))
        raise UsageError(f"clients outside of a board burst in one way a run: intensity {asked} need a run each")
    from rtstone.ioc import OutsideClients

    return OutsideClients(wanted[0] * RECORDS_OF_ONE, wanted[0] * PAUSE_MS_OF_ONE, port)
