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


def boards(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """List virtual boards and their kernels, what is missing to run them, and the command that gets it."""
    from rtstone.boards import load, names
    from rtstone.cli._output import print_json, print_table

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
