# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A real board on a serial line, from which it takes the plan and to which it prints records:
``serial:<device>[?baud=…&reset=dtr]``."""

from __future__ import annotations

import errno
import math
import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl

import msgspec

from rtstone.errors import InfrastructureError, UsageError
from rtstone.stream import LineSplitter, framing
from rtstone.stream.plan import Plan, encode
from rtstone.targets._watchdog import silence_limit_s
from rtstone.targets.protocol import Capabilities, StopsAtExit

if TYPE_CHECKING:
    import serial

POLL_S = 0.1
RESET_S = 0.1
"""How long (s) each level of the control line that resets a board lasts."""
_CHUNK = 4096
_LAST_LINES = 5


class LineSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The line's settings. It always has 8 data bits, no parity, one stop bit."""

    baud: int = 115_200
    silence: float = 0.0
    """Seconds (s) after which a silent board counts as dead; 0: from the plan."""
    reset: Literal["none", "dtr", "rts"] = "none"
    """The control line whose pulse resets the board before each session; none: the user resets the board, or it waits
    for its plan."""


class _NoAnswerError(InfrastructureError):
    """The board sent no record after the plan."""


class SerialTarget(StopsAtExit):
    """Any board that prints the record stream."""

    capabilities = Capabilities()

    def __init__(self, device: str, line: LineSettings, revive: Callable[[], None] | None = None) -> None:
        """`revive` resets a board that does not answer. It is called once for each plan at most."""
        self._device = device
        self._line = line
        self._revive = revive
        self._port: serial.Serial | None = None
        self._stopped = False
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)

    @property
    def name(self) -> str:
        """``serial:<device>``."""
        return f"serial:{self._device}"

    def describe(self) -> dict[str, str]:
        """The line's settings. The board reports all other facts in its records."""
        return {"serial.device": self._device, "serial.baud": str(self._line.baud), "serial.reset": self._line.reset}

    def deploy(self) -> None:
        """Opens the device, which stays open until the target is left. Raises InfrastructureError when it cannot be opened."""
        self._opened()

    def _opened(self) -> serial.Serial:
        if self._port is not None:
            return self._port
        import serial

        try:
            # Locked: two programs that read one line would each get a part of its data.
            if (
                "://" in self._device
            ):  # a line of another machine: the program that shares it there keeps out all other readers
                with (
                    warnings.catch_warnings()
                ):  # pyserial's own rfc2217 starts its thread in a way that Python has deprecated
                    warnings.simplefilter("ignore", DeprecationWarning)
                    self._port = serial.serial_for_url(self._device, self._line.baud, timeout=POLL_S)
            else:
                self._port = serial.Serial(
                    self._device, self._line.baud, timeout=POLL_S, write_timeout=10, exclusive=True
                )
        except (serial.SerialException, OSError, ValueError) as error:
            raise InfrastructureError(f"{self.name} cannot be opened: {_reason(error)}") from error
        return self._port

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Resets the board if the line can do so, sends the plan, and yields the board's lines until its `bye`.

        Raises InfrastructureError when the line breaks, or the board stays silent or restarts in mid-run.
        """
        import serial

        port = self._opened()
        self._stopped = False
        self._last.clear()
        limit_s = self._line.silence or silence_limit_s(plan)
        try:
            self._reset(port)
            self._send(port, plan)
            try:
                yield from self._read(port, limit_s)
            except _NoAnswerError:
                if self._revive is None:
                    raise
                self._revive()
                self._send(port, plan)
                yield from self._read(port, limit_s)
        except (serial.SerialException, OSError) as error:
            raise InfrastructureError(f"{self.name}: the line broke: {error}{self._said()}") from error

    def _reset(self, port: serial.Serial) -> None:
        if self._line.reset == "none":
            return
        for level in (True, False):
            setattr(port, self._line.reset, level)
            time.sleep(RESET_S)

    def _send(self, port: serial.Serial, plan: Plan) -> None:
        port.reset_input_buffer()
        port.write(encode(plan))
        port.flush()

    def _read(self, port: serial.Serial, limit_s: float) -> Iterator[bytes]:
        splitter = LineSplitter()
        heard = time.monotonic()
        hellos = 0
        while not self._stopped:
            chunk = port.read(min(_CHUNK, max(1, port.in_waiting)))
            now = time.monotonic()
            if not chunk:
                if now >= heard + limit_s:
                    kind = InfrastructureError if hellos else _NoAnswerError
                    raise kind(f"{self.name}: silent for {math.ceil(limit_s)} s{self._said()}")
                continue
            heard = now
            for line in splitter.feed(chunk):
                if not line.startswith(b"~"):
                    self._last.append(line)
                hellos += b'{"t":"hello"' in line[:24]
                yield line
                if hellos > 1:
                    raise InfrastructureError(f"{self.name}: the board was reset in mid-run{self._said()}")
                if line.startswith(b"~") and b'{"t":"bye"' in line[:24]:
                    return

    def _said(self) -> str:
        return framing.last_words(self._last)

    def stop(self) -> None:
        """Stops reading, since a board takes no request to end."""
        self._stopped = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if self._port is not None:
            self._port.close()
            self._port = None


def _reason(error: Exception) -> str:
    """Why the line cannot be opened, in the system's words. The library's messages repeat the path, or are a tuple."""
    for cause in (error, error.__context__):
        number = cause.args[0] if cause is not None and cause.args else None
        if number == errno.ENOTTY:
            return "it is no serial line"
        if isinstance(number, int) and number != errno.EAGAIN:  # for EAGAIN the library's message is better: a lock
            return os.strerror(number)
    return str(error)


def open_serial(rest: str) -> SerialTarget:
    """``serial:DEVICE``: a board on a serial line; behind a ``?`` how the line is set (``baud=115200&silence=5&reset=dtr``).

    Raises UsageError for a setting that there is not."""
    device, _, query = rest.partition("?")
    if "://" in device:
        raise UsageError(f"serial:{device}: a device of this machine is needed; a place of a lab is labgrid:PLACE")
    if not device:
        raise UsageError("the target 'serial' needs a device: serial:/dev/ttyUSB0?baud=115200")
    try:
        line = msgspec.convert(dict(parse_qsl(query, keep_blank_values=True)), LineSettings, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"serial: {error}; there are baud, silence and reset") from None
    if line.baud <= 0 or line.silence < 0:
        raise UsageError("serial: baud is above 0, silence not below 0")
    return SerialTarget(device, line)
