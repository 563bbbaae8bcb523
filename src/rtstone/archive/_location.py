# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the archive's place and the user who owns it, from a path, a URL or nothing."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

from rtstone.config import Owner, base_folder, invoking_user
from rtstone.errors import InfrastructureError, UsageError

FILE_NAME = "archive.sqlite"

WAIT_S = 60.0
"""How long (seconds) a save or a reading waits for other programs by default."""


class Location(msgspec.Struct, frozen=True):
    """An SQLite file, or else the URL of a database server."""

    path: Path | None
    url: str = ""
    owner: Owner | None = None
    """Set under sudo: the user who called sudo."""

    def is_new(self) -> bool:
        """Whether the archive is a file that does not exist yet. Raises InfrastructureError if there cannot be one."""
        try:
            return self.path is not None and not self.path.exists()
        except OSError as error:
            raise InfrastructureError(f"archive {str(self.path)[:200]}: {error.strerror}") from error

    def __str__(self) -> str:
        """The place as shown to the user, without the password of a URL."""
        if self.path is not None:
            return str(self.path)
        from sqlalchemy.engine import make_url

        return make_url(self.url).render_as_string(hide_password=True)

    def require_writable(self) -> None:
        """Raises InfrastructureError when a file cannot be made or written at the place. The check leaves no file, and
        asks no server."""
        if self.path is None:
            return
        there = self.path
        try:
            while not there.exists() and there != there.parent:
                there = there.parent
            if there == self.path:
                with there.open("r+b"):
                    return
            with tempfile.TemporaryFile(dir=there):
                return
        except OSError as error:
            why = f"{there}: {error.strerror}{way_out(error, there)}"
            raise InfrastructureError(f"archive {self.path} cannot be written: {why}") from error

    def refusal(self) -> str:
        """A clause for an error: why this user may not write a file at the place; else empty. Opens no file, since
        closing it would end SQLite's locks."""
        there = self.path
        while there is not None and not there.exists() and there != there.parent:
            there = there.parent
        if there is None or os.access(there, os.W_OK, effective_ids=True):
            return ""
        number = errno.EROFS if os.statvfs(there).f_flag & os.ST_RDONLY else errno.EACCES
        error = OSError(number, os.strerror(number))
        return f": {there}: {error.strerror}{way_out(error, there)}"


def way_out(error: OSError, there: Path) -> str:
    """A clause for an error: the option that helps when a file or folder cannot be written; else empty."""
    if error.errno == errno.EROFS:
        return "; name a writable place by --archive or RTSTONE_ARCHIVE, in a container a volume (-v archive:FOLDER)"
    if error.errno in {errno.EACCES, errno.EPERM}:
        with suppress(OSError):
            owner = there.stat().st_uid
            if owner != os.geteuid():
                whose = f" (it belongs to user {owner}, this is user {os.geteuid()})"
                return f"{whose}; name an archive of your own by --archive or RTSTONE_ARCHIVE"
        return "; name another archive by --archive or RTSTONE_ARCHIVE"
    return ""


def default_path() -> Path:
    """`$XDG_DATA_HOME/rtstone/archive.sqlite`; under sudo, that of the user who called sudo."""
    return base_folder("XDG_DATA_HOME", ".local/share") / "rtstone" / FILE_NAME


def locate(where: str | None = None) -> Location:
    """Turn the user's path or URL into a Location; None: the default. Raises UsageError for a URL of an unknown
    kind."""
    if not where:
        return Location(default_path(), owner=invoking_user())
    scheme, separator, rest = where.partition("://")
    if not separator:
        return Location(Path(where).expanduser().absolute(), owner=invoking_user())
    if scheme == "sqlite":
        # SQLAlchemy's spelling: three slashes before a relative path, four before an absolute one.
        if not rest.startswith("/") or rest == "/":
            raise UsageError(f"archive '{where}': write sqlite:///PATH, or just the path")
        return Location(Path(rest[1:]).absolute(), owner=invoking_user())
    if scheme in {"postgresql", "postgres", "postgresql+psycopg"}:
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        url = f"postgresql+psycopg://{rest}"
        try:
            port = make_url(url).port
        except (ArgumentError, ValueError):
            port = -1
        if port is not None and not 0 < port < 65536:
            raise UsageError("archive 'postgresql://…': this is no URL of a database: postgresql://USER@HOST:PORT/NAME")
        return Location(None, url)
    raise UsageError(f"archive '{scheme}://…': only paths, sqlite:///PATH and postgresql://… are known")
