# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the first Ctrl-C, or the hangup of a terminal, into an orderly end of what is under way; the second one ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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

    def __init__(self, parent: Interruption | None = None, *, after_session: bool = False) -> None:
        """`parent`: it has the signals, and what it requests is requested here too; a request here leaves the parent alone.

        `after_session`: the first signal ends the measuring after the session that runs, the second cuts that short.
        """
        self.requested = False
        """Whether an end was asked for."""
        self.ending = False
        """Whether no further session is to begin."""
        self._after_session = after_session
        self._stops: list[Callable[[], None]] = []
        self._before: dict[int, Any] = {}
        self._hung_up = False
        self._parent = parent
        self._breaks = False

    def on_request(self, stop: Callable[[], None]) -> None:
        """Calls ``stop`` when an end is asked for. It must be safe within a signal handler."""
        self._stops.append(stop)

    def forget(self, stop: Callable[[], None]) -> None:
        """The counterpart of :meth:`on_request`."""
        self._stops.remove(stop)

    def request(self) -> None:
        """Asks all targets to end."""
        self.requested = self.ending = True
        for stop in tuple(self._stops):
            stop()

    @contextmanager
    def breaks(self) -> Iterator[None]:
        """A block that a signal ends by KeyboardInterrupt, one that came before at its begin: it waits for others, or makes ready.

        Only in the main thread; elsewhere a signal is carried as a wish, as it is outside of the block.
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
