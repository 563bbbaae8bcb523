# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the page is, who may come in, and what an answer may cost."""

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
