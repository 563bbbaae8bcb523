# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens the database of an archive, brings its tables up to date, and turns its errors into one clear line.

An SQLite file may hold only our tables."""

from __future__ import annotations

import math
import os
import re
import sqlite3
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from rtstone.archive._location import way_out
from rtstone.archive._schema import HEAD, METADATA
from rtstone.archive._views import KNOWN
from rtstone.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from rtstone.archive._location import Location


_TABLES = frozenset(METADATA.tables) | {"alembic_version"}
_INDEXES = frozenset(str(i.name) for table in METADATA.tables.values() for i in table.indexes) | {"ix_results_run"}
_WORDS = (
    _TABLES
    | _INDEXES
    | frozenset(column.name for table in METADATA.tables.values() for column in table.columns)
    | {"version_num", "hdr_positive", "hdr_negative", "alembic_version_pkc"}
    | {"create", "table", "index", "on", "integer", "bigint", "varchar", "blob", "double", "precision", "text", "not"}
    | {"null", "default", "primary", "key", "unique", "constraint", "foreign", "references", "delete", "cascade"}
)
_UNIQUE_TURN = "CREATE UNIQUE INDEX ix_runs_turn ON runs (turn)"
_NAMED = re.compile(r"(pk|fk|uq)_[a-z_]+", re.ASCII)
_WORD = re.compile(r"[^\W0-9]\w*")


def require_own(connection: Connection, location: Location) -> None:
    """Raises InfrastructureError when the file's schema has anything that rtstone did not make. Call it in the
    transaction that uses the file afterwards."""
    found = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master").all()
    for kind, name, table, sql in found:
        if str(name).startswith("sqlite_") and kind in {"table", "index"}:
            continue  # made by SQLite: an index of a key, statistics
        if (kind == "view" and (name, sql) in KNOWN) or (kind == "index" and sql == _UNIQUE_TURN):
            continue  # equal to our own statement, letter by letter
        mine = (kind == "table" and name in _TABLES) or (kind == "index" and name in _INDEXES and table in _TABLES)
        strange = [] if mine else [str(name)]
        strange = strange or [word for word in _WORD.findall(str(sql)) if not _is_own(word.lower())]
        if kind == "index" and mine and re.search(r"\bunique\b", str(sql), re.IGNORECASE):
            strange.append("unique")
        if strange:
            raise _refused(location, f"the {kind} '{name}' ('{strange[0]}')" if mine else f"the {kind} '{name}'")
    for table in METADATA.tables:
        rows = connection.exec_driver_sql(f"PRAGMA foreign_key_list({table})").all()
        for _, _, there, here, _, on_update, on_delete, _ in rows:
            if table == "runs" or (there, here, on_update, on_delete) != ("runs", "run", "NO ACTION", "CASCADE"):
                raise _refused(location, f"a reference of the table '{table}'")


def _is_own(word: str) -> bool:
    return word in _WORDS or _NAMED.fullmatch(word) is not None


def _refused(location: Location, what: str) -> InfrastructureError:
    return InfrastructureError(
        f"archive {location} is not to be trusted: {what[:100]} is not of rtstone's making; nothing was changed"
    )


# The beginning of an SQLite error's name, or PostgreSQL's error code -> its meaning for the user; {s} is the time
# waited (s).
_MEANINGS = {
    "55P03": "is locked by another program (waited {s:g} s)",
    "SQLITE_BUSY": "is locked by another program (waited {s:g} s)",
    "SQLITE_LOCKED": "is locked by another program (waited {s:g} s)",
    "SQLITE_READONLY_ROLLBACK": "was left by a writer that was killed: the next save puts it right",
    "SQLITE_READONLY": "is read-only",
    "SQLITE_PERM": "may not be opened",
    "SQLITE_CANTOPEN": "cannot be opened",
    "SQLITE_FULL": "cannot grow: the disk is full",
    "SQLITE_IOERR": "cannot be read or written (a full or failing disk, or a limit on file size)",
    "SQLITE_NOTADB": "is not an rtstone archive",
    "SQLITE_CORRUPT": "is damaged",
    "SQLITE_TOOBIG": "cannot hold a run as large as this one",
}

LOCK = 0x727473746F6E65
"""Number of PostgreSQL's advisory lock for making or changing tables: `rtstone` in ASCII."""

_CONNECT_S = 10
_RESTS_S = 1.0

