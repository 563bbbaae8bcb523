# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads runs from a JSON file: one run as `export` writes it, or the document of `run --json` and `show --json`."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from rtstone.archive import read_file
from rtstone.errors import InfrastructureError
from rtstone.model import Run, sense

_BEGINNING = 200
_OWN = re.compile(rb'\s*\{\s*"schema"\s*:\s*"(rtstone\.runs?)"')


class _FileHead(msgspec.Struct):
    """The part of a document that identifies its kind."""

    schema: str = ""
    version: str = ""
    runs: tuple[msgspec.Raw, ...] = ()


def own_schema(path: Path) -> str:
    """The schema with which rtstone wrote the file, complete or not: `rtstone.run`, `rtstone.runs`;
    empty: another program's file."""
    try:
        with path.open("rb") as file:
            begins = _OWN.match(file.read(_BEGINNING))
    except OSError:
        return ""
    return begins[1].decode() if begins is not None else ""


def runs_of(path: Path) -> tuple[Run, ...]:
    """The runs of a file. Raises InfrastructureError, naming the file."""
    try:
        head = msgspec.json.decode(path.read_bytes(), type=_FileHead)
    except OSError as error:
        raise InfrastructureError(f"{path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        head = _FileHead()
    if head.schema != "rtstone.runs":
        return (read_file(path),)  # which reports the file's faults
    if head.version.partition(".")[0] != "1":
        raise InfrastructureError(f"{path} was written by a newer rtstone (document version {head.version[:40]})")
    try:
        runs = tuple(msgspec.json.decode(run, type=Run) for run in head.runs)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InfrastructureError(f"{path} is damaged: {error}") from error
    wrong = sense.runs_fault(runs)
    if wrong is not None:
        raise InfrastructureError(f"{path} makes no sense: {wrong}")
    return runs
