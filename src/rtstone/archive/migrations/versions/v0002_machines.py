# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Adds machines, owners, writers and short ids of runs; each session's own part of the document; the queue of
measurements still to be done; views for other programs; and policies for the runs that a role may change."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

from rtstone.archive._views_0002 import POLICIES, VIEWS

revision = "0002"
down_revision = "0001"

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String, nullable=False, server_default="")


def _number(name: str, kind: type[sa.Integer] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, kind, nullable=False, server_default="0")


def upgrade() -> None:
    """Add the new columns, tables and views; leave every document as it is."""
    for column in (
        _text("short"),
        _number("turn", sa.BigInteger),
        _text("owner"),
        _text("machine"),
        _text("machine_name"),
    ):
        op.add_column("runs", column)
    of_postgresql = op.get_bind().dialect.name == "postgresql"
    default = sa.text("CURRENT_USER") if of_postgresql else ""
    op.add_column("runs", sa.Column("writer", sa.String, nullable=False, server_default=default))
    op.execute("UPDATE runs SET turn = number")
    runs = sa.table("runs", sa.column("number"), sa.column("id"), sa.column("short"))
    connection = op.get_bind()
    for number, run_id in connection.execute(sa.select(runs.c.number, runs.c.id)).all():
        match = re.fullmatch(r"[0-9]{8}T[0-9]{6}-([0-9a-f]{4})", str(run_id), re.ASCII)
        if match:
            connection.execute(sa.update(runs).where(runs.c.number == number).values(short=match[1]))
    for name in ("short", "turn", "machine", "label"):
        op.create_index(f"ix_runs_{name}", "runs", [name])
    op.add_column("sessions", sa.Column("data", sa.LargeBinary))
    op.drop_column("results", "hdr_positive")
    op.drop_column("results", "hdr_negative")
    op.add_column("results", _text("variant"))
    op.add_column("results", _number("meaning"))
    op.drop_index("ix_results_run", "results")
    op.create_index("ix_results_run_quantity", "results", ["run", "quantity"])
    op.create_table(
        "work",
        sa.Column("number", _KEY, primary_key=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("batch", "place", "state", "request")),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("worker", sa.String, nullable=False),
        sa.Column("beat", sa.Double),
        sa.Column("until", sa.Double),
        sa.Column("result", sa.String, nullable=False),
    )
    op.create_index("ix_work_state_until", "work", ["state", "until"])
    op.create_index("ix_work_batch_state", "work", ["batch", "state"])
    op.create_table(
        "places",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("worker", sa.String, nullable=False),
        sa.Column("until", sa.Double),
    )
    for statement in (*VIEWS.values(), *(POLICIES if of_postgresql else ())):
        op.execute(statement)
