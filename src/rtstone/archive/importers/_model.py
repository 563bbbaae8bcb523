# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The input and the output of an importer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from rtstone import plugins
from rtstone.errors import InfrastructureError
from rtstone.model import Clock, Degraded, Result


@dataclass(frozen=True)
class SourceFile:
    """A file's name and content."""

    name: str
    """The name that the user gave."""
    data: bytes

    @cached_property
    def text(self) -> str:
        """The content as UTF-8, with invalid bytes replaced, since consoles print anything."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without trailing white space, such as the carriage returns of a serial console."""
        return tuple(line.rstrip() for line in self.text.split("\n"))

    def wrong(self, line: int, text: str) -> InfrastructureError:
        """The error for a fault in a line. It names file and line (from 1)."""
        return InfrastructureError(f"{self.name}:{line}: {text}")

    def ended(self, missing: str) -> InfrastructureError:
        """The error for a truncated file."""
        last = max(1, len(self.lines) - (not self.lines[-1]))
        return self.wrong(last, f"the file ends before {missing}: it is truncated")


@dataclass(frozen=True)
class Options:
    """Facts that the user knows and the file does not contain."""

    tick_ns: float | None = None
    """Length (ns) of one unit of the figures, if the file names no unit."""


@dataclass(frozen=True)
class Reading:
    """The content of a file."""

    version: str
    """The tool's version; empty if the file does not contain it."""
    sessions: tuple[tuple[Result, ...], ...]
    """The results of each repetition in the file."""
    clock: Clock
    losses: tuple[Degraded, ...]
    """The facts that the tool did not record, each with the option that makes the tool record it, if there is one."""
    env: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    started: str = ""
    """UTC, ISO 8601; empty if the file does not contain it."""
    ended: str = ""


@dataclass(frozen=True)
class Importer:
    """Reads the output of one tool. Each tool's module defines one as IMPORTER, which pyproject.toml names (entry
    points `rtstone.importers`)."""

    name: str
    summary: str
    recognises: Callable[[SourceFile], bool]
    """Whether a file is the tool's output, complete or not. It returns False rather than raise."""
    read: Callable[[SourceFile, Options], Reading]
    """Reads a file. Raises InfrastructureError through SourceFile.wrong for content that the tool would not write."""


GROUP = "rtstone.importers"


def importers() -> tuple[Importer, ...]:
    """All importers, sorted by name. Raises InfrastructureError for one that cannot be loaded."""
    return plugins.plugins(GROUP, Importer, "importer")


def named(name: str) -> Importer:
    """The importer of that name. Raises UsageError for an unknown name."""
    return plugins.named(importers(), name, "importer")
