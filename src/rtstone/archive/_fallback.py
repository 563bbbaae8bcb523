# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Saves a run that the archive cannot save: as JSON files next to the archive, or in another folder with room."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rtstone.archive import _documents
from rtstone.config import base_folder
from rtstone.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.archive._location import Location
    from rtstone.model import Run


_OWNER = ".owner"
_TMP = Path("/tmp")  # noqa: S108 - the last resort; files are made with O_EXCL and O_NOFOLLOW


def keep(run: Run, raw_logs: Sequence[bytes], location: Location, owner: str = "") -> Path:
    """Write `rtstone-unsaved-<id>.json`, and next to it `.<n>.stream` for each raw log. Returns the JSON's path.

    Tries the archive's own folder for unsaved runs, the current folder, the folder for temporary files, the user's
    folder for state, and /tmp: one full disk may hold several of them. The next save finds the run only in the
    archive's and the user's folder. Raises InfrastructureError if the run fits in none.
    """
    # The id may come from an imported file, so it must not lead out of the folder.
    name = "rtstone-unsaved-" + re.sub(r"[^A-Za-z0-9._-]", "_", run.id)[:100]
    problem: OSError | None = None
    own = (folder_of(location), state_folder(location))
    for place in dict.fromkeys((own[0], Path.cwd(), Path(tempfile.gettempdir()), own[1], _TMP)):
        try:
            if place in own:
                _make_private(place, location)
            if owner:
                _write(place / f"{name}{_OWNER}", owner.encode(), location, 0o600)
            path = _write(place / f"{name}.json", _documents.encode(run), location)
        except OSError as error:
            problem = error
            continue
        for position, log in enumerate(raw_logs):
            try:
                _write(place / f"{name}.{position}.stream", log, location)
            except OSError:
                break  # the run itself is saved; its logs are too large for the free space
        return path
    raise InfrastructureError(f"the run could not be kept anywhere: {problem}")


def folder_of(location: Location) -> Path:
    """The folder for runs that this archive could not save: next to an SQLite file; for a server, in the user's folder
    for state."""
    if location.path is not None:
        return location.path.with_name(location.path.name + ".unsaved")
    return state_folder(location)


def state_folder(location: Location) -> Path:
    """The folder for this archive's unsaved runs within the user's folder for state."""
    place = hashlib.sha256(str(location).encode()).hexdigest()[:16]
    return base_folder("XDG_STATE_HOME", ".local/state") / "rtstone" / "unsaved" / place


def kept_for(location: Location) -> list[Path]:
    """The files of runs that wait for this archive, oldest first. Folders in which other users can write are left
    out."""
    found: list[Path] = []
    for folder in dict.fromkeys((folder_of(location), state_folder(location))):
        with suppress(OSError):
            if _is_private(folder, location):
                files = folder.glob("rtstone-unsaved-*.json")
                found += (file for file in files if file.is_file() and not file.is_symlink())
    return sorted(found, key=lambda file: file.name)


def owner_beside(path: Path) -> str:
    """The owner's secret that `keep` wrote next to a run's JSON; empty if it wrote no secret."""
    file = path.with_name(path.stem + _OWNER)
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def forget(path: Path) -> None:
    """Removes a run's files once the archive has the run."""
    for file in (path, *logs_beside(path), path.with_name(path.stem + _OWNER)):
        with suppress(OSError):
            file.unlink()
    with suppress(OSError):
        path.parent.rmdir()


def _user(location: Location) -> int:
    return location.owner.uid if location.owner else os.geteuid()


def _make_private(folder: Path, location: Location) -> None:
    """Makes the folder. Raises OSError if another user could put files there."""
    if not folder.is_dir():
        if folder == state_folder(location):
            folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if location.owner:
            os.chown(folder, location.owner.uid, location.owner.gid, follow_symlinks=False)
    if not _is_private(folder, location):
        raise PermissionError(errno.EPERM, "others may write there", str(folder))


def _is_private(folder: Path, location: Location) -> bool:
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == _user(location) and not status.st_mode & 0o022


def logs_beside(path: Path) -> list[Path]:
    """The raw logs that `keep` wrote with a run's JSON, in order."""
    logs: list[Path] = []
    while (log := path.with_name(f"{path.stem}.{len(logs)}.stream")).is_file():
        logs.append(log)
    return logs


def _write(path: Path, data: bytes, location: Location, mode: int = 0o644) -> Path:
    """Writes a file completely or not at all."""
    part = path.with_name(path.name + ".part")
    # Do not follow a link: every user can put one into the temporary folder.
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
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
