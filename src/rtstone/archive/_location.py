# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the archive is: from a path, a URL or nothing at all, to a place and the user who shall own it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from rtstone.config import Owner, base_folder, invoking_user
from rtstone.errors import InfrastructureError, UsageError

FILE_NAME = "archive.sqlite"

WAIT_S = 60.0
"""How long (seconds) a save or a reading waits for others, if nothing else is said."""


class Location(msgspec.Struct, frozen=True):
    """An SQLite file, or else the URL of a database server."""

    path: Path | None
    url: str = ""
    owner: Owner | None = None
    """Set under sudo: the user who called it."""

    def is_new(self) -> bool:
        """Whether no file is there yet. Raises InfrastructureError where there cannot be one."""
        try:
            return self.path is not None and not self.path.exists()
        except OSError as error:
            raise InfrastructureError(f"archive {str(self.path)[:200]}: {error.strerror}") from error

    def __str__(self) -> str:
        """As shown to the user; a password in a URL is not."""
        if self.path is not None:
            return str(self.path)
        from sqlalchemy.engine import make_url

        return make_url(self.url).render_as_string(hide_password=True)

    def require_writable(self) -> None:
        """Raises InfrastructureError where a file cannot be made or written at the place; nothing stays. A server is not asked."""
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
            raise InfrastructureError(f"archive {self.path} cannot be written: {there}: {error.strerror}") from error


def default_path() -> Path:
    """`$XDG_DATA_HOME/rtstone/archive.sqlite`; under sudo, of the user who called it."""
    return base_folder("XDG_DATA_HOME", ".local/share") / "rtstone" / FILE_NAME


def locate(where: str | None = None) -> Location:
    """Turn what the user gave into a Location. Raises UsageError for a URL of an unknown kind."""
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
