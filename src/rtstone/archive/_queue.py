# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The queue of measurements still to be done, in the archive's own database. A worker leases a measurement, which is
finished exactly once even if workers die.

A lease has two fencing numbers: how often the measurement was leased, and how often its place was. Each grows with
every lease. A worker's writes are checked against both in the same transaction, so a worker that lost its lease changes
nothing. All times are those of the database's clock (for an SQLite file, of this machine's clock).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from sqlalchemy import Double, cast, func, insert, literal, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from rtstone.archive import _database
from rtstone.archive._schema import PLACES, WORK
from rtstone.errors import InfrastructureError
from rtstone.model.nodes import NODE
from rtstone.model.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Select

    from rtstone.archive._store import RunStore
    from rtstone.model import Run

VERSION = 2
"""The newest version of requests that this rtstone writes and reads. Newer requests are left to newer workers. Version
2 adds a CPU, and requests of a node."""
_SERVES = "worker of "
"""The prefix of the place that a worker holds while it serves a node; `local@NODE` follows."""
MOST_LOST = 5
"""How many workers a measurement may lose by default."""
_STATES = ("waiting", "leased", "done", "failed")
_OPEN = ("waiting", "leased")
_FAILURES = 3
"""After this many failures a measurement is not tried again."""
_LATER_S = 2.0
"""How long (s) a measurement waits after its first failure; twice as long after the second."""


