# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes what a command was asked to write: bytes come in; a file is whole or as it was, a device or a pipe is written to."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import typer

from rtstone.errors import InfrastructureError


def write_whole(data: bytes, target: Path) -> None:
    """Write a file whole or not at all; `-` is standard output. Raises InfrastructureError.

    A link stays, and what it leads to is written. What is no plain file is never replaced by one: `/dev/null` has to stay a device.
    """
    if str(target) == "-":
        typer.echo(data, nl=False)
        return
    part: Path | None = None
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        place = target.resolve()
        part = place.with_name(f".{place.name}.part")
        part.write_bytes(data)
        part.replace(place)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        if part is not None:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        raise InfrastructureError(f"{target}: {getattr(error, 'strerror', None) or error}") from error
