# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A worker: takes measurements from an archive's queue, one at a time, measures them,
and saves the run if the lease is still valid."""

from __future__ import annotations

import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from rtstone.archive import open_queue
from rtstone.archive._queue import LeaseLostError
from rtstone.errors import RtstoneError, UsageError
from rtstone.lab import labgrid
from rtstone.lab._patience import EndedError, patiently, wait
from rtstone.lab.labgrid import PlaceError
from rtstone.measure._asked import ask
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Outcome, measure
from rtstone.model.nodes import NODE
from rtstone.studies import Request
from rtstone.targets import open_target

if TYPE_CHECKING:
    from rtstone.archive._queue import Lease, Queue

_Answer = TypeVar("_Answer")
_IDLE_S = (0.2, 1.0)
"""How long a worker waits before it asks for a measurement again."""
_REST = 6
_REST_S = 20.0
"""While nothing is open it waits for a sixth of the time since it began to rest, at most so long: many idle workers
must not keep the database and a CPU busy."""
_PLACE_S = 2.0
"""How long a measurement waits after its place was not available."""
_GIVE_BACK_S = 0.2
_draw = random.SystemRandom()
_LOST = "thrown away: its lease ended before it did"


class Work(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One measurement of a batch, as stored in the queue.
    A new field raises `rtstone.archive._queue.VERSION` and its own `version`."""

    target: str
    study: str = ""
    measurement: str = ""
    """Used instead of a study."""
    load: str = ""
    """Empty: each target's own."""
    profile: str = "standard"
    count: int = 0
    """Samples of each item; 0: the profile's."""
    seed: int = 1
    label: str = ""
    cpu: int = -1
    """CPU to measure on; -1: the port's choice."""

    @property
    def version(self) -> int:
        """The first version of requests that has every field set here. An older worker leaves the request alone."""
        return 1 if self.cpu == -1 else 2


class WorkerListener:
    """Receives a worker's events. This one ignores them."""

    def taken(self, work: Work) -> None:
        """A measurement begins."""

    def ended(self, work: Work, result: str) -> None:
        """A measurement is over. `result`: the run's id, or the error."""

    def unreadable(self, number: int, reason: str) -> None:
        """A row of the queue holds an unreadable request, and is marked as failed."""

    def held(self, place: str, other: str) -> None:
        """Another worker serves the node; nothing is measured until that one ends."""

    def away(self, error: RtstoneError) -> None:
        """The database is unreachable; the worker tries again."""


class Made(msgspec.Struct, frozen=True):
    """Result of a measurement."""

    outcome: Outcome | None
    failure: str = ""
    """Why the result is not reliable."""
    hopeless: bool = False
    """Another attempt would fail in the same way."""


def decoded(request: str) -> Work:
    """The work of a row in the queue. Raises UsageError, with the reason, for a text that is not such work."""
    try:
        return msgspec.json.decode(request, type=Work)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise UsageError(f"its request cannot be read: {error}") from error


