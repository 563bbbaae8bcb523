# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The far machine of a board with a hub: the guest at the other end of the wire, which serves what the near one measures."""

from __future__ import annotations

import os
import socket
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rtstone.errors import InfrastructureError
from rtstone.targets._guest import content, cpu_time, last_words, start_emulator
from rtstone.targets._process import end_group, ended, signal_name
from rtstone.targets.boards import Hub

_MACS = ("52:54:00:57:00:01", "52:54:00:57:00:02")
"""Of the near end and of the far one: from the range that is nobody's."""
_LAST_LINES = 4
_GRACE_S = 1.0


@contextmanager
def wire() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The two ends of a wire: a pair of datagram sockets, a frame a datagram, which no place in any network or folder leads to."""
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with near, far:
        yield near, far


def places(end: socket.socket, *, far: bool) -> dict[str, str]:
    """What stands in board.toml's places for one end of the wire."""
    return {"wire": str(end.fileno()), "mac": _MACS[far]}


def words(hub: Hub, *, far: bool) -> str:
    """What the kernel's command line tells the guest's first program: its end of the wire, and what it is to do there."""
    if far:
        return f"rtstone.wire={hub.device},{hub.far} rtstone.serve={hub.far}"
    return f"rtstone.wire={hub.device},{hub.near} rtstone.peer={hub.far}"


class FarGuest:
    """The emulator of the far machine, from its start to whatever end: it is killed on leaving, since nothing else ends a peer."""

    def __init__(self, name: str, command: Sequence[str], *, console: int, inherit: Sequence[int], cpu: int) -> None:
        """`console`: descriptor of the file behind the guest's console; `inherit`: all that the emulator must have."""
        self._name = name
        self._command = list(command)
        self._console = console
        self._inherit = tuple(inherit)
        self._cpu = cpu
        self._process: subprocess.Popen[bytes] | None = None
        self._words = -1
        self.cpu_s = 0.0
        """CPU time that the emulator took, as last looked at."""

    def __enter__(self) -> Self:
        self._words = os.memfd_create("words")
        try:
            self._process = start_emulator(
                self._name, self._command, self._cpu, said=self._words, inherit=self._inherit
            )
        except BaseException:
            os.close(self._words)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        os.close(self._words)

    def end(self) -> None:
        """Switches the machine off; a guest cannot be asked. Harmless when it is off."""
        process, self._process = self._process, None
        if process is not None:
            self.cpu_s = cpu_time(process.pid) or self.cpu_s
            end_group(process)
            process.wait()

    def check(self) -> None:
        """Raises InfrastructureError, with the reason as well as it can be told, when its emulator has ended."""
        process = self._process
        if process is None or not ended(process.pid, 0.0):
            return
        end_group(process)
        code = process.wait()
        own = [line for line in content(self._words).decode("utf-8", "replace").splitlines() if line.strip()]
        if code < 0:
            why = f"its emulator was killed by {signal_name(-code)}"
        elif code > 0:
            why = f"its emulator ended with exit code {code}{f': {own[-1]}' if own else ''}"
        else:
            why = "it reset itself or switched its board off"
        raise InfrastructureError(f"{self._name}: the second machine has ended: {why}{self._last()}")

    def said(self) -> str:
        """What it said last, for an error of the near machine's."""
        return f"the second machine{self._last()}"

    def _last(self) -> str:
        tail = deque(
            (line for line in content(self._console)[-(1 << 14) :].splitlines() if line.strip()), maxlen=_LAST_LINES
        )
        return last_words(tail)
