# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive's tables. A change here needs a new file in migrations/versions/ and a new HEAD.

Tables, no mapped classes: what maps them takes as long to import as all else that a list of runs needs.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table

HEAD = "0004"
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
    Column("number", _KEY, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column(
        "short", String, nullable=False, index=True
    ),  # the first digits of the id's random part; empty where it has none
    Column("turn", BigInteger, nullable=False),  # order of saving, one a save: `last` is the largest
    Column(
        "owner", String, nullable=False
    ),  # of a run under way: the hash of what its writer alone knows; empty: it is final
    Column(
        "writer", String, nullable=False, server_default=""
    ),  # on PostgreSQL the role that saved it, which nobody can choose
    Column("machine", String, nullable=False, index=True),  # Run.machine
    *_texts("machine_name"),
    Column("group", String, nullable=False, index=True),
    Column("started", String, nullable=False, index=True),
    *_texts("ended"),
    Column("target", String, nullable=False, index=True),
    Column("label", String, nullable=False, index=True),
    *_texts("kernel"),
    *_texts("studies"),  # ids between commas, one before and one after, so that `%,sscl,%` finds one
    *_texts("profile", "seed", "status"),
    *_numbers("degraded", "results", "measured"),
    *_texts("tool"),
    # What pages show of a run without reading it (version 0004).
    *(
        Column(name, String, nullable=False, server_default="")
        for name in (
            "verdict",  # the level of rtstone.model.verdict; empty: not judged, as nobody could read the run
            "doubts",  # JSON: its doubts
            "main",  # JSON: the figures of its main quantity, idle first
            "gate",  # JSON: the last verdict of `rtstone check`; empty: it was not checked
        )
    ),
    Index("ix_runs_turn", "turn", unique=True),
)

# The run without its sessions: JSON as printed by --json, zlib. Apart from RUNS, so that lists need not step over it. What was saved before
# version 0002 has the sessions in it.
DOCUMENTS = Table(
    "documents",
    METADATA,
    _run(primary_key=True),
    *_texts("version"),
    Column("data", LargeBinary, nullable=False),
)

# One life of an engine within a run: its own part of the document, and figures to search by. A checkpoint adds to them, and rewrites the
# last if it was incomplete.
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
    Column("data", LargeBinary),  # JSON, packed (_packing.py); null where the run's document has the session
)

# One quantity, measured once, in figures to search by: nanoseconds for one operation.
RESULTS = Table(
    "results",
    METADATA,
    Column("number", _KEY, primary_key=True),
    _run(),
    *_numbers("session", "item"),
    *_texts("target", "kernel", "measurement", "quantity"),
    *_texts("pass", "load", "sched", "cache", "timer", "status"),
    Column("count", BigInteger, nullable=False),
    *(Column(f"{name}_ns", Double) for name in ("min", "mean", "p50", "p99", "max")),
    *_texts("variant"),  # all that tells it apart and is not the usual: `load=cpu, intensity=2`
    *_numbers("meaning"),
    Index("ix_results_run_quantity", "run", "quantity"),  # a machine's history: its runs, then the quantity of each
    Index("ix_results_quantity_target_kernel", "quantity", "target", "kernel"),
)

# The record stream of one session as it came, packed (_packing.py).
RAW_LOGS = Table(
    "raw_logs",
    METADATA,
    _run(primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("size", BigInteger, nullable=False),  # bytes before compression
    Column("data", LargeBinary, nullable=False),
)

# What is still to be measured, one row a measurement (_queue.py). Times are seconds since 1970
# by the database's clock.
WORK = Table(
    "work",
    METADATA,
    Column("number", _KEY, primary_key=True),
    *_texts(
        "batch", "place", "state"
    ),  # place: its name, empty where it is found later; state: waiting, leased, done, failed
    *_texts("request"),  # JSON: what to measure
    *_numbers("tries", "failures"),  # how often it was taken, which is the lease's fence; how often it went wrong
    *_numbers("expired"),  # how many of its leases ended without a word of their worker
    *_numbers("version"),  # of the request: a worker takes those that it knows
    *_texts("worker"),
    Column("beat", Double),  # when its worker last said that it lives
    Column("until", Double),  # the lease ends unless there is a beat before
    *_texts("result"),  # the run's id, or what went wrong
    Index("ix_work_state_until", "state", "until"),
    Index("ix_work_batch_state", "batch", "state"),
)

# Who has a place: whatever the lab forgets, the number of the newest lease is the only one that may save.
PLACES = Table(
    "places",
    METADATA,
    Column("name", String, primary_key=True),
    Column("fence", BigInteger, nullable=False),  # grows with each lease
    *_texts("worker"),
    Column("until", Double),
)
