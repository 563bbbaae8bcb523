# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine for a machine's architecture: one that is installed here, or one that Debian's cross compilers build."""

from __future__ import annotations

import platform
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.resources import carried_engine, engine_path
from rtstone.targets.boards import guest

ARCHITECTURES = {
    "x86_64": "amd64",
    "aarch64": "arm64",
    "armv7l": "armhf",
    "armv8l": "armhf",
    "riscv64": "riscv64",
}
"""The output of `uname -m` -> Debian's name of the architecture."""


def engine_for(name: str, kernel: str, machine: str) -> tuple[str, Path]:
    """Return Debian's name of a machine's architecture, and its engine.

    `kernel` and `machine` are the output of `uname`. Raises InfrastructureError when there is no engine, or no compiler
    for it.
    """
    architecture = ARCHITECTURES.get(machine)
    if kernel != "Linux" or architecture is None:
        has = ", ".join(dict.fromkeys(ARCHITECTURES.values()))
        raise InfrastructureError(f"{name}: there is no engine for {kernel} on {machine}; there are, for Linux: {has}")
    if architecture == ARCHITECTURES.get(platform.machine()):
        return architecture, engine_path()
    carried = carried_engine(architecture)
    if carried is not None:
        return architecture, carried
    try:
        return architecture, guest.engine(architecture)
    except InfrastructureError as error:
        raise InfrastructureError(f"{name}: {error}") from error
