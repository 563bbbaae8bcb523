# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The child processes of a process: their ids and their command lines. Processes that end meanwhile are left out."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """Processes that any of its threads started and that live, by their ids; none where it is gone.

    The first process of a container gets orphans that have ended, and need not reap them: they are left out.
    """
    found: list[int] = []
    with suppress(OSError):  # it has ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return sorted(filter(alive, found))


def descendants(pid: int) -> set[int]:
    """Its children, theirs and so on, without itself."""
    below: set[int] = set()
    for child in children(pid):
        below |= {child} | descendants(child)
    return below


def alive(pid: int) -> bool:
    """Whether a process is there and has not ended; one that nobody has reaped has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def words(pid: int) -> list[bytes]:
    """The words of its command line, the program's first; none where it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    return []
