# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Configures a project of ours with CMake and builds it with Ninja."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from rtstone.errors import InfrastructureError

_TIMEOUT_S = 600


def build(what: str, source: Path, work: Path, options: Sequence[str]) -> None:
    """Build the folder `source` in the folder `work`. `what` is for an error: *the IOC*.

    Raises InfrastructureError, in one line, when a step fails or takes too long.
    """
    configure = ["cmake", "-S", str(source), "-B", str(work), "-G", "Ninja", *options, "--log-level=WARNING"]
    for command in (configure, ["cmake", "--build", str(work), "-j", "2"]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise InfrastructureError(f"building {what} took more than {_TIMEOUT_S} s") from None
        if done.returncode != 0:
            raise InfrastructureError(f"{what} could not be built: {_first_error(done.stdout + done.stderr)}")


def _first_error(text: str) -> str:
    """The line of a build's output that most likely names the error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if re.search(r"\berror\b|undefined reference", line, re.IGNORECASE)]
    return (wrong or lines or ["it said nothing"])[0]
