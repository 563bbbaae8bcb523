# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Deletes runs, or only their raw logs, by age and label. Pruning is one transaction: everything is deleted, or
nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, delete, false, func, not_, or_, select

from rtstone.archive._records import Pruned
from rtstone.archive._schema import RAW_LOGS, RUNS
from rtstone.errors import InfrastructureError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table

    from rtstone.archive._location import Location


def prune(
    connection: Connection,
    location: Location,
    raw_before: str | None,
    runs_before: str | None,
    label: str | None,
    *,
    act: bool,
) -> Pruned:
    """Counts and names the runs and logs to delete and, if `act`, deletes them. Raises InfrastructureError if the counts differ
    afterwards; the transaction then deletes nothing."""
    chosen = and_(RUNS.c.started != "", RUNS.c.owner == "")
    of_label = RUNS.c.label == label if label is not None else RUNS.c.number.is_not(None)
    whole = and_(_older(runs_before), chosen, of_label)
    raw = and_(or_(_older(raw_before), _older(runs_before)), chosen, of_label)
    unsure = and_(or_(_older(raw_before), _older(runs_before)), or_(RUNS.c.started == "", RUNS.c.owner != ""), of_label)
    of_raw = RAW_LOGS.c.run.in_(select(RUNS.c.number).where(raw))
    before = _count(connection, RUNS)
    logs_before = _count(connection, RAW_LOGS)
    packed = select(func.coalesce(func.sum(func.length(RAW_LOGS.c.data)), 0)).where(of_raw)
    found = Pruned(
        runs=before,
        removed=_count(connection, RUNS, whole),
        raw_logs=_count(connection, RAW_LOGS, of_raw),
        raw_bytes=int(connection.execute(packed).scalar_one()),
        stay=_count(connection, RUNS, unsure),
        removed_ids=_ids(connection, whole),
        raw_ids=_ids(connection, and_(raw, not_(whole), RUNS.c.number.in_(select(RAW_LOGS.c.run)))),
    )
    if act:
        connection.execute(delete(RAW_LOGS).where(of_raw))
        connection.execute(delete(RUNS).where(whole))
        left = (_count(connection, RUNS), _count(connection, RAW_LOGS))
        if left != (before - found.removed, logs_before - found.raw_logs):
            raise InfrastructureError(
                f"archive {location}: some of these runs are another writer's; nothing was removed"
            )
    return found


def _older(time: str | None) -> ColumnElement[bool]:
    return false() if time is None else RUNS.c.started < time


def _ids(connection: Connection, where: ColumnElement[bool]) -> tuple[str, ...]:
    return tuple(connection.scalars(select(RUNS.c.id).where(where).order_by(RUNS.c.started, RUNS.c.number)))


def _count(connection: Connection, table: Table, where: ColumnElement[bool] | None = None) -> int:
    query = select(func.count()).select_from(table)
    return int(connection.execute(query if where is None else query.where(where)).scalar_one())
