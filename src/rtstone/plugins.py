# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds plug-ins by their entry points. Our own plug-ins are registered in pyproject.toml like all others."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

from rtstone.errors import InfrastructureError, unknown
from rtstone.resources import checkout_root


class Named(Protocol):
    """The interface of every plug-in."""

    @property
    def name(self) -> str:
        """Name by which users select it."""
        ...


_Plugin = TypeVar("_Plugin", bound=Named)


def registered(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name, not yet loaded.
    They are cached while the search path for modules stays the same."""
    return _registered(group, checkout_root(), tuple(sys.path))


@cache
def _registered(group: str, root: Path | None, _path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    found = {point.name: point for point in entry_points(group=group)}
    if root is not None:
        # Run from the live sources: installed entry points may be older.
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        declared = project["project"].get("entry-points", {}).get(group, {})
        found |= {name: EntryPoint(name, value, group) for name, value in declared.items()}
    return MappingProxyType(found)


def plugins(group: str, kind: type[_Plugin], word: str) -> tuple[_Plugin, ...]:
    """All plug-ins of a group, sorted by name; `word` names the kind in errors.
    Raises InfrastructureError if one cannot be loaded."""
    found = registered(group)
    return tuple(_load(found[name], kind, word) for name in sorted(found))


def named(known: tuple[_Plugin, ...], name: str, word: str) -> _Plugin:
    """The plug-in of that name. Raises UsageError if there is none."""
    for one in known:
        if one.name == name:
            return one
    raise unknown(word, name, (one.name for one in known))


def _load(point: EntryPoint, kind: type[_Plugin], word: str) -> _Plugin:
    try:
        made = point.load()
    except (ImportError, AttributeError) as error:
        raise InfrastructureError(f"the {word} '{point.name}' cannot be loaded: {error}") from error
    if not isinstance(made, kind):
        raise InfrastructureError(f"the {word} '{point.name}' is no {word}: {point.value}")
    return made
