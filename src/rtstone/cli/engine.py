# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone boards export`: writes the engine for somebody's own tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("engine")(engine)


def engine(
    folder: Annotated[
        Path, typer.Argument(help="Where to: an empty folder, or one that is not there.", metavar="FOLDER")
    ],
) -> None:
    """Write the engine into a folder, to be built into a kernel or firmware of your own.

    The folder has the engine's sources, a port's template to fill in, and build files for CMake, make, Zephyr and NuttX.
    Its README.md says how.

    Exit codes: 0 written; 2 something is there already; 3 it cannot be written.
    """
    from rtstone.targets.boards.export import export as write

    typer.echo(f"{write(folder)} files in {folder}; begin with {folder / 'README.md'}")
