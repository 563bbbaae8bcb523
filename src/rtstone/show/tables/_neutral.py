# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Foreign text as text: what a terminal would obey, or what would turn the direction of a line, is shown by its number."""

from __future__ import annotations

import re

import msgspec

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def neutral(text: str) -> str:
    r"""The text with every control character (but tabs and line ends) and bidirectional control as ``\x1b``, ``\u202e``."""
    return _OBEYED.sub(_number, text)


def neutral_json(data: bytes) -> bytes:
    r"""A JSON document that says the same with these characters as ``\u001b``: they can stand in strings alone."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", data.decode("utf-8")).encode()


def json_document(document: object) -> bytes:
    """A structure as indented JSON with a line end, in UTF-8, with no character that a terminal would obey."""
    return neutral_json(msgspec.json.format(msgspec.json.encode(document), indent=2)) + b"\n"


def _number(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
