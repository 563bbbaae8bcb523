# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the processes that a command has started, wherever they have gone, by a mark in their environment."""

from __future__ import annotations

from pathlib import Path

MARK = "RTSTONE_TEST_MARK"
"""The variable that carries the mark."""


def marked(mark: str) -> dict[int, str]:
    """Processes with the mark in their environment, with their command names; dead ones have no environment."""
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (entry / "comm").read_text().strip()
            except OSError:
                continue
    return found
