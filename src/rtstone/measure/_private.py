# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Hides the tasks of others in the engine's lines: neither names nor numbers of them are stored."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

ANOTHER = "another task"
"""The name that is stored instead."""
_KERNEL_THREAD = 0x200000
"""PF_KTHREAD, in the ninth field of /proc/PID/stat."""
_NAMES = ("swapper/", "kworker/")
"""Kernel threads that come and go, or have no entry in /proc, are known by the beginning of their names."""


def kernel_threads(proc: Path = Path("/proc")) -> set[str]:
    """The names of the kernel's own threads that exist now."""
    found: set[str] = set()
    for entry in proc.glob("[0-9]*"):
        with suppress(OSError):
            name, _, rest = (entry / "stat").read_text(errors="replace").partition("(")[2].rpartition(")")
            if int(rest.split()[6]) & _KERNEL_THREAD:
                found.add(name)
    return found


class Private:
    """Passes the lines of `rtstone-engine attach` on without the tasks that are neither watched nor the kernel's."""

    def __init__(self, kernel: set[str]) -> None:
        """`kernel`: names of the kernel's threads."""
        self._kernel = kernel
        self._watched: set[int] = set()
        self._names: set[str] = set()

    def __call__(self, line: bytes) -> bytes:
        """The line to store. A thread's line comes before the lines that name it."""
        if line.startswith(b'{"thread"'):
            said = msgspec.json.decode(line)
            self._watched.add(said["tid"])
            self._names.add(_text(said["comm"]))
        elif line.startswith(b'{"late"'):
            said = msgspec.json.decode(line)
            for step in (*said["own"], *said["steps"]):
                self._hide(step)
            return msgspec.json.encode(said) + b"\n"
        elif line.startswith(b'{"of"'):
            said = msgspec.json.decode(line)
            if said["comm"] and not self._known(_text(said["comm"])):
                said["comm"] = ANOTHER.encode().hex()
                return msgspec.json.encode(said) + b"\n"
        return line

    def _hide(self, step: dict[str, Any]) -> None:
        if step["pid"] in self._watched or self._is_kernel(_text(step["task"])):
            return
        step |= {"pid": 0, "task": ANOTHER.encode().hex()}

    def _known(self, name: str) -> bool:
        return name in self._names or self._is_kernel(name)

    def _is_kernel(self, name: str) -> bool:
        return name in self._kernel or name.startswith(_NAMES)


def _text(name: str) -> str:
    return bytes.fromhex(name).decode("utf-8", "replace")
