# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns payloads into typed records, and joins the parts of records that were too long for a line."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from rtstone.stream import _records as records
from rtstone.stream import framing
from rtstone.stream.plan import Item

PART: Final = object()
"""`Parser.read` returns this for a part of a record that is not the last part."""

# This text can only be the key: in a string the quotes would be escaped.
_MORE: Final = b'"more":1'
_TEXTS: Final = {b"env": ("value",)}
_TEXTS_OF_OTHERS: Final = ("text", "remedy")
_LONGEST_TEXT: Final = 1 << 16
_ANY: Final = msgspec.json.Decoder(dict[str, Any])


class Malformed(Exception):  # noqa: N818 - a verdict on a record, caught by the collector
    """An intact record that spec/record-stream.md does not allow at its place."""


class BadLine(Exception):  # noqa: N818 - a verdict on a line, caught by the collector
    """A line with a correct CRC whose payload is no record. It is treated like a wrong CRC."""


def kind_of(payload: bytes) -> bytes:
    """The type of a payload, which is the value of its first key. Raises BadLine."""
    if payload.startswith(b'{"t":"'):
        return payload[6 : payload.find(b'"', 6)]
    try:
        keys = _ANY.decode(payload)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadLine(f"the payload cannot be read: {framing.clean(str(error))}") from None
    if next(iter(keys), None) != "t" or not isinstance(keys["t"], str):
        raise BadLine('the payload does not begin with "t", a string')
    return keys["t"].encode("utf-8", "backslashreplace")


class _Decoders(dict[bytes, "msgspec.json.Decoder[Any] | None"]):
    """Decoders by record type, each made when first needed; None for an unknown type."""

    def __missing__(self, kind: bytes) -> msgspec.json.Decoder[Any] | None:
        known = _type_of(kind)
        if known is None:
            return None
        decoder = self[kind] = msgspec.json.Decoder(known)
        return decoder


_decoders: Final = _Decoders()


def _type_of(kind: bytes) -> type[msgspec.Struct] | None:
    return Item if kind == b"item" else records.TYPES.get(kind)


class Parser:
    """Reads the payloads of one session, in order. ``complaint`` is the fault in the parts before the last payload."""

    def __init__(self) -> None:
        self._pending: tuple[bytes, dict[str, Any]] | None = None
        self.complaint = ""

    def read(self, kind: bytes, payload: bytes) -> Any:
        """The record of a payload; None for an unknown type, PART for a part that is not the last. Raises Malformed or
        BadLine."""
        self.complaint = ""
        try:
            decoder = _decoders[kind]
            if decoder is None:
                _ANY.decode(payload)
                return None
            if self._pending is None and _MORE not in payload:
                return decoder.decode(payload)
            return self._join(kind, _ANY.decode(payload))
        except msgspec.ValidationError as error:
            raise Malformed(f"the {kind.decode()} record is not as it must be: {framing.clean(str(error))}") from None
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise BadLine(f"the payload cannot be read: {framing.clean(str(error))}") from None

    @property
    def waiting(self) -> bool:
        """Whether parts wait for their last one."""
        return self._pending is not None

    def drop(self) -> None:
        """Drops the parts that wait for their last one."""
        self._pending = None

    def _join(self, kind: bytes, keys: dict[str, Any]) -> Any:
        more = keys.pop("more", 0) == 1
        pending, self._pending = self._pending, None
        if pending is not None:
            joined = _merge(pending[1], keys, _TEXTS.get(kind, _TEXTS_OF_OTHERS)) if pending[0] == kind else None
            if joined is None:
                self.complaint = "the last part of a long record is missing"
            else:
                keys = joined
        if more:
            self._pending = (kind, keys)
            return PART
        return msgspec.convert(keys, _type_of(kind))


def _merge(known: dict[str, Any], part: dict[str, Any], texts: tuple[str, ...]) -> dict[str, Any] | None:
    """Joins two parts: appends texts, and adds new keys. None if another key differs, since the parts are then of
    different records."""
    joined = dict(known)
    for key, value in part.items():
        if key not in joined:
            joined[key] = value
        elif key in texts and isinstance(value, str) and isinstance(joined[key], str):
            joined[key] = (joined[key] + value)[:_LONGEST_TEXT]
        elif joined[key] != value:
            return None
    return joined
