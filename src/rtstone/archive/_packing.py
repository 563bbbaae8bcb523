# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Sessions and logs as the archive keeps them: the buckets of histograms, most of either, are kept as columns of numbers, not as text.

Both come back to the byte. What does not have the usual form is kept as it is, compressed; so is all that older tables hold.
"""

from __future__ import annotations

import re
import warnings
import zlib
from typing import TYPE_CHECKING

import msgspec

from rtstone.archive import _documents
from rtstone.errors import InfrastructureError
from rtstone.model import Session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COLUMNS = b"\x01"
"""What such bytes begin with; those of zlib begin with another one."""
_LEVEL = 1
_EMPTY = b'"positive":[],"negative":[]'
"""A histogram without its buckets, in JSON. No text has it: quotation marks in a text are escaped."""
_SIDES = re.compile(rb'"positive":(\[[0-9,\[\]]*\]),"negative":(\[[0-9,\[\]]*\])')
_LINE = re.compile(
    rb'~([0-9a-f]+) (\{"t":"hist","item":[0-9]+,"series":[0-9]+,"side":"[+-]","b":\[)([0-9][0-9,]*)\]\} ([0-9a-f]{8})\n'
)
_MARK = b"\x02"
_KEPT = re.compile(_MARK + rb"([^\n]*)\n")
_BITS = 32
_TENS = (0, *(10**n for n in range(1, 10)))
"""A number has as many digits as there are of these that are not above it."""


def pack_session(session: Session) -> bytes:
    """The session's JSON, packed."""
    data = msgspec.json.encode(session)
    sides = [side for found in _SIDES.finditer(data) for side in found.groups()]
    numbers = _numbers(b",".join(filter(None, (side.translate(None, b"[]") for side in sides))))
    if numbers is None:
        return _documents.pack(data, 3)
    lengths = b",".join(b"%d" % (side.count(b"[") - 1) for side in sides)
    return _packed(lengths + b"\n" + _SIDES.sub(_EMPTY, data), numbers)


def _has_columns(data: object, where: str) -> bool:
    """Whether histograms stand apart in it. A cell of a database may hold anything: InfrastructureError for what is no bytes."""
    if not isinstance(data, bytes):
        raise InfrastructureError(f"{where} is damaged: it is no bytes")
    return data.startswith(_COLUMNS)


def unpack_session(data: bytes, where: str, before: int = 0) -> bytes:
    """The JSON of a session, as it was. Raises InfrastructureError naming `where`."""
    if not _has_columns(data, where):
        return _documents.unpack(data, where, before)
    text, numbers = _unpacked(data, where, before)
    lengths, _, rest = text.partition(b"\n")
    pairs = numbers.reshape(-1, 2).tolist()
    parts = rest.split(_EMPTY)
    try:
        counts = [int(length) for length in lengths.split(b",")]
    except ValueError:
        counts = []
    if len(counts) != 2 * (len(parts) - 1) or sum(counts) != len(pairs) or min(counts) < 0:
        raise InfrastructureError(f"{where} is damaged: its histograms are not those that it says it has")
    made, at = [parts[0]], 0
    for part, positive, negative in zip(parts[1:], counts[0::2], counts[1::2], strict=True):
        middle = at + positive
        made += [b'"positive":', msgspec.json.encode(pairs[at:middle]), b',"negative":']
        at = middle + negative
        made += [msgspec.json.encode(pairs[middle:at]), part]
    return b"".join(made)


def pack_log(log: bytes) -> bytes:
    """A record stream, packed."""
    if _MARK in log:
        return _documents.pack(log, 1)
    told: list[bytes] = []

    def keep(line: re.Match[bytes]) -> bytes:
        if b"%08x" % zlib.crc32(line[0][1:-10]) != line[4]:
            return line[0]
        told.append(line[3])
        return b"%b%b %d %b\n" % (_MARK, line[1], line[3].count(b",") + 1, line[2])

    rest = _LINE.sub(keep, log)
    numbers = _numbers(b",".join(told))
    return _documents.pack(log, 1) if numbers is None else _packed(rest, numbers)


def unpack_log(data: bytes, where: str) -> bytes:
    """The record stream, as it was. Raises InfrastructureError naming `where`."""
    if not _has_columns(data, where):
        return _documents.unpack(data, where)
    text, numbers = _unpacked(data, where, 0)
    words = list(map(str, numbers.tolist()))
    at = 0

    def whole(kept: re.Match[bytes]) -> bytes:
        nonlocal at
        seq, _, rest = kept[1].partition(b" ")
        count, _, head = rest.partition(b" ")
        end = at + int(count) if count.isdigit() else -1
        if not at < end <= len(words):
            raise InfrastructureError(f"{where} is damaged: a histogram in it has not its numbers")
        line = b"%b %b%b]}" % (seq, head, ",".join(words[at:end]).encode())
        at = end
        return b"~%b %08x\n" % (line, zlib.crc32(line))

    log = _KEPT.sub(whole, text)
    if at != len(words):
        raise InfrastructureError(f"{where} is damaged: it has numbers of no histogram")
    return log


def _numbers(text: bytes) -> NDArray[np.int64] | None:
    """Indexes and counts by turns; None where there are none, or one that is not written as usual or needs more bits than a column has."""
    import numpy as np

    if not text:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            numbers = np.fromstring(text.decode(), dtype=np.int64, sep=",")
        except (DeprecationWarning, ValueError):
            return None
    if len(numbers) % 2 or numbers.max() >= 1 << _BITS:
        return None
    digits = int(np.searchsorted(_TENS, numbers, side="right").sum())
    return numbers if digits + len(numbers) - 1 == len(text) else None


def _packed(text: bytes, numbers: NDArray[np.int64]) -> bytes:
    """The text, and the numbers as columns: how far each index is from the one before, then the counts; of each the lowest bytes first."""
    import numpy as np

    columns = np.stack((np.diff(numbers[0::2], prepend=0) % (1 << _BITS), numbers[1::2])).astype("<u4")
    planes = columns.view(np.uint8).reshape(2, -1, 4).transpose(0, 2, 1).tobytes()
    size = len(text).to_bytes(8, "little")
    return _COLUMNS + zlib.compress(size + text + planes, _LEVEL)


def _unpacked(data: bytes, where: str, before: int) -> tuple[bytes, NDArray[np.int64]]:
    import numpy as np

    whole = _documents.unpack(data[1:], where, before)
    size = int.from_bytes(whole[:8], "little")
    text, planes = whole[8 : 8 + size], whole[8 + size :]
    if len(text) != size or len(planes) % 8:
        raise InfrastructureError(f"{where} is damaged: its columns are not whole")
    columns = np.frombuffer(planes, dtype=np.uint8).reshape(2, 4, -1).transpose(0, 2, 1).copy().view("<u4")[..., 0]
    indexes = np.cumsum(columns[0], dtype=np.int64) % (1 << _BITS)
    return text, np.stack((indexes, columns[1].astype(np.int64)), axis=1).reshape(-1)
