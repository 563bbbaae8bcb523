# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""This machine, measured in a thread of an EPICS IOC: ``ioc``. Clients on this machine or on another host load the
IOC."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack

from rtstone.errors import UsageError
from rtstone.ioc.guest import PAUSE_MS_OF_ONE, RECORDS_OF_ONE, one_intensity
from rtstone.stream.plan import Plan, encode
from rtstone.targets._engine import EngineTarget
from rtstone.targets._process import StreamProcess
from rtstone.targets._watchdog import silence_limit_s
from rtstone.targets.guest_ioc import free_port
from rtstone.targets.local import PROBE
from rtstone.targets.protocol import Capabilities

_SIOCGIFADDR = 0x8915
_PATIENCE_S = 120
"""How long (s) the engine waits for clients from outside (ioc/load/place.c)."""
_PORT = 5064
"""The port of Channel Access, at which clients on another host look for the IOC."""


class IocTarget(EngineTarget):
    """The engine as a library of an IOC on this machine. The IOC serves clients on this machine or on other hosts."""

    capabilities = Capabilities(engine_here=True, shares_host=True, silicon=True, inside_ioc=True)

    def __init__(self, name: str, address: str = "", hosts: tuple[str, ...] = ()) -> None:
        """`address`: this machine's address for clients from outside; empty: no outside clients. `hosts`: those that
        may write there."""
        super().__init__(name, "rtstone-ioc", ())
        self._address = address
        self._hosts = hosts

    def describe(self) -> dict[str, str]:
        """The address at which the IOC serves, and the hosts that may write there."""
        return {"address": self._address, "may_write": ", ".join(self._hosts)} if self._address else {}

    def deploy(self) -> None:
        """Builds the IOC. Raises InfrastructureError naming what is missing."""
        from rtstone.ioc import build_inside

        build_inside()

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs one whole session inside the IOC. Its clients run from the first record to the last.

        Raises UsageError for a plan with several intensities of clients, since clients are started once a session.
        """
        from rtstone.ioc import IocSettings, OutsideClients, engine_inside

        intensity = one_intensity(plan)
        records = intensity * RECORDS_OF_ONE
        port = _PORT if self._address else free_port()
        settings = IocSettings(load=records, ca_port=port, interface=self._address or "127.0.0.1", allow=self._hosts)
        network = device_of(self._address) if self._address else ""
        probe = PROBE if os.access(PROBE, os.R_OK) else ""
        with ExitStack() as stack:
            inside = stack.enter_context(engine_inside(settings, probe=probe, network=network))
            own = {"RTSTONE_PEER": plan.peer, "RTSTONE_LOAD_COMMAND": plan.load_command}
            environment = inside.environment | {name: value for name, value in own.items() if value}
            clients = stack.enter_context(
                OutsideClients(records, intensity * PAUSE_MS_OF_ONE, port, folder=inside.folder)
            )
            process = StreamProcess(
                self._name,
                inside.command,
                silence_s=silence_limit_s(plan) + (_PATIENCE_S if self._address else 0),
                environment=environment,
                beside=clients.check,
            )
            self._running = process
            stack.callback(self._forget)
            lines = process.run(encode(plan))
            stack.callback(lines.close)
            yield from clients.follow(lines) if records and not self._address else lines

    def _forget(self) -> None:
        self._running = None


def open_ioc(rest: str) -> IocTarget:
    """``ioc[:ADDRESS/HOST]``: this machine, measured in a thread of an EPICS IOC, under its load (`make ioc` builds it).

    With an address of this machine the clients are on the host (or hosts, by commas) that may write there: `rtstone ioc load --for-run`.
    """
    if not rest:
        return IocTarget("ioc")
    address, _, hosts = rest.partition("/")
    try:
        for one in (address, *hosts.split(",")):
            ipaddress.IPv4Address(one)
    except ValueError:
        raise UsageError(
            f"the target 'ioc' takes an address of this machine and the host that loads it (ioc:192.0.2.1/192.0.2.2), not '{rest}'"
        ) from None
    return IocTarget(f"ioc:{rest}", address, tuple(hosts.split(",")))


def device_of(address: str) -> str:
    """The name of this machine's network device that has an address; empty if no device has it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            try:
                reply = fcntl.ioctl(asked, _SIOCGIFADDR, request)
            except OSError:
                continue
            if socket.inet_ntoa(reply[20:24]) == address:
                return name
    return ""
