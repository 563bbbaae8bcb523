# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs of the archive as the bytes of a format: an exporter's, or the original record streams."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rtstone.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from rtstone.archive import RunStore

RAW = "raw"
"""The one format without an exporter: record streams belong to the archive, not to the run."""


def write_runs(references: Sequence[str], form: str, output: Path, archive: RunStore) -> None:
    """Write these runs to a file, or to standard output (`-`). Raises UsageError and InfrastructureError."""
    from rtstone.cli._files import write_whole
    from rtstone.cli._select import runs
    from rtstone.show.exporters import named

    if form == RAW:
        write_whole(b"".join(_streams(archive, run.id) for run in runs(references, archive)), output)
        return
    exporter = named(form)
    if form == "parquet" and str(output) == "-" and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal: name a file with -o")
    write_whole(exporter.write(runs(references, archive)), output)


def _streams(archive: RunStore, run_id: str) -> bytes:
    logs = archive.raw_logs(run_id)
    if not logs:
        raise InfrastructureError(f"run '{run_id}' was saved without a raw log")
    return b"".join(log if log.endswith(b"\n") else log + b"\n" for log in logs)
