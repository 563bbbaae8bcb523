# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive's tables. A change here needs a new file in migrations/versions/ and a new HEAD.

Uses tables without mapped classes: SQLAlchemy's mapper takes as long to import as everything else that a list of runs
needs.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table

HEAD = "0004"
"""The newest migration. The version in a database is compared with this."""

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
"""Names constraints in the same way on every database, so that migrations can refer to them."""


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, String, nullable=False) for name in names]


def _numbers(*names: str) -> list[Column[int]]:
    return [Column(name, Integer, nullable=False) for name in names]


def _run(*, index: bool | None = None, primary_key: bool = False) -> Column[int]:
    """The column for the row's run. Deleting the run deletes the row."""
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
    ),  # the first digits of the id's random part; empty if the id has no such part
    Column("turn", BigInteger, nullable=False),  # order of saving, one a save: `last` is the largest
    Column(
        "owner", String, nullable=False
    ),  # for a run under way, the hash of a secret that only its writer knows; empty: it is final
    Column(
        "writer", String, nullable=False, server_default=""
    ),  # on PostgreSQL the role that saved it; a writer cannot choose it
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
    # Facts that pages show of a run without reading the run (version 0004).
    *(
        Column(name, String, nullable=False, server_default="")
        for name in (
            "verdict",  # the level of rtstone.model.verdict; empty: not judged, since the run could not be read
            "doubts",  # JSON: its doubts
            "main",  # JSON: the figures of its main quantity, idle first
            "gate",  # JSON: the last verdict of `rtstone check`; empty: the run was not checked
        )
    ),
    Index("ix_runs_turn", "turn", unique=True),
)

# The run without its sessions: JSON as printed by --json, packed by zlib. It is not in RUNS, so that lists need not
# skip it. Documents saved before version 0002 contain the sessions.
DOCUMENTS = Table(
    "documents",
    METADATA,
    _run(primary_key=True),
    *_texts("version"),
    Column("data", LargeBinary, nullable=False),
)

# Sessions of runs: each has its own part of the document, and figures to search by. A checkpoint adds sessions, and
# rewrites the last if it was incomplete.
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
    Column("data", LargeBinary),  # JSON, packed (_packing.py); null if the run's document contains the session
)

# Results, each of one quantity in one session. Their figures, to search by, are nanoseconds for one operation.
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
    *_texts("variant"),  # the circumstances that differ from the usual: `load=cpu, intensity=2`
    *_numbers("meaning"),
    Index("ix_results_run_quantity", "run", "quantity"),  # a machine's history: its runs, then the quantity of each
    Index("ix_results_quantity_target_kernel", "quantity", "target", "kernel"),
)

# The original record stream of each session, packed (_packing.py).
RAW_LOGS = Table(
    "raw_logs",
    METADATA,
    _run(primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("size", BigInteger, nullable=False),  # bytes before compression
    Column("data", LargeBinary, nullable=False),
)

# The queue of measurements still to be done, one row a measurement (_queue.py). Times are seconds (s) since 1970 by the
# database's clock.
WORK = Table(
    "work",
    METADATA,
    Column("number", _KEY, primary_key=True),
    *_texts(
        "batch", "place", "state"
    ),  # place: its name, empty if it is found later; state: waiting, leased, done, failed
    *_texts("request"),  # the measurement's request, as JSON
    *_numbers("tries", "failures"),  # how often it was leased, which is the lease's fence; how often it failed
    *_numbers("expired"),  # how many of its leases expired since their worker was lost
    *_numbers("version"),  # of the request: a worker takes only versions that it knows
    *_texts("worker"),
    Column("beat", Double),  # when its worker last renewed the lease
    Column("until", Double),  # the lease expires then unless it is renewed
    *_texts("result"),  # the run's id, or the reason of the failure
    Index("ix_work_state_until", "state", "until"),
    Index("ix_work_batch_state", "batch", "state"),
)

# The worker that holds each place. Only the lease with the newest fencing number may save, even if the lab has lost its
# own state.
PLACES = Table(
    "places",
    METADATA,
    Column("name", String, primary_key=True),
    Column("fence", BigInteger, nullable=False),  # grows with each lease
    *_texts("worker"),
    Column("until", Double),
)
