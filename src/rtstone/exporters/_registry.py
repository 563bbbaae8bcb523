# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds exporters by their entry points; our own register in pyproject.toml like anybody's."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, entry_points

from rtstone.errors import InfrastructureError, UsageError
from rtstone.exporters._model import Exporter
from rtstone.resources import checkout_root

GROUP = "rtstone.exporters"


def exporters() -> tuple[Exporter, ...]:
    """All of them, sorted by name. Raises InfrastructureError for one that cannot be loaded."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    root = checkout_root()
    if root is not None:
        # Run from the live sources: what is installed may be older than they are.
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        declared = project["project"].get("entry-points", {}).get(GROUP, {})
        found |= {name: EntryPoint(name, value, GROUP) for name, value in declared.items()}
    return tuple(_load(found[name]) for name in sorted(found))


def named(name: str) -> Exporter:
    """The exporter of that name. Raises UsageError where there is none."""
    known = exporters()
    for exporter in known:
        if exporter.name == name:
            return exporter
    raise UsageError(f"there is no exporter '{name}'; there are {', '.join(i.name for i in known)}")


def _load(point: EntryPoint) -> Exporter:
    try:
        made = point.load()
    except (ImportError, AttributeError) as error:
        raise InfrastructureError(f"the exporter '{point.name}' cannot be loaded: {error}") from error
    if not isinstance(made, Exporter):
        raise InfrastructureError(f"the exporter '{point.name}' is no exporter: {point.value}")
    return made
