# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the place of a structure's member in a Linux kernel, by the type information (BTF) in its image."""

from __future__ import annotations

import struct

from rtstone.errors import UsageError

_HEADER = struct.Struct("<HBBIIIII")
_MAGIC = b"\x9f\xeb\x01\x00"
_LEAST_BYTES = 100_000
"""A kernel's type information has megabytes; a smaller one is not a kernel's."""
_STRUCT, _UNION = 4, 5
_VARIABLES = 15
"""The variables of one section of the image."""
_ENUM64 = 19
# Number of bytes after a type's own 12: a fixed part, and a part for each of its members (Documentation/bpf/btf.rst).
_FIXED = {1: 4, 3: 12, 14: 4, 17: 4}
_EACH = {_STRUCT: 12, _UNION: 12, 6: 8, 13: 8, _VARIABLES: 12, _ENUM64: 12}


class Types:
    """The types of a kernel's image."""

    def __init__(self, image: bytes, name: str) -> None:
        """`name`: the kernel's name, for error messages. UsageError where the image has no type information."""
        self._kernel = name
        self._blob = b""
        at = image.find(_MAGIC)
        while at >= 0:
            header = _HEADER.unpack_from(image.ljust(at + _HEADER.size, b"\0"), at)
            _, _, _, length, types_at, types_length, strings_at, strings_length = header
            if length == _HEADER.size and types_at == 0 and strings_at == types_length >= _LEAST_BYTES:
                start = at + length
                self._blob = image[start : start + types_length]
                self._strings = image[start + strings_at : start + strings_at + strings_length]
                break
            at = image.find(_MAGIC, at + 1)
        if not self._blob:
            raise UsageError(
                f"{name} has no type information (BTF): where it keeps its preemption counter is not known"
            )
        self._places = [0]
        at = 0
        while at < len(self._blob):
            self._places.append(at)
            _, info, _ = struct.unpack_from("<III", self._blob, at)
            kind, members = info >> 24 & 0x1F, info & 0xFFFF
            at += 12 + _FIXED.get(kind, 0) + _EACH.get(kind, 0) * members

    def offset(self, structure: str, member: str) -> int:
        """Bytes from the structure's beginning to the member, also in nested nameless ones.
        UsageError if there is no such member."""
        for place in self._places[1:]:
            name, info, _ = struct.unpack_from("<III", self._blob, place)
            if info >> 24 & 0x1F == _STRUCT and self._name(name) == structure:
                found = self._within(place, member)
                if found is not None:
                    return found // 8
        raise UsageError(f"{self._kernel} has no {structure}.{member}, by its type information")

    def variable(self, section: str, name: str) -> int | None:
        """Bytes from the section's beginning to a variable. None: there is no such variable."""
        for place in self._places[1:]:
            called, info, _ = struct.unpack_from("<III", self._blob, place)
            if info >> 24 & 0x1F == _VARIABLES and self._name(called) == section:
                for number in range(info & 0xFFFF):
                    kind, offset, _ = struct.unpack_from("<III", self._blob, place + 12 + 12 * number)
                    if self._name(struct.unpack_from("<I", self._blob, self._places[kind])[0]) == name:
                        return int(offset)
        return None

    def _within(self, place: int, member: str) -> int | None:
        """Offset of the member in bits."""
        _, info, _ = struct.unpack_from("<III", self._blob, place)
        for number in range(info & 0xFFFF):
            name, kind, offset = struct.unpack_from("<III", self._blob, place + 12 + 12 * number)
            bits: int = offset & 0xFFFFFF if info >> 31 else offset
            called = self._name(name)
            if called == member:
                return bits
            inner = self._places[kind]
            if not called and struct.unpack_from("<I", self._blob, inner + 4)[0] >> 24 & 0x1F in (_STRUCT, _UNION):
                found = self._within(inner, member)
                if found is not None:
                    return bits + found
        return None

    def _name(self, at: int) -> str:
        return self._strings[at : self._strings.index(b"\0", at)].decode("ascii", "replace")
