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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from rtstone.archive import open_queue
from rtstone.archive._queue import LeaseLostError
from rtstone.errors import RtstoneError, UsageError
from rtstone.measure._asked import ask
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Outcome, measure
from rtstone.measure._patience import EndedError, patiently, wait
from rtstone.model.nodes import NODE
from rtstone.studies import Request
from rtstone.targets import labgrid, open_target
from rtstone.targets.labgrid import PlaceError

if TYPE_CHECKING:
    from rtstone.archive._queue import Lease, Queue

_Answer = TypeVar("_Answer")
_IDLE_S = (0.2, 1.0)
_PLACE_S = 2.0
"""How long a measurement waits whose place is not to be had now."""
_GIVE_BACK_S = 0.2
_draw = random.SystemRandom()
_LOST = "thrown away: its lease ended before it did"


class Work(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One measurement of a batch, as it waits in the queue. A new field raises `rtstone.archive._queue.VERSION`, and `version` of it."""

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
    cpu: int = -1
    """CPU to measure on; -1: the port's choice."""

    @property
    def version(self) -> int:
        """The first version of requests with every field that is set. A worker that does not know it leaves the request alone."""
        return 1 if self.cpu == -1 else 2


class Listener:
    """Is told what a worker does. This one does nothing with it."""

    def taken(self, work: Work) -> None:
        """A measurement begins."""

    def ended(self, work: Work, result: str) -> None:
        """It is over: the run's id, or what went wrong."""

    def unreadable(self, number: int, reason: str) -> None:
        """A row of the queue has no request that can be read: it has failed."""

    def held(self, place: str, other: str) -> None:
        """Another worker serves the node; nothing is measured until that one ends."""

    def away(self, error: RtstoneError) -> None:
        """The database cannot be spoken to; it is tried again."""


class Made(msgspec.Struct, frozen=True):
    """What came of a measurement."""

    outcome: Outcome | None
    failure: str = ""
    """Why it is not to be relied on."""
    hopeless: bool = False
    """So it is however often it is tried."""


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
        listener: Listener,
        *,
        lease_s: float,
        most_lost: int | None = None,
        node: str = "",
    ) -> None:
        """`request_of` says what a piece of work asks of its target. Raises UsageError for what cannot be.

        `node`: the machine that this worker measures on, for measurements of `local@NODE`; empty: it takes none of these.
        `lease_s`, `most_lost`: as `rtstone.archive.open_queue` has them.
        """
        self._queue = open_queue(where, lease_s=lease_s, most_lost=most_lost)
        self._request_of = request_of
        self._listener = listener
        self._place = f"{NODE}{node}" if node else ""
        self._name = f"{socket.gethostname()}/{os.getpid()}-{secrets.token_hex(4)}"

    def work(self, batch: str = "", *, until_done: bool = False) -> int:
        """Take what there is, of this batch or of all. Ends orderly when it is interrupted: what is under way is given back.

        Returns how many measurements are left to a newer rtstone.
        """
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
                            self._serve_no_more(asked)
                            return newer
                    wait(asked, _draw.uniform(*_IDLE_S))
            self._serve_no_more(asked)
            labgrid.close(at_once=asked.requested)
        return 0

    def _serves(self, asked: Interruption) -> bool:
        """Whether no other worker serves this worker's node. Two would be two machines under one name."""
        if not self._place:
            return True
        other = self._asked(asked, lambda: self._queue.serve(self._place, self._name))
        if other:
            self._listener.held(self._place, other)
        return not other

    def _beside(self) -> None:
        """With each beat of a measurement: the node stays this worker's."""
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
        """What the queue answers, however long the database is away. Raises EndedError."""
        return patiently(question, asked, self._listener.away)

    def _carry_out(self, lease: Lease, asked: Interruption) -> None:
        """One measurement, from its place to its saved run. An end that was asked for is seen by the caller."""
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
            if not said or said == _LOST:  # nothing was saved; of what is another's by now nothing changes
                self._give_back(holding.lease, asked)
        if said:
            self._listener.ended(work, said)

    def _done(self, work: Work, holding: _Holding, own: Interruption, asked: Interruption) -> str:
        """Measures and saves; returns the run's id or what went wrong. Empty: it is not over, since an end was asked for.

        Raises PlaceError and LeaseLostError; KeyboardInterrupt or EndedError where an end was asked for.
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
        """Ends the measurement, with its run where there is one; returns the run's id or what went wrong."""
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
        """Lets another take it; where the database is away the lease ends by itself."""
        later_s = 0.0 if asked.requested else _PLACE_S
        with suppress(RtstoneError, EndedError):
            patiently(
                lambda: self._queue.give_back(lease, later_s=later_s), asked, within_s=_GIVE_BACK_S, for_s=_GIVE_BACK_S
            )

    @contextmanager
    def _at_its_place(self, work: Work, holding: _Holding, asked: Interruption) -> Iterator[None]:
        """A lab says only now which place it is: that is held in the database too, since a lab may forget who has it.

        Held until the run is saved, then released at once.
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
            if not asked.requested:  # else all is given back at the end
                labgrid.release(text)

    def _measured(self, work: Work, batch: str, own: Interruption) -> Made:
        """Raises PlaceError where the place is lost, KeyboardInterrupt where an end was asked for.

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
    """Says to the database, in a thread of its own, that the worker lives; has the measurement end before the lease can."""

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
        # It is not waited for: it may be asking a database that does not answer. A beat that comes later changes nothing.
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
                # Silent for longer: another may take the place, which must be quiet by then.
                if time.monotonic() - held > self._queue.lease_s * 2 / 3:
                    self._lose()
                    return

    def _lose(self) -> None:
        if not self._over.is_set():
            self.lost = True
            self._asked.request()
