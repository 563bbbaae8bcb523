# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads what the papers say of their platforms (reference/traits.toml)."""

from __future__ import annotations

from functools import cache

import msgspec

from rtstone.errors import InfrastructureError
from rtstone.resources import data_dir


class Trait(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that platforms are compared by."""

    id: str
    title: str


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A platform of a paper, and what that paper says of it; a trait that it does not mention is missing."""

    study: str
    name: str
    traits: dict[str, str]


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    version: str
    trait: tuple[Trait, ...]
    platform: tuple[Platform, ...]


@cache
def published() -> tuple[tuple[Trait, ...], tuple[Platform, ...]]:
    """All traits in the table's order, and all platforms in the papers'. Raises InfrastructureError on a damaged file."""
    file = data_dir("reference") / "traits.toml"
    try:
        document = msgspec.toml.decode(file.read_bytes(), type=_Document)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file}: {error}") from error
    known = {trait.id for trait in document.trait}
    for platform in document.platform:
        for unknown in platform.traits.keys() - known:
            raise InfrastructureError(f"{file}: {platform.name}: there is no trait {unknown}")
    return document.trait, document.platform
