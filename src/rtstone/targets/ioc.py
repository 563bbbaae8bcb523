# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""This machine, measured in a thread of an EPICS IOC that clients load: ``ioc``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

from rtstone.errors import UsageError
from rtstone.stream.plan import Plan, encode
from rtstone.targets._engine import EngineTarget
from rtstone.targets._guest_ioc import PAUSE_MS_OF_ONE, RECORDS_OF_ONE, free_port, one_intensity
from rtstone.targets._process import StreamProcess
from rtstone.targets._watchdog import silence_limit_s
from rtstone.targets.local import PROBE
from rtstone.targets.protocol import Capabilities


class IocTarget(EngineTarget):
    """The engine as a library of an IOC on this machine, which serves the loopback interface to clients beside it."""

    capabilities = Capabilities(engine_here=True, shares_host=True, silicon=True, inside_ioc=True)

    def deploy(self) -> None:
        """Builds the IOC. Raises InfrastructureError naming what is missing."""
        from rtstone.ioc import build_inside

        build_inside()

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs one session, the whole of it inside the IOC; its clients are there from the first record to the last.

        Raises UsageError for a plan that wants several sorts of bursts, since clients are started once a session.
        """
        from rtstone.ioc import OutsideClients, Settings, engine_inside

        intensity = one_intensity(plan)
        records = intensity * RECORDS_OF_ONE
        port = free_port()
        probe = PROBE if os.access(PROBE, os.R_OK) else ""
        with ExitStack() as stack:
            inside = stack.enter_context(engine_inside(Settings(load=records, ca_port=port), probe=probe))
            own = {"RTSTONE_PEER": plan.peer, "RTSTONE_LOAD_COMMAND": plan.load_command}
            environment = inside.environment | {name: value for name, value in own.items() if value}
            clients = stack.enter_context(
                OutsideClients(records, intensity * PAUSE_MS_OF_ONE, port, folder=inside.folder)
            )
            process = StreamProcess(
                self._name,
                inside.command,
                silence_s=silence_limit_s(plan),
                environment=environment,
                beside=clients.check,
            )
            self._running = process
            stack.callback(self._forget)
            lines = process.run(encode(plan))
            stack.callback(lines.close)
            yield from clients.follow(lines) if records else lines

    def _forget(self) -> None:
        self._running = None


def open_ioc(rest: str) -> IocTarget:
    """``ioc``: this machine, measured in a thread of an EPICS IOC, under its load (`make ioc` builds it)."""
    if rest:
        raise UsageError(f"the target 'ioc' takes nothing behind it, not '{rest}'")
    return IocTarget("ioc", "rtstone-ioc", ())
