# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The far machine of a board with a hub: the guest at the other end of the wire, which serves as the near one's
peer."""

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
"""MAC addresses of the near end and of the far end, from a range that no hardware uses."""
_LAST_LINES = 4
_GRACE_S = 1.0


@contextmanager
def wire() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The two ends of a wire: a pair of datagram sockets that carry one frame a datagram. The pair has no address in
    any network or folder."""
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with near, far:
        yield near, far


def places(end: socket.socket, *, far: bool) -> dict[str, str]:
    """The values of board.toml's placeholders for one end of the wire."""
    return {"wire": str(end.fileno()), "mac": _MACS[far]}


def words(hub: Hub, *, far: bool) -> str:
    """The words on the kernel's command line for the guest's first program: its end of the wire, and its task there."""
    if far:
        return f"rtstone.wire={hub.device},{hub.far} rtstone.serve={hub.far}"
    return f"rtstone.wire={hub.device},{hub.near} rtstone.peer={hub.far}"


class PeerGuest:
    """The emulator of the far machine. Leaving the context kills it, since nothing else ends a peer."""

    def __init__(self, name: str, command: Sequence[str], *, console: int, inherit: Sequence[int], cpu: int) -> None:
        """`console`: descriptor of the file for the guest's console; `inherit`: all descriptors that the emulator
        inherits."""
        self._name = name
        self._command = list(command)
        self._console = console
        self._inherit = tuple(inherit)
        self._cpu = cpu
        self._process: subprocess.Popen[bytes] | None = None
        self._words = -1
        self.cpu_s = 0.0
        """CPU time (s) that the emulator used, read at its end."""

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
        """Switches the machine off, since a guest takes no request to end. Harmless when it is off."""
        process, self._process = self._process, None
        if process is not None:
            self.cpu_s = cpu_time(process.pid) or self.cpu_s
            end_group(process)
            process.wait()

    def check(self) -> None:
        """Raises InfrastructureError, with the best known reason, when the far machine's emulator has ended."""
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
        """The far machine's last console lines, to be quoted in an error of the near machine."""
        return f"the second machine{self._last()}"

    def _last(self) -> str:
        tail = deque(
            (line for line in content(self._console)[-(1 << 14) :].splitlines() if line.strip()), maxlen=_LAST_LINES
        )
        return last_words(tail)
