# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes a command's output as bytes. A file is written completely or stays unchanged;
a device or a pipe is written directly."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import typer

from rtstone.errors import InfrastructureError, UsageError

_TRIES = 8
_LONGEST = 200


def require_folder(option: str, target: Path | None) -> None:
    """Raises UsageError where `option` names a file in no folder, or in a read-only one. Call it before long work."""
    if target is None or str(target) == "-":
        return
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise UsageError(f"{option}: there is no folder {folder}")
    if not target.exists() and not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{option}: the folder {folder} cannot be written")


def write_whole(data: bytes, target: Path) -> None:
    """Write a file whole or not at all; `-` is standard output. Raises InfrastructureError.

    A link stays, and its destination is written. Only a plain file is ever replaced: `/dev/null` has to stay a device.
    """
    if str(target) == "-":
        if sys.stdout.isatty():
            from rtstone.model.text import neutral

            data = neutral(data.decode("utf-8", "replace")).encode()
        typer.echo(data, nl=False)
        return
    part: Path | None = None
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        place = target.resolve()
        if place.is_symlink():  # a link that leads to itself: up to Python 3.12 `resolve` raises a RuntimeError
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        part, descriptor = _part_of(place)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        if place.is_file():
            part.chmod(stat.S_IMODE(place.stat().st_mode))  # as the file that it replaces
        part.replace(place)
    except (OSError, RuntimeError) as error:
        if part is not None:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        raise InfrastructureError(f"{target}: {getattr(error, 'strerror', None) or error}") from error


def write_lines(lines: Iterable[str], target: Path | None) -> None:
    """Print lines, wrapped to a narrow terminal, or write them to a file. Control characters are shown, not obeyed."""
    import textwrap

    from rtstone.cli._tables import width
    from rtstone.model.text import printable

    if target is None:
        room = width() if sys.stdout.isatty() else 10_000
        for line in lines:
            for part in textwrap.wrap(printable(line), room, subsequent_indent="    ") or [""]:
                typer.echo(part)
    else:
        write_whole("".join(f"{printable(line)}\n" for line in lines).encode(), target)


def write_json(document: object, target: Path | None) -> None:
    """Print a structure as indented JSON, or write it to a file."""
    from rtstone.model.text import json_document

    write_whole(json_document(document), target or Path("-"))


def _part_of(place: Path) -> tuple[Path, int]:
    """A new file next to the place,
    with a name of its own: it never opens a link planted there, or another writer's file."""
    for _ in range(_TRIES):
        part = place.with_name(f".{place.name[:_LONGEST]}.{secrets.token_hex(8)}.part")
        try:
            return part, os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            continue
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
