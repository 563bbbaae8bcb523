# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The load's clients for an IOC that contains the engine.
They send bursts at the IOC's request, and report their counts to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from rtstone.errors import InfrastructureError
from rtstone.ioc._build import build
from rtstone.ioc._process import ProgramReader

_ACCOUNT_BYTES = 4096
"""One page: a rtstone_load_account (ioc/include/rtstone_load_account.h) that both clients share."""
_DISCONNECTED = "all records are disconnected"
"""A line of camonitor's (ioc/clients/camonitor.c)."""


class OutsideClients:
    """Both clients. They run from the engine's first record, after which its IOC serves, to the end,
    and leave no files."""

    def __init__(
        self, records: int, pause_ms: int, port: int, *, address: str = "127.0.0.1", folder: Path | None = None
    ) -> None:
        """`records`: of a burst; `pause_ms`: between two bursts, by the IOC's clock;
        `port`: of `address`, where it serves.

        `folder` has the clients if they have already been built.

        Raises InfrastructureError when the clients cannot be built.
        """
        self._records = records
        self._pause_s = pause_ms / 1000
        self._port = port
        self._address = address
        self._folder = folder or build()
        self._stack = ExitStack()
        self._clients: dict[str, ProgramReader] = {}

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables with which a client finds the IOC.
        Clients search for names over the circuit, which needs only one port."""
        return {
            "EPICS_CA_NAME_SERVERS": f"{self._address}:{self._port}",
            "EPICS_CA_ADDR_LIST": "",
            "EPICS_CA_AUTO_ADDR_LIST": "NO",
            "EPICS_CA_SERVER_PORT": str(self._port),
            "EPICS_CA_REPEATER_PORT": str(self._port),
        }

    def follow(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """The engine's lines, unchanged; the first record starts the clients."""
        for line in lines:
            if not self._clients and line.startswith(b"~"):
                self.start()
            yield line

    def start(self) -> None:
        """Start both."""
        # A file without a name: nothing remains of it, however this ends.
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
            self._clients[name] = self._stack.enter_context(ProgramReader(command, self.environment, files=(account,)))

    @property
    def ioc_ended(self) -> bool:
        """Whether the IOC that the clients had found has ended."""
        return "camonitor" in self._clients and _DISCONNECTED in self._clients["camonitor"].lines

    def check(self) -> None:
        """Raises InfrastructureError, with the reason if it is known, when a client has ended."""
        for name, program in self._clients.items():
            last = program.last_if_ended()
            if last is not None:
                raise InfrastructureError(f"the IOC's client {name} has ended: {last}")

    def said(self) -> str:
        """The clients' last output, for an error of the board's."""
        last = [f"{name}: {program.last}" for name, program in self._clients.items() if program.lines]
        return (
            f"last output of the load's clients: {' | '.join(last)}" if last else "the load's clients printed nothing"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
