# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds what a command has started, wherever it has gone: a mark in the environment comes in, the processes that bear it go out."""

from __future__ import annotations

from pathlib import Path

MARK = "RTSTONE_TEST_MARK"
"""The variable that carries the mark."""


def marked(mark: str) -> dict[int, str]:
    """Processes that bear the mark in their environment, with their command names; dead ones have none."""
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (entry / "comm").read_text().strip()
            except OSError:
                continue
    return found
