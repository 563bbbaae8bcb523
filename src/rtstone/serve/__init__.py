# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The web pages of an archive: machines, runs, comparisons and histories over HTTP, read-only.

Importing this is fast; the server is imported when it is started.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rtstone.cli import Command, Example

if TYPE_CHECKING:
    from rtstone.serve._model import Bounds, PageAccess


__all__ = ["COMMANDS", "serve"]

COMMANDS = (
    Command(
        name="serve",
        group="Look",
        summary="Serve the archive as pages: machines, runs, studies across machines, comparisons, histories.",
        module="rtstone.serve.command",
        examples=(
            Example("rtstone serve", "the usual archive, for browsers of this machine"),
            Example("rtstone serve --bind 10.0.0.1 --token-file t --certificate a.crt --key a.key", "for others"),
            Example(
                "rtstone serve --name lab.example --token-file t --behind-proxy", "a proxy on this machine speaks TLS"
            ),
        ),
    ),
)
"""Commands of this room: an entry point of the group `rtstone.commands`."""


def serve(
    where: str | None,
    access: PageAccess,
    bounds: Bounds,
    *,
    theme: str = "auto",
    say: Callable[[str], None] | None = None,
) -> None:
    """Serve the archive until SIGINT or SIGTERM. `say` is called with the address once it answers.

    Raises UsageError for a server that is open to others without a token and TLS,
    InfrastructureError where it cannot be opened.
    """
    from rtstone.serve._server import serve as serve_

    serve_(where, access, bounds, theme=theme, say=say)
