# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What an exporter is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rtstone import plugins
from rtstone.model import Run


@dataclass(frozen=True)
class Exporter:
    """One format. Its module has it as EXPORTER, and pyproject.toml names that (entry points `rtstone.exporters`)."""

    name: str
    summary: str
    write: Callable[[Sequence[Run]], bytes]
    """The file of these runs. Raises UsageError or InfrastructureError for what the format cannot hold."""


GROUP = "rtstone.exporters"


def exporters() -> tuple[Exporter, ...]:
    """All of them, sorted by name. Raises InfrastructureError for one that cannot be loaded."""
    return plugins.plugins(GROUP, Exporter, "exporter")


def named(name: str) -> Exporter:
    """The exporter of that name. Raises UsageError where there is none."""
    return plugins.named(exporters(), name, "exporter")
