# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the cargo that fetches a kernel's sources and builds kernels in Rust, and runs it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from rtstone.errors import InfrastructureError

PACKAGE = "cargo-web"
"""The Debian package that has it."""
OLDEST = (1, 85)
"""The oldest cargo that reads packages of edition 2024."""


def find() -> str | None:
    """The first cargo that starts and is new enough: that of the search path, then the distribution's.

    A file with that name is not enough: rustup installs one that fails until a toolchain is chosen.
    """
    for cargo in (shutil.which("cargo"), "/usr/bin/cargo"):
        found = re.match(r"cargo (\d+)\.(\d+)\.", version(cargo)) if cargo else None
        if found is not None and (int(found[1]), int(found[2])) >= OLDEST:
            return cargo
    return None


def version(program: str) -> str:
    """The output of ``program --version``; empty if it fails or does not start."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def run(
    what: str, words: Sequence[str], work: Path, timeout_s: int, *, environment: Mapping[str, str] | None = None
) -> None:
    """Run cargo with these words in the folder `work`. `what` is for an error: *fetch rt*.

    Raises InfrastructureError, in one line, without a suitable cargo, when cargo fails, and after `timeout_s`.
    """
    cargo = find()
    if cargo is None:
        oldest = ".".join(map(str, OLDEST))
        raise InfrastructureError(f"cargo {oldest} or newer is needed to {what}: apt-get install {PACKAGE}")
    try:
        done = subprocess.run(
            [cargo, *words], cwd=work, env=environment, capture_output=True, text=True, check=False, timeout=timeout_s
        )
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"cargo did not {what} within {timeout_s} s") from None
    if done.returncode != 0:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["it said nothing"]
        reason = next((line for line in said if line.startswith("error")), said[-1])
        raise InfrastructureError(f"cargo could not {what}: {reason}")
