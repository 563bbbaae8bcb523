# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive: save a run, find it again, list, delete."""

from __future__ import annotations

import gc
import hashlib
import hmac
import weakref
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, TypeVar

import msgspec
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from rtstone.archive import _database, _documents, _fallback, _packing, _prune
from rtstone.archive._location import WAIT_S
from rtstone.archive._records import GateVerdict, Pruned, ResultRow, RunSummary
from rtstone.archive._references import find_all, find_run
from rtstone.archive._schema import DOCUMENTS, RAW_LOGS, RESULTS, RUNS, SESSIONS
from rtstone.archive._views import RIGHTS
from rtstone.errors import InfrastructureError, RtstoneError, UsageError, this_program

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlalchemy import ColumnElement, Connection, Table

    from rtstone.archive._location import Location
    from rtstone.model import Run

_Row = TypeVar("_Row", bound=msgspec.Struct)
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
_AT_ONCE = 50
"""Most packed runs that are read in one transaction. No writer of an SQLite file can commit while it lasts."""
_EARLIER = 20
"""How many earlier runs are searched for one with the same main quantity."""


def _without_collector(method: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Turns the garbage collector off during a method. A run has tens of thousands of pairs and no reference cycles;
    looking for cycles takes half of the time of unpacking."""

    @wraps(method)
    def quietly(*words: _Given.args, **options: _Given.kwargs) -> _Made:
        if not gc.isenabled():
            return method(*words, **options)
        gc.disable()
        try:
            return method(*words, **options)
        finally:
            gc.enable()

    return quietly


class RunStore:
    """Runs in a database. Each method is one transaction; every error is an InfrastructureError or UsageError."""

    def __init__(
        self, location: Location, *, wait_s: float = WAIT_S, read_only: bool = False, keep_connection: bool = False
    ) -> None:
        """`keep_connection`: a server's connection stays open between transactions. Do not use such an archive after a
        fork."""
        self.location = location
        self.brought_in: list[str] = []
        """Ids of runs that earlier saves had to write to files, and that are in the archive now."""
        self._wait_s = wait_s
        self._engine = _database.connect(location, wait_s, read_only=read_only, keep=keep_connection)
        if keep_connection:
            weakref.finalize(self, self._engine.dispose)

    def save(self, run: Run, raw_logs: Sequence[bytes] = (), *, owner: str = "") -> str:
        """Save a run and the raw stream of each of its sessions, and return its id. `owner`: the owner of its
        checkpoints, if any.

        The save is one transaction. If the archive cannot save the run, the run is written to a file, and the
        InfrastructureError names that file. The next save here brings it in, or `rtstone import FILE`.
        A run of this id that is final, or another owner's, is not changed.
        """
        try:
            self._save(run, raw_logs, owner, final=True)
        except RtstoneError as error:
            path = _fallback.keep(run, raw_logs, self.location, owner)
            raise InfrastructureError(f"{error}; the run is kept in {path} ({self._way_in(path)})") from error
        self._bring_in_kept()
        return run.id

    def checkpoint(self, run: Run, raw_logs: Sequence[bytes], *, owner: str) -> None:
        """Save a run that is under way: adds its new parts since the last checkpoint, in one transaction.

        Complete sessions in the archive stay as they are. An incomplete last session may have grown, so it is saved
        again, with its log.

        `owner` is a secret of the run's own writer. A program with another `owner` cannot change the run.
        """
        self._save(run, raw_logs, owner, final=False)

    def save_where(self, run: Run, raw_logs: Sequence[bytes], still: Callable[[Connection], bool]) -> None:
        """Save a run in the transaction in which `still` returns True; an error undoes everything. A run that cannot be
        saved is not written to a file."""
        self._save(run, raw_logs, "", final=True, still=still)

    def transaction(self) -> AbstractContextManager[Connection]:
        """A transaction that may write, for the queue of measurements still to be done."""
        return _database.writing(self._engine, self.location, self._wait_s)

    def _save(
        self,
        run: Run,
        raw_logs: Sequence[bytes],
        owner: str,
        *,
        final: bool,
        still: Callable[[Connection], bool] | None = None,
    ) -> None:
        from rtstone.archive import _figures  # needs statistics, which a reader need not import

        mine = hashlib.sha256(owner.encode()).hexdigest() if owner else ""
        # Do the slow work before the transaction, for which other writers wait.
        kept = self._kept(run, mine)
        row = _figures.run_row(run, final=final) | {"owner": "" if final else mine}
        head = _documents.pack(_documents.encode_head(run))
        added: list[tuple[Table, list[dict[str, Any]]]] = [
            (SESSIONS, list(_figures.session_rows(run, kept.sessions))),
            (RESULTS, list(_figures.result_rows(run, kept.sessions))),
            (RAW_LOGS, [_log(position, raw_logs[position]) for position in range(kept.logs, len(raw_logs))]),
        ]
        with _database.writing(self._engine, self.location, self._wait_s) as connection:
            if still is not None and not still(connection):
                return
            if _kept_of(connection, run, mine, self.location) != kept:
                raise InfrastructureError(f"archive {self.location}: run {run.id} was changed while it was saved")
            number = self._head(connection, row, kept, run.version, head)
            for table, rows in added:
                if rows:
                    connection.execute(insert(table), [{"run": number, **one} for one in rows])
            _take_turn(connection, number)

    def _head(self, connection: Connection, row: dict[str, Any], kept: _Kept, version: str, document: bytes) -> int:
        """Makes or updates the run's rows other than its sessions, and returns its number."""
        number = kept.number
        if number is None:
            try:
                number = _next_number(connection)
                connection.execute(insert(RUNS).values(row | {"number": number, "turn": -number}))
            except IntegrityError as error:
                raise _there_already(self.location, row["id"]) from error
            connection.execute(insert(DOCUMENTS).values(run=number, version=version, data=document))
            return number
        if kept.renew:
            for table, column, first in (
                (SESSIONS, SESSIONS.c.position, kept.sessions),
                (RESULTS, RESULTS.c.session, kept.sessions),
                (RAW_LOGS, RAW_LOGS.c.position, kept.logs),
            ):
                connection.execute(delete(table).where(table.c.run == number, column >= first))
        if connection.execute(update(RUNS).where(RUNS.c.number == number).values(row)).rowcount != 1:
            raise _anothers(self.location, row["id"])
        connection.execute(update(DOCUMENTS).where(DOCUMENTS.c.run == number).values(version=version, data=document))
        return number

    def _kept(self, run: Run, mine: str) -> _Kept:
        """The parts of the run that the archive has already. Raises InfrastructureError when the run there is final or
        another owner's."""
        if not mine or self._is_new():
            return _Kept()
        try:
            with self.reading() as connection:
                return _kept_of(connection, run, mine, self.location)
        except _database.EmptyError:
            return _Kept()

    def load(self, reference: str = "last") -> Run:
        """The run that a reference names: an id, a unique beginning of an id or of its random part, `last`, `last~N` (N
        before the last), a label or a target (its last run), or `LABEL~N` (N before the label's last run).

        Raises UsageError if there is no such run, InfrastructureError if it cannot be read.
        """
        with self._opened() as connection:
            number, run_id = find_run(connection, reference, self.location)
            (packed,) = _packed_runs(connection, [(number, run_id)])
        return self._unpacked(packed)

    @_without_collector
    def load_parts(self, references: Sequence[str], quantities: Collection[str]) -> tuple[Run, ...]:
        """These runs in the given order, each with only the results of these quantities. The other results are not
        unpacked.

        Raises as :meth:`load` does.
        """
        made: list[Run] = []
        for begin in range(0, len(references), _AT_ONCE):
            with self._opened() as connection:
                found = find_all(connection, references[begin : begin + _AT_ONCE], self.location)
                packed = _packed_runs(connection, found)
            made += [self._unpacked(one, frozenset(quantities)) for one in packed]
        return tuple(made)

    @_without_collector
    def _unpacked(self, packed: _Packed, quantities: Collection[str] | None = None) -> Run:
        where = f"run {packed.id} in archive {self.location}"
        if not isinstance(packed.head, bytes):
            raise InfrastructureError(f"{where} is damaged: it has no document")
        head = _documents.unpack(packed.head, where)
        sessions: list[bytes] = []
        size = len(head)
        for one in packed.sessions:
            sessions.append(_packing.unpack_session(one, where, size, quantities))
            size += len(sessions[-1])
        run = _documents.join(head, sessions, where)
        if quantities is None:
            return run
        # A session saved by an older rtstone has all results in one part.
        parts = [
            msgspec.structs.replace(
                one, results=tuple(result for result in one.results if result.quantity in quantities)
            )
            for one in run.sessions
        ]
        return msgspec.structs.replace(run, sessions=tuple(parts))

    def find(self, reference: str, *, single: bool = False) -> str:
        """The id of the run that a reference names. Raises UsageError if there is no such run.

        `single`: refuses a target, and a label of several runs. Use it before a run is removed.
        """
        with self._opened() as connection:
            return find_run(connection, reference, self.location, single=single)[1]

    def bring_in(self, file: Path) -> str:
        """Save the run of a JSON file, with the `.<n>.stream` files next to it, and return its id.

        Raises InfrastructureError if the file cannot be read or its run is in the archive already.
        """
        try:
            run = _documents.decode(file.read_bytes(), str(file))
            logs = [log.read_bytes() for log in _fallback.logs_beside(file)]
            owner = _fallback.owner_beside(file)
        except OSError as error:
            raise InfrastructureError(f"{file}: {error.strerror}") from error
        self._save(run, logs, owner, final=True)
        return run.id

    def _bring_in_kept(self) -> None:
        """Saves the runs that earlier saves had to write to files. A run that still cannot be saved stays in its file;
        its own save has reported it."""
        for file in _fallback.kept_for(self.location):
            try:
                run_id = self.bring_in(file)
            except RtstoneError as error:
                if isinstance(error.__cause__, DBAPIError):
                    return  # the database itself fails, and would make each other run wait too
                if not self._has(file):
                    continue
            else:
                self.brought_in.append(run_id)
            _fallback.forget(file)

    def _has(self, file: Path) -> bool:
        """Whether the archive has exactly the run of this file: another program brought it in, or was killed before it
        could remove the file."""
        try:
            run = _documents.decode(file.read_bytes(), str(file))
            return self.load(run.id) == run
        except (RtstoneError, OSError):
            return False

    def _way_in(self, path: Path) -> str:
        if path in _fallback.kept_for(self.location):
            return f"the next save brings it in, and so does {this_program()} import"
        return f"{this_program()} import brings it in"

    def upgrade(self) -> bool:
        """Upgrade the tables of an older rtstone, with their runs. False: they were up to date. Raises UsageError
        without an archive."""
        if self._is_new():
            raise UsageError(f"there is no archive {self.location}")
        with _database.writing(self._engine, self.location, self._wait_s, upgrade=True) as connection:
            upgraded = bool(connection.info.pop("rtstone_upgraded", False))
            if upgraded:
                self._judge(connection)
        return upgraded

    def _judge(self, connection: Connection) -> None:
        """Fills in the verdicts and main figures of runs that an older rtstone saved. A run that cannot be read gets no
        verdict."""
        from rtstone.archive import _figures

        query = select(RUNS.c.number, RUNS.c.id).where(RUNS.c.verdict == "").order_by(RUNS.c.number)
        for number, run_id in connection.execute(query).all():
            (packed,) = _packed_runs(connection, [(number, run_id)])
            try:
                run = self._unpacked(packed)
            except InfrastructureError:
                continue
            connection.execute(update(RUNS).where(RUNS.c.number == number).values(_figures.judged_row(run)))

    def record_gate(self, run_ids: Collection[str], gate: GateVerdict) -> None:
        """Record the verdict of `rtstone check` on these runs, instead of an earlier one. Runs that are not in the
        archive are skipped, and runs of which another check file has a worse verdict: a check by the way does not hide
        that the gate failed."""
        if self._is_new():
            return
        with _database.writing(self._engine, self.location, self._wait_s) as connection:
            said = msgspec.json.encode(gate).decode()
            earlier = connection.execute(select(RUNS.c.id, RUNS.c.gate).where(RUNS.c.id.in_(run_ids))).all()
            mine = [
                run
                for run, before in earlier
                if not before or gate.replaces(msgspec.json.decode(before, type=GateVerdict))
            ]
            if connection.execute(update(RUNS).where(RUNS.c.id.in_(mine)).values(gate=said)).rowcount < len(mine):
                raise InfrastructureError(
                    f"archive {self.location}: a judged run is another writer's; nothing was changed"
                )

    def raw_logs(self, reference: str = "last") -> tuple[bytes, ...]:
        """All raw streams that were saved of a run's sessions, in order."""
        with self._opened() as connection:
            number, run_id = find_run(connection, reference, self.location)
            found = connection.execute(
                select(RAW_LOGS.c.position, RAW_LOGS.c.data)
                .where(RAW_LOGS.c.run == number)
                .order_by(RAW_LOGS.c.position)
            ).all()
        return tuple(_packing.unpack_log(log, f"raw log {position} of run {run_id}") for position, log in found)

    def list(
        self,
        limit: int | None = None,
        *,
        target: str | None = None,
        study: str | None = None,
        kernel: str | None = None,
        status: str | None = None,
        group: str | None = None,
        label: str | None = None,
        machine: str | None = None,
        machine_id: str | None = None,
        quantity: str | None = None,
    ) -> tuple[RunSummary, ...]:
        """Runs, the last saved first. Each filter must match (kernel: a part of its name; machine: its name, or the
        beginning of its id; machine_id: its whole id; quantity: the run has a result of it).

        An archive that does not exist yet is empty.
        """
        query = select(RUNS).order_by(RUNS.c.turn.desc(), RUNS.c.number.desc()).limit(limit)
        if target is not None:
            query = query.where(RUNS.c.target == target)
        if study is not None:
            query = query.where(RUNS.c.studies.contains(f",{study},", autoescape=True))
        if kernel is not None:
            query = query.where(RUNS.c.kernel.contains(kernel, autoescape=True))
        if status is not None:
            query = query.where(RUNS.c.status == status)
        if group is not None:
            query = query.where(RUNS.c.group == group)
        if label is not None:
            query = query.where(RUNS.c.label == label)
        if machine is not None:
            query = query.where(_of_machine(machine))
        if machine_id is not None:
            query = query.where(RUNS.c.machine == machine_id)
        if quantity is not None:
            # Not IN: that would read every result of the quantity, whatever the limit is.
            of_run = select(RESULTS.c.run).where(RESULTS.c.run == RUNS.c.number, RESULTS.c.quantity == quantity)
            query = query.where(of_run.exists())
        try:
            with self.reading() as connection:
                return tuple(summary(dict(row._mapping), self.location) for row in connection.execute(query))
        except _database.EmptyError:
            return ()

    def earlier(self, run_id: str) -> RunSummary | None:
        """The last complete run saved before this one that has the same machine, target and main quantity.

        Returns None if no run fits, and for a run of an unknown machine.
        """
        try:
            with self.reading() as connection:
                mine = connection.execute(select(RUNS).where(RUNS.c.id == run_id)).first()
                if mine is None or not mine.machine:
                    return None
                alike = (RUNS.c.machine == mine.machine, RUNS.c.target == mine.target, RUNS.c.turn < mine.turn)
                query = select(RUNS).where(*alike, RUNS.c.owner == "", RUNS.c.status == "complete")
                rows = connection.execute(query.order_by(RUNS.c.turn.desc()).limit(_EARLIER)).all()
        except _database.EmptyError:
            return None
        now = summary(dict(mine._mapping), self.location)
        before = (summary(dict(row._mapping), self.location) for row in rows)
        return next(
            (one for one in before if one.main and now.main and one.main[0].quantity == now.main[0].quantity), None
        )

    def results(
        self,
        quantity: str,
        *,
        target: str | None = None,
        kernel: str | None = None,
        machine: str | None = None,
        limit: int | None = None,
    ) -> tuple[ResultRow, ...]:
        """Every result of a quantity, the last saved first. Target and kernel must match completely, the machine as in
        `list`."""
        table = RESULTS.c
        columns = [table[name] for name in ("target", "kernel", "measurement", "quantity", "pass", "load", "sched")]
        columns += [table[name] for name in ("cache", "timer", "variant", "meaning", "status", "count")]
        columns += [table[name] for name in ("min_ns", "mean_ns", "p50_ns", "p99_ns", "max_ns")]
        query = (
            select(RUNS.c.id.label("run"), RUNS.c.started, RUNS.c.machine, *columns)
            .join(RUNS, RUNS.c.number == RESULTS.c.run)
            .where(RESULTS.c.quantity == quantity)
            .order_by(RESULTS.c.number.desc())
            .limit(limit)
        )
        if target is not None:
            query = query.where(RESULTS.c.target == target)
        if kernel is not None:
            query = query.where(RESULTS.c.kernel == kernel)
        if machine is not None:
            query = query.where(_of_machine(machine))
        try:
            with self.reading() as connection:
                return tuple(convert(row._mapping, ResultRow, self.location) for row in connection.execute(query))
        except _database.EmptyError:
            return ()

    def quantities(self) -> tuple[str, ...]:
        """The names of the quantities that have results, sorted."""
        query = select(RESULTS.c.quantity).distinct().order_by(RESULTS.c.quantity)
        try:
            with self.reading() as connection:
                return tuple(map(str, connection.execute(query).scalars()))
        except _database.EmptyError:
            return ()

    def delete(self, reference: str) -> str:
        """Remove a run with all its rows, and return its id. Raises UsageError if there is no such run."""
        if self._is_new():
            raise UsageError(f"no run '{reference}': archive {self.location} is empty")
        with _database.writing(self._engine, self.location, self._wait_s) as connection:
            number, run_id = find_run(connection, reference, self.location, single=True)
            if connection.execute(delete(RUNS).where(RUNS.c.number == number)).rowcount != 1:
                raise _anothers(self.location, run_id)
        return run_id

    def prune(
        self,
        *,
        raw_before: str | None = None,
        runs_before: str | None = None,
        label: str | None = None,
        act: bool = False,
    ) -> Pruned:
        """Counts, and with `act` removes, old data: raw logs of runs started before `raw_before`, and whole runs
        started before `runs_before` (UTC, ISO 8601).

        The removal is one transaction. Runs under way and runs without a start time stay. `label`: only runs with this
        label. Raises InfrastructureError when a run is another writer's.
        """
        if self._is_new():
            return Pruned()
        with _database.writing(self._engine, self.location, self._wait_s) if act else self._opened() as connection:
            return _prune.prune(connection, self.location, raw_before, runs_before, label, act=act)

    def grant(self, role: str, right: Literal["read", "write"]) -> None:
        """Give a role of the PostgreSQL server the right to read, or to read and save. Raises UsageError for a file,
        which has no roles."""
        if self.location.path is not None:
            raise UsageError(f"archive {self.location} is a file: who may read or write it is the file system's to say")
        with _database.writing(self._engine, self.location, self._wait_s) as connection:
            quoted = connection.dialect.identifier_preparer.quote_identifier(role)
            for statement in RIGHTS[right]:
                connection.exec_driver_sql(statement.format(role=quoted.replace("%", "%%")))

    def _is_new(self) -> bool:
        """Whether the archive's file does not exist yet. Reading must not make one."""
        return self.location.is_new()

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection that only reads. Raises EmptyError when there is no archive yet."""
        if self._is_new():
            raise _database.EmptyError
        return _database.reading(self._engine, self.location, self._wait_s)

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        """A connection that only reads, for a method that needs runs. Raises UsageError when the archive does not exist
        yet."""
        try:
            with self.reading() as connection:
                yield connection
        except _database.EmptyError as error:
            raise UsageError(f"archive {self.location} has no runs yet") from error


class _Packed(NamedTuple):
    """A run in its packed form from the tables."""

    id: str
    head: bytes | None
    sessions: Sequence[bytes]


def _packed_runs(connection: Connection, found: Sequence[tuple[int, str]]) -> list[_Packed]:
    """The documents of these runs, by number and id, in their order."""
    numbers = [number for number, _ in found]
    heads = {
        row.run: row.data
        for row in connection.execute(select(DOCUMENTS.c.run, DOCUMENTS.c.data).where(DOCUMENTS.c.run.in_(numbers)))
    }
    sessions: dict[int, list[bytes]] = {}
    of_runs = select(SESSIONS.c.run, SESSIONS.c.data).where(SESSIONS.c.run.in_(numbers), SESSIONS.c.data.is_not(None))
    for row in connection.execute(of_runs.order_by(SESSIONS.c.run, SESSIONS.c.position)):
        sessions.setdefault(row.run, []).append(row.data)
    return [_Packed(run_id, heads.get(number), sessions.get(number, [])) for number, run_id in found]


class _Kept(NamedTuple):
    """The parts that the archive has of a run that is under way."""

    number: int | None = None
    sessions: int = 0
    logs: int = 0
    renew: bool = False
    """From these positions on, the archive differs from the run: the run's sessions and logs replace those there."""


def _kept_of(connection: Connection, run: Run, mine: str, location: Location) -> _Kept:
    found = connection.execute(select(RUNS.c.number, RUNS.c.owner).where(RUNS.c.id == run.id)).first()
    if found is None:
        return _Kept()
    if not mine or not hmac.compare_digest(str(found.owner).encode(), mine.encode()):
        raise _there_already(location, run.id)
    columns = select(SESSIONS.c.nonce, SESSIONS.c.complete).where(SESSIONS.c.run == found.number)
    there = [tuple(row) for row in connection.execute(columns.order_by(SESSIONS.c.position))]
    logs = connection.execute(select(func.count()).where(RAW_LOGS.c.run == found.number)).scalar_one()
    same = 0
    for known, session in zip(there, run.sessions, strict=False):
        if known != (session.nonce, int(session.complete)):
            break
        same += 1
    if same == len(there) and (not there or there[-1][1]):
        return _Kept(found.number, same, logs)
    # Only the archive's last session and last log may have grown since.
    last = len(there) - 1
    return _Kept(found.number, min(same, last), logs - 1 if logs and same >= last else 0, renew=True)


def _next_number(connection: Connection) -> int:
    """The number of a new run: PostgreSQL draws it from a sequence, and an SQLite file has one writer at a time."""
    if connection.dialect.name == "postgresql":
        drawn = connection.execute(text("SELECT nextval(pg_get_serial_sequence('runs', 'number'))"))
    else:
        drawn = connection.execute(select(func.coalesce(func.max(RUNS.c.number), 0) + 1))
    return int(drawn.scalar_one())


def _take_turn(connection: Connection, number: int) -> None:
    """Gives the save its turn, as the last step. Turns are unique, and a larger turn never becomes visible before a
    smaller one.

    On PostgreSQL a lock is held from here to the end of the transaction, so other saves wait only for this short time.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _database.LOCK + 2})
    # Include the run's own turn, so that a reader of the newest run sees that it was saved again.
    turn = max(int(connection.execute(select(func.max(RUNS.c.turn))).scalar_one()), 0) + 1
    connection.execute(update(RUNS).where(RUNS.c.number == number).values(turn=turn))


def _anothers(location: Location, run_id: str) -> InfrastructureError:
    return InfrastructureError(f"archive {location}: run {run_id} is another writer's; nothing was changed")


def _there_already(location: Location, run_id: str) -> InfrastructureError:
    return InfrastructureError(
        f"archive {location} has a run {run_id} already, which is another or is final; nothing was changed"
    )


def _log(position: int, log: bytes) -> dict[str, Any]:
    return {"position": position, "size": len(log), "data": _packing.pack_log(log)}


def _of_machine(machine: str) -> ColumnElement[bool]:
    """A condition for a machine: its name, or the beginning of its id."""
    begins = func.substr(RUNS.c.machine, 1, len(machine)) == machine
    return (RUNS.c.machine_name == machine) | (begins if machine else RUNS.c.machine == "")


def summary(row: Mapping[Any, Any], location: Location) -> RunSummary:
    """Turns a row of the runs table into a row of a list. Raises InfrastructureError for damaged data."""
    known = dict(row) | {"studies": tuple(filter(None, str(row["studies"]).split(",")))}
    return convert(_said(known, location) | {"degraded": bool(row["degraded"])}, RunSummary, location)


def _said(row: dict[Any, Any], location: Location) -> dict[Any, Any]:
    """Decodes the columns of a row that contain JSON, and drops empty ones. Raises InfrastructureError for text that is
    not JSON."""
    try:
        for name in ("doubts", "main", "gate"):
            if text := row.pop(name, ""):
                row[name] = msgspec.json.decode(text)
    except (msgspec.DecodeError, TypeError) as error:
        raise InfrastructureError(f"archive {location} is damaged: {error}") from error
    return row


def convert(row: Mapping[Any, Any], kind: type[_Row], location: Location) -> _Row:
    """Converts a row to a struct. Raises InfrastructureError for values of a wrong type, since an SQLite column may
    hold anything."""
    try:
        # SQLAlchemy names columns by a subclass of str, which msgspec does not accept as a key.
        return msgspec.convert({str(name): value for name, value in row.items()}, kind)
    except (msgspec.ValidationError, TypeError) as error:
        raise InfrastructureError(f"archive {location} is damaged: {error}") from error
