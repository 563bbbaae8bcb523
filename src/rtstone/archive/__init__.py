# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Saves runs with their raw logs, and returns them unchanged. Finds runs by id, or by the quantities that they
measured.

Importing this is cheap. The database library is imported when an archive is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.archive._location import WAIT_S, Location, default_path, locate
from rtstone.archive._records import GateRow, GateVerdict, MainFigure, Pruned, ResultRow, RunSummary

if TYPE_CHECKING:
    from pathlib import Path

    from rtstone.archive._fleet import Batch, Fleet, FleetMachine, Measured, Recent
    from rtstone.archive._queue import Queue
    from rtstone.archive._store import RunStore
    from rtstone.model import Run

__all__ = [
    "Batch",
    "Fleet",
    "FleetMachine",
    "GateRow",
    "GateVerdict",
    "Location",
    "MainFigure",
    "Measured",
    "Pruned",
    "Recent",
    "ResultRow",
    "RunStore",
    "RunSummary",
    "default_path",
    "locate",
    "open_archive",
    "open_fleet",
    "open_queue",
    "read_file",
    "unpack_session",
]


def open_archive(where: str | None = None, *, wait_s: float = WAIT_S) -> RunStore:
    """The archive at a path or database URL; None: the default place. Nothing is created before the first save.

    `wait_s` is how long (seconds) to wait for another program that writes. Raises InfrastructureError if the place
    holds something else, UsageError if `where` is neither a path nor a URL of a known kind.
    """
    from rtstone.archive._store import RunStore

    return RunStore(locate(where), wait_s=wait_s)


def open_fleet(where: str | None = None, *, wait_s: float = WAIT_S) -> Fleet:
    """The archive at a path or database URL, opened only for reading. Raises as `open_archive`."""
    from rtstone.archive._fleet import Fleet

    return Fleet(locate(where), wait_s=wait_s)


def open_queue(where: str | None = None, *, lease_s: float = 60.0, most_lost: int | None = None) -> Queue:
    """The archive's queue of measurements still to be done. `lease_s`: how long (s) a silent worker keeps its
    measurement.

    `most_lost`: how many workers a measurement may lose before it counts as failed; None: the usual number.
    """
    from rtstone.archive._queue import MOST_LOST, Queue
    from rtstone.archive._store import RunStore

    archive = RunStore(locate(where), wait_s=10.0, keep_connection=True)
    return Queue(archive, lease_s=lease_s, most_lost=MOST_LOST if most_lost is None else most_lost)


def read_file(file: Path) -> Run:
    """The run in a JSON file that `--json` or `export` wrote. Raises InfrastructureError, naming the file."""
    from rtstone.archive._documents import decode
    from rtstone.errors import InfrastructureError

    try:
        return decode(file.read_bytes(), str(file))
    except OSError as error:
        raise InfrastructureError(f"{file}: {error.strerror}") from error


def unpack_session(data: bytes) -> bytes:
    """The JSON of a session from the column `data` of the view v1_histograms. Raises InfrastructureError for other
    data."""
    from rtstone.archive import _packing

    return _packing.unpack_session(data, "the session")


def __getattr__(name: str) -> object:
    """Return `RunStore` and similar classes by name, and import the database library only then."""
    if name == "RunStore":
        from rtstone.archive._store import RunStore

        return RunStore
    if name in {"Batch", "Fleet", "FleetMachine", "Measured", "Recent"}:
        from rtstone.archive import _fleet

        return getattr(_fleet, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
