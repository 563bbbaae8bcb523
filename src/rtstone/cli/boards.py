# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone boards`: the virtual boards, their kernels, and what is missing to run them with the command that gets it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rtstone.boards import Board, Kernel


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("boards")(boards)


def boards(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(metavar="BOARD", help="For --build and --refresh: BOARD, BOARD/KERNEL, or a pattern of these."),
    ] = None,
    build: Annotated[bool, typer.Option("--build", help="Fetch and build now what the first run would.")] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch the newest version of packaged kernels, then build.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List virtual boards and their kernels, what is missing to run them, and the command that gets it.

    With --build or --refresh: make the kernels named ready to run, so that a run needs no network. A refresh may change a board's
    identity; one that fails leaves what was there. Exit codes: 0 done; 2 usage; 3 something is missing or cannot be reached.
    """
    from rtstone.boards import load, names
    from rtstone.cli._output import print_json, print_table
    from rtstone.errors import UsageError

    if build or refresh:
        if not patterns or as_json:
            raise UsageError("--build and --refresh go with the boards or kernels to make ready, and without --json")
        _make_ready(patterns, refresh=refresh)
        return
    if patterns:
        raise UsageError(f"what is to be done with {', '.join(patterns)}? --build or --refresh")
    found = [load(name) for name in names()]
    kernels = [(board, kernel, missing(board, kernel)) for board in found for kernel in board.kernel]
    packages = sorted({package for _, _, lacking in kernels for package in lacking})
    command = f"apt-get install {' '.join(packages)}" if packages else ""
    if as_json:
        print_json(
            {
                "schema": "rtstone.boards",
                "version": "1.0",
                "boards": [_document(board) for board in found],
                "install": command,
            }
        )
        return
    rows = [
        (
            f"board:{board.id}/{kernel.id}",
            kernel.title,
            f"{board.title}; {rate(board)}",
            _state(board, kernel, lacking),
        )
        for board, kernel, lacking in kernels
    ]
    print_table(("target", "kernel", "board", "state"), rows)
    if command:
        typer.echo(f"\nto run all of them: {command}")


def _make_ready(patterns: list[str], *, refresh: bool) -> None:
    """A line for each kernel as it is ready; a package that several kernels share is refreshed once."""
    from rtstone.boards import firmware, guest, load
    from rtstone.targets import matching

    refreshed: set[tuple[str, str]] = set()
    for pair in dict.fromkeys(pair for pattern in patterns for pair in matching(pattern)):
        name, _, kernel_name = pair.partition("/")
        board = load(name)
        kernel = board.kernel_of(kernel_name)
        if kernel.kind == "firmware":
            firmware.build(board.id, kernel.id)
            typer.echo(f"board:{pair}: ready")
            continue
        package = (kernel.package, kernel.architecture)
        if refresh and package not in refreshed:
            guest.require(kernel)
            guest.refresh(kernel)
            refreshed.add(package)
        typer.echo(f"board:{pair}: ready, {guest.build(kernel)}")


def rate(board: Board) -> str:
    """The unit of the board's figures."""
    from rtstone.tables import instruction_rate

    return f"instruction-time, {instruction_rate(board.clock.instructions_per_second)}"


def missing(board: Board, kernel: Kernel) -> list[str]:
    """The Debian packages that must be installed before this kernel can run on this board."""
    emulator = [] if shutil.which(board.emulator.program) else [board.emulator.package]
    if kernel.kind == "firmware":
        from rtstone.boards import firmware

        return [*emulator, *firmware.missing(board.id, kernel.id)]
    from rtstone.boards import guest

    return [*emulator, *guest.missing(kernel)]


def cached(board: Board, kernel: Kernel) -> bool:
    """Whether the image is there already, so that the first run need not build or fetch it."""
    if kernel.kind == "firmware":
        from rtstone.boards import firmware

        return firmware.is_cached(board.id, kernel.id)
    from rtstone.boards import guest

    return guest.is_cached(kernel)


def _state(board: Board, kernel: Kernel, lacking: list[str]) -> str:
    if lacking:
        return f"missing: apt-get install {' '.join(lacking)}"
    if cached(board, kernel):
        return "ready"
    if kernel.on_demand:
        return "ready; built on demand, which takes long"
    return "ready; built at the first run" if kernel.kind == "firmware" else "ready; fetched at the first run"


def _document(board: Board) -> dict[str, object]:
    return {
        "id": board.id,
        "title": board.title,
        "summary": board.summary,
        "clock_hz": board.clock.hz,
        "instructions_per_second": board.clock.instructions_per_second,
        "emulator": board.emulator.program,
        "kernels": [
            {
                "target": f"board:{board.id}/{kernel.id}",
                "id": kernel.id,
                "title": kernel.title,
                "kind": kernel.kind,
                "on_demand": kernel.on_demand,
                "missing": missing(board, kernel),
                "cached": not missing(board, kernel) and cached(board, kernel),
            }
            for kernel in board.kernel
        ],
    }