class Worker:
    """Works until it is asked to end, or until nothing of its batch is left."""

    def __init__(
        self,
        where: str,
        request_of: Callable[[Work], Request],
        listener: WorkerListener,
        *,
        lease_s: float,
        most_lost: int | None = None,
        node: str = "",
    ) -> None:
        """`request_of` makes the request of a piece of work for its target,
        and raises UsageError for an impossible one.

        `node`: name of this worker's machine, for measurements of `local@NODE`; empty: it takes none of these.
        `lease_s`, `most_lost`: as in `rtstone.archive.open_queue`.
        """
        self._queue = open_queue(where, lease_s=lease_s, most_lost=most_lost)
        self._request_of = request_of
        self._listener = listener
        self._place = f"{NODE}{node}" if node else ""
        self._name = f"{socket.gethostname()}/{os.getpid()}-{secrets.token_hex(4)}"

    def work(self, batch: str = "", *, until_done: bool = False) -> int:
        """Measures what the queue offers, of this batch or of all. An interrupt ends it in order:
        the current measurement goes back to the queue.

        Returns how many measurements need a newer rtstone.
        """
        need_newer = 0
        with Interruption() as asked:
            with suppress(EndedError):
                while not asked.requested:
                    if not self._serves(asked):
                        wait(asked, _draw.uniform(*_IDLE_S))
                        continue
                    lease = self._asked(asked, lambda: self._queue.take(self._name, batch, place=self._place))
                    if lease is not None:
                        self._carry_out(lease, asked)
                        continue
                    if until_done:
                        newer = self._asked(asked, lambda: self._queue.newer(batch))
                        if self._asked(asked, lambda: self._queue.standing(batch)).open <= newer:
                            need_newer = newer
                            break
                        wait(asked, _draw.uniform(*_IDLE_S))
                    else:
                        self._rest(batch, asked)
            self._serve_no_more(asked)
            labgrid.close(at_once=asked.requested)
        return need_newer

    def _rest(self, batch: str, asked: Interruption) -> None:
        """Waits until something is open; at least for a moment, since its place may be busy. It keeps its node."""
        begun, is_over = time.monotonic(), True
        most_s = min(_REST_S, self._queue.lease_s / 2)  # it serves its node for the time of a lease
        while is_over and not asked.requested:
            rest_s = min(most_s, (time.monotonic() - begun) / _REST)
            wait(asked, max(rest_s, _draw.uniform(*_IDLE_S)))
            is_over = self._serves(asked) and self._asked(asked, lambda: self._queue.is_over(batch))

    def _serves(self, asked: Interruption) -> bool:
        """Whether no other worker serves this worker's node. With two of them, one name would mean two machines."""
        if not self._place:
            return True
        other = self._asked(asked, lambda: self._queue.serve(self._place, self._name))
        if other:
            self._listener.held(self._place, other)
        return not other

    def _beside(self) -> None:
        """Renews the worker's claim to its node with each beat of a measurement."""
        if self._place:
            self._queue.serve(self._place, self._name)

    def _serve_no_more(self, asked: Interruption) -> None:
        if self._place:
            with suppress(RtstoneError, EndedError):
                patiently(
                    lambda: self._queue.serve_no_more(self._place, self._name),
                    asked,
                    within_s=_GIVE_BACK_S,
                    for_s=_GIVE_BACK_S,
                )

    def _asked(self, asked: Interruption, question: Callable[[], _Answer]) -> _Answer:
        """The queue's answer. Repeats the question until the database can be reached. Raises EndedError."""
        return patiently(question, asked, self._listener.away)

    def _carry_out(self, lease: Lease, asked: Interruption) -> None:
        """One measurement, from acquiring its place to its saved run. The caller handles a request to end."""
        try:
            work = decoded(lease.request)
        except UsageError as error:
            self._listener.unreadable(lease.number, str(error))
            self._save(lease, Made(None, str(error), hopeless=True), asked)
            return
        self._listener.taken(work)
        with Interruption(asked) as own, _Holding(self._queue, lease, own, self._beside) as holding:
            said = ""
            try:
                said = self._done(work, holding, own, asked)
            except PlaceError as error:
                self._listener.away(error)
            except LeaseLostError:
                said = _LOST
            except (KeyboardInterrupt, EndedError):
                if not asked.requested:
                    raise
            said = said or (_LOST if holding.lost else "")
            if not said or said == _LOST:  # nothing was saved; a lost lease is not changed
                self._give_back(holding.lease, asked)
        if said:
            self._listener.ended(work, said)

    def _done(self, work: Work, holding: _Holding, own: Interruption, asked: Interruption) -> str:
        """Measures and saves; returns the run's id or the error.
        Empty: the measurement is unfinished, because an end was requested.

        Raises PlaceError and LeaseLostError; KeyboardInterrupt or EndedError where an end was requested.
        """
        try:
            with self._at_its_place(work, holding, asked):
                made = self._measured(work, holding.lease.batch, own)
                if own.requested or holding.lost:
                    return ""
                return self._save(holding.lease, made, asked)
        except PlaceError:
            raise
        except RtstoneError as error:
            return self._save(holding.lease, Made(None, str(error)), asked)

    def _save(self, lease: Lease, made: Made, asked: Interruption) -> str:
        """Ends the measurement, with its run if there is one; returns the run's id or the error."""
        run, logs = (made.outcome.run, made.outcome.logs) if made.outcome is not None else (None, ())
        try:
            self._asked(
                asked,
                lambda: self._queue.finish(lease, run, logs, failure=made.failure, hopeless=made.hopeless),
            )
        except LeaseLostError:
            return _LOST
        return made.failure or (run.id if run is not None else "")

    def _give_back(self, lease: Lease, asked: Interruption) -> None:
        """Returns the measurement to the queue for another worker.
        If the database is unreachable, the lease expires by itself."""
        later_s = 0.0 if asked.requested else _PLACE_S
        with suppress(RtstoneError, EndedError):
            patiently(
                lambda: self._queue.give_back(lease, later_s=later_s), asked, within_s=_GIVE_BACK_S, for_s=_GIVE_BACK_S
            )

    @contextmanager
    def _at_its_place(self, work: Work, holding: _Holding, asked: Interruption) -> Iterator[None]:
        """Reserves a lab's place, whose name is known only now.
        It is locked in the database too, since a lab may lose its reservation.

        The lock is held until the run is saved, then released at once.
        """
        kind, _, text = work.target.partition(":")
        if kind != "labgrid":
            yield
            return
        with asked.breaks():
            place = f"labgrid:{labgrid.acquire(text).place}"
        try:
            lease = self._asked(asked, lambda: self._queue.occupy(holding.lease, place))
            if lease is None:
                raise PlaceError(f"{place}: another worker is measuring there")
            holding.lease = lease
            yield
        finally:
            if not asked.requested:  # else everything is returned at the end
                labgrid.release(text)

    def _measured(self, work: Work, batch: str, own: Interruption) -> Made:
        """Raises PlaceError where the place is lost, KeyboardInterrupt where an end was requested.

        No checkpoints: a measurement of the queue has one run. When a worker dies, its lease ends and another worker measures it from
        the beginning, perhaps at another place. The part that the first one saved would be a second run of the same measurement.
        """
        try:
            with own.breaks():
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
                interruption=own,
            )
        except PlaceError:
            raise
        except UsageError as error:
            return Made(None, str(error), hopeless=True)
        except RtstoneError as error:
            return Made(None, str(error))
        if isinstance(outcome.error, PlaceError):
            raise outcome.error
        problems = [problem for session in outcome.run.sessions for problem in session.problems]
        failure = "" if outcome.run.status == "complete" else problems[0] if problems else "the run is incomplete"
        return Made(outcome, str(outcome.error or failure))


class _Holding:
    """Renews a lease from a thread of its own. If it cannot, it ends the measurement before the lease expires."""

    def __init__(self, queue: Queue, lease: Lease, asked: Interruption, beside: Callable[[], None]) -> None:
        self._queue = queue
        self._beside = beside
        self.lease = lease
        self._asked = asked
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)
        self.lost = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Does not wait for the thread, which may be waiting for an unreachable database. A later beat changes nothing.
        self._over.set()

    def _beat(self) -> None:
        every_s = self._queue.lease_s / 6
        held = time.monotonic()
        while not self._over.wait(every_s):
            begun = time.monotonic()
            try:
                self._queue.beat(self.lease)
                held = begun
                self._beside()
            except LeaseLostError:
                self._lose()
                return
            except RtstoneError:
                # After this time without contact, another worker may soon take the place.
                # This measurement must have ended by then.
                if time.monotonic() - held > self._queue.lease_s * 2 / 3:
                    self._lose()
                    return

    def _lose(self) -> None:
        if not self._over.is_set():
            self.lost = True
            self._asked.request()
