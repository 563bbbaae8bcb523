# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines of one session, framed with zlib's CRC: nothing of rtstone is used, so that the vectors can disagree with it."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from typing import Any

EXACT = (1 << 53) - 1
SUB, BITS, NEGATIVE = 5, 20, 10
ITEM_DEFAULTS: dict[str, Any] = {
    "pass": "single", "count": 1000, "sets": 20, "budget_ms": 0, "warmup": 16, "load": "none", "intensity": 1,
    "sched": "rt", "cache": "warm", "cpu": -1, "period_ns": 1000000, "phase_ns": 0, "timer": "default", "window": "default",
    "trace_over_ns": 0, "raw": 0,
}  # fmt: skip


def frame(seq: int, payload: str, end: str = "\n") -> bytes:
    body = f"{seq % 2**32:x} {payload}"
    return f"~{body} {zlib.crc32(body.encode()):08x}{end}".encode()


def compact(keys: dict[str, Any]) -> str:
    return json.dumps(keys, separators=(",", ":"), ensure_ascii=True)


def bucket(magnitude: int) -> int:
    e = max(0, magnitude.bit_length() - SUB)
    return e * 2 ** (SUB - 1) + (magnitude >> e)


class Stream:
    """Lines of one session."""

    def __init__(self, seq: int = 0) -> None:
        self.lines: list[bytes] = []
        self.seq = seq

    def put(self, kind: str, /, **keys: Any) -> Stream:
        line = frame(self.seq, compact({"t": kind} | {k.rstrip("_"): v for k, v in keys.items()}))
        if len(line) > 256:
            raise ValueError(line)
        self.lines.append(line)
        self.seq += 1
        return self

    def head(self, *items: dict[str, Any], v: str = "1.2", nonce: str = "0123456789abcdef") -> Stream:
        self.put("hello", v=v, engine="0.1.0", port="vectors", nonce=nonce)
        self.put("env", key="kernel.release", value="6.1.0")
        self.put("plan", v="1.3", seed="7", repetition=0, items=len(items))
        for number, item in enumerate(items):
            keys = {"item": number} | {"measurement": item["measurement"]} | ITEM_DEFAULTS | item
            self.item(keys)
        self.put("clock", id=0, name="tsc", hz="2500000000", source="register", uncertainty_ppb=0, resolution_ticks=1)
        self.put("calibration", name="clock-read", clock=0, count=9, total="190", min=20, median=21, max=25)
        return self

    def item(self, keys: dict[str, Any]) -> Stream:
        """Write an item record, in parts if it does not fit in one line. All parts but the last have `more`."""
        part: dict[str, Any] = {"item": keys["item"]}
        for key, value in keys.items():
            if key == "item":
                continue
            if len(frame(self.seq, compact({"t": "item"} | part | {key: value, "more": 1}))) > 256:
                self.put("item", **part, more=1)
                part = {"item": keys["item"]}
            part[key] = value
        return self.put("item", **part)

    def begin(
        self, item: int = 0, mode: str = "single", ops: int = 1, measurement: str = "task-switch", **more: Any
    ) -> Stream:
        if more:
            self.put("begin", item=item, **more, more=1)
        self.put(
            "begin", item=item, measurement=measurement, pass_=mode, load="none", clock=0, at="1000", sub_bits=SUB,
            max_bits=BITS, negative_bits=NEGATIVE, ops=ops, priority=80, cpu=0, window_ticks="1000",
        )  # fmt: skip
        return self.put("series", item=item, index=0, name="switch")

    def end(self, values: list[int], item: int = 0, status: str = "ok", stop: str = "count", **change: Any) -> Stream:
        keys: dict[str, Any] = {
            "status": status,
            "stop": stop,
            "count": str(len(values)),
            "overflow": "0",
            "dropped": "0",
        }
        if values:
            keys |= {"min": min(values), "max": max(values)}
        keys |= {"sum": str(sum(values)), "sumsq": str(sum(v * v for v in values)), "elapsed": "5000"}
        return self.put("end", item=item, series=0, **keys | change)

    def results(self, values: list[int], item: int = 0, **change: Any) -> Stream:
        """hist, extremes, windows, end."""
        inside = [v for v in values if -(2**NEGATIVE) < v < 2**BITS]
        for side, magnitudes in (("-", [-v for v in inside if v < 0]), ("+", [v for v in inside if v >= 0])):
            counts = sorted(Counter(map(bucket, magnitudes)).items())
            for first in range(0, len(counts), 16):
                flat = [n for pair in counts[first : first + 16] for n in pair]
                self.put("hist", item=item, series=0, side=side, b=flat)
        largest = sorted(enumerate(values), key=lambda pair: (-pair[1], pair[0]))[:2]
        for index, value in largest:
            self.put("extreme", item=item, series=0, value=value, index=str(index), at=str(100 * (index + 1)))
        if values:
            self.put("window", item=item, series=0, first=0, width="1000", v=[None, max(values)])
        return self.end(values, item, **{"overflow": str(len(values) - len(inside))} | change)

    def bye(self, measured: int = 1, skipped: int = 0, status: str = "ok", more: int = 0) -> Stream:
        count = len(self.lines) + 1 + more
        return self.put(
            "bye", items=measured + skipped, measured=measured, skipped=skipped, status=status, records=str(count)
        )

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)


VALUES = [40, 41, 41, 43, 52, 40, 1999]
SWITCH = {"measurement": "task-switch"}


def good() -> Stream:
    return Stream().head(SWITCH).begin().results(VALUES).bye()
