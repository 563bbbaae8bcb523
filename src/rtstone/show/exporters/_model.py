# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What an exporter is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rtstone.model import Run


@dataclass(frozen=True)
class Exporter:
    """One format. Its module has it as EXPORTER, and pyproject.toml names that (entry points `rtstone.exporters`)."""

    name: str
    summary: str
    write: Callable[[Sequence[Run]], bytes]
    """The file of these runs. Raises UsageError or InfrastructureError for what the format cannot hold."""
