# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds plug-ins by their entry points. Our own plug-ins are registered in pyproject.toml like all others."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

from rtstone.errors import InfrastructureError, unknown
from rtstone.resources import checkout_root


class Named(Protocol):
    """The interface of every plug-in."""

    @property
    def name(self) -> str:
        """Name by which users select it."""
        ...


_Plugin = TypeVar("_Plugin", bound=Named)


class EntryPoint(NamedTuple):
    """A name under which a distribution registers an object."""

    name: str
    value: str
    """``module:object``, or a module."""

    def load(self) -> Any:
        """The registered object. Raises ImportError, AttributeError, or any error that its module raises."""
        module, _, attribute = self.value.partition(":")
        found = import_module(module.strip())
        return getattr(found, attribute.partition("[")[0].strip()) if attribute else found


def registered(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name, not yet loaded.
    They are cached while the search path for modules stays the same."""
    return _registered(checkout_root(), tuple(sys.path)).get(group, MappingProxyType({}))


@cache
def _registered(root: Path | None, path: tuple[str, ...]) -> Mapping[str, Mapping[str, EntryPoint]]:
    """The entry points of all groups."""
    found: dict[str, dict[str, EntryPoint]] = {}
    # Run from the live sources: our own installed entry points may be older.
    for group, name, value in _installed(path, own=root is None):
        found.setdefault(group, {})[name] = EntryPoint(name, value)
    if root is not None:
        import tomllib

        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        for group, declared in project["project"].get("entry-points", {}).items():
            found.setdefault(group, {}).update((name, EntryPoint(name, value)) for name, value in declared.items())
    return {group: MappingProxyType(points) for group, points in found.items()}


def _installed(path: tuple[str, ...], *, own: bool) -> Iterator[tuple[str, str, str]]:
    """Group, name and value of each entry point of the distributions on a search path. Of two distributions of the
    same name, the first counts. `own`: those of rtstone itself too.

    It reads the files itself, because `rtstone --help` would take half as long again with `importlib.metadata`.
    """
    seen = set() if own else {"rtstone"}
    for place in path:
        for file in sorted(Path(place or ".").glob("*.*-info/entry_points.txt")):
            distribution = file.parent.name.partition("-")[0].lower()
            if distribution in seen:
                continue
            seen.add(distribution)
            group = ""
            for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
                name, equals, value = line.partition("=")
                if line.startswith("["):
                    group = line.strip("[] ")
                elif equals and not line.startswith(("#", ";")):
                    yield group, name.strip(), value.strip()


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
