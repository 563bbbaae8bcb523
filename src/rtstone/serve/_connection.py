# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A connection that cannot be held open without use:
it has 10 s for each whole request, and one address has a limited number."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 10.0
"""Time (s) within which a connection must send a whole request, TLS included; else it is closed."""
PER_ADDRESS = 64
"""Most connections of one address. A further one is closed at once."""


class Connection(H11Protocol):
    """uvicorn's own protocol class, which waits for a request without a time limit."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the time of the first request."""
        super().connection_made(transport)
        self._deadline: asyncio.TimerHandle | None = self.loop.call_later(REQUEST_S, transport.close)

    def data_received(self, data: bytes) -> None:
        """Ends the time of a complete request, and starts that of the next."""
        super().data_received(data)
        at_work = bool(self.cycle) and not self.cycle.response_complete
        if at_work and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        elif not at_work and self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the timer: the connection is closed."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        super().connection_lost(exc)


class Limited(Connection):
    """For an address that others reach.
    Behind a proxy all connections come from one address, also on the loopback interface."""

    _of: ClassVar[Counter[str]] = Counter()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Closes a connection whose address has reached its limit."""
        peer: Any = transport.get_extra_info("peername")
        self._address = str(peer[0]) if peer else ""
        self._of[self._address] += 1
        super().connection_made(transport)
        if self._of[self._address] > PER_ADDRESS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Frees a connection of the address."""
        self._of[self._address] -= 1
        if not self._of[self._address]:
            del self._of[self._address]
        super().connection_lost(exc)
