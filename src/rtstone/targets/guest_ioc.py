# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions by which a board makes its Linux guest an EPICS IOC. The room `ioc` registers them under `rtstone.guests`."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, cast

from rtstone.errors import InfrastructureError
from rtstone.plugins import registered
from rtstone.stream.plan import Plan
from rtstone.targets._guest import SecondGuest
from rtstone.targets.boards import Kernel

if TYPE_CHECKING:
    from rtstone.targets.boards.guest import Extra

GROUP = "rtstone.guests"
_LOOPBACK = "127.0.0.1"


class Clients(SecondGuest, Protocol):
    """Clients on the host that load the guest's IOC during a session."""

    def check(self) -> None:
        """Raises InfrastructureError when the clients have failed."""

    def follow(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """The session's record stream, passed on; the clients start and stop by its records."""
        ...


class GuestIoc(Protocol):
    """The functions behind the entry point `ioc`."""

    def can_be_ioc(self, kernel: Kernel) -> bool:
        """Whether a guest with that kernel can be an IOC here."""
        ...

    def inside_ioc(self, kernel: Kernel, plan: Plan) -> Extra | None:
        """The files that make the guest an IOC; None if the plan wants no IOC."""
        ...

    def clients_outside(self, plan: Plan, port: int) -> AbstractContextManager[Clients | None]:
        """The clients that load the IOC through a port of this host; None if the plan wants none."""
        ...


class _NoIoc:
    """An installation without the IOC: no guest can be one."""

    def can_be_ioc(self, kernel: Kernel) -> bool:
        return False

    def inside_ioc(self, kernel: Kernel, plan: Plan) -> Extra | None:
        return None

    def clients_outside(self, plan: Plan, port: int) -> AbstractContextManager[Clients | None]:
        raise InfrastructureError(f"this installation has no clients of an IOC (entry point 'ioc' of {GROUP})")


def guest_ioc() -> GuestIoc:
    """The functions of the room that has the IOC. Without it, no guest can be an IOC."""
    point = registered(GROUP).get("ioc")
    return cast("GuestIoc", point.load()) if point is not None else _NoIoc()


def free_port() -> int:
    """A TCP port of the loopback interface that is free now. If another program takes it first, the emulator reports
    that and ends."""
    with socket.create_server((_LOOPBACK, 0)) as taken:
        port: int = taken.getsockname()[1]
    return port
