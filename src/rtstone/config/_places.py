# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where configuration files are, and whose they are when rtstone runs under sudo."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import msgspec

FILE_NAME = "rtstone.toml"


class Owner(msgspec.Struct, frozen=True):
    """A user whom files belong to."""

    uid: int
    gid: int
    home: Path


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


def base_folder(variable: str, below_home: str) -> Path:
    """A folder of the XDG specification: what the variable says, else `below_home` of the (invoking) user."""
    chosen = os.environ.get(variable, "")
    # The specification tells to ignore a relative path.
    if Path(chosen).is_absolute():
        return Path(chosen)
    owner = invoking_user()
    return (owner.home if owner else Path.home()) / below_home


def user_file() -> Path:
    """The user's own file; it need not exist."""
    return base_folder("XDG_CONFIG_HOME", ".config") / "rtstone" / FILE_NAME


def project_file(folder: Path | None = None) -> Path | None:
    """The nearest rtstone.toml in `folder` (None: the current one) or above it."""
    start = (folder or Path.cwd()).absolute()
    for place in (start, *start.parents):
        if (place / FILE_NAME).is_file():
            return place / FILE_NAME
    return None
