# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A worker: takes one measurement after the other out of an archive's queue, carries it out, and saves its run if the lease still holds."""

from __future__ import annotations

import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import msgspec

from rtstone.archive import open_queue
from rtstone.errors import InfrastructureError, RtstoneError, UsageError
from rtstone.measure._asked import ask
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Outcome, measure
from rtstone.studies import Request
from rtstone.targets import open_target
from rtstone.targets.labgrid import PlaceError, acquire, release

if TYPE_CHECKING:
    from rtstone.archive._queue import Lease, Queue

_Made = TypeVar("_Made")
_IDLE_S = (0.2, 1.0)
_PLACE_S = 2.0
"""How long a measurement waits whose place is not to be had now."""
_draw = random.SystemRandom()
_LOST = "thrown away: its lease ended before it did"


class Work(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One measurement of a batch, as it waits in the queue."""

    target: str
    study: str = ""
    measurement: str = ""
    """In place of a study."""
    load: str = ""
    """Empty: each target's own."""
    profile: str = "standard"
    count: int = 0
    """Samples of each item; 0: as the profile has it."""
    seed: int = 1
    label: str = ""


class Listener:
    """Is told what a worker does. This one does nothing with it."""

    def taken(self, work: Work) -> None:
        """A measurement begins."""

    def ended(self, work: Work, result: str) -> None:
        """It is over: the run's id, or what went wrong."""

    def away(self, error: RtstoneError) -> None:
        """The database cannot be spoken to; it is tried again."""


class Worker:
    """Works until it is asked to end, or until nothing of its batch is left."""

    def __init__(
        self, where: str, request_of: Callable[[Work], Request], listener: Listener, *, lease_s: float
    ) -> None:
        """`request_of` says what a piece of work asks of its target. Raises UsageError for what cannot be."""
        self._queue = open_queue(where, lease_s=lease_s)
        self._beats = open_queue(where, lease_s=lease_s)
        self._request_of = request_of
        self._listener = listener
        self._name = f"{socket.gethostname()}/{os.getpid()}-{secrets.token_hex(4)}"

    def work(self, batch: str = "", *, until_done: bool = False) -> None:
        """Take what there is, of this batch or of all. Ends orderly when it is interrupted: what is under way is given back."""
        with Interruption() as asked:
            while not asked.requested:
                lease = self._patiently(asked, lambda: self._queue.take(self._name, batch))
                if lease is not None:
                    if not self._carry_out(lease):
                        return
                    continue
                if until_done:
                    standing = self._patiently(asked, lambda: self._queue.standing(batch))
                    if standing is None or not standing.open:
                        return
                _wait(asked, _draw.uniform(*_IDLE_S))

    def _carry_out(self, lease: Lease) -> bool:
        """One measurement; False: the worker was asked to end."""
        from rtstone.archive._queue import LeaseLostError

        asked = Interruption()
        holding = _Holding(self._beats, lease, asked)
        work = msgspec.json.decode(lease.request, type=Work)
        self._listener.taken(work)
        with holding:
            try:
                outcome, failure, hopeless = self._at_its_place(work, holding, asked)
            except PlaceError as error:
                self._listener.away(error)
                outcome, failure, hopeless = None, "", False
        lease = holding.lease
        if holding.lost:
            self._listener.ended(work, _LOST)
            return True
        if asked.requested or (outcome is None and not failure):
            with suppress(RtstoneError):  # else the lease ends by itself
                self._queue.give_back(lease, later_s=0.0 if asked.requested else _PLACE_S)
            return not asked.requested
        run, logs = (outcome.run, outcome.logs) if outcome is not None else (None, ())
        with Interruption() as waiting:
            try:
                ended = self._patiently(
                    waiting, lambda: self._queue.finish(lease, run, logs, failure=failure, hopeless=hopeless)
                )
                failure = "not saved: it is measured again" if ended is None else failure
            except LeaseLostError:
                failure = _LOST
        self._listener.ended(work, failure or (run.id if run is not None else ""))
        return not waiting.requested

    def _at_its_place(self, work: Work, holding: _Holding, asked: Interruption) -> tuple[Outcome | None, str, bool]:
        """As `_measure`. A lab says only now which place it is: that is held in the database too, since a lab may forget who has it."""
        kind, _, text = work.target.partition(":")
        if kind != "labgrid":
            return self._measure(work, holding.lease.batch, asked)
        try:
            place = f"labgrid:{acquire(text).place}"
            lease = self._queue.occupy(holding.lease, place)
            if lease is None:
                raise PlaceError(f"{place}: another worker is measuring there")
            holding.lease = lease
            return self._measure(work, lease.batch, asked)
        except PlaceError:
            raise
        except RtstoneError as error:
            return None, str(error), False
        finally:
            release(text)

    def _measure(self, work: Work, batch: str, asked: Interruption) -> tuple[Outcome | None, str, bool]:
        """What came of it; why it is not to be relied on; and whether that is so however often it is tried."""
        try:
            request = self._request_of(work)
            target = open_target(work.target)
            plans = ask(target, request).plans
            outcome = measure(
                target,
                lambda number: plans[number],
                len(plans),
                studies=tuple(study.id for study in request.studies),
                profile=request.profile,
                label=work.label,
                group=batch,
                interruption=asked,
            )
        except PlaceError:
            raise
        except UsageError as error:
            return None, str(error), True
        except RtstoneError as error:
            return None, str(error), False
        if isinstance(outcome.error, PlaceError):
            raise outcome.error
        problems = [problem for session in outcome.run.sessions for problem in session.problems]
        failure = "" if outcome.run.status == "complete" else problems[0] if problems else "the run is incomplete"
        return outcome, str(outcome.error or failure), False

    def _patiently(self, asked: Interruption, ask_database: Callable[[], _Made]) -> _Made | None:
        """What the database answers, however long it is away; None where the worker is asked to end meanwhile."""
        from rtstone.archive._queue import is_away

        pause_s = 0.1
        while True:
            try:
                return ask_database()
            except InfrastructureError as error:
                if not is_away(error):
                    raise
                self._listener.away(error)
            _wait(asked, _draw.uniform(pause_s, 2 * pause_s))
            pause_s = min(2.0, 2 * pause_s)
            if asked.requested:
                return None


class _Holding:
    """Says to the database, in a thread of its own, that the worker lives; has the measurement end before the lease can."""

    def __init__(self, queue: Queue, lease: Lease, asked: Interruption) -> None:
        self._queue = queue
        self.lease = lease
        self._asked = asked
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)
        self.lost = False

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """No beat comes after this."""
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        from rtstone.archive._queue import LeaseLostError

        every_s = self._queue.lease_s / 6
        held = time.monotonic()
        while not self._over.wait(every_s):
            begun = time.monotonic()
            try:
                self._queue.beat(self.lease)
                held = begun
            except LeaseLostError:
                self._lose()
                return
            except RtstoneError:
                # Silent for longer: another may take the place, which must be quiet by then.
                if time.monotonic() - held > self._queue.lease_s * 2 / 3:
                    self._lose()
                    return

    def _lose(self) -> None:
        self.lost = True
        self._asked.request()


def _wait(asked: Interruption, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not asked.requested and time.monotonic() < until:
        time.sleep(min(0.1, max(0.0, until - time.monotonic())))
