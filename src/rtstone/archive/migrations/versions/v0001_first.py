# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The first tables: runs, documents, sessions, results, raw logs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _run() -> sa.ForeignKey:
    return sa.ForeignKey("runs.number", ondelete="CASCADE")


def upgrade() -> None:
    """Make the tables and their indices."""
    op.create_table(
        "runs",
        sa.Column("number", _KEY, primary_key=True),
        sa.Column("id", sa.String, nullable=False, unique=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("group", "started", "ended", "target", "label")),
        *(sa.Column(name, sa.String, nullable=False) for name in ("kernel", "studies", "profile", "seed", "status")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("degraded", "results", "measured")),
        sa.Column("tool", sa.String, nullable=False),
    )
    for column in ("group", "started", "target"):
        op.create_index(f"ix_runs_{column}", "runs", [column])
    op.create_table(
        "documents",
        sa.Column("run", _KEY, _run(), primary_key=True),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("number", _KEY, primary_key=True),
        sa.Column("run", _KEY, _run(), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("nonce", "engine", "port")),
        sa.Column("repetition", sa.BigInteger, nullable=False),
        sa.Column("seed", sa.String, nullable=False),
        sa.Column("complete", sa.Integer, nullable=False),
    )
    op.create_index("ix_sessions_run", "sessions", ["run"])
    op.create_table(
        "results",
        sa.Column("number", _KEY, primary_key=True),
        sa.Column("run", _KEY, _run(), nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("session", "item")),
        *(sa.Column(name, sa.String, nullable=False) for name in ("target", "kernel", "measurement", "quantity")),
        *(sa.Column(name, sa.String, nullable=False) for name in ("pass", "load", "sched", "cache", "timer", "status")),
        sa.Column("count", sa.BigInteger, nullable=False),
        *(sa.Column(f"{name}_ns", sa.Double) for name in ("min", "mean", "p50", "p99", "max")),
        sa.Column("hdr_positive", sa.String),
        sa.Column("hdr_negative", sa.String),
    )
    op.create_index("ix_results_run", "results", ["run"])
    op.create_index("ix_results_quantity_target_kernel", "results", ["quantity", "target", "kernel"])
    op.create_table(
        "raw_logs",
        sa.Column("run", _KEY, _run(), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
