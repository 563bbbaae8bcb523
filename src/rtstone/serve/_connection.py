# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A connection that cannot be held for nothing: it has 10 s for each whole request, and one address has few of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 10.0
"""Within this time a connection has sent a whole request, TLS included, or is closed."""
PER_ADDRESS = 64
"""Connections of one address. One more is closed at once."""


class Connection(H11Protocol):
    """uvicorn's own, which waits for a request without end."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the time of the first request."""
        super().connection_made(transport)
        self._deadline: asyncio.TimerHandle | None = self.loop.call_later(REQUEST_S, transport.close)

    def data_received(self, data: bytes) -> None:
        """Ends the time of a request that is whole, and starts that of the next."""
        super().data_received(data)
        at_work = bool(self.cycle) and not self.cycle.response_complete
        if at_work and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        elif not at_work and self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is left to wait for."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        super().connection_lost(exc)


class Limited(Connection):
    """For an address that others reach. Behind a proxy all come from one address, on the loopback interface too."""

    _of: ClassVar[Counter[str]] = Counter()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Closes the connection of an address that has enough of them."""
        peer: Any = transport.get_extra_info("peername")
        self._address = str(peer[0]) if peer else ""
        self._of[self._address] += 1
        super().connection_made(transport)
        if self._of[self._address] > PER_ADDRESS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The address may have another."""
        self._of[self._address] -= 1
        if not self._of[self._address]:
            del self._of[self._address]
        super().connection_lost(exc)
