# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Refuses an SQLite file that holds anything but our tables: its schema is code, and who made the file may be anybody.

A trigger, a column that replaces on conflict or a reference that cascades can each remove runs when one is saved. So nothing is looked for:
each statement of the schema may consist of our own words alone, and each reference must be ours.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rtstone.archive._schema import METADATA
from rtstone.archive._views import VIEWS
from rtstone.errors import InfrastructureError

if TYPE_CHECKING:
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
_NAMED = re.compile(r"(pk|fk|uq)_[a-z_]+", re.ASCII)
_WORD = re.compile(r"[^\W0-9]\w*")


def require_own(connection: Connection, location: Location) -> None:
    """Raises InfrastructureError where the file's schema holds what no rtstone made. Within the transaction that goes on to use it."""
    found = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master").all()
    for kind, name, table, sql in found:
        if str(name).startswith("sqlite_") and kind in {"table", "index"}:
            continue  # SQLite's own: an index of a key, statistics
        if kind == "view" and sql == VIEWS.get(str(name)):
            continue  # to the letter
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
