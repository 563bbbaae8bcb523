# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the first Ctrl-C, or the hangup of a terminal, into an orderly end of what is under way; the second one ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping
from types import FrameType, TracebackType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def signals() -> tuple[signal.Signals, ...]:
    """What asks a measurement to end, a hangup of its terminal among them; but not what is ignored, as SIGHUP under nohup."""
    return tuple(number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN)


def restore(before: Mapping[Any, Any], *, hung_up: bool) -> None:
    """The handlers as they were; where the terminal is gone a second hangup must not end what keeps the run."""
    for number, handler in before.items():
        signal.signal(number, signal.SIG_IGN if hung_up and number == signal.SIGHUP else handler)


class Interruption:
    """While it is entered (in the main thread; elsewhere it only carries the wish), SIGINT, SIGTERM and SIGHUP end targets orderly."""

    def __init__(self) -> None:
        self.requested = False
        """Whether an end was asked for."""
        self._stops: list[Callable[[], None]] = []
        self._before: dict[int, Any] = {}
        self._hung_up = False

    def on_request(self, stop: Callable[[], None]) -> None:
        """Calls ``stop`` when an end is asked for. It must be safe within a signal handler."""
        self._stops.append(stop)

    def forget(self, stop: Callable[[], None]) -> None:
        """The counterpart of :meth:`on_request`."""
        self._stops.remove(stop)

    def request(self) -> None:
        """Asks all targets to end."""
        self.requested = True
        for stop in tuple(self._stops):
            stop()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._on_signal) for number in signals()}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        restore(self._before, hung_up=self._hung_up)
        self._before = {}

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._hung_up = True
        elif self.requested:
            raise KeyboardInterrupt
        self.request()
