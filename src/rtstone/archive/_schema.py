# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive's tables, as typed models. A change here needs a new file in migrations/versions/ and a new HEAD."""

from __future__ import annotations

from sqlalchemy import BigInteger, Double, ForeignKey, Index, Integer, LargeBinary, MetaData, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

HEAD = "0001"
"""The newest migration; what a database says it has is compared with this."""

# SQLite numbers rows by itself only in a column of exactly the type INTEGER.
_Key = BigInteger().with_variant(Integer, "sqlite")


class Base(DeclarativeBase):
    """Names constraints alike on every database, so that migrations can speak of them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class RunRow(Base):
    """What lists of runs show and filter by; the run itself is in DocumentRow."""

    __tablename__ = "runs"

    number: Mapped[int] = mapped_column(_Key, primary_key=True)
    """Order of saving: `last` is the largest."""
    id: Mapped[str] = mapped_column(String, unique=True)
    group: Mapped[str] = mapped_column(String, index=True)
    started: Mapped[str] = mapped_column(String, index=True)
    ended: Mapped[str] = mapped_column(String)
    target: Mapped[str] = mapped_column(String, index=True)
    label: Mapped[str] = mapped_column(String)
    kernel: Mapped[str] = mapped_column(String)
    studies: Mapped[str] = mapped_column(String)
    """Ids between commas, one before and one after, so that `%,sscl,%` finds one."""
    profile: Mapped[str] = mapped_column(String)
    seed: Mapped[str] = mapped_column(String)
    status: Mapped[str] = mapped_column(String)
    degraded: Mapped[int] = mapped_column(Integer)
    results: Mapped[int] = mapped_column(Integer)
    measured: Mapped[int] = mapped_column(Integer)
    tool: Mapped[str] = mapped_column(String)


class DocumentRow(Base):
    """The whole run: JSON as printed by --json, zlib. Apart from RunRow, so that lists need not step over it."""

    __tablename__ = "documents"

    run: Mapped[int] = mapped_column(_Key, ForeignKey(RunRow.number, ondelete="CASCADE"), primary_key=True)
    version: Mapped[str] = mapped_column(String)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class SessionRow(Base):
    """One life of an engine within a run."""

    __tablename__ = "sessions"

    number: Mapped[int] = mapped_column(_Key, primary_key=True)
    run: Mapped[int] = mapped_column(_Key, ForeignKey(RunRow.number, ondelete="CASCADE"), index=True)
    position: Mapped[int] = mapped_column(Integer)
    nonce: Mapped[str] = mapped_column(String)
    engine: Mapped[str] = mapped_column(String)
    port: Mapped[str] = mapped_column(String)
    repetition: Mapped[int] = mapped_column(BigInteger)
    seed: Mapped[str] = mapped_column(String)
    complete: Mapped[int] = mapped_column(Integer)


class ResultsRow(Base):
    """One quantity, measured once, in figures to search by: nanoseconds for one operation."""

    __tablename__ = "results"
    __table_args__ = (Index("ix_results_quantity_target_kernel", "quantity", "target", "kernel"),)

    number: Mapped[int] = mapped_column(_Key, primary_key=True)
    run: Mapped[int] = mapped_column(_Key, ForeignKey(RunRow.number, ondelete="CASCADE"), index=True)
    session: Mapped[int] = mapped_column(Integer)
    item: Mapped[int] = mapped_column(Integer)
    target: Mapped[str] = mapped_column(String)
    kernel: Mapped[str] = mapped_column(String)
    measurement: Mapped[str] = mapped_column(String)
    quantity: Mapped[str] = mapped_column(String)
    pass_: Mapped[str] = mapped_column("pass", String)
    load: Mapped[str] = mapped_column(String)
    sched: Mapped[str] = mapped_column(String)
    cache: Mapped[str] = mapped_column(String)
    timer: Mapped[str] = mapped_column(String)
    status: Mapped[str] = mapped_column(String)
    count: Mapped[int] = mapped_column(BigInteger)
    min_ns: Mapped[float | None] = mapped_column(Double)
    mean_ns: Mapped[float | None] = mapped_column(Double)
    p50_ns: Mapped[float | None] = mapped_column(Double)
    p99_ns: Mapped[float | None] = mapped_column(Double)
    max_ns: Mapped[float | None] = mapped_column(Double)
    hdr_positive: Mapped[str | None] = mapped_column(String)
    """HdrHistogram V2, compressed, base64; ticks. See _hdr.py for what it cannot hold."""
    hdr_negative: Mapped[str | None] = mapped_column(String)


class RawLogRow(Base):
    """The record stream of one session as it came, zlib."""

    __tablename__ = "raw_logs"

    run: Mapped[int] = mapped_column(_Key, ForeignKey(RunRow.number, ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(Integer, primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    """Bytes before compression."""
    data: Mapped[bytes] = mapped_column(LargeBinary)
