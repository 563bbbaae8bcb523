# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine for a machine's architecture: the one that is installed here, or one that Debian's cross compilers make."""

from __future__ import annotations

import platform
from pathlib import Path

import msgspec

from rtstone.errors import InfrastructureError
from rtstone.resources import engine_path
from rtstone.targets.boards import guest
from rtstone.targets.remote._scripts import OBJECT

ARCHITECTURES = {
    "x86_64": "amd64",
    "aarch64": "arm64",
    "armv7l": "armhf",
    "armv8l": "armhf",
    "riscv64": "riscv64",
}
"""What `uname -m` says -> Debian's name."""


class Engine(msgspec.Struct, frozen=True):
    """An engine as files: the program, and its BPF programs where it has them."""

    architecture: str
    files: tuple[Path, ...]


def engine_for(name: str, kernel: str, machine: str) -> Engine:
    """The engine of a machine that calls itself so. Raises InfrastructureError where there is none, or no compiler for it."""
    architecture = ARCHITECTURES.get(machine)
    if kernel != "Linux" or architecture is None:
        has = ", ".join(dict.fromkeys(ARCHITECTURES.values()))
        raise InfrastructureError(f"{name}: there is no engine for {kernel} on {machine}; there are, for Linux: {has}")
    if architecture == ARCHITECTURES.get(platform.machine()):
        program = engine_path()
    else:
        try:
            program = guest.engine(architecture)
        except InfrastructureError as error:
            raise InfrastructureError(f"{name}: {error}") from error
    split = program.parent / OBJECT
    return Engine(architecture, (program, split) if split.is_file() else (program,))
