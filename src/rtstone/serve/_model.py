# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Address of the page, access to it, and limits of an answer."""

from __future__ import annotations

import msgspec


class PageAccess(msgspec.Struct, frozen=True, kw_only=True):
    """Address of the page, and access to it."""

    host: str = "127.0.0.1"
    port: int = 8017
    """0: any free port."""
    names: tuple[str, ...] = ()
    """Other host names under which clients request the page."""
    token: str = ""
    certificate: str = ""
    key: str = ""
    proxy: bool = False
    """Whether a proxy in front of it provides TLS."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of an answer."""

    workers: int = 2
    """Number of processes that draw; one more process is for short lists."""
    seconds: float = 30.0
    """Longest time for a page. A slower one is abandoned, and its process ended."""
    runs: int = 200
    """Most runs of a history or a list."""
    machines: int = 500
    columns: int = 6
    """Most machines in a study's table."""
