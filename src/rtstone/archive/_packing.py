# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Packs sessions and logs for the archive. Most of their bytes are buckets of histograms, which are saved as columns of
numbers, not as text.

Unpacking restores every byte. Data of another form is saved as it is, compressed; so is all data in older tables.
"""

from __future__ import annotations

import re
import warnings
import zlib
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING

import msgspec

from rtstone.archive import _documents
from rtstone.errors import InfrastructureError
from rtstone.model import Histogram, Result, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

_PARTS = b"\x03"
"""First byte of a packed session with separate parts for its quantities."""
_NO_RESULTS = b'"results":[]'
"""Occurs exactly once in the JSON of a session without results: in a string the quotation marks would be escaped."""
_COLUMNS = b"\x01"
"""First byte of packed data with columns of numbers. Data of zlib begins with a different byte."""
_LEVEL = 1
_EMPTY = b'"positive":[],"negative":[]'
"""A histogram without its buckets, in JSON. No string contains it, since quotation marks in a string are escaped."""
_LINE = re.compile(
    rb'~([0-9a-f]+) (\{"t":"hist","item":[0-9]+,"series":[0-9]+,"side":"[+-]","b":\[)([0-9][0-9,]*)\]\} ([0-9a-f]{8})\n'
)
_MARK = b"\x02"
_KEPT = re.compile(_MARK + rb"([^\n]*)\n")
_BITS = 32
_TENS = (0, *(10**n for n in range(1, 10)))
"""The number of these values that are not above a number is its number of digits."""


def pack_session(session: Session) -> bytes:
    """The packed session. It has one part for the results of each quantity, and one for the rest, so that a quantity
    can be read without the others."""
    places: dict[str, list[int]] = {}
    for position, result in enumerate(session.results):
        places.setdefault(result.quantity, []).append(position)
    rest = _documents.pack(msgspec.json.encode(msgspec.structs.replace(session, results=())), 1)
    parts = [
        (quantity, at, _pack_results([session.results[position] for position in at])) for quantity, at in places.items()
    ]
    return _PARTS + msgspec.msgpack.encode((rest, parts))


def _pack_results(results: Sequence[Result]) -> bytes:
    """Packs results as a JSON array, followed by the buckets of their histograms as columns."""
    bare: list[Result] = []
    sides: list[Sequence[tuple[int, int]]] = []
    for result in results:
        histogram = result.histogram
        if histogram is not None:
            sides += [histogram.positive, histogram.negative]
            emptied = Histogram(histogram.geometry, (), (), histogram.overflow)
            result = msgspec.structs.replace(result, histogram=emptied)
        bare.append(result)
    # Use text: numpy reads a number from text in a quarter of the time that it takes for a Python integer.
    numbers = _numbers(msgspec.json.encode(list(filter(None, sides))).translate(None, b"[]"))
    if numbers is None:
        return _documents.pack(msgspec.json.encode(results), 1)
    lengths = b",".join(b"%d" % len(side) for side in sides)
    return _packed(lengths + b"\n" + msgspec.json.encode(bare), numbers)


def unpack_session(data: bytes, where: str, before: int = 0, quantities: Collection[str] | None = None) -> bytes:
    """The original JSON of a session. `quantities`: only their results, if the packed session has a part for each
    quantity.

    Raises InfrastructureError naming `where`.
    """
    columns = _has_columns(data, where)
    if data.startswith(_PARTS):
        return _unpack_parts(data, where, before, quantities)
    if not columns:
        return _documents.unpack(data, where, before)
    return b"".join(_unpack_text(data, where, before, lambda text: [text]))


def _unpack_parts(data: bytes, where: str, before: int, quantities: Collection[str] | None) -> bytes:
    try:
        rest, parts = msgspec.msgpack.decode(
            memoryview(data)[1:], type=tuple[bytes, list[tuple[str, list[int], msgspec.Raw]]]
        )
        wanted = [
            (places, msgspec.msgpack.decode(packed, type=bytes))
            for quantity, places, packed in parts
            if quantities is None or quantity in quantities
        ]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InfrastructureError(f"{where} is damaged: {error}") from error
    head, empty, tail = _documents.unpack(rest, where, before).partition(_NO_RESULTS)
    size = before + len(head)
    found: list[tuple[int, bytes]] = []
    for places, packed in wanted:
        if _has_columns(packed, where):
            texts = _unpack_text(packed, where, size, lambda text: _array(text, where))
        else:
            texts = _array(_documents.unpack(packed, where, size), where)
        if len(texts) != len(places):
            raise InfrastructureError(f"{where} is damaged: it has not as many results as it says")
        size += sum(map(len, texts))
        found += zip(places, texts, strict=True)
    found.sort(key=itemgetter(0))
    positions = [place for place, _ in found]
    if not empty or (
        positions != list(range(len(positions))) if quantities is None else len(set(positions)) != len(positions)
    ):
        raise InfrastructureError(f"{where} is damaged: its results are not in their places")
    return b"%b%b[%b]%b" % (head, _NO_RESULTS[:-2], b",".join(text for _, text in found), tail)


def _array(text: bytes, where: str) -> list[bytes]:
    """The elements of a JSON array, each as its original text."""
    try:
        return [bytes(raw) for raw in msgspec.json.decode(text, type=list[msgspec.Raw])]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InfrastructureError(f"{where} is damaged: {error}") from error


def _unpack_text(data: bytes, where: str, before: int, split: Callable[[bytes], list[bytes]]) -> list[bytes]:
    """The text before the columns, split into parts, with the buckets of the histograms filled in."""
    text, numbers = _unpacked(data, where, before)
    lengths, _, rest = text.partition(b"\n")
    try:
        counts = [int(length) for length in lengths.split(b",") if length]
    except ValueError:
        counts = [-1]
    if len(counts) != 2 * rest.count(_EMPTY) or 2 * sum(counts) != len(numbers) or min(counts, default=0) < 0:
        raise InfrastructureError(f"{where} is damaged: its histograms are not those that it says it has")
    ends = iter(list(accumulate(counts, initial=0)))
    pairs = numbers.reshape(-1, 2).tolist()
    begin = next(ends)
    filled = []
    for part in split(rest):
        first, *more = part.split(_EMPTY)
        made = [first]
        for after in more:
            middle, end = next(ends), next(ends)
            made += [b'"positive":', msgspec.json.encode(pairs[begin:middle]), b',"negative":']
            made += [msgspec.json.encode(pairs[middle:end]), after]
            begin = end
        filled.append(b"".join(made))
    return filled


def _has_columns(data: object, where: str) -> bool:
    """Whether packed data has columns of numbers. Raises InfrastructureError for data other than bytes, since a cell of
    a database may hold anything."""
    if not isinstance(data, bytes):
        raise InfrastructureError(f"{where} is damaged: it is no bytes")
    return data.startswith(_COLUMNS)


def pack_log(log: bytes) -> bytes:
    """A record stream, packed."""
    if _MARK in log:
        return _documents.pack(log, 1)
    lists: list[bytes] = []

    def keep(line: re.Match[bytes]) -> bytes:
        if b"%08x" % zlib.crc32(line[0][1:-10]) != line[4]:
            return line[0]
        lists.append(line[3])
        return b"%b%b %d %b\n" % (_MARK, line[1], line[3].count(b",") + 1, line[2])

    rest = _LINE.sub(keep, log)
    numbers = _numbers(b",".join(lists))
    return _documents.pack(log, 1) if numbers is None else _packed(rest, numbers)


def unpack_log(data: bytes, where: str) -> bytes:
    """The original record stream. Raises InfrastructureError naming `where`."""
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
    """The text's indexes and counts, alternating. None if the text is empty, or if a number has an unusual form or more
    bits than a column."""
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
    """Packs the text and the numbers as columns: the differences between successive indexes, then the counts. Each
    column has the lowest bytes of all numbers first."""
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
