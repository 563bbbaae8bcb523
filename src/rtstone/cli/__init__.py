# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line. Commands register under the entry points `rtstone.commands`, those of plug-ins too.

A command's module has ``register(app)``. Its module is imported only when the command is used, so that help and
completion stay fast: keep imports of heavy libraries inside the functions that use them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rtstone.cli._commands import Command, Example, names_of

__all__ = ["Command", "Example", "main", "names_of"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: runs `rtstone.cli._app.main`. Its import takes a moment, during which Ctrl-C may come."""
    try:
        from rtstone.cli import _app
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("rtstone: interrupted\n")
        sys.exit(130)
    _app.main(arguments)
