# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A kernel that the user has installed as a library: where an environment variable says, and what must lie there.

A port whose kernel is one has ``installed.toml``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec


class Installed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What installed.toml says."""

    title: str
    variable: str
    """Of the environment: names the folder."""
    files: tuple[str, ...]
    """What must be below it, at least."""


def is_installed(root: Path, kernel: str) -> bool:
    """Whether a port's kernel is one that the user installs; `root`: the folder that has ports/."""
    return _file(root, kernel).is_file()


def lacking(root: Path, kernel: str) -> str:
    """What keeps the kernel from being linked, in a line; empty where nothing does."""
    said = _said(root, kernel)
    place = os.environ.get(said.variable, "")
    if not place:
        return f"{said.variable} must name the folder of an installed {said.title} ({', '.join(said.files)})"
    absent = next((name for name in said.files if not (Path(place) / name).is_file()), "")
    return f"{said.variable} is {place}, where there is no {absent}" if absent else ""


def prefix(root: Path, kernel: str) -> Path:
    """The folder of the installed kernel, of which nothing may be `lacking`."""
    return Path(os.environ[_said(root, kernel).variable]).resolve()


def inputs(root: Path, kernel: str) -> Iterator[Path]:
    """The files of the installed kernel that may decide a byte of an image."""
    place = prefix(root, kernel)
    yield from (path for path in (place / "include").rglob("*.h") if path.is_file())
    yield from (place / name for name in _said(root, kernel).files if not name.startswith("include/"))


def _file(root: Path, kernel: str) -> Path:
    return root / "ports" / kernel / "installed.toml"


def _said(root: Path, kernel: str) -> Installed:
    return msgspec.toml.decode(_file(root, kernel).read_bytes(), type=Installed)
