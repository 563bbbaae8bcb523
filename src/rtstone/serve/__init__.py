# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of an archive: whoever asks over HTTP is shown machines, runs, comparisons and histories. It can change nothing.

Importing this is cheap; the server is imported when it is started.
"""

from __future__ import annotations

import msgspec


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """Where the page is, and who may come in."""

    host: str = "127.0.0.1"
    port: int = 8017
    """0: any that is free."""
    names: tuple[str, ...] = ()
    """Other names that the page is asked for by."""
    token: str = ""
    certificate: str = ""
    key: str = ""
    proxy: bool = False
    """A proxy before it speaks TLS."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer may cost."""

    workers: int = 2
    """Processes that draw; one more is for short lists."""
    seconds: float = 30.0
    """A page that takes longer is given up, and its process ended."""
    runs: int = 200
    """Runs of a history or a list."""
    machines: int = 500
    columns: int = 6
    """Machines beside each other in a study's table."""


def serve(where: str | None, door: Door, bounds: Bounds, *, theme: str = "auto", say: object = None) -> None:
    """Serve the archive until SIGINT or SIGTERM. `say` is called with the address once it answers.

    Raises UsageError for a door that is open to others without a token and TLS, InfrastructureError where it cannot be opened.
    """
    from rtstone.serve._server import serve as serve_

    serve_(where, door, bounds, theme=theme, say=say if callable(say) else None)
