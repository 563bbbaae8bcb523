# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of the tests in C: static, since guests have no libraries."""

from __future__ import annotations

import subprocess
from pathlib import Path

_FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O1", "-static", "-Wall", "-Wextra", "-Wconversion", "-Werror")


def static_program(program: Path, *sources: Path, flags: tuple[str, ...] = (), compiler: str = "gcc") -> Path:
    """Builds the program and returns it. A warning is an error."""
    command = [compiler, *_FLAGS, *flags, *map(str, sources), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    return program
