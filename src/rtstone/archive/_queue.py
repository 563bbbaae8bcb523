# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What is still to be measured, in the archive's own database: taken by leases, and finished once, whoever dies meanwhile.

A lease has two fencing numbers: how often the measurement was taken, and how often its place was. Each grows whenever somebody takes it.
Whatever a worker writes is checked against both in the same transaction, so a worker that lost its lease changes nothing. All times are
those of the database's clock (an SQLite file: of this machine's).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from sqlalchemy import func, insert, or_, select, text, update
from sqlalchemy.exc import DBAPIError

from rtstone.archive import _database
from rtstone.archive._schema import PLACES, WORK
from rtstone.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rtstone.archive._store import Archive
    from rtstone.model import Run

_FAILURES = 3
"""So often is a measurement tried that goes wrong."""
_LATER_S = 2.0
"""How long it waits after the first of them; twice as long after the second."""


class LeaseLostError(Exception):
    """Another worker has the measurement or its place by now: what was measured under this lease is thrown away."""


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement that one worker has for a while."""

    number: int
    batch: str
    request: str
    """JSON: what to measure."""
    tries: int
    """How often it was taken, this time included."""
    failures: int
    """How often it went wrong before."""
    worker: str
    places: dict[str, int]
    """The places that are held for it -> the number of that holding."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How far a batch has come: measurements by state."""

    waiting: int = 0
    leased: int = 0
    done: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All of the batch."""
        return self.waiting + self.leased + self.done + self.failed

    @property
    def open(self) -> int:
        """Those that are not over."""
        return self.waiting + self.leased


class Queue:
    """The measurements that wait in an archive. Each method is one transaction.

    Each raises InfrastructureError where the database cannot be spoken to; `is_away` says whether to try again.
    """

    def __init__(self, archive: Archive, *, lease_s: float = 60.0) -> None:
        """`lease_s`: how long (seconds) a worker that says nothing keeps what it has taken; longer than an outage of the database."""
        self._archive = archive
        self.lease_s = lease_s

    def add(self, batch: str, work: Sequence[tuple[str, str]]) -> bool:
        """Put a batch in, each measurement as its place and its request; False where it is there already. Place empty: found later."""
        with self._archive.transaction() as connection:
            _lock(connection)
            if connection.execute(select(WORK.c.number).where(WORK.c.batch == batch).limit(1)).first() is not None:
                return False
            blank = {"batch": batch, "state": "waiting", "tries": 0, "failures": 0, "worker": "", "result": ""}
            rows = [blank | {"place": place, "request": request} for place, request in work]
            connection.execute(insert(WORK), rows)
        return True

    def standing(self, batch: str = "") -> Standing:
        """How far a batch has come; empty: all batches."""
        query = select(WORK.c.state, func.count()).group_by(WORK.c.state)
        with self._archive.transaction() as connection:
            found = connection.execute(query.where(WORK.c.batch == batch) if batch else query).all()
        return Standing(**{str(state): int(count) for state, count in found})

    def results(self, batch: str, state: Literal["done", "failed"]) -> tuple[tuple[str, str], ...]:
        """Of the measurements of a batch that ended so: the request, and the run's id or what went wrong."""
        query = select(WORK.c.request, WORK.c.result).where(WORK.c.batch == batch, WORK.c.state == state)
        with self._archive.transaction() as connection:
            return tuple(
                (str(row.request), str(row.result)) for row in connection.execute(query.order_by(WORK.c.number))
            )

    def take(self, worker: str, batch: str = "") -> Lease | None:
        """The next measurement whose place is free, for this worker alone; None: there is none now."""
        with self._archive.transaction() as connection:
            now = _now(connection)
            free = or_(PLACES.c.until.is_(None), PLACES.c.until < now)
            query = (
                select(WORK.c.number, WORK.c.batch, WORK.c.place, WORK.c.request, WORK.c.tries, WORK.c.failures)
                .outerjoin(PLACES, PLACES.c.name == WORK.c.place)
                .where(WORK.c.state.in_(("waiting", "leased")), or_(WORK.c.until.is_(None), WORK.c.until < now), free)
                .order_by(WORK.c.number)
                .limit(1)
                .with_for_update(skip_locked=True, of=WORK)
            )
            found = connection.execute(query.where(WORK.c.batch == batch) if batch else query).first()
            if found is None:
                return None
            places = {}
            if found.place:
                fence = self._occupy(connection, found.place, worker, now)
                if fence is None:
                    return None  # taken by another in this moment; nothing is changed
                places[str(found.place)] = fence
            tries = int(found.tries) + 1
            taken = {"state": "leased", "tries": tries, "worker": worker, "beat": now, "until": now + self.lease_s}
            connection.execute(update(WORK).where(WORK.c.number == found.number).values(taken))
        return Lease(
            number=int(found.number),
            batch=str(found.batch),
            request=str(found.request),
            tries=tries,
            failures=int(found.failures),
            worker=worker,
            places=places,
        )

    def occupy(self, lease: Lease, place: str) -> Lease | None:
        """The lease with a place that was found only now, as a lab gives one of several; None: another worker has it."""
        if place in lease.places:
            return lease
        with self._archive.transaction() as connection:
            now = _now(connection)
            self._extend(connection, lease, now)
            fence = self._occupy(connection, place, lease.worker, now)
        return None if fence is None else msgspec.structs.replace(lease, places=lease.places | {place: fence})

    def beat(self, lease: Lease) -> None:
        """Say that the worker lives: the lease begins anew. Raises LeaseLostError."""
        with self._archive.transaction() as connection:
            self._extend(connection, lease, _now(connection))

    def finish(
        self,
        lease: Lease,
        run: Run | None,
        raw_logs: Sequence[bytes] = (),
        *,
        failure: str = "",
        hopeless: bool = False,
    ) -> bool:
        """Save the run and end its measurement, both or neither; may be repeated. False: it is to be tried once more.

        `failure`: why there is no run to be relied on. Unless `hopeless` it is tried three times; what the last one gave is saved.
        Raises LeaseLostError, and saves nothing, where the lease is another's.
        """
        failures = lease.failures + bool(failure)
        over = not failure or hopeless or failures >= _FAILURES
        result = failure or (run.id if run is not None else "")

        def end(connection: Connection) -> bool:
            if self._has_ended(connection, lease, result):
                return False
            now = _now(connection)
            self._extend(connection, lease, now)
            ended: dict[str, Any] = {"state": "waiting", "until": now + _LATER_S * failures}
            ended |= {"result": result, "failures": failures}
            if over:
                ended |= {"state": "failed" if failure else "done", "until": None}
            connection.execute(update(WORK).where(WORK.c.number == lease.number).values(ended))
            self._leave(connection, lease)
            return over and run is not None and bool(run.sessions)

        if run is None:
            with self._archive.transaction() as connection:
                end(connection)
        else:
            self._archive.save_where(run, raw_logs, end)
        return over

    def give_back(self, lease: Lease, *, later_s: float = 0.0) -> None:
        """Let it be taken again, `later_s` seconds from now: nothing was measured. Where the lease is lost, nothing changes."""
        with self._archive.transaction() as connection:
            back = {"state": "waiting", "worker": "", "until": _now(connection) + later_s if later_s else None}
            connection.execute(update(WORK).where(WORK.c.number == lease.number, *_of(lease)).values(back))
            self._leave(connection, lease)

    def _occupy(self, connection: Connection, place: str, worker: str, now: float) -> int | None:
        if connection.execute(select(PLACES.c.name).where(PLACES.c.name == place)).first() is None:
            _lock(connection)  # two may see it for the first time
            if connection.execute(select(PLACES.c.name).where(PLACES.c.name == place)).first() is None:
                connection.execute(insert(PLACES).values(name=place, fence=0, worker=""))
        free = or_(PLACES.c.until.is_(None), PLACES.c.until < now)
        held = {"fence": PLACES.c.fence + 1, "worker": worker, "until": now + self.lease_s}
        taking = update(PLACES).where(PLACES.c.name == place, free).values(held).returning(PLACES.c.fence)
        fence = connection.execute(taking).scalar()
        return None if fence is None else int(fence)

    def _extend(self, connection: Connection, lease: Lease, now: float) -> None:
        until = now + self.lease_s
        mine = update(WORK).where(WORK.c.number == lease.number, *_of(lease)).values(beat=now, until=until)
        held = connection.execute(mine).rowcount == 1
        for place, fence in lease.places.items():
            row = update(PLACES).where(PLACES.c.name == place, PLACES.c.fence == fence).values(until=until)
            held = connection.execute(row).rowcount == 1 and held
        if not held:
            raise LeaseLostError

    @staticmethod
    def _leave(connection: Connection, lease: Lease) -> None:
        for place, fence in lease.places.items():
            row = update(PLACES).where(PLACES.c.name == place, PLACES.c.fence == fence)
            connection.execute(row.values(until=None, worker=""))

    @staticmethod
    def _has_ended(connection: Connection, lease: Lease, result: str) -> bool:
        """Whether this very ending was done before: its answer was lost on the way."""
        found = connection.execute(
            select(WORK.c.tries, WORK.c.state, WORK.c.result).where(WORK.c.number == lease.number)
        )
        row = found.first()
        return row is not None and row.tries == lease.tries and row.state != "leased" and row.result == result


def is_away(error: InfrastructureError) -> bool:
    """Whether the database cannot be spoken to now, so that the same may be tried again."""
    cause = error.__cause__
    if not isinstance(cause, DBAPIError):
        return False
    return cause.connection_invalidated or type(cause).__name__ in {"OperationalError", "InterfaceError"}


def _of(lease: Lease) -> tuple[Any, ...]:
    return WORK.c.state == "leased", WORK.c.tries == lease.tries, WORK.c.worker == lease.worker


def _now(connection: Connection) -> float:
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())


def _lock(connection: Connection) -> None:
    """One program at a time puts something in; an SQLite file has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _database.LOCK + 1})
