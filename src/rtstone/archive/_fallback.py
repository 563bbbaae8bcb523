# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Keeps a run that the archive would not take: as JSON files beside the archive, or wherever there is room."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rtstone.archive import _documents
from rtstone.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.archive._location import Location
    from rtstone.model import Run


def keep(run: Run, raw_logs: Sequence[bytes], location: Location) -> Path:
    """Write `rtstone-unsaved-<id>.json`, and `.<n>.stream` beside it for each raw log; returns the JSON's path.

    Tried beside the archive, in the current folder, and in the folder for temporary files. Raises
    InfrastructureError if none of them takes it.
    """
    places = [location.path.parent] if location.path is not None else []
    places += [Path.cwd(), Path(tempfile.gettempdir())]
    # The id may come from a file that was imported; it must not lead out of the folder.
    name = "rtstone-unsaved-" + re.sub(r"[^A-Za-z0-9._-]", "_", run.id)[:100]
    problem: OSError | None = None
    for place in dict.fromkeys(places):
        try:
            path = _write(place / f"{name}.json", _documents.encode(run), location)
        except OSError as error:
            problem = error
            continue
        for position, log in enumerate(raw_logs):
            try:
                _write(place / f"{name}.{position}.stream", log, location)
            except OSError:
                break  # what counts is kept; the logs were too large for what room there is
        return path
    raise InfrastructureError(f"the run could not be kept anywhere: {problem}")


def logs_beside(path: Path) -> list[Path]:
    """The raw logs that `keep` wrote with a run's JSON, in order."""
    logs: list[Path] = []
    while (log := path.with_name(f"{path.stem}.{len(logs)}.stream")).is_file():
        logs.append(log)
    return logs


def _write(path: Path, data: bytes, location: Location) -> Path:
    """Whole or not at all."""
    part = path.with_name(path.name + ".part")
    # Not through a link that somebody put there: the temporary folder is open to all.
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if location.owner:
            os.chown(part, location.owner.uid, location.owner.gid, follow_symlinks=False)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return path