_VERSION = re.compile(r"[0-9]{4}", re.ASCII)


def connect(location: Location, wait_s: float, *, read_only: bool = False, keep: bool = False) -> Engine:
    """A database engine for this place; opens nothing yet. Raises InfrastructureError if the driver is not installed.

    `read_only`: an SQLite file is opened so that nothing can be written; a server is asked for transactions that only read.
    `keep`: a server's connection is reused while it answers. An SQLite file is always opened for each transaction.
    """
    if location.path is None:
        arguments: dict[str, object] = {"connect_timeout": max(2, min(_CONNECT_S, int(wait_s)))}
        if read_only:
            arguments["options"] = "-c default_transaction_read_only=on"
        pool = {"pool_size": 1} if keep else {"poolclass": NullPool}
        try:
            engine = create_engine(location.url, connect_args=arguments, **pool)
        except ModuleNotFoundError as error:
            raise InfrastructureError(
                "an archive on PostgreSQL needs the driver: pip install 'rtstone[postgresql]'"
            ) from error
        if keep:
            _try_what_rested(engine)
        return engine
    path = location.path

    def open_file() -> sqlite3.Connection:
        # SQLite itself opens a read-only file for reading. A check of the file before would leave a moment between
        # check and opening.
        mode = "ro" if read_only else "rw"
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode={mode}", uri=True, timeout=wait_s, isolation_level=None
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from anybody
            if read_only:
                connection.execute("PRAGMA query_only = ON")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    engine = create_engine("sqlite://", creator=open_file, poolclass=NullPool)

    # The driver begins a transaction too late: ours includes changes of tables, and a writer must wait at its start.
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("rtstone_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _try_what_rested(engine: Engine) -> None:
    """Tests a connection before use if it was idle for more than `_RESTS_S` (s), since the server may have
    restarted."""

    @event.listens_for(engine, "checkin")
    def rest(_: object, record: Any) -> None:
        record.info["rtstone_rests"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def check(connection: Any, record: Any, _: object) -> None:
        if time.monotonic() - record.info.get("rtstone_rests", math.inf) > _RESTS_S:
            try:
                engine.dialect.do_ping(connection)
            except Exception as error:  # whatever the driver raises
                raise DisconnectionError from error


class EmptyError(Exception):
    """Raised by `reading` when a database has no tables yet: reading makes none."""


@contextmanager
def reading(engine: Engine, location: Location, wait_s: float) -> Iterator[Connection]:
    """A connection that only reads, in one snapshot: saves by others meanwhile are not seen. It never changes the
    database. Raises EmptyError."""
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True} if location.path is None else {}
    with explained(location, wait_s), engine.connect().execution_options(**options) as connection:
        version = _version(connection, location)
        if version is None:
            raise EmptyError
        _require_current(version, location)
        yield connection


@contextmanager
def writing(engine: Engine, location: Location, wait_s: float, *, upgrade: bool = False) -> Iterator[Connection]:
    """A connection in a transaction, which is committed if the block succeeds, and rolled back on an error.

    Missing tables are made. Tables of an older version are upgraded with `upgrade`, or if they are empty.
    """
    with explained(location, wait_s, writes=True):
        if location.path is not None and not location.path.exists():
            _make_file(location)
        with engine.connect().execution_options(rtstone_writes=True) as connection, connection.begin():
            if location.path is None and connection.info.get("rtstone_wait_s") != wait_s:
                connection.execute(text(f"SET lock_timeout = {max(1, int(wait_s * 1000))}"))
            _bring_up_to_date(connection, location, asked=upgrade)
            yield connection
            connection.info["rtstone_wait_s"] = wait_s  # the setting of a committed transaction stays


def _bring_up_to_date(connection: Connection, location: Location, *, asked: bool) -> None:
    """Makes the tables, or upgrades them, one program at a time. SQLite's transaction ensures that; on PostgreSQL a
    lock does."""
    version = _version(connection, location)
    if version == HEAD:
        return
    if location.path is None:
        turn = connection.begin_nested()
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        version = _version(connection, location)
        if version == HEAD:
            turn.rollback()  # another program did it while we waited; free the lock before our save
            return
    if version is not None and not asked and connection.execute(text("SELECT count(*) FROM runs")).scalar_one():
        _require_current(version, location)
    if version != HEAD:
        _upgrade(connection, location)
        connection.info["rtstone_upgraded"] = version is not None


def _require_current(version: str, location: Location) -> None:
    if version != HEAD:
        raise InfrastructureError(
            f"archive {location} was made by an older rtstone (version {version}; this one has {HEAD}); nothing was changed: "
            "`rtstone archive upgrade` brings it up to date, once and for all its readers and writers"
        )


@contextmanager
def explained(location: Location, wait_s: float, *, writes: bool = False) -> Iterator[None]:
    """Turns errors of the database and the file system into InfrastructureError. `writes`: the error may be that a file
    is not writable."""
    try:
        yield
    except DBAPIError as error:
        why = _refusal(error.orig, location) if writes else ""
        raise InfrastructureError(f"archive {location} {_meaning(error.orig, wait_s)}{why}") from error
    except sqlite3.Error as error:
        why = _refusal(error, location) if writes else ""
        raise InfrastructureError(f"archive {location} {_meaning(error, wait_s)}{why}") from error
    except PoolTimeoutError as error:
        raise InfrastructureError(f"archive {location} does not answer") from error
    except SQLAlchemyError as error:
        raise InfrastructureError(f"archive {location}: {str(error).splitlines()[0]}") from error
    except UnicodeDecodeError as error:
        raise InfrastructureError(f"archive {location} is damaged: {error}") from error
    except OSError as error:
        there = Path(error.filename) if isinstance(error.filename, str) else location.path
        help_ = way_out(error, there) if there is not None and location.path is not None else ""
        raise InfrastructureError(f"archive {location}: {error.strerror or error}{help_}") from error


def _refusal(error: BaseException | None, location: Location) -> str:
    """A clause for an error: why SQLite may not open or write the file, and the option that helps; else empty."""
    name = getattr(error, "sqlite_errorname", None) or ""
    refusals = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")
    if not name.startswith(refusals) or name.startswith("SQLITE_READONLY_ROLLBACK"):
        return ""
    return location.refusal()


def _meaning(error: BaseException | None, wait_s: float) -> str:
    name = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or ""
    for beginning, meaning in _MEANINGS.items():
        if name.startswith(beginning):
            return meaning.format(s=wait_s)
    lines = str(error).strip().splitlines()
    return f"failed: {lines[0] if lines else type(error).__name__}"


def _version(connection: Connection, location: Location) -> str | None:
    """The database's last migration; None if the database is empty. Raises if it is not an archive, or newer than this
    rtstone."""
    # The tables are checked once for each connection. The version is read each time, since another program may upgrade
    # meanwhile.
    if "rtstone_tables" not in connection.info:
        tables = set(inspect(connection).get_table_names())
        if tables and not {"alembic_version", "runs", "documents"} <= tables:
            raise InfrastructureError(f"archive {location} is a database, but not an rtstone archive")
        if location.path is not None:
            require_own(connection, location)
        if not tables:
            return None
        connection.info["rtstone_tables"] = True
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    if len(found) != 1 or not _VERSION.fullmatch(str(found[0])):
        raise InfrastructureError(f"archive {location} is damaged: it does not say which version it has")
    version = str(found[0])
    if version > HEAD:
        raise InfrastructureError(
            f"archive {location} was made by a newer rtstone (version {version}; this one knows {HEAD}); nothing was changed"
        )
    return version


def _upgrade(connection: Connection, location: Location) -> None:
    """Runs the missing migrations inside the open transaction."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    folder = Path(__file__).with_name("migrations")
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, HEAD)
    except CommandError as error:
        raise InfrastructureError(f"archive {location} is damaged: {error}") from error


def _make_file(location: Location) -> None:
    """Makes an empty database file, unless another program makes it at the same time.

    A first save that fails leaves the empty file. It cannot be removed safely, since another program may have it open
    to write its first run.
    """
    assert location.path is not None  # noqa: S101 - the caller's own condition
    _make_folder(location.path.parent, location)
    # Made by SQLite: opening and closing the file in any other way in this process would end SQLite's locks on it.
    sqlite3.connect(f"file:{quote(str(location.path))}?mode=rwc", uri=True).close()
    if location.owner:
        os.chown(location.path, location.owner.uid, location.owner.gid, follow_symlinks=False)


def _make_folder(folder: Path, location: Location) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        if location.owner:
            os.chown(folder, location.owner.uid, location.owner.gid, follow_symlinks=False)
