# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes foreign text safe for a terminal: control characters are shown by their number.

A line (`printable`) and a document (`neutral`) differ in one point: a document keeps its tabs, line ends and every space.
"""

from __future__ import annotations

import re

import msgspec

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def printable(text: str, *, keep: str = "") -> str:
    r"""One line for a terminal: every character that is not printable (`str.isprintable`) becomes ``\x1b``, ``\u202e`` or ``\U000e0001``.

    `keep` lists characters that stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else _number(c) for c in text)


def neutral(text: str) -> str:
    r"""A document with every control character (but tabs and line ends) and every character of text direction as ``\x1b``, ``\u202e``."""
    return _OBEYED.sub(lambda found: _number(found[0]), text)


def neutral_json(data: bytes) -> bytes:
    r"""Write these characters of a JSON document (UTF-8) as ``\u001b``. They occur only inside strings, so its meaning stays."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", data.decode("utf-8")).encode()


def json_document(value: object) -> bytes:
    """A structure as indented JSON with a line end, in UTF-8, with no character that a terminal would obey."""
    return neutral_json(msgspec.json.format(msgspec.json.encode(value), indent=2)) + b"\n"


def _number(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
