# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The load's clients for an IOC that the engine is in: they burst when that IOC asks them to, and tell it what they did."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from rtstone.errors import InfrastructureError
from rtstone.ioc._build import build
from rtstone.ioc._process import Beside

_ACCOUNT_BYTES = 4096
"""One page: a rtstone_load_account (linux/loads/ioc_account.h) that both clients share."""
_DISCONNECTED = "all records are disconnected"
"""A line of camonitor's (ioc/clients/camonitor.c)."""


class OutsideClients:
    """Both clients, from the engine's first record, by which its IOC serves, to the end. Nothing of them stays."""

    def __init__(
        self, records: int, pause_ms: int, port: int, *, address: str = "127.0.0.1", folder: Path | None = None
    ) -> None:
        """`records`: of a burst; `pause_ms`: between two bursts, by the IOC's clock; `port`: of `address`, where it serves.

        `folder` has the clients where they have been built already.

        Raises InfrastructureError when the clients cannot be built.
        """
        self._records = records
        self._pause_s = pause_ms / 1000
        self._port = port
        self._address = address
        self._folder = folder or build()
        self._stack = ExitStack()
        self._clients: dict[str, Beside] = {}

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs in its environment to find the IOC. Names are asked for over the circuit: one port leads there."""
        return {
            "EPICS_CA_NAME_SERVERS": f"{self._address}:{self._port}",
            "EPICS_CA_ADDR_LIST": "",
            "EPICS_CA_AUTO_ADDR_LIST": "NO",
            "EPICS_CA_SERVER_PORT": str(self._port),
            "EPICS_CA_REPEATER_PORT": str(self._port),
        }

    def follow(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """The engine's lines as they are; the first record starts the clients."""
        for line in lines:
            if not self._clients and line.startswith(b"~"):
                self.start()
            yield line

    def start(self) -> None:
        """Start both."""
        # A file without a name: nothing of it stays, however this ends.
        account = os.memfd_create("rtstone-account")
        self._stack.callback(os.close, account)
        os.truncate(account, _ACCOUNT_BYTES)
        common = (
            str(self._records),
            "--account",
            f"/proc/self/fd/{account}",
            "--remote",
            "--with-parent",
            "--json",
        )
        commands = {
            "camonitor": (self._folder / "rtstone-camonitor", *common),
            "caput": (self._folder / "rtstone-caput", common[0], str(self._pause_s), *common[1:]),
        }
        for name, command in commands.items():
            self._clients[name] = self._stack.enter_context(Beside(command, self.environment, files=(account,)))

    @property
    def ioc_ended(self) -> bool:
        """Whether the IOC that the clients had found has ended."""
        return "camonitor" in self._clients and _DISCONNECTED in self._clients["camonitor"].lines

    def check(self) -> None:
        """Raises InfrastructureError, with the reason as well as it can be told, when a client has ended."""
        for name, program in self._clients.items():
            last = program.last_if_ended()
            if last is not None:
                raise InfrastructureError(f"the IOC's client {name} has ended: {last}")

    def said(self) -> str:
        """What they said last, for an error of the board's."""
        last = [f"{name}: {program.last}" for name, program in self._clients.items() if program.lines]
        return f"the clients outside said last: {' | '.join(last)}" if last else "the clients outside had said nothing"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
