# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone peer`: the far end of network measurements that another host makes."""

from __future__ import annotations

import os
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("peer")(peer)


def peer(
    bind: Annotated[
        str,
        typer.Option(
            "--bind", help="An address of this machine that the other host reaches.", metavar="ADDRESS[:PORT]"
        ),
    ],
) -> None:
    """Be the other host of another machine's network measurements, until Ctrl-C.

    There run `rtstone run --peer ADDRESS`. One host at a time is served, at this address and no other. For the load network-peer
    it floods that host with echo requests while it measures, and no longer: root, or a group of net.ipv4.ping_group_range.

    Exit codes: 2 not an address of this machine; 3 it cannot wait there (the port is in use); 130 ended.
    """
    from rtstone.resources import engine_path

    program = str(engine_path())
    # The engine takes this process's place: signals and exit code are its own.
    os.execv(program, [program, "peer", "--bind", bind])  # noqa: S606
