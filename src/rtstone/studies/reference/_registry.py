# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The two registries beside the figures: which papers there are, and which units they print."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

import msgspec

from rtstone.errors import InfrastructureError
from rtstone.resources import data_dir

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One paper: its study id, how to cite it, and the caption of each of its tables."""

    study: str
    year: int
    authors: str
    title: str
    identifier: str
    tables: dict[str, str]


class Unit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One printed unit and its reading; the fields are explained in the data folder's units.toml."""

    printed: str
    symbol: str
    verbatim: tuple[str, ...] = ()
    whole: bool = False
    doubt: str = ""


class _Papers(msgspec.Struct, forbid_unknown_fields=True):
    paper: tuple[Paper, ...]


class _Units(msgspec.Struct, forbid_unknown_fields=True):
    unit: tuple[Unit, ...]


_Document = TypeVar("_Document", _Papers, _Units)


def _decode(file: Traversable, kind: type[_Document]) -> _Document:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file}: {error}") from error


@cache
def papers() -> tuple[Paper, ...]:
    """All papers, in the order they appeared. Raises InfrastructureError on a damaged registry."""
    return _decode(data_dir("reference") / "papers.toml", _Papers).paper


@cache
def units() -> dict[str, Unit]:
    """The closed list of units, by printed name. Raises InfrastructureError on a damaged registry."""
    return {unit.printed: unit for unit in _decode(data_dir("reference") / "units.toml", _Units).unit}


def studies() -> tuple[str, ...]:
    """The ids of the studies that have published figures, in the order the papers appeared."""
    return tuple(paper.study for paper in papers())
