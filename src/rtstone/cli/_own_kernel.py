# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Options that name the user's own boards, firmware or kernel, made into a target."""

from __future__ import annotations

import os
from pathlib import Path

from rtstone.errors import ImageError, UsageError


def boards(folder: Path | None) -> None:
    """Add the boards of a user's folder to ours, for this process. Raises UsageError if the folder does not exist."""
    if folder is not None:
        from rtstone.targets.boards import FOLDER_VARIABLE

        if not folder.is_dir():
            raise UsageError(f"--boards {folder}: no such folder")
        os.environ[FOLDER_VARIABLE] = str(folder.absolute())


def firmware(image: Path, specifications: tuple[str, ...]) -> str:
    """The target for an image on the one board named. Raises UsageError."""
    from rtstone.targets import boards

    board = specifications[0].removeprefix("board:")
    if len(specifications) != 1 or not specifications[0].startswith("board:") or "/" in board:
        raise UsageError("--firmware needs one board: --target board:mps2-an385")
    facts = boards.load(board)
    if "firmware" not in facts.emulator.kinds:
        raise UsageError(f"--firmware: board '{board}' boots no firmware")
    boards.require_image(image, board, facts.emulator.program)
    return f"board:{board}/firmware:{image.absolute()}"


def kernel(path: Path, append: str | None, name: str | None, specifications: tuple[str, ...]) -> str:
    """The target for the user's own Linux on the one board named. Raises UsageError.
    Prints a line if the path is a build tree: its Makefiles run on this machine, as the user, or no module can be built."""
    from urllib.parse import quote, urlencode

    from rtstone.cli._output import say
    from rtstone.targets import boards

    board, _, rest = specifications[0].removeprefix("board:").partition("/")
    if len(specifications) != 1 or not specifications[0].startswith("board:") or rest not in ("", "linux"):
        raise UsageError("--kernel needs one board: --target board:arm64/linux")
    facts = boards.load(board)
    if "linux" not in facts.emulator.kinds or facts.hub is not None:
        raise UsageError(f"--kernel: board '{board}' boots no Linux of your own")
    place = path.absolute()
    if not place.exists() or "?" in str(place):
        raise ImageError(
            f"--kernel {path}: {'a name with ? cannot be a target' if place.exists() else 'no such file or folder'}"
        )
    if (place / "Makefile").is_file():
        from rtstone.targets.boards import guest

        if lacking := guest.lacks(place):
            say(f"{place} has no {lacking}: without the probe module, rtstone measures from user space")
        else:
            say(f"the probe module is built in {place}: that runs the Makefiles of this tree, as you")
    words = {key: value for key, value in (("append", append), ("name", name)) if value}
    if any(not word.isprintable() for word in words.values()):
        raise UsageError("--append and --name take printable text")
    return f"board:{board}/kernel:{place}{'?' if words else ''}{urlencode(words, quote_via=quote)}"
