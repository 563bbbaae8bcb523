# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone boards export`: writes the engine for a user's own source tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("engine")(engine)


def engine(
    folder: Annotated[Path, typer.Argument(help="Folder to write to: empty, or not existing yet.", metavar="FOLDER")],
) -> None:
    """Write the engine's sources into a folder, to build the engine into your own kernel or firmware.

    The engine is the program that measures. The folder has its sources, a template of a port (the code for one kernel), and build files
    for CMake, make, Zephyr and NuttX. Its README.md describes the steps.

    Exit codes: 0 written; 2 the folder is not empty; 3 it cannot be written.
    """
    from rtstone.targets.boards.export import export as write

    typer.echo(f"{write(folder)} files in {folder}; begin with {folder / 'README.md'}")
