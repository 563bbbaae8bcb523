# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of an exporter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rtstone import plugins
from rtstone.model import Run


@dataclass(frozen=True)
class Exporter:
    """One format. Its module defines it as EXPORTER, and pyproject.toml names it (entry points `rtstone.exporters`)."""

    name: str
    summary: str
    write: Callable[[Sequence[Run]], bytes]
    """The file of these runs. Raises UsageError or InfrastructureError if the format cannot hold them."""


GROUP = "rtstone.exporters"


def exporters() -> tuple[Exporter, ...]:
    """All exporters, sorted by name. Raises InfrastructureError for one that cannot be loaded."""
    return plugins.plugins(GROUP, Exporter, "exporter")


def named(name: str) -> Exporter:
    """The exporter of that name. Raises UsageError for an unknown name."""
    return plugins.named(exporters(), name, "exporter")
