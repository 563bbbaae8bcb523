# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds importers by their entry points; our own register in pyproject.toml like anybody's."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, entry_points

from rtstone.errors import InfrastructureError, UsageError
from rtstone.importers._model import Importer
from rtstone.resources import checkout_root

GROUP = "rtstone.importers"


def importers() -> tuple[Importer, ...]:
    """All of them, sorted by name. Raises InfrastructureError for one that cannot be loaded."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    root = checkout_root()
    if root is not None:
        # Run from the live sources: what is installed may be older than they are.
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        declared = project["project"].get("entry-points", {}).get(GROUP, {})
        found |= {name: EntryPoint(name, value, GROUP) for name, value in declared.items()}
    return tuple(_load(found[name]) for name in sorted(found))


def named(name: str) -> Importer:
    """The importer of that name. Raises UsageError where there is none."""
    known = importers()
    for importer in known:
        if importer.name == name:
            return importer
    raise UsageError(f"there is no importer '{name}'; there are {', '.join(i.name for i in known)}")


def _load(point: EntryPoint) -> Importer:
    try:
        made = point.load()
    except (ImportError, AttributeError) as error:
        raise InfrastructureError(f"the importer '{point.name}' cannot be loaded: {error}") from error
    if not isinstance(made, Importer):
        raise InfrastructureError(f"the importer '{point.name}' is no importer: {point.value}")
    return made