class LeaseLostError(Exception):
    """Another worker has the measurement or its place by now. Results measured under this lease are discarded."""


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement that one worker holds for a limited time."""

    number: int
    batch: str
    request: str
    """The measurement's request, as JSON."""
    tries: int
    """How often the measurement was leased, this lease included."""
    failures: int
    """How often the measurement failed before."""
    worker: str
    places: dict[str, int]
    """The places that are held for it -> the fencing number of each."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a batch: the number of measurements in each state."""

    waiting: int = 0
    leased: int = 0
    done: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All measurements of the batch."""
        return self.waiting + self.leased + self.done + self.failed

    @property
    def open(self) -> int:
        """Measurements that have not ended."""
        return self.waiting + self.leased


class Queue:
    """The measurements that wait in an archive. Each method is one transaction.

    Each raises InfrastructureError when the database does not work; `is_away` shows whether to try again.
    """

    def __init__(self, archive: RunStore, *, lease_s: float = 60.0, most_lost: int = MOST_LOST) -> None:
        """`lease_s`: how long (seconds) a silent worker keeps its measurement. Choose it longer than an outage of the
        database.

        `most_lost`: a measurement has failed when it has lost this many workers (at least 1), so that their leases
        expired.
        """
        self._archive = archive
        self._most_lost = most_lost
        self.lease_s = lease_s

    def add(self, batch: str, work: Sequence[tuple[str, str]], *, version: int = 1) -> bool:
        """Add a batch of measurements, each with its place and its request. False: the batch exists already. An empty
        place is found later.

        `version`: the version of the requests; requests of nodes get at least 2. Workers that do not know a version
        leave its requests alone.
        """
        with self._archive.transaction() as connection:
            _lock(connection)
            if connection.execute(select(WORK.c.number).where(WORK.c.batch == batch).limit(1)).first() is not None:
                return False
            blank: dict[str, str | int] = {"batch": batch, "state": "waiting", "worker": "", "result": ""}
            blank |= dict.fromkeys(("tries", "failures", "expired"), 0)
            rows = [
                blank
                | {"place": place, "request": request, "version": max(version, 2 if place.startswith(NODE) else 1)}
                for place, request in work
            ]
            connection.execute(insert(WORK), rows)
        return True

    def standing(self, batch: str = "") -> Standing:
        """The progress of a batch; empty: of all batches."""
        query = select(WORK.c.state, func.count()).group_by(WORK.c.state)
        found = self._read(query, batch)
        by_state = {str(row[0]): int(row[1]) for row in found}
        later = sum(count for state, count in by_state.items() if state not in _STATES)  # states of a newer rtstone
        return Standing(**{state: by_state.get(state, 0) + (later if state == "waiting" else 0) for state in _STATES})

    def is_over(self, batch: str = "") -> bool:
        """Whether nothing is open, of a batch or of all. It costs the same however many measurements are finished."""
        query = select(WORK.c.number).where(WORK.c.state.in_(_OPEN)).limit(1)
        return not self._read(query, batch)

    def newer(self, batch: str = "") -> int:
        """How many open measurements, of a batch or of all, only a newer rtstone can do, since this one cannot read
        their requests."""
        query = select(func.count()).select_from(WORK).where(WORK.c.version > VERSION, WORK.c.state.not_in(_STATES[2:]))
        found = self._read(query, batch)
        return int(found[0][0]) if found else 0

    def results(self, batch: str, state: Literal["done", "failed"]) -> tuple[tuple[str, str], ...]:
        """For each measurement of a batch that ended in this state: the request, and the run's id or the reason of the
        failure."""
        query = select(WORK.c.request, WORK.c.result).where(WORK.c.state == state).order_by(WORK.c.number)
        return tuple((str(row.request), str(row.result)) for row in self._read(query.where(WORK.c.batch == batch)))

    def _read(self, query: Select[Any], batch: str = "") -> Sequence[Any]:
        """All rows, of a batch or of all, which no writer delays; none before the archive has tables."""
        try:
            with self._archive.reading() as connection:
                return connection.execute(query.where(WORK.c.batch == batch) if batch else query).all()
        except _database.EmptyError:
            return ()

    def serve(self, place: str, worker: str) -> str:
        """Reserve a node for this worker alone, for the time of a lease. Repeat it to extend the time. `place`:
        `local@NODE`.

        Returns an empty text, or the name of the other worker that serves the node.
        """
        name = _SERVES + place
        with self._archive.transaction() as connection:
            own = update(PLACES).where(PLACES.c.name == name, PLACES.c.worker == worker)
            now = _now(connection)
            if connection.execute(own.values(until=now + self.lease_s)).rowcount == 1:
                return ""
            if self._occupy(connection, name, worker) is not None:
                return ""
            other = connection.execute(select(PLACES.c.worker).where(PLACES.c.name == name)).scalar()
        return str(other or "another worker")

    def serve_no_more(self, place: str, worker: str) -> None:
        """End `serve`, so that another worker can serve the node at once."""
        with self._archive.transaction() as connection:
            mine = update(PLACES).where(PLACES.c.name == _SERVES + place, PLACES.c.worker == worker)
            connection.execute(mine.values(until=None, worker=""))

    def unserved(self, batch: str) -> tuple[str, ...]:
        """The places `local@NODE` of a batch at which measurements wait but no worker serves the node now, sorted."""
        waiting = select(WORK.c.place).distinct().where(WORK.c.batch == batch, WORK.c.state == "waiting")
        with self._archive.transaction() as connection:
            places = connection.execute(waiting.where(WORK.c.place.like(f"{NODE}%"))).scalars().all()
            names = [_SERVES + str(place) for place in places]
            served = select(PLACES.c.name).where(PLACES.c.name.in_(names), PLACES.c.until >= _now(connection))
            found = set(connection.execute(served).scalars())
        return tuple(sorted(str(place) for place in places if _SERVES + str(place) not in found))

    def take(self, worker: str, batch: str = "", *, place: str = "") -> Lease | None:
        """Lease the next measurement whose place is free to this worker; None: no measurement is ready now.

        `place`: the node that the worker serves, as `local@NODE`. Measurements of other nodes are left to their
        workers. A measurement that has lost too many workers is marked as failed and passed over.
        """
        with self._archive.transaction() as connection:
            now = _now(connection)
            free = _free(now)
            due = or_(WORK.c.until.is_(None), WORK.c.until < now)
            names = ("number", "batch", "place", "state", "request", "tries", "failures", "expired")
            query = (
                select(*(WORK.c[name] for name in names))
                .outerjoin(PLACES, PLACES.c.name == WORK.c.place)
                .where(WORK.c.state.in_(_OPEN), WORK.c.version <= VERSION, due, free)
                .where(or_(WORK.c.place.not_like(f"{NODE}%"), WORK.c.place == place))
                .order_by(WORK.c.number)
                .limit(1)
                .with_for_update(skip_locked=True, of=WORK)
            )
            query = query.where(WORK.c.batch == batch) if batch else query
            while (found := connection.execute(query).first()) is not None:
                expired = int(found.expired) + (found.state == "leased")
                mine = update(WORK).where(WORK.c.number == found.number)
                if expired < self._most_lost:
                    break
                lost = (
                    f"{counted(expired, 'worker')} did not end it: each was killed, stopped or cut off while measuring"
                )
                connection.execute(mine.values(state="failed", expired=expired, result=lost, until=None))
            if found is None:
                return None
            places = {}
            if found.place:
                fence = self._occupy(connection, str(found.place), worker)
                if fence is None:
                    return None  # another worker has just taken the place
                places[str(found.place)] = fence
            tries = int(found.tries) + 1
            taken = {"state": "leased", "tries": tries, "worker": worker, "beat": now, "until": now + self.lease_s}
            connection.execute(mine.values(taken | {"expired": expired}))
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
        """The lease with a further place that was found only now, such as one of several in a lab; None: another worker
        has the place."""
        if place in lease.places:
            return lease
        with self._archive.transaction() as connection:
            self._extend(connection, lease)
            fence = self._occupy(connection, place, lease.worker)
        return None if fence is None else msgspec.structs.replace(lease, places=lease.places | {place: fence})

    def beat(self, lease: Lease) -> None:
        """Renew the lease, since the worker lives. Raises LeaseLostError."""
        with self._archive.transaction() as connection:
            self._extend(connection, lease)

    def finish(
        self,
        lease: Lease,
        run: Run | None,
        raw_logs: Sequence[bytes] = (),
        *,
        failure: str = "",
        hopeless: bool = False,
    ) -> bool:
        """Save the run and end its measurement, both or neither. The call may be repeated. False: the measurement will
        be tried again.

        `failure`: why there is no reliable run. Unless `hopeless`, a failed measurement is tried three times; the run
        of the last try is saved. Raises LeaseLostError, and saves nothing, when the lease was lost.
        """
        failures = lease.failures + bool(failure)
        over = not failure or hopeless or failures >= _FAILURES
        result = failure or (run.id if run is not None else "")

        def end(connection: Connection) -> bool:
            ended: dict[str, Any] = {"state": "waiting", "until": _now(connection) + _LATER_S * failures}
            ended |= {"result": result, "failures": failures}
            if over:
                ended |= {"state": "failed" if failure else "done", "until": None}
            mine = update(WORK).where(WORK.c.number == lease.number, *_of(lease)).values(ended)
            if connection.execute(mine).rowcount != 1:
                if self._has_ended(connection, lease, result):
                    return False
                raise LeaseLostError
            if self._leave(connection, lease) != len(lease.places):
                raise LeaseLostError
            return over and run is not None and bool(run.sessions)

        if run is None:
            with self._archive.transaction() as connection:
                end(connection)
        else:
            self._archive.save_where(run, raw_logs, end)
        return over

    def give_back(self, lease: Lease, *, later_s: float = 0.0) -> None:
        """Return an unmeasured lease to the queue, which leases it again after `later_s` seconds. A lost lease changes
        nothing."""
        with self._archive.transaction() as connection:
            back = {"state": "waiting", "worker": "", "until": _now(connection) + later_s if later_s else None}
            connection.execute(update(WORK).where(WORK.c.number == lease.number, *_of(lease)).values(back))
            self._leave(connection, lease)

    def _occupy(self, connection: Connection, place: str, worker: str) -> int | None:
        """Take a place for a worker and return its new fencing number; None: another worker has the place. One
        statement, since two workers may insert a new place at the same time."""
        now = _now(connection)
        held = {"worker": worker, "until": now + self.lease_s}
        made = (postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert)(PLACES)
        taking = (
            made.values(name=place, fence=1, **held)
            .on_conflict_do_update(
                index_elements=[PLACES.c.name], set_={"fence": PLACES.c.fence + 1, **held}, where=_free(now)
            )
            .returning(PLACES.c.fence)
        )
        fence = connection.execute(taking).scalar()
        return None if fence is None else int(fence)

    def _extend(self, connection: Connection, lease: Lease) -> None:
        now = _now(connection)
        until = now + self.lease_s
        mine = update(WORK).where(WORK.c.number == lease.number, *_of(lease)).values(beat=now, until=until)
        held = connection.execute(mine).rowcount == 1
        for place, fence in lease.places.items():
            row = update(PLACES).where(PLACES.c.name == place, PLACES.c.fence == fence)
            held = connection.execute(row.values(until=until)).rowcount == 1 and held
        if not held:
            raise LeaseLostError

    @staticmethod
    def _leave(connection: Connection, lease: Lease) -> int:
        """Frees the places that the lease still holds. Returns their number."""
        left = 0
        for place, fence in lease.places.items():
            row = update(PLACES).where(PLACES.c.name == place, PLACES.c.fence == fence)
            left += connection.execute(row.values(until=None, worker="")).rowcount
        return left

    @staticmethod
    def _has_ended(connection: Connection, lease: Lease, result: str) -> bool:
        """Whether the same `finish` was committed before, and its answer was lost."""
        found = connection.execute(
            select(WORK.c.tries, WORK.c.state, WORK.c.result).where(WORK.c.number == lease.number)
        )
        row = found.first()
        return row is not None and row.tries == lease.tries and row.state != "leased" and row.result == result


def is_away(error: InfrastructureError) -> bool:
    """Whether the error means that the database cannot be reached now, so that trying again may help."""
    cause = error.__cause__
    if not isinstance(cause, DBAPIError):
        return False
    return cause.connection_invalidated or type(cause).__name__ in {"OperationalError", "InterfaceError"}


def _of(lease: Lease) -> tuple[Any, ...]:
    return WORK.c.state == "leased", WORK.c.tries == lease.tries, WORK.c.worker == lease.worker


def _now(connection: Connection) -> ColumnElement[float]:
    """The time by the database's clock (s since 1970), for use within a statement."""
    if connection.dialect.name != "postgresql":
        return literal(time.time())
    return cast(func.extract("epoch", func.clock_timestamp()), Double)


def _free(now: ColumnElement[float]) -> ColumnElement[bool]:
    return or_(PLACES.c.until.is_(None), PLACES.c.until < now)


def _lock(connection: Connection) -> None:
    """Lets one program at a time add a batch. An SQLite file has only one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _database.LOCK + 1})
