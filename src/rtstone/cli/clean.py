# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone doctor --clean`: removes the files that rtstone stores on another machine."""

from __future__ import annotations

from typing import Annotated

import typer

from rtstone.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("clean")(clean)


def clean(
    target: Annotated[
        str,
        typer.Argument(help="The machine: ssh:[user@]host[:port][?sudo] (?sudo: as root).", metavar="TARGET"),
    ],
) -> None:
    """Remove the engines (measuring programs) that rtstone copied to a machine over ssh.

    A measurement leaves nothing else there.

    Exit codes: 0 removed, or there was none; 2 usage; 3 the machine cannot be reached, or the folder not removed.
    """
    from rtstone.cli._elsewhere import remote_target
    from rtstone.model.text import printable

    far = remote_target(target)
    if far is None:
        raise UsageError("clean takes a machine over ssh, ssh:[user@]host; this machine has no copies")
    place = far.clean()
    typer.echo(printable(f"{far.name}: removed {place}" if place else f"{far.name}: there is no engine of rtstone"))
