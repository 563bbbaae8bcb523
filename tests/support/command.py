# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line as a user starts it, from the live sources, warnings being errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def environment() -> dict[str, str]:
    """The environment of such a command."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src"), "PYTHONWARNINGS": "error"}


def command(*arguments: str) -> list[str]:
    """Its words."""
    return [sys.executable, "-m", "rtstone", *arguments]


def support_program(name: str, *arguments: str, timeout_s: float) -> str:
    """Runs `python -m support.NAME` to its end with 0; returns its output."""
    here = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", f"support.{name}", *arguments],
        env={**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{here.parent / 'src'}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rtstone(*arguments: str, expect: int | None = 0, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end. Shows its output if it ends with an unexpected code. A traceback never passes.

    `expect`: its exit code; None: the caller judges it.
    """
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=timeout_s, env=environment(), check=False
    )
    assert expect is None or done.returncode == expect, done.stderr
    assert "Traceback" not in done.stderr
    return done
