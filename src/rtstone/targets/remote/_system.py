# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A remote machine's files and settings, for checks. Uses one connection, with one line for each question."""

from __future__ import annotations

import os
import resource
import selectors
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from rtstone.errors import InfrastructureError
from rtstone.machine.system import System

_PATIENCE_S = 60.0
_Raw: TypeAlias = bytes
"""An alias of bytes, since the class below has a method of that name."""
_LIMITS = {
    resource.RLIMIT_RTPRIO: "Max realtime priority",
    resource.RLIMIT_MEMLOCK: "Max locked memory",
    resource.RLIMIT_MSGQUEUE: "Max msgqueue size",
}


class RemoteSystem(System):
    """Answers as `System` does, for the remote machine. The first question opens the connection."""

    def __init__(self, name: str, words: list[str], mark: _Raw) -> None:
        super().__init__()
        self._name = name
        self._words = words
        self._mark = mark
        self._process: subprocess.Popen[_Raw] | None = None
        self._read = b""
        self.program: Path | None = None
        """The engine's path on the machine; None: it is not known yet."""
        self.capabilities = 0
        """The Linux capabilities that the engine has by its file or its user, as a bit mask."""

    def text(self, path: str) -> str | None:
        """Return a file's text without the white space around it; None when it cannot be read."""
        content = self._asked(f"text {path}")
        return None if content is None else content.decode("utf-8", "replace").strip()

    def bytes(self, path: str, *, offset: int = 0, count: int = -1) -> _Raw | None:
        """Return a file's bytes, ``count`` of them from ``offset`` (-1: all); None when it cannot be read."""
        return self._asked(f"text {path}" if count < 0 else f"bytes {offset} {count} {path}")

    def glob(self, pattern: str) -> list[Path]:
        """Return the paths that match, sorted."""
        found = self._asked(f"glob {pattern}") or b""
        return sorted(Path(line.decode("utf-8", "replace")) for line in found.splitlines())

    def texts(self, pattern: str) -> dict[str, str]:
        """Return the texts of all files that match and can be read, by their paths, sorted."""
        words = (self._asked(f"texts {pattern}") or b"").split(b"\0")
        pairs = zip(words[::2], words[1::2], strict=False)
        found = {path.decode("utf-8", "replace"): text.decode("utf-8", "replace").strip() for path, text in pairs}
        return {path: found[path] for path in sorted(found, key=Path)}

    def exists(self, path: str) -> bool:
        """Whether there is such a path."""
        return self._asked(f"exists {path}") is not None

    def writable(self, path: str) -> bool:
        """Whether that user may write there."""
        return self._asked(f"writable {path}") is not None

    def engine(self) -> Path | None:
        """Return the engine's program, or None without an engine."""
        return self.program

    def limit(self, which: int) -> int:
        """Return a soft resource limit; -1 stands for unlimited."""
        for line in (self.text("/proc/self/limits") or "").splitlines():
            if line.startswith(_LIMITS[which]):
                soft = line.removeprefix(_LIMITS[which]).split()[0]
                return int(soft) if soft.isdigit() else -1
        return 0

    def has_capability(self, capability: int) -> bool:
        """Whether the engine would have a capability: through its user (root), or through its file."""
        return bool(self.capabilities >> capability & 1)

    def file_capabilities(self) -> set[int]:
        """Return the capabilities that the engine has by its file but its user lacks."""
        status = (self.text("/proc/self/status") or "").splitlines()
        own = next((int(line.split()[1], 16) for line in status if line.startswith("CapEff:")), 0)
        return {bit for bit in range(64) if self.capabilities & ~own & 1 << bit}

    def which(self, program: str) -> bool:
        """Whether there is such a program on the search path."""
        return self._asked(f"which {program}") is not None

    def sysconf(self, name: str) -> int:
        """Return a value of sysconf by its name without SC_; -1 if the machine has no such value."""
        said = (self._asked(f"conf _POSIX_{name}") or b"").strip()
        return int(said) if said.isdigit() else -1

    def library(self) -> str:
        """Return the C library and its version; empty if they are not known."""
        said = (self._asked("library") or b"").decode("utf-8", "replace").split()
        return f"glibc {said[-1]}" if len(said) > 1 else ""

    def machine(self) -> str:
        """Return the kernel's name of the machine's architecture."""
        return (self._asked("machine") or b"").decode("utf-8", "replace").strip()

    def unit_active(self, unit: str) -> bool:
        """Whether a unit of systemd is active."""
        return self._asked(f"unit {unit}") is not None

    @property
    def far(self) -> bool:
        """Whether this is another machine: always true."""
        return True

    def close(self) -> None:
        """Ends the connection."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _asked(self, question: str) -> _Raw | None:
        """The answer to a question; None if the question failed. Raises InfrastructureError when the connection is
        lost."""
        process = self._process or self._connected()
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        try:
            process.stdin.write(question.replace("\n", " ").encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise self._lost() from error
        end = b"\n" + self._mark.removeprefix(b"@rtstone-") + b" "
        answer = self._until(end)
        return answer if self._until(b"\n") == b"0" else None

    def _connected(self) -> subprocess.Popen[_Raw]:
        try:
            self._process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,
            )
        except OSError as error:
            raise InfrastructureError(f"{self._name}: ssh cannot be started: {error.strerror}") from error
        self._until(b"\n" + self._mark + b"\n")
        self._until(b"@done\n")
        return self._process

    def _until(self, end: _Raw) -> _Raw:
        """The bytes before `end`. They are removed from the input, and `end` with them."""
        process = self._process
        assert process is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        give_up = time.monotonic() + _PATIENCE_S
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while end not in self._read:
                if not selector.select(max(0.0, give_up - time.monotonic())):
                    raise self._lost()
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise self._lost()
                self._read += chunk
        found, _, self._read = self._read.partition(end)
        return found

    def _lost(self) -> InfrastructureError:
        self.close()
        return InfrastructureError(f"{self._name}: the connection was lost while its settings were read")
