# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone config completion`: prints the script that lets a shell complete our commands and options."""

from __future__ import annotations

from typing import Annotated

import typer

from rtstone.errors import unknown

SHELLS = ("bash", "zsh", "fish")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("completion")(completion)


def completion(
    shell: Annotated[str, typer.Argument(help=f"One of {', '.join(SHELLS)}.", metavar="SHELL")],
) -> None:
    """Print the completion script for a shell.

    First create the folder into which you write the script.
    """
    if shell not in SHELLS:
        raise unknown("shell", shell, SHELLS)
    # typer offers no public way to print it, and no longer depends on click, which has one.
    from typer._completion_shared import get_completion_script

    from rtstone.cli._app import COMPLETION

    typer.echo(get_completion_script(prog_name="rtstone", complete_var=COMPLETION, shell=shell))
