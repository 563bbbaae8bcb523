# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A kernel that the user has installed as a library: an environment variable names its folder.

A port of such a kernel has ``installed.toml``, which names the variable and the files that the folder must have.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec


class Installed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of installed.toml."""

    title: str
    variable: str
    """The environment variable that names the folder."""
    files: tuple[str, ...]
    """Files that must be below the folder, at least; `*` stands for a folder of any name."""
    page: str = ""
    """The page on how to install it, which the line on a missing file names. Empty: no page."""
    also: tuple[Installed, ...] = ()
    """Further installations that the image is linked with."""


def is_installed(root: Path, kernel: str) -> bool:
    """Whether the user installs a port's kernel; `root`: the folder that has ports/."""
    return _file(root, kernel).is_file()


def lacking(root: Path, kernel: str) -> str:
    """A line that names why the kernel cannot be linked; empty if it can."""
    return next(filter(None, map(_lacking, _all(root, kernel))), "")


def _lacking(said: Installed) -> str:
    page = f"; see {said.page}" if said.page else ""
    place = os.environ.get(said.variable, "")
    if not place:
        return f"{said.variable} must name the folder of an installed {said.title} ({', '.join(said.files)}){page}"
    absent = next((name for name in said.files if not any(map(Path.is_file, Path(place).glob(name)))), "")
    return f"{said.variable} is {place}, where there is no {absent}{page}" if absent else ""


def prefix(root: Path, kernel: str) -> Path:
    """The folder of the installed kernel. `lacking` must be empty for it."""
    return Path(os.environ[_said(root, kernel).variable]).resolve()


def inputs(root: Path, kernel: str) -> Iterator[tuple[Path, Path]]:
    """The files of the installed kernel that can affect an image, each after the folder of its installation."""
    for said in _all(root, kernel):
        place = Path(os.environ[said.variable]).resolve()
        yield from ((place, path) for path in (place / "include").rglob("*.h") if path.is_file())
        yield from (
            (place, path) for name in said.files if not name.startswith("include/") for path in place.glob(name)
        )


def _all(root: Path, kernel: str) -> tuple[Installed, ...]:
    said = _said(root, kernel)
    return (said, *said.also)


def _file(root: Path, kernel: str) -> Path:
    return root / "ports" / kernel / "installed.toml"


def _said(root: Path, kernel: str) -> Installed:
    return msgspec.toml.decode(_file(root, kernel).read_bytes(), type=Installed)
