# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone boards accept`: runs the acceptance test of kernels and their ports on virtual boards."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from rtstone.cli._options import AsJson


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """Result for one kernel."""

    target: str
    accepted: bool
    failure: str
    """The condition that failed; empty: none."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("boards accept")(accept)


def accept(
    boards: Annotated[
        list[str],
        typer.Argument(
            help="BOARD/KERNEL, BOARD (all of its kernels), or a pattern of these. "
            "Your own boards: RTSTONE_BOARDS=DIR, like --boards of run.",
            metavar="BOARD[/KERNEL]...",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Test whether a kernel and its port (the engine's code for this kernel) do what measurements need.

    The command builds a second image, with boards/firmware/acceptance.c instead of the engine, and runs it on the board. It tests that
    registers survive the kernel's tick, that tasks start and end, that a mutex has priority inheritance, that messages arrive in
    order and that every interrupt wakes its task. Bare metal and Linux have no such test: a pattern skips them.

    Exit codes: 0 accepted; 1 not accepted, and the condition that failed is shown; 2 usage; 3 an image cannot be built or the emulator
    failed.
    """
    from rtstone.cli._output import print_json, say
    from rtstone.errors import UsageError
    from rtstone.model.text import printable
    from rtstone.targets import acceptance, matching, not_installed

    pairs = [pair.split("/", 1) for pair in dict.fromkeys(p for pattern in boards for p in matching(pattern))]
    tested = [(board, kernel) for board, kernel in pairs if acceptance.is_testable(board, kernel)]
    if not tested:
        raise UsageError(f"{', '.join(boards)}: no acceptance test: only kernels built from a port have one")
    for line in not_installed(boards):
        say(line)
    found = []
    for board, kernel in tested:
        failure = acceptance.accept(board, kernel)
        found.append(Accepted(target=f"board:{board}/{kernel}", accepted=not failure, failure=failure))
        if not as_json:
            typer.echo(printable(f"{found[-1].target}: {f'not accepted: {failure}' if failure else 'accepted'}"))
    if as_json:
        print_json({"schema": "rtstone.boards-accept", "version": "1.0", "boards": found})
    if not all(one.accepted for one in found):
        raise typer.Exit(1)
