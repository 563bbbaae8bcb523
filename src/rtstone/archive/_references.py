# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which run a reference names: `last`, an id or its beginning, a label, a target."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rtstone.archive._schema import RUNS
from rtstone.errors import UsageError, command, nearest
from rtstone.model.ids import SHORT, random_part
from rtstone.model.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection

    from rtstone.archive._location import Location

_NEWEST = 500
"""How many of the newest runs are searched for names that an error may suggest."""
_SEVERAL = 4
"""Most runs whose ids have the same beginning that are searched for."""
_LAST = re.compile(r"last(?:~([0-9]{1,9}))?", re.ASCII)
_BEFORE = re.compile(r"(.+)~([0-9]{1,9})", re.ASCII | re.DOTALL)
"""A label, and how many of its runs are newer."""


def find_all(connection: Connection, references: Sequence[str], location: Location) -> Sequence[tuple[int, str]]:
    """Number and id of the run that each reference names. Whole ids take a single query."""
    ids = [one for one in references if not _LAST.fullmatch(one)]
    rows = connection.execute(select(RUNS.c.id, RUNS.c.number).where(RUNS.c.id.in_(ids)))
    known = {str(row.id): int(row.number) for row in rows}
    return [(known[one], one) if one in known else find_run(connection, one, location) for one in references]


def find_run(
    connection: Connection, reference: str, location: Location, *, single: bool = False, called: str = ""
) -> tuple[int, str]:
    """Number and id of the run that a reference names, for every command that takes a run.

    `called`: the beginning of the error for an unknown run, if the error must not name the archive; {} is the
    reference.

    Tried in this order: `last`, a whole id, a label (its last run), the beginning of an id, a target (its last
    run), `LABEL~N`. So a label that contains `~` keeps its name. A label that is also the beginning of another run's
    id is refused. `single`: only an id, a label of a single run, `last` or `LABEL~N`, as before a removal.
    """
    columns = select(RUNS.c.number, RUNS.c.id)
    newest_first = columns.order_by(RUNS.c.turn.desc())
    last = _LAST.fullmatch(reference)
    if last:
        back = int(last[1] or 0)
        found = connection.execute(newest_first.limit(1).offset(back)).first()
        if found is None:
            if called:
                raise UsageError(called.format(f"'{reference}'"))
            there = connection.execute(select(func.count()).select_from(RUNS)).scalar_one()
            raise UsageError(f"no run '{reference}': archive {location} has {counted(there, 'run')}")
        return int(found.number), str(found.id)
    exact = connection.execute(columns.where(RUNS.c.id == reference)).first()
    if exact is not None:
        return int(exact.number), str(exact.id)
    labelled = RUNS.c.label == reference
    named = connection.execute(newest_first.where(labelled).limit(1)).first() if reference else None
    several = _beginning(connection, reference, ~labelled if named is not None else None) if reference else []
    if named is not None:
        if several:
            raise UsageError(
                f"'{reference}' is the label of run {named.id}, and run {several[0][1]} begins so: give more of the id"
            )
        there = connection.execute(select(func.count()).where(labelled)).scalar_one() if single else 1
        if there > 1:
            raise UsageError(f"'{reference}' is the label of {counted(there, 'run')}: give the id of one")
        return int(named.number), str(named.id)
    if len(several) > 1:
        ids = ", ".join(run_id for _, run_id in several[:3]) + (" …" if len(several) > 3 else "")
        raise UsageError(f"'{reference}' may be any of {ids}")
    if several:
        return several[0]
    of_target = None
    if reference and not single:
        of_target = connection.execute(newest_first.where(RUNS.c.target == reference).limit(1)).first()
    before = _BEFORE.fullmatch(reference)
    if of_target is None and before is not None:
        of_label = newest_first.where(RUNS.c.label == before[1])
        found = connection.execute(of_label.limit(1).offset(int(before[2]))).first()
        if found is not None:
            return int(found.number), str(found.id)
        there = connection.execute(select(func.count()).where(RUNS.c.label == before[1])).scalar_one()
        if there and not called:
            raise UsageError(
                f"no run '{reference[:100]}': archive {location} has {counted(there, 'run')} with that label"
            )
    if of_target is None:
        near = nearest_run(connection, reference)
        if called:
            raise UsageError(called.format(f"'{reference[:100]}'") + near)
        which = "id or label" if single else "id, label or target"
        raise UsageError(
            f"no run '{reference[:100]}' in archive {location}, by {which}.{near} `{command('archive list')}` shows the runs"
        )
    return int(of_target.number), str(of_target.id)


def nearest_run(connection: Connection, reference: str) -> str:
    """A sentence with the most similar labels, targets and ids of the newest runs; empty if nothing is similar."""
    columns = (RUNS.c.label, RUNS.c.target, RUNS.c.short, RUNS.c.id)
    rows = connection.execute(select(*columns).order_by(RUNS.c.turn.desc()).limit(_NEWEST)).all()
    return nearest(reference, dict.fromkeys(["last", *(name for row in rows for name in row if name)]), most=3)


def _beginning(
    connection: Connection, reference: str, only: ColumnElement[bool] | None = None
) -> Sequence[tuple[int, str]]:
    """Runs whose id, or whose id's random part, begins with the reference; at most a few. `only`: a further
    condition."""
    columns = select(RUNS.c.number, RUNS.c.id).order_by(RUNS.c.id)
    if only is not None:
        columns = columns.where(only)
    if len(reference) >= SHORT:
        rows = connection.execute(columns.where(RUNS.c.short == reference[:SHORT])).all()
        drawn = [(row.number, row.id) for row in rows if random_part(row.id).startswith(reference)]
        if drawn:
            return drawn
    # Not LIKE: it treats % and _ as wildcards, and ignores case on SQLite. Two queries, each of which reads only
    # an index: with OR, each whole row would be read.
    found: dict[int, str] = {}
    for column in (RUNS.c.id, RUNS.c.short) if len(reference) < SHORT else (RUNS.c.id,):
        begins = select(RUNS.c.number).where(func.substr(column, 1, len(reference)) == reference)
        rows = connection.execute(columns.where(RUNS.c.number.in_(begins)).limit(_SEVERAL)).all()
        found |= {row.number: row.id for row in rows}
    return sorted(found.items(), key=itemgetter(1))[:_SEVERAL]
