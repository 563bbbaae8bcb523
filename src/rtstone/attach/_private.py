# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Hides the tasks of others in the engine's lines: neither names nor numbers of them are stored."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from rtstone.attach._trails import name_of

ANOTHER = "another task"
"""The name that is stored instead; in a trail with a number from 1, so that two tasks are not taken for one."""
NOBODY = 1 << 22
"""Numbers from here on are no task's (PID_MAX_LIMIT): each hidden task has one of its own."""
_KERNEL_THREAD = 0x200000
"""PF_KTHREAD, in the ninth field of /proc/PID/stat."""
_NAME_BYTES = 15
"""The kernel cuts a task's name to so many; /proc shows a kernel thread's whole one."""
_NAMES = ("swapper/", "kworker/", "irq/", "ksoftirqd/", "migration/", "napi/")
"""Kernel threads that come and go, or have no entry in /proc, are known by the beginning of their names."""


def kernel_threads(proc: Path = Path("/proc")) -> set[str]:
    """The names of the kernel's own threads that exist now, as a trail has them."""
    found: set[str] = set()
    for entry in proc.glob("[0-9]*"):
        with suppress(OSError):
            name, _, rest = (entry / "stat").read_bytes().partition(b"(")[2].rpartition(b")")
            if int(rest.split()[6]) & _KERNEL_THREAD:
                found.add(name[:_NAME_BYTES].decode("utf-8", "replace"))
    return found


class Private:
    """The lines of `rtstone-engine attach` without the tasks that are neither watched nor the kernel's."""

    def __init__(self, kernel: set[str]) -> None:
        """`kernel`: names of the kernel's threads."""
        self._kernel = kernel
        self._hidden: dict[int, int] = {}

    def __call__(self, lines: bytes) -> bytes:
        """The lines to store. `lines`: complete, so that every watched thread is among them."""
        said = lines.splitlines(keepends=True)
        threads = [msgspec.json.decode(line) for line in said if line.startswith(b'{"thread"')]
        tids = {one["tid"] for one in threads}
        names = {name_of(one["comm"]) for one in threads}
        return b"".join(self._line(line, tids, names) for line in said)

    def _line(self, line: bytes, tids: set[int], names: set[str]) -> bytes:
        if line.startswith(b'{"late"'):
            said = msgspec.json.decode(line)
            for step in (*said["own"], *said["steps"]):
                name = name_of(step["task"])
                # Both: a number may be another task's once its thread has ended.
                if step["pid"] and not self._is_kernel(name) and not (step["pid"] in tids and name in names):
                    number = self._hidden.setdefault(step["pid"], len(self._hidden) + 1)
                    step |= {"pid": NOBODY + number, "task": f"{ANOTHER} {number}".encode().hex()}
            return msgspec.json.encode(said) + b"\n"
        if line.startswith(b'{"of"'):
            said = msgspec.json.decode(line)
            name = name_of(said["comm"])
            if name and name not in names and not self._is_kernel(name):
                said["comm"] = ANOTHER.encode().hex()
                return msgspec.json.encode(said) + b"\n"
        return line

    def _is_kernel(self, name: str) -> bool:
        return name in self._kernel or name.startswith(_NAMES)
