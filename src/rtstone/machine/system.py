# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The only access of checks to a machine: its files below a root, its limits, and the engine's privileges."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import struct
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rtstone.errors import RtstoneError

if TYPE_CHECKING:
    from collections.abc import Iterable

CAP_IPC_LOCK = 14
CAP_SYS_ADMIN = 21
CAP_SYS_NICE = 23


class System:
    """Reads facts below `root`. Returns None for a missing fact, and never guesses."""

    def __init__(self, root: Path = Path("/"), engine: Path | None = None) -> None:
        self.root = root
        self._engine = engine

    def text(self, path: str) -> str | None:
        """Return a file's text without the white space around it; None when it cannot be read."""
        try:
            return (self.root / path.lstrip("/")).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def bytes(self, path: str, *, offset: int = 0, count: int = -1) -> bytes | None:
        """Return a file's bytes, ``count`` of them from ``offset`` (-1: all); None when it cannot be read."""
        try:
            with (self.root / path.lstrip("/")).open("rb", buffering=0) as file:
                if offset:
                    file.seek(offset)
                return file.read() if count < 0 else file.read(count)
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        """Return a file's text as an integer; None when it cannot be read or is not an integer."""
        text = self.text(path)
        try:
            return int(text) if text is not None else None
        except ValueError:
            return None

    def glob(self, pattern: str) -> list[Path]:
        """Return the paths below the root that match, sorted."""
        return sorted(self.root.glob(pattern.lstrip("/")))

    def texts(self, pattern: str) -> dict[str, str]:
        """Return the texts of all files that match and can be read, by their paths from the machine's root, sorted."""
        found = {
            f"/{path.relative_to(self.root)}": self.text(f"/{path.relative_to(self.root)}")
            for path in self.glob(pattern)
        }
        return {path: text for path, text in found.items() if text is not None}

    def exists(self, path: str) -> bool:
        """Whether there is such a path."""
        return (self.root / path.lstrip("/")).exists()

    def writable(self, path: str) -> bool:
        """Whether this user may write there."""
        return os.access(self.root / path.lstrip("/"), os.W_OK)

    def engine(self) -> Path | None:
        """Return the engine's program, or None without an engine."""
        if self._engine is not None:
            return self._engine
        from rtstone.resources import engine_path

        try:
            return engine_path()
        except RtstoneError:
            return None

    def limit(self, which: int) -> int:
        """Return a soft resource limit; -1 stands for unlimited."""
        soft = resource.getrlimit(which)[0]
        return -1 if soft == resource.RLIM_INFINITY else soft

    def has_capability(self, capability: int) -> bool:
        """Whether the engine would have a capability: through this process (root), or through its file."""
        status = self.text("/proc/self/status") or ""
        for line in status.splitlines():
            if line.startswith("CapEff:") and int(line.split()[1], 16) >> capability & 1:
                return True
        return capability in self.file_capabilities() & self.grantable()

    def grantable(self) -> set[int]:
        """Return the capabilities that a file can grant here: those of the bounding set, and none under no_new_privs
        (capabilities(7))."""
        words = dict(line.split(":", 1) for line in (self.text("/proc/self/status") or "").splitlines() if ":" in line)
        if words.get("NoNewPrivs", "").strip() == "1":
            return set()
        bounding = int(words.get("CapBnd", "").strip() or "ffffffffffffffff", 16)
        return {bit for bit in range(64) if bounding >> bit & 1}

    def read_only(self, path: str) -> bool:
        """Whether the file system at a path is mounted read-only for every user (/proc/self/mountinfo, proc(5))."""
        nearest, found = "", False
        for line in (self.text("/proc/self/mountinfo") or "").splitlines():
            words = line.split()
            if len(words) > 5 and len(words[4]) >= len(nearest) and f"{path}/".startswith(f"{words[4].rstrip('/')}/"):
                nearest, found = words[4], "ro" in words[5].split(",")
        return found

    def file_capabilities(self) -> set[int]:
        """Return the permitted capabilities of the engine's file. The engine itself makes them effective."""
        engine = self.engine()
        if engine is None:
            return set()
        try:
            value = os.getxattr(engine, "security.capability")
        except OSError:
            return set()
        # struct vfs_cap_data: magic with flags, then permitted and inheritable, low word and high word.
        _, low, _, high, _ = struct.unpack_from("<IIIII", value.ljust(20, b"\0"))
        permitted = low | high << 32
        return {bit for bit in range(64) if permitted >> bit & 1}

    def cpu_ticks(self) -> dict[str, tuple[int, ...]]:
        """Return /proc/stat's counters of each CPU (user, nice, system, idle, iowait, irq, softirq, steal, …)."""
        lines = (self.text("/proc/stat") or "").splitlines()
        return {line.split()[0]: tuple(map(int, line.split()[1:])) for line in lines if line.startswith("cpu")}

    @property
    def far(self) -> bool:
        """Whether this is a remote machine."""
        return False

    def which(self, program: str) -> bool:
        """Whether there is such a program on the search path."""
        return shutil.which(program) is not None

    def sysconf(self, name: str) -> int:
        """Return a value of sysconf by its name without SC_; -1 if the system has no such value."""
        try:
            return os.sysconf(f"SC_{name}")
        except (ValueError, OSError):
            return -1

    def library(self) -> str:
        """Return the C library and its version; empty if they are not known."""
        return " ".join(filter(None, platform.libc_ver()))

    def machine(self) -> str:
        """Return the kernel's name of the machine's architecture."""
        return platform.machine()

    def unit_active(self, unit: str) -> bool:
        """Whether a unit of systemd is active."""
        try:
            asked = subprocess.run(["systemctl", "is-active", "--quiet", unit], timeout=5, check=False)  # noqa: S607
        except (OSError, subprocess.TimeoutExpired):
            return False
        return asked.returncode == 0

    def sleep(self, seconds: float) -> None:
        """Wait between two readings of a counter."""
        time.sleep(seconds)


def commas(items: Iterable[object]) -> str:
    """The items as one text, separated by commas."""
    return ", ".join(map(str, items))
