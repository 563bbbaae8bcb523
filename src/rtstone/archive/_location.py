# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the archive is: from a path, a URL or nothing at all, to a place and the user who shall own it."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import msgspec

from rtstone.errors import UsageError

FILE_NAME = "archive.sqlite"


class Owner(msgspec.Struct, frozen=True):
    """The user whom new files shall belong to."""

    uid: int
    gid: int
    home: Path


class Location(msgspec.Struct, frozen=True):
    """An SQLite file, or else the URL of a database server."""

    path: Path | None
    url: str = ""
    owner: Owner | None = None
    """Set under sudo: the user who called it."""

    def __str__(self) -> str:
        """As shown to the user; a password in a URL is not."""
        if self.path is not None:
            return str(self.path)
        from sqlalchemy.engine import make_url

        return make_url(self.url).render_as_string(hide_password=True)


def invoking_user() -> Owner | None:
    """The user behind sudo, or None when there is no sudo."""
    name = os.environ.get("SUDO_USER")
    if os.geteuid() != 0 or not name or name == "root":
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Owner(entry.pw_uid, entry.pw_gid, Path(entry.pw_dir))


def default_path() -> Path:
    """`$XDG_DATA_HOME/rtstone/archive.sqlite`; under sudo, of the user who called it."""
    owner = invoking_user()
    chosen = os.environ.get("XDG_DATA_HOME", "")
    # The XDG specification tells to ignore a relative path.
    if Path(chosen).is_absolute():
        base = Path(chosen)
    else:
        base = (owner.home if owner else Path.home()) / ".local" / "share"
    return base / "rtstone" / FILE_NAME


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
        return Location(None, f"postgresql+psycopg://{rest}")
    raise UsageError(f"archive '{scheme}://…': only paths, sqlite:///PATH and postgresql://… are known")
