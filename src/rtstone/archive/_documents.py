# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns a run into the bytes that the archive saves, and back. Damaged data is an error that names the place, never a
guess."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import msgspec

from rtstone.errors import InfrastructureError
from rtstone.model import Run, Session, sense

if TYPE_CHECKING:
    from collections.abc import Sequence

MAJOR = 1
"""Major version of the run's document that this rtstone reads."""


UNPACKED_MAX = 1 << 30
"""Most bytes that a document or a raw log may unpack to: several times the size of the longest run of all samples."""


class _DocumentHead(msgspec.Struct):
    """The fields that every version of the document has. They are read and checked first."""

    schema: str
    version: str


def encode(run: Run) -> bytes:
    """The run as JSON. Not as msgpack, since a sum of squares may exceed 64 bits."""
    return msgspec.json.encode(run)


def encode_head(run: Run) -> bytes:
    """The run's JSON without its sessions. The archive saves sessions separately, since a session never changes once
    made."""
    return msgspec.json.encode(msgspec.structs.replace(run, sessions=()))


def join(head: bytes, sessions: Sequence[bytes], where: str) -> Run:
    """The run in the JSON of its head and of its sessions. Raises InfrastructureError, naming `where`."""
    run = _decoded(head, where)
    if sessions:
        if run.sessions:
            raise InfrastructureError(f"{where} is damaged: it has sessions twice")
        try:
            parts = tuple(msgspec.json.decode(one, type=Session) for one in sessions)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InfrastructureError(f"{where} is damaged: {error}") from error
        run = msgspec.structs.replace(run, sessions=parts)
    require_sense(run, where)
    return run


def decode(data: bytes, where: str) -> Run:
    """The run in a JSON document. `where` is the document's name in errors. Raises InfrastructureError."""
    run = _decoded(data, where)
    require_sense(run, where)
    return run


def _decoded(data: bytes, where: str) -> Run:
    """The run in a JSON document of a known version, not yet checked for impossible numbers."""
    try:
        head = msgspec.json.decode(data, type=_DocumentHead)
        if head.schema != "rtstone.run":
            raise InfrastructureError(f"{where} is not a run but '{head.schema[:40]}'")
        major = head.version.partition(".")[0]
        if not (major.isascii() and major.isdigit()):
            raise InfrastructureError(f"{where} is damaged: version '{head.version[:40]}'")
        if int(major[:9]) > MAJOR:
            raise InfrastructureError(
                f"{where} was written by a newer rtstone (document version {head.version[:40]}; this one reads {MAJOR}.x)"
            )
        return msgspec.json.decode(data, type=Run)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InfrastructureError(f"{where} is damaged: {error}") from error


def require_sense(run: Run, where: str) -> None:
    """Raises InfrastructureError, naming the field, for a run with impossible numbers."""
    wrong = sense.fault(run)
    if wrong is not None:
        raise InfrastructureError(f"{where} makes no sense: {wrong}")


def pack(data: bytes, level: int = 6) -> bytes:
    """Compress for the database."""
    return zlib.compress(data, level)


def unpack(data: bytes, where: str, before: int = 0) -> bytes:
    """Undo `pack`. At most `UNPACKED_MAX` bytes are allowed, including the `before` bytes of earlier parts: an archive
    may come from anybody.

    Raises InfrastructureError naming `where`.
    """
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(data, max(1, UNPACKED_MAX - before))
    except (zlib.error, TypeError) as error:
        raise InfrastructureError(f"{where} is damaged: {error}") from error
    if unpacker.unconsumed_tail:
        raise InfrastructureError(f"{where} is damaged: it unpacks to more than {UNPACKED_MAX >> 20} MiB")
    if not unpacker.eof:
        raise InfrastructureError(f"{where} is damaged: its end is missing")
    return unpacked
