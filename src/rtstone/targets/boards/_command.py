# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The emulator's command line for one session: what board.toml says, with the places filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.targets.boards import _own, emulator
from rtstone.targets.boards._model import Board, Kernel


def arguments(board: Board, kernel: Kernel) -> tuple[str, ...]:
    """The emulator's arguments for a kernel, places unfilled. A user's own image reaches no file and no command of the host."""
    words = (*board.emulator.arguments, *board.emulator.kinds.get(kernel.kind, ()))
    return _own.confined(words) if kernel.image else words


def command(board: Board, kernel: Kernel, *, values: Mapping[str, str], plan: Path | None = None) -> list[str]:
    """Return the command line.

    `values` fills in the places that board.toml names: ``image``, ``records`` (a ``-chardev`` without its id), ``seed`` … `plan` is the
    file with the framed plan where the board's carrier is a blob; None: the image's built-in plan. Raises
    InfrastructureError when board.toml names a place that has no value, or the plan has no room.
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
    """A path as it must stand within an option of QEMU, where a comma would end it."""
    return str(path).replace(",", ",,")
