# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive's tables. A change here needs a new file in migrations/versions/ and a new HEAD.

Tables, no mapped classes: what maps them takes as long to import as all else that a list of runs needs.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table

HEAD = "0001"
"""The newest migration; what a database says it has is compared with this."""

# SQLite numbers rows by itself only in a column of exactly the type INTEGER.
_KEY = BigInteger().with_variant(Integer, "sqlite")

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Constraints are named alike on every database, so that migrations can speak of them."""


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, String, nullable=False) for name in names]


def _numbers(*names: str) -> list[Column[int]]:
    return [Column(name, Integer, nullable=False) for name in names]


def _run(*, index: bool | None = None, primary_key: bool = False) -> Column[int]:
    """Of which run a row is; it goes when the run goes."""
    run = ForeignKey("runs.number", ondelete="CASCADE")
    return Column("run", _KEY, run, nullable=False, index=index, primary_key=primary_key)


# What lists of runs show and filter by; the run itself is in DOCUMENTS.
RUNS = Table(
    "runs",
    METADATA,
    Column("number", _KEY, primary_key=True),  # order of saving: `last` is the largest
    Column("id", String, nullable=False, unique=True),
    Column("group", String, nullable=False, index=True),
    Column("started", String, nullable=False, index=True),
    *_texts("ended"),
    Column("target", String, nullable=False, index=True),
    *_texts("label", "kernel"),
    *_texts("studies"),  # ids between commas, one before and one after, so that `%,sscl,%` finds one
    *_texts("profile", "seed", "status"),
    *_numbers("degraded", "results", "measured"),
    *_texts("tool"),
)

# The whole run: JSON as printed by --json, zlib. Apart from RUNS, so that lists need not step over it.
DOCUMENTS = Table(
    "documents",
    METADATA,
    _run(primary_key=True),
    *_texts("version"),
    Column("data", LargeBinary, nullable=False),
)

# One life of an engine within a run.
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("number", _KEY, primary_key=True),
    _run(index=True),
    *_numbers("position"),
    *_texts("nonce", "engine", "port"),
    Column("repetition", BigInteger, nullable=False),
    *_texts("seed"),
    *_numbers("complete"),
)

# One quantity, measured once, in figures to search by: nanoseconds for one operation.
RESULTS = Table(
    "results",
    METADATA,
    Column("number", _KEY, primary_key=True),
    _run(index=True),
    *_numbers("session", "item"),
    *_texts("target", "kernel", "measurement", "quantity"),
    *_texts("pass", "load", "sched", "cache", "timer", "status"),
    Column("count", BigInteger, nullable=False),
    *(Column(f"{name}_ns", Double) for name in ("min", "mean", "p50", "p99", "max")),
    # HdrHistogram V2, compressed, base64; ticks. See _hdr.py for what it cannot hold.
    *(Column(f"hdr_{side}", String) for side in ("positive", "negative")),
    Index("ix_results_quantity_target_kernel", "quantity", "target", "kernel"),
)

# The record stream of one session as it came, zlib.
RAW_LOGS = Table(
    "raw_logs",
    METADATA,
    _run(primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("size", BigInteger, nullable=False),  # bytes before compression
    Column("data", LargeBinary, nullable=False),
)
