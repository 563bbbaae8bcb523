# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Decodes the JSON of other tools, and reads its members by type. Errors name the line of the fault."""

from __future__ import annotations

import json
from typing import Any

from rtstone.archive.importers._model import SourceFile

JSON = dict[str, Any]


def looks_like(source: SourceFile) -> bool:
    """Whether the file begins as a JSON object does."""
    return source.text.lstrip()[:1] == "{"


def decode(source: SourceFile) -> JSON:
    """The decoded object. Raises InfrastructureError, naming the line; for a truncated file, its last line."""
    try:
        found = json.loads(source.text)
    except json.JSONDecodeError as error:
        if not source.text[error.pos :].strip():
            raise source.ended("its JSON does") from error
        raise source.wrong(error.lineno, f"this is no JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise source.wrong(1, "this is no JSON that can be read") from error
    if not isinstance(found, dict):
        raise source.wrong(1, "this is not a JSON object")
    return found


def line_of(source: SourceFile, key: str) -> int:
    """The first line that contains a key; 1 if no line does."""
    quoted = f'"{key}"'
    return next((n for n, line in enumerate(source.lines, 1) if quoted in line), 1)


class Members:
    """An object's members, read by type. A member of another type is an error that names the line."""

    def __init__(self, source: SourceFile, values: Any, name: str) -> None:
        if not isinstance(values, dict):
            raise source.wrong(line_of(source, name), f"'{name}' is not an object")
        self.values: JSON = values
        self._source = source
        self._name = name

    def child(self, key: str) -> Members:
        """A required member that is an object."""
        return Members(self._source, self._there(key), key)

    def maybe(self, key: str) -> Members:
        """An optional member that is an object; empty if it is missing."""
        return Members(self._source, self.values.get(key, {}), key)

    def number(self, key: str) -> float:
        """A required member that is a finite number."""
        value = self._there(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
            raise self._source.wrong(line_of(self._source, key), f"'{key}' is not a number")
        return value

    def whole(self, key: str) -> int:
        """A required member that is a whole number."""
        value = self.number(key)
        if value != int(value):
            raise self._source.wrong(line_of(self._source, key), f"'{key}' is not a whole number")
        return int(value)

    def text(self, key: str) -> str:
        """A member that is a text; empty if it is missing or not a text."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ""

    def counts(self, key: str) -> dict[int, int]:
        """A required histogram, written as an object from value to count."""
        found = self.child(key)
        counts = {}
        for value in found.values:
            if not value.isascii() or not value.isdecimal() or len(value) > 15:
                raise self._source.wrong(line_of(self._source, value), f"'{value}' is not a value of a histogram")
            counts[int(value)] = found.whole(value)
        return counts

    def _there(self, key: str) -> Any:
        if key not in self.values:
            raise self._source.wrong(line_of(self._source, self._name), f"'{self._name}' has no '{key}'")
        return self.values[key]


def sysinfo(members: Members) -> dict[str, str]:
    """The kernel's name and version, as these tools record them."""
    names = {
        "sysname": "kernel.sysname",
        "release": "kernel.release",
        "version": "kernel.version",
        "machine": "kernel.machine",
    }
    return {to: members.text(name) for name, to in names.items() if members.text(name)}
