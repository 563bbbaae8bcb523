# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes turns unique; fills in the circumstances of results that version 0001 saved; adds to the queue the version of a
request, its failures, and how many leases of a measurement expired."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_USUAL = {"pass": "single", "load": "none", "sched": "rt", "cache": "warm", "timer": "default"}


def upgrade() -> None:
    """Number the turns again, in their order, since simultaneous saves could share a turn on PostgreSQL. Add the new
    columns."""
    connection = op.get_bind()
    runs = sa.table("runs", sa.column("number"), sa.column("turn"))
    in_order = sa.select(runs.c.number, runs.c.turn).order_by(runs.c.turn, runs.c.number)
    for turn, row in enumerate(connection.execute(in_order).all(), 1):
        if row.turn != turn:
            connection.execute(sa.update(runs).where(runs.c.number == row.number).values(turn=turn))
    op.drop_index("ix_runs_turn", "runs")
    op.create_index("ix_runs_turn", "runs", ["turn"], unique=True)
    # Results of version 0001 lack this text, so that results of different loads looked alike. Only the document has a
    # load's intensity.
    words = " || ".join(
        f"CASE WHEN \"{name}\" <> '{usual}' THEN ', {name}=' || \"{name}\" ELSE '' END"
        for name, usual in _USUAL.items()
    )
    op.execute(f"UPDATE results SET variant = substr({words}, 3) WHERE variant = ''")  # noqa: S608 - words of this file
    there = {column["name"] for column in sa.inspect(connection).get_columns("work")}
    # Some archives of version 0002 have the column `failures`, which was added to that version after 0.2.0.
    for name, default in (("failures", "0"), ("expired", "0"), ("version", "1")):
        if name not in there:
            op.add_column("work", sa.Column(name, sa.Integer, nullable=False, server_default=default))
