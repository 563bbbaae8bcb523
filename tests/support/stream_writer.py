# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes a record stream, as an engine does, for tests and benches of the reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rtstone.stream import framing

# "~", eight digits of seq, two spaces, eight of CRC, LF.
_ROOM = framing.MAX_LINE - 20


class StreamWriter:
    """Numbers records and packs lists into as many lines as they need."""

    def __init__(self, seq: int = 0) -> None:
        self.seq = seq
        """Number of the next record."""
        self.records = 0
        """Records written."""

    def record(self, kind: str, /, **keys: object) -> bytes:
        """One line, LF included; ``pass_`` is written ``pass``. Raises ValueError when it is too long."""
        payload = _json({"t": kind} | {key.rstrip("_"): value for key, value in keys.items()})
        line = framing.encode(self.seq, payload)
        self.seq = (self.seq + 1) % framing.SEQ_MODULUS
        self.records += 1
        return line

    def text(self, kind: str, key: str, value: str, /, **keys: object) -> Iterator[bytes]:
        """A record whose string ``key`` may be long: in parts, all but the last marked with ``more``."""
        rest = value
        while True:
            length = len(rest)
            while len(_json({"t": kind} | keys | {key: rest[:length], "more": 1})) > _ROOM:
                length = max(1, length * 3 // 4)
            part, rest = rest[:length], rest[length:]
            yield self.record(kind, **keys, **{key: part}, **({"more": 1} if rest else {}))
            if not rest:
                return

    def values(self, kind: str, values: Sequence[int | None], /, **keys: object) -> Iterator[bytes]:
        """``samples``, ``batch`` or ``window`` records: ``first`` and ``v`` are filled in."""
        first = 0
        while first < len(values):
            size = len(_json({"t": kind} | keys | {"first": first, "v": []}))
            end = first
            while end < len(values):
                size += len("null" if values[end] is None else str(values[end])) + 1
                if size > _ROOM:
                    break
                end += 1
            yield self.record(kind, **keys, first=first, v=list(values[first:end]))
            first = end

    def histogram(self, item: int, series: int, side: str, buckets: Mapping[int, int]) -> Iterator[bytes]:
        """``hist`` records of one side, ascending."""
        flat: list[int] = []
        for pair in sorted(buckets.items()):
            if len(_json({"t": "hist", "item": item, "series": series, "side": side, "b": [*flat, *pair]})) > _ROOM:
                yield self.record("hist", item=item, series=series, side=side, b=flat)
                flat = []
            flat.extend(pair)
        if flat:
            yield self.record("hist", item=item, series=series, side=side, b=flat)

    def bye(self, measured: int, skipped: int = 0, status: str = "ok") -> bytes:
        """The last record."""
        counted = str(self.records + 1)
        return self.record(
            "bye", items=measured + skipped, measured=measured, skipped=skipped, status=status, records=counted
        )


def _json(keys: Mapping[str, object]) -> bytes:
    import json

    return json.dumps(keys, separators=(",", ":"), ensure_ascii=True).encode("ascii")
