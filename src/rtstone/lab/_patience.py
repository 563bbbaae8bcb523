# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Repeats a request to a database that may be away or slow, and gives up at once when the user requests an end."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

from rtstone.archive._queue import is_away
from rtstone.errors import InfrastructureError
from rtstone.measure._interrupt import Interruption

_Made = TypeVar("_Made")
_POLL_S = 0.2
"""How often (s) a waiting call looks whether an end was requested: hundreds of workers may wait for one database."""
_PAUSE_S = (0.1, 2.0)
_draw = random.SystemRandom()


class EndedError(Exception):
    """An end was requested before the database answered.
    It is not known whether the database carried out the request."""


def patiently(
    ask: Callable[[], _Made],
    asked: Interruption,
    away: Callable[[InfrastructureError], None] = lambda _: None,
    *,
    within_s: float = 0.3,
    for_s: float | None = None,
) -> _Made:
    """The database's answer. Asks until the database is reachable, or for `for_s` seconds;
    `away` is called with each error.

    Raises EndedError `within_s` seconds after an end was requested, or after the call if it was requested before.
    """
    begun, pause_s = time.monotonic(), _PAUSE_S[0]
    while True:
        try:
            return _answered(ask, asked, within_s)
        except InfrastructureError as error:
            if not is_away(error) or (for_s is not None and time.monotonic() - begun > for_s):
                raise
            away(error)
        wait(asked, _draw.uniform(pause_s, 2 * pause_s))
        pause_s = min(_PAUSE_S[1], 2 * pause_s)
        if asked.requested:
            raise EndedError


def _answered(ask: Callable[[], _Made], asked: Interruption, within_s: float) -> _Made:
    """Runs the call in a thread: a database driver waits for its server in code that no signal ends."""
    answer: Future[_Made] = Future()

    def call() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:  # noqa: BLE001 - it is raised in the calling thread
            answer.set_exception(error)

    threading.Thread(target=call, name="database", daemon=True).start()
    give_up = float("inf")
    while not answer.done():
        if asked.requested:
            give_up = min(give_up, time.monotonic() + within_s)
        if time.monotonic() > give_up:
            raise EndedError
        try:
            return answer.result(_POLL_S)
        except TimeoutError:
            continue
    return answer.result()


def wait(asked: Interruption, seconds: float) -> None:
    """Wait for some time, or until an end is requested."""
    if threading.current_thread() is threading.main_thread():
        with suppress(KeyboardInterrupt), asked.breaks():
            time.sleep(seconds)
        return
    until = time.monotonic() + seconds
    while not asked.requested and time.monotonic() < until:
        time.sleep(min(_POLL_S, max(0.0, until - time.monotonic())))
