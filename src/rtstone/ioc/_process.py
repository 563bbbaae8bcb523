# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A program that runs in parallel: reads its lines as they come, and always ends it."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from rtstone.errors import InfrastructureError

GRACE_S = 5.0
"""Time (s) for a program to end by itself, after the request to end."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_KEPT_LINES = 400


class ProgramReader:
    """A program whose standard output and error are read line by line in a thread."""

    def __init__(
        self,
        command: Sequence[str | Path],
        environment: Mapping[str, str],
        on_line: Callable[[str], None] | None = None,
        files: Sequence[int] = (),
    ) -> None:
        """`files`: our descriptors that the program inherits under the same numbers."""
        self._command = [str(word) for word in command]
        self._environment = dict(environment)
        self._on_line = on_line
        self._files = tuple(files)
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        """The last lines, without colours."""

    def __enter__(self) -> Self:
        try:
            # A group of its own: rtstone itself passes Ctrl-C on.
            self._process = subprocess.Popen(
                self._command,
                env=os.environ | self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                process_group=0,
                pass_fds=self._files,
            )
        except OSError as error:
            raise InfrastructureError(f"{self._command[0]} cannot be started: {error.strerror}") from error
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process is not None  # noqa: S101 - used within the context only
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""
        return None if self._process is None else self._process.poll()

    @property
    def last(self) -> str:
        """Its last line that is not empty."""
        return next((line for line in reversed(self.lines) if line), "it said nothing")

    def last_if_ended(self) -> str | None:
        """Its last line once it has ended, None while it runs."""
        if self.poll() is None:
            return None
        self.wait(1.0)  # for the lines
        return self.last

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code once it has ended and all its lines are read, or None after the timeout."""
        if self._process is None or self._thread is None:
            return None
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        self._thread.join(GRACE_S)
        return code

    def ask_to_end(self) -> None:
        """Send SIGTERM, once."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        """Send SIGKILL: its further output is not needed."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()

    def end(self) -> int | None:
        """Ask it to end, kill it if it does not, and return its exit code."""
        self.ask_to_end()
        code = self.wait(GRACE_S)
        if code is None and self._process is not None:
            self._process.kill()
            code = self.wait(GRACE_S)
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()
        return code

    def _read(self) -> None:
        assert self._process is not None  # noqa: S101
        assert self._process.stdout is not None  # noqa: S101
        with contextlib.suppress(ValueError):  # closed under us
            for line in self._process.stdout:
                text = _COLOUR.sub("", line).rstrip()
                self.lines.append(text)
                if self._on_line is not None:
                    self._on_line(text)
