# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the acceptance test of a kernel and its port on a board: boards/firmware/acceptance.c, instead of the engine."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from rtstone.errors import InfrastructureError, UsageError
from rtstone.stream import framing
from rtstone.targets import boards
from rtstone.targets._emulator import require_emulator
from rtstone.targets.boards import firmware

TIMEOUT_S = 120
"""Longest time (s, of the host) for a test. The slowest of ours ends in a few."""

_ACCEPTED = b"accepted\n"
_REFUSED = re.compile(r"rtstone: fatal: (?:not accepted, line (\d+): )?(.*)")


def is_testable(board: str, kernel: str) -> bool:
    """Whether the kernel has this test: it is built from a port, and is not bare metal, which has no services."""
    found = boards.load(board).kernel_of(kernel)
    return found.kind == "firmware" and not found.image and found.id != "bare"


def accept(board: str, kernel: str) -> str:
    """Build the test for a kernel of a board, run it, and return the condition that failed. Empty: accepted.

    Raises UsageError for a kernel without this test, InfrastructureError when the image cannot be built or the emulator
    fails.
    """
    facts = boards.load(board)
    found = facts.kernel_of(kernel)
    if not is_testable(board, kernel):
        raise UsageError(f"board:{board}/{kernel} has no acceptance test: only kernels built from a port have one")
    require_emulator(facts)
    image = firmware.build(board, found.id, acceptance=True)
    with tempfile.TemporaryDirectory(prefix="rtstone-") as folder:
        records = Path(folder) / "records"
        values = {"image": str(image), "records": f"file,path={boards.option_value(records)}", "seed": "1"}
        try:
            done = subprocess.run(
                boards.command(facts, found, values=values),
                capture_output=True,
                text=True,
                check=False,
                timeout=TIMEOUT_S,
            )
        except subprocess.TimeoutExpired:
            return f"the test did not end in {TIMEOUT_S} s"
        printed = records.read_bytes() if records.is_file() else b""
    return _failure(printed, done.returncode, done.stderr, f"board:{board}/{kernel}")


def _failure(printed: bytes, code: int, complaint: str, target: str) -> str:
    """The failed condition in the text that the image printed; empty if there is none."""
    if printed == _ACCEPTED and code == 0:
        return ""
    text = framing.console_text(printed.strip().rpartition(b"\n")[2])
    refused = _REFUSED.search(text)
    if refused is not None:
        return f"boards/firmware/acceptance.c:{refused[1]}: {refused[2]}" if refused[1] else refused[2]
    if code:
        lines = complaint.strip().splitlines() or [f"exit code {code}"]
        raise InfrastructureError(f"{target}: the emulator failed: {lines[-1]}")
    return f"the test ended without a result, and printed '{text}'"
