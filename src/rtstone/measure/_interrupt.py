# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the first Ctrl-C, or the hangup of a terminal, into an orderly end of the measurement;
the second one ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def signals() -> tuple[signal.Signals, ...]:
    """The signals that request an end, with the hangup of the terminal;
    without ignored signals, as SIGHUP under nohup."""
    return tuple(number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN)


def restore(before: Mapping[Any, Any], *, hung_up: bool) -> None:
    """Restores the previous handlers.
    If the terminal is gone, a second hangup must not interrupt the saving of the run."""
    for number, handler in before.items():
        signal.signal(number, signal.SIG_IGN if hung_up and number == signal.SIGHUP else handler)


class Interruption:
    """While it is entered, SIGINT, SIGTERM and SIGHUP end targets orderly.
    Outside the main thread it only holds the request."""

    def __init__(self, parent: Interruption | None = None, *, after_session: bool = False) -> None:
        """`parent`: handles the signals, and its requests are requests here too;
        a request here does not affect the parent.

        `after_session`: the first signal ends the measuring after the current session,
        the second ends that session early.
        """
        self.requested = False
        """Whether an end was requested."""
        self.ending = False
        """Whether no further session may begin."""
        self._after_session = after_session
        self._stops: list[Callable[[], None]] = []
        self._before: dict[int, Any] = {}
        self._hung_up = False
        self._parent = parent
        self._breaks = False

    def on_request(self, stop: Callable[[], None]) -> None:
        """Calls ``stop`` when an end is requested. It must be safe within a signal handler."""
        self._stops.append(stop)

    def forget(self, stop: Callable[[], None]) -> None:
        """The counterpart of :meth:`on_request`."""
        self._stops.remove(stop)

    def request(self) -> None:
        """Requests all targets to end."""
        self.requested = self.ending = True
        for stop in tuple(self._stops):
            stop()

    @contextmanager
    def breaks(self) -> Iterator[None]:
        """A block that waits for others, or makes ready. A signal ends it by KeyboardInterrupt;
        an earlier one ends it at its begin.

        Only in the main thread. Elsewhere a signal is only recorded as a request, as outside of the block.
        """
        if self._parent is not None:
            with self._parent.breaks():
                yield
            return
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before, self._breaks = self._breaks, True
        try:
            if self.requested:
                raise KeyboardInterrupt
            yield
        finally:
            self._breaks = before

    def __enter__(self) -> Self:
        if self._parent is not None:
            self._parent.on_request(self.request)
            if self._parent.requested:
                self.request()
        elif threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._on_signal) for number in signals()}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._parent is not None:
            self._parent.forget(self.request)
        restore(self._before, hung_up=self._hung_up)
        self._before = {}

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._hung_up = True
        elif self.requested:
            raise KeyboardInterrupt
        if self._after_session and not self.ending and not self._breaks:
            self.ending = True
            return
        self.request()
        if self._breaks:
            raise KeyboardInterrupt
