# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the line of a TOML file on which something stands: the parser tells what is wrong, not where."""

from __future__ import annotations

import re

_HEADER = re.compile(r"^\s*\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(?:#.*)?$")
_PATH = re.compile(r"\$\.([A-Za-z_-]+)(?:\[([0-9]+)\])?(?:\.([A-Za-z_-]+))?")


def line_of(text: str, table: str = "", number: int = 0, key: str = "", value: str = "") -> int:
    """The line (from 1) of a key, or of a value within it, in the `number`th table of that name; of the table, where it has no such key.

    An empty table is what stands before the first. Line 1 where nothing is found.
    """
    lines = text.splitlines()
    seen, current, start = -1, "", 0
    block: list[int] = []
    for position, line in enumerate(lines):
        header = _HEADER.match(line)
        if header is not None:
            current = header[1]
            if current == table:
                seen += 1
                if seen == number:
                    start = position
                    continue
        if (current == table and seen == number) or (not table and not current):
            block.append(position)
    if value:
        for position in block:
            if value in lines[position] and not lines[position].lstrip().startswith("#"):
                return position + 1
    for position in block:
        if key and re.match(rf'\s*"?{re.escape(key)}"?\s*=', lines[position]):
            return position + 1
    return start + 1


def line_of_path(text: str, message: str) -> int:
    """The line that a message with a path like `$.bound[2].quantity` speaks of, 1 where it has none."""
    match = _PATH.search(message)
    if match is None:
        unknown = re.search(r"unknown field `([^`]+)`", message)
        return line_of(text, key=unknown[1]) if unknown else 1
    table, number, key = match[1], int(match[2] or 0), match[3] or ""
    if line_of(text, table, number) == 1 and not key:
        return line_of(text, key=table)
    unknown = re.search(r"unknown field `([^`]+)`", message)
    return line_of(text, table, number, key or (unknown[1] if unknown else ""))
