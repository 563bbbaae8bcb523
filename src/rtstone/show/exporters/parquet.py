# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Parquet: the rows of CSV, each with its histogram as lists of bucket ends (ns) and counts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from rtstone.errors import InfrastructureError
from rtstone.model import Run
from rtstone.show.exporters._model import Exporter
from rtstone.show.exporters._rows import COLUMNS, rows

_BUCKETS = {"bucket_low_ns": float, "bucket_high_ns": float, "bucket_count": int}


def _write(runs: Sequence[Run]) -> bytes:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise InfrastructureError("Parquet needs pyarrow: pip install 'rtstone[parquet]'") from error
    kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64()}
    columns: dict[str, list[Any]] = {name: [] for name in (*COLUMNS, *_BUCKETS)}
    for row, result, clock in rows(runs):
        for name, value in row.items():
            columns[name].append(_clamped(value))
        buckets = tuple(result.histogram.buckets()) if result.histogram and clock else ()
        ns = clock.ns if clock else float
        columns["bucket_low_ns"].append([ns(b.low) / result.ops for b in buckets])
        columns["bucket_high_ns"].append([ns(b.high) / result.ops for b in buckets])
        columns["bucket_count"].append([b.count for b in buckets])
    schema = arrow.schema(
        [
            *(arrow.field(name, kinds[kind]) for name, kind in COLUMNS.items()),
            *(arrow.field(name, arrow.list_(kinds[kind])) for name, kind in _BUCKETS.items()),
        ],
        metadata={"rtstone.schema": "rtstone.results 1.0"},
    )
    sink = io.BytesIO()
    parquet.write_table(arrow.table(columns, schema=schema), sink, compression="zstd")
    return sink.getvalue()


def _clamped(value: object) -> object:
    """A value within 64 bits, the width of integers in Parquet."""
    return max(-(2**63), min(value, 2**63 - 1)) if isinstance(value, int) else value


EXPORTER = Exporter("parquet", "as csv, with the histograms (needs pyarrow)", _write)
