# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The exporters that there are: plug-ins of one entry-point group."""

from __future__ import annotations

from rtstone import plugins
from rtstone.show.exporters._model import Exporter

GROUP = "rtstone.exporters"


def exporters() -> tuple[Exporter, ...]:
    """All of them, sorted by name. Raises InfrastructureError for one that cannot be loaded."""
    return plugins.plugins(GROUP, Exporter, "exporter")


def named(name: str) -> Exporter:
    """The exporter of that name. Raises UsageError where there is none."""
    return plugins.named(exporters(), name, "exporter")
