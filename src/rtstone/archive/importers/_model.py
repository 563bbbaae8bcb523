# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What an importer is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from rtstone import plugins
from rtstone.errors import InfrastructureError
from rtstone.model import Clock, Degraded, Result


@dataclass(frozen=True)
class Source:
    """A file as it was read."""

    name: str
    """As the user named it."""
    data: bytes

    @cached_property
    def text(self) -> str:
        """UTF-8, or what of it there is: consoles print anything."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Without their ends; carriage returns of a serial console are gone."""
        return tuple(line.rstrip() for line in self.text.split("\n"))

    def wrong(self, line: int, text: str) -> InfrastructureError:
        """The error to raise: it names file and line (from 1)."""
        return InfrastructureError(f"{self.name}:{line}: {text}")

    def ended(self, missing: str) -> InfrastructureError:
        """The error for a file that stops too early."""
        last = max(1, len(self.lines) - (not self.lines[-1]))
        return self.wrong(last, f"the file ends before {missing}: it is truncated")


@dataclass(frozen=True)
class Options:
    """What the user knows and the file does not tell."""

    tick_ns: float | None = None
    """Length of one unit of figures that are printed without one."""


@dataclass(frozen=True)
class Reading:
    """What a file says."""

    version: str
    """Of the tool; empty where the file does not tell it."""
    sessions: tuple[tuple[Result, ...], ...]
    """The results of each repetition in the file."""
    clock: Clock
    losses: tuple[Degraded, ...]
    """What the tool does not tell, and where there is a way to make it tell, that way."""
    env: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    started: str = ""
    """UTC, ISO 8601; empty where the file does not tell it."""
    ended: str = ""


@dataclass(frozen=True)
class Importer:
    """One tool's output. Its module has it as IMPORTER, and pyproject.toml names that (entry points `rtstone.importers`)."""

    name: str
    summary: str
    recognises: Callable[[Source], bool]
    """Whether this is the tool's output, whole or not; says no rather than raise."""
    read: Callable[[Source, Options], Reading]
    """Raises InfrastructureError through Source.wrong for what is not as the tool writes it."""


GROUP = "rtstone.importers"


def importers() -> tuple[Importer, ...]:
    """All of them, sorted by name. Raises InfrastructureError for one that cannot be loaded."""
    return plugins.plugins(GROUP, Importer, "importer")


def named(name: str) -> Importer:
    """The importer of that name. Raises UsageError where there is none."""
    return plugins.named(importers(), name, "importer")
