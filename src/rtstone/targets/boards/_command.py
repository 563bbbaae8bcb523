# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The emulator's command line for one session: the words of board.toml, with its placeholders filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.targets.boards import _own, emulator
from rtstone.targets.boards._model import Board, Kernel


def arguments(board: Board, kernel: Kernel) -> tuple[str, ...]:
    """The emulator's arguments for a kernel, with placeholders unfilled. A user's own image can reach no file or
    command of the host."""
    words = (*board.emulator.arguments, *board.emulator.kinds.get(kernel.kind, ()))
    return _own.confined(words) if kernel.image else words


def command(board: Board, kernel: Kernel, *, values: Mapping[str, str], plan: Path | None = None) -> list[str]:
    """Return the command line.

    `values` fills in the placeholders of board.toml: ``image``, ``records`` (a ``-chardev`` without its id), ``seed`` …
    `plan` is the file with the framed plan if the board's carrier is a blob; None: the image's built-in plan. Raises
    InfrastructureError when a placeholder has no value, or the plan has no room.
    """
    words = list(arguments(board, kernel))
    if plan is not None and board.plan.carrier == "blob":
        if plan.stat().st_size >= board.plan.room:
            raise InfrastructureError(
                f"the plan is too long for board '{board.id}': {board.plan.room} bytes are its room"
            )
        words += ["-device", f"loader,file={option_value(plan)},addr={board.plan.address:#x},force-raw=on"]

    def fill(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise InfrastructureError(
                f"boards/{board.id}/board.toml names '{{{match[1]}}}', which a {kernel.kind} has not"
            )
        return values[match[1]]

    return [emulator.program(board), *(re.sub(r"\{(\w+)\}", fill, argument) for argument in words)]


def option_value(path: Path) -> str:
    """A path in the form for an option of QEMU: commas are doubled, since a single one would end the value."""
    return str(path).replace(",", ",,")
