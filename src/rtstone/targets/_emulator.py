# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Identifies a virtual board to the byte: its emulator, flags and images, and hashes that are equal for equal
boards."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from functools import cache
from pathlib import Path

import msgspec

from rtstone.errors import InfrastructureError
from rtstone.targets.boards import Board, Kernel, arguments, emulator

_VERSION_TIMEOUT_S = 30


class Identity(msgspec.Struct, frozen=True):
    """`platform` hashes the emulator and the flags that all kernels of the board share. `whole` adds the kernel's own
    flags and its image.

    Two runs of one plan are the same to the byte if `whole` is equal. Figures of several kernels are comparable if
    `platform` is equal. A board that counts no instructions, or has clients outside, never repeats to the byte, so its
    facts name no identity.
    """

    platform: str
    whole: str
    facts: dict[str, str]


def require_emulator(board: Board) -> None:
    """Raises InfrastructureError, with the command that gets it, when the board's emulator is not installed. Fetches
    the emulator if the board takes it from another suite.

    A fetched emulator uses the libraries of the installed one.
    """
    if shutil.which(board.emulator.program) is None:
        raise InfrastructureError(
            f"board:{board.id} needs {board.emulator.program}: apt-get install {board.emulator.package}"
        )
    emulator.fetch(board)


@cache
def emulator_version(program: str) -> str:
    """The first line that ``program --version`` prints. Raises InfrastructureError when it fails or prints nothing."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_VERSION_TIMEOUT_S, check=True
        )
        return done.stdout.splitlines()[0].strip()
    except (OSError, subprocess.SubprocessError, IndexError) as error:
        raise InfrastructureError(f"{program} --version does not work: {error}") from error


def identity(board: Board, kernel: Kernel, image: Path, append: str, facts: dict[str, str]) -> Identity:
    """The identity of a board with a kernel on it. Placeholders such as {seed} stay unfilled, so the identity contains
    neither plan nor seed.

    `append`: a Linux kernel's command line; `facts`: other parts of the identity (the hash of the RAM disk without the
    plan, package versions).
    """
    program = emulator.program(board)
    version = emulator_version(program)
    built = emulator.built() if emulator.is_built(program) else None
    # Every compiler builds an emulator of the same behaviour from one source (docs/decisions/0011). So an emulator
    # built here is identified by its ROM images, not by its own hash.
    decides = [built.roms] if built is not None else []
    ours = {"board.emulator.roms.sha256": built.roms} if built is not None else {}
    if program != board.emulator.program:
        ours["board.emulator.sha256"] = _sha256(Path(program))
        decides = decides or [ours["board.emulator.sha256"]]
    common = " ".join((board.emulator.program, *board.emulator.arguments))
    flags = " ".join((board.emulator.program, *arguments(board, kernel)))
    digest = _sha256(image)
    clock = f"{board.clock.hz} {board.clock.instructions_per_second}"
    platform = _short(version, common, clock, *decides)
    recorded = {
        "board.emulator": version,
        **ours,
        "board.flags": flags,
        **({"board.icount.shift": _shift(board)} if board.counted else {}),
        "board.image.sha256": digest,
        **({"board.append": append} if append else {}),
        **{f"board.{key}": value for key, value in sorted(facts.items())},
    }
    plan = f"{board.plan.carrier} {board.plan.address:#x}"
    whole = _short(platform, flags, digest, append, plan, *(f"{k}={v}" for k, v in sorted(facts.items())))
    same = {"board.identity": whole} if board.deterministic else {}
    return Identity(platform, whole, {**recorded, "board.platform": platform, **same})


def emulator_seed(seed: int, repetition: int) -> int:
    """The emulator's own seed (1 … 2^32 − 1) of a repetition: from SHA-256 of ``emulator/<seed>/<repetition>``."""
    digest = hashlib.sha256(f"emulator/{seed}/{repetition}".encode()).digest()
    return 1 + int.from_bytes(digest[:8], "big") % ((1 << 32) - 1)


def _shift(board: Board) -> str:
    arguments = board.emulator.arguments
    option = arguments[arguments.index("-icount") + 1] if "-icount" in arguments else ""
    return next((part.removeprefix("shift=") for part in option.split(",") if part.startswith("shift=")), "")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _short(*texts: str) -> str:
    """16 hex digits that depend on every text and on where it ends."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)} {text}\n".encode())
    return digest.hexdigest()[:16]
