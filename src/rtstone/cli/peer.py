# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone peer`: the remote host for network measurements that another host makes."""

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
    """Serve as the remote host for network measurements of another machine, until Ctrl-C.

    On the other machine run `rtstone run --peer ADDRESS`. The command serves one host at a time, only at the address of --bind. For the
    load network-peer it floods that host with echo requests, only while that host measures. The flood needs root, or a group in
    net.ipv4.ping_group_range.

    Exit codes: 2 not an address of this machine; 3 the command cannot listen there (the port is in use); 130 ended by Ctrl-C.
    """
    from rtstone.resources import engine_path

    program = str(engine_path())
    # The engine replaces this process: signals and exit code are its own.
    os.execv(program, [program, "peer", "--bind", bind])  # noqa: S606
