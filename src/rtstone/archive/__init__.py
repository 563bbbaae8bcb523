# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Keeps runs: a finished run and its raw logs in, the same run out, found by id or by what it measured.

Importing this is cheap; the database library is imported when an archive is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.archive._location import WAIT_S, Location, default_path, locate
from rtstone.archive._records import Gate, MainFigure, Pruned, ResultRow, Summary

if TYPE_CHECKING:
    from pathlib import Path

    from rtstone.archive._fleet import Batch, Fleet, Machine, Measured, Recent
    from rtstone.archive._queue import Queue
    from rtstone.archive._store import Archive
    from rtstone.model import Run

__all__ = [
    "Archive",
    "Batch",
    "Fleet",
    "Gate",
    "Location",
    "Machine",
    "MainFigure",
    "Measured",
    "Pruned",
    "Recent",
    "ResultRow",
    "Summary",
    "default_path",
    "locate",
    "open_archive",
    "open_fleet",
    "open_queue",
    "read_file",
    "unpack_session",
]


def open_archive(where: str | None = None, *, wait_s: float = WAIT_S) -> Archive:
    """The archive at a path or database URL; None: the default place. Nothing is created before the first save.

    `wait_s` is how long (seconds) to wait for another program that writes. Raises InfrastructureError if the place
    holds something else, UsageError if `where` is no path and no URL that we know.
    """
    from rtstone.archive._store import Archive

    return Archive(locate(where), wait_s=wait_s)


def open_fleet(where: str | None = None, *, wait_s: float = WAIT_S) -> Fleet:
    """The same to look at alone: nothing that is done with it can change the archive."""
    from rtstone.archive._fleet import Fleet

    return Fleet(locate(where), wait_s=wait_s)


def open_queue(where: str | None = None, *, lease_s: float = 60.0, most_lost: int | None = None) -> Queue:
    """What is still to be measured, as the archive keeps it. `lease_s`: how long (s) a silent worker keeps what it has taken.

    `most_lost`: how many workers a measurement may lose before it has failed; None: the usual number.
    """
    from rtstone.archive._queue import MOST_LOST, Queue
    from rtstone.archive._store import Archive

    archive = Archive(locate(where), wait_s=10.0, keep_connection=True)
    return Queue(archive, lease_s=lease_s, most_lost=MOST_LOST if most_lost is None else most_lost)


def read_file(file: Path) -> Run:
    """The run of a JSON file, as `--json` and `export` write it. Raises InfrastructureError, naming the file."""
    from rtstone.archive._documents import decode
    from rtstone.errors import InfrastructureError

    try:
        return decode(file.read_bytes(), str(file))
    except OSError as error:
        raise InfrastructureError(f"{file}: {error.strerror}") from error


def unpack_session(data: bytes) -> bytes:
    """The JSON of a session from the column `data` of the view v1_histograms. Raises InfrastructureError for what is none."""
    from rtstone.archive import _packing

    return _packing.unpack_session(data, "the session")


def __getattr__(name: str) -> object:
    """Give `Archive` and its like to who asks for them, and import the database library only then."""
    if name == "Archive":
        from rtstone.archive._store import Archive

        return Archive
    if name in {"Batch", "Fleet", "Machine", "Measured", "Recent"}:
        from rtstone.archive import _fleet

        return getattr(_fleet, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
