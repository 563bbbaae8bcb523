# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The importers that there are: plug-ins of one entry-point group."""

from __future__ import annotations

from rtstone import plugins
from rtstone.archive.importers._model import Importer

GROUP = "rtstone.importers"


def importers() -> tuple[Importer, ...]:
    """All of them, sorted by name. Raises InfrastructureError for one that cannot be loaded."""
    return plugins.plugins(GROUP, Importer, "importer")


def named(name: str) -> Importer:
    """The importer of that name. Raises UsageError where there is none."""
    return plugins.named(importers(), name, "importer")
