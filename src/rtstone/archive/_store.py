# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive: save a run, find it again, list, delete."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from rtstone.archive import _database, _documents, _fallback
from rtstone.archive._records import ResultRow, Summary
from rtstone.archive._schema import DOCUMENTS, RAW_LOGS, RESULTS, RUNS, SESSIONS
from rtstone.errors import InfrastructureError, RtstoneError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlalchemy import Connection

    from rtstone.archive._location import Location
    from rtstone.model import Run

_Row = TypeVar("_Row", Summary, ResultRow)
_LAST = re.compile(r"last(?:~([0-9]{1,9}))?", re.ASCII)


class Archive:
    """Runs in a database. Each method is one transaction; every error is an InfrastructureError or UsageError."""

    def __init__(self, location: Location, *, wait_s: float = 5.0) -> None:
        self.location = location
        self._wait_s = wait_s
        self._engine = _database.connect(location, wait_s)

    def save(self, run: Run, raw_logs: Sequence[bytes] = (), *, again: bool = False) -> str:
        """Keep a run and the raw stream of each of its sessions; returns its id. ``again``: in the place of its checkpoints.

        All of it is saved or nothing. If the archive cannot take it, the run is written to a file and the
        InfrastructureError names that file; `rtstone archive import FILE` brings it in later.
        """
        try:
            self._save(run, raw_logs, again=again)
        except RtstoneError as error:
            path = _fallback.keep(run, raw_logs, self.location)
            raise InfrastructureError(
                f"{error}; the run is kept in {path} (rtstone archive import brings it in)"
            ) from error
        return run.id

    def checkpoint(self, run: Run, raw_logs: Sequence[bytes]) -> None:
        """Keep a run that is under way, in the place of what was kept of it before: all of it or nothing."""
        self._save(run, raw_logs, again=True)

    def _save(self, run: Run, raw_logs: Sequence[bytes], *, again: bool = False) -> None:
        from rtstone.archive import _figures  # statistics: of no use to who only reads

        document = _documents.pack(_documents.encode(run))
        sessions = list(_figures.session_rows(run))
        results = list(_figures.result_rows(run))
        logs = [
            {"position": position, "size": len(log), "data": _documents.pack(log, 1)}
            for position, log in enumerate(raw_logs)
        ]
        with _database.writing(self._engine, self.location, self._wait_s) as connection:
            if again:
                connection.execute(delete(RUNS).where(RUNS.c.id == run.id))
            try:
                number = connection.execute(
                    insert(RUNS).values(_figures.run_row(run)).returning(RUNS.c.number)
                ).scalar_one()
            except IntegrityError as error:
                raise InfrastructureError(f"archive {self.location} has a run {run.id} already") from error
            connection.execute(insert(DOCUMENTS).values(run=number, version=run.version, data=document))
            for table, rows in ((SESSIONS, sessions), (RESULTS, results), (RAW_LOGS, logs)):
                if rows:
                    connection.execute(insert(table), [{"run": number, **row} for row in rows])

    def load(self, reference: str = "last") -> Run:
        """The run of an id, a unique beginning of one, `last`, or `last~N` (N runs before the last).

        Raises UsageError if there is no such run, InfrastructureError if it is there but cannot be read.
        """
        with self._reading() as connection:
            number, run_id = self._find(connection, reference)
            data = connection.execute(select(DOCUMENTS.c.data).where(DOCUMENTS.c.run == number)).scalar_one_or_none()
        where = f"run {run_id} in archive {self.location}"
        if not isinstance(data, bytes):
            raise InfrastructureError(f"{where} is damaged: it has no document")
        return _documents.decode(_documents.unpack(data, where), where)

    def find(self, reference: str) -> str:
        """The id of the run that is meant. Raises UsageError if there is no such run."""
        with self._reading() as connection:
            return self._find(connection, reference)[1]

    def bring_in(self, file: Path) -> str:
        """Save the run of a JSON file, with the `.<n>.stream` files beside it; returns its id.

        Raises InfrastructureError if the file cannot be read or its run is in the archive already.
        """
        try:
            run = _documents.decode(file.read_bytes(), str(file))
            logs = [log.read_bytes() for log in _fallback.logs_beside(file)]
        except OSError as error:
            raise InfrastructureError(f"{file}: {error.strerror}") from error
        self._save(run, logs)
        return run.id

    def raw_logs(self, reference: str = "last") -> tuple[bytes, ...]:
        """The raw streams of a run's sessions, in order; as many as were saved."""
        with self._reading() as connection:
            number, run_id = self._find(connection, reference)
            found = connection.execute(
                select(RAW_LOGS.c.position, RAW_LOGS.c.data)
                .where(RAW_LOGS.c.run == number)
                .order_by(RAW_LOGS.c.position)
            ).all()
        return tuple(_documents.unpack(log, f"raw log {position} of run {run_id}") for position, log in found)

    def list(
        self,
        limit: int | None = None,
        *,
        target: str | None = None,
        study: str | None = None,
        kernel: str | None = None,
        status: str | None = None,
        group: str | None = None,
    ) -> tuple[Summary, ...]:
        """Runs, the last saved first; each filter must match (kernel: a part of its name). An archive not made yet is empty."""
        if self._is_new():
            return ()
        query = select(RUNS).order_by(RUNS.c.number.desc()).limit(limit)
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
        with self._reading() as connection:
            return tuple(_summary(dict(row._mapping), self.location) for row in connection.execute(query))

    def results(
        self, quantity: str, *, target: str | None = None, kernel: str | None = None, limit: int | None = None
    ) -> tuple[ResultRow, ...]:
        """Every result of a quantity, the last saved first; target and kernel must match whole."""
        if self._is_new():
            return ()
        table = RESULTS.c
        columns = [table[name] for name in ("target", "kernel", "measurement", "quantity", "pass", "load", "sched")]
        columns += [table[name] for name in ("cache", "timer", "status", "count")]
        columns += [table[name] for name in ("min_ns", "mean_ns", "p50_ns", "p99_ns", "max_ns")]
        query = (
            select(RUNS.c.id.label("run"), RUNS.c.started, *columns)
            .join(RUNS, RUNS.c.number == RESULTS.c.run)
            .where(RESULTS.c.quantity == quantity)
            .order_by(RESULTS.c.number.desc())
            .limit(limit)
        )
        if target is not None:
            query = query.where(RESULTS.c.target == target)
        if kernel is not None:
            query = query.where(RESULTS.c.kernel == kernel)
        with self._reading() as connection:
            return tuple(_convert(row._mapping, ResultRow, self.location) for row in connection.execute(query))

    def delete(self, reference: str) -> str:
        """Remove a run and all that belongs to it; returns its id. Raises UsageError if there is no such run."""
        if self._is_new():
            raise UsageError(f"no run '{reference}': archive {self.location} is empty")
        with _database.writing(self._engine, self.location, self._wait_s) as connection:
            number, run_id = self._find(connection, reference)
            connection.execute(delete(RUNS).where(RUNS.c.number == number))
        return run_id

    def _is_new(self) -> bool:
        """No file yet: reading must not make one."""
        return self.location.path is not None and not self.location.path.exists()

    def _reading(self) -> AbstractContextManager[Connection]:
        if self._is_new():
            raise UsageError(f"archive {self.location} has no runs yet")
        return _database.reading(self._engine, self.location, self._wait_s)

    def _find(self, connection: Connection, reference: str) -> tuple[int, str]:
        """Number and id of the run that is meant."""
        columns = select(RUNS.c.number, RUNS.c.id)
        last = _LAST.fullmatch(reference)
        if last:
            back = int(last[1] or 0)
            found = connection.execute(columns.order_by(RUNS.c.number.desc()).limit(1).offset(back)).first()
            if found is None:
                there = connection.execute(select(func.count()).select_from(RUNS)).scalar_one()
                raise UsageError(f"no run '{reference}': archive {self.location} has {there} run{'s' * (there != 1)}")
            return found.number, found.id
        exact = connection.execute(columns.where(RUNS.c.id == reference)).first()
        if exact is not None:
            return exact.number, exact.id
        # Not LIKE: it takes % and _ for wildcards, and on SQLite small letters for large ones.
        query = columns.where(func.substr(RUNS.c.id, 1, len(reference)) == reference)
        several = connection.execute(query.order_by(RUNS.c.id).limit(4)).all() if reference else []
        if not several:
            raise UsageError(
                f"no run '{reference}' in archive {self.location}: `rtstone archive list` shows what there is"
            )
        if len(several) > 1:
            named = ", ".join(row.id for row in several[:3]) + (" …" if len(several) > 3 else "")
            raise UsageError(f"'{reference}' may be any of {named}")
        return several[0].number, several[0].id


def _summary(row: Mapping[Any, Any], location: Location) -> Summary:
    known = dict(row) | {"studies": tuple(filter(None, str(row["studies"]).split(",")))}
    return _convert(known | {"degraded": bool(row["degraded"])}, Summary, location)


def _convert(row: Mapping[Any, Any], kind: type[_Row], location: Location) -> _Row:
    """A row as its type says, or an InfrastructureError: SQLite lets any column hold anything."""
    try:
        # SQLAlchemy names columns by a subclass of str, which msgspec does not take for a key.
        return msgspec.convert({str(name): value for name, value in row.items()}, kind)
    except (msgspec.ValidationError, TypeError) as error:
        raise InfrastructureError(f"archive {location} is damaged: {error}") from error
