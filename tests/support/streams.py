# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams for the tests: a whole session as an engine would write it, from given samples."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rtstone.model import Geometry
from rtstone.stream import framing
from support.stream_writer import StreamWriter

GEOMETRY = Geometry(5, 20, 10)


def single(
    writer: StreamWriter, item: int, samples: Sequence[int], *, raw: bool = False, **begin: object
) -> list[bytes]:
    """A single pass from `begin` to `end`."""
    inside = [s for s in samples if -(1 << GEOMETRY.negative_bits) < s < 1 << GEOMETRY.max_bits]
    out = [
        writer.record(
            "begin",
            **{
                "item": item,
                "measurement": "task-switch",
                "pass": "single",
                "load": "none",
                "clock": 0,
                "at": "1000",
                "sub_bits": GEOMETRY.sub_bits,
                "max_bits": GEOMETRY.max_bits,
                "negative_bits": GEOMETRY.negative_bits,
                "ops": 1,
                "priority": 95,
                "cpu": 1,
                "window_ticks": "64",
            }
            | begin,
        ),
        writer.record("series", item=item, index=0, name="switch"),
        writer.record("check", item=item, name="switches", value="20", low="20", high="20"),
        writer.record("figure", item=item, name="moved", unit="bytes", value="4096"),
    ]
    if raw:
        out += writer.values("samples", samples, item=item, series=0)
    for side, chosen in (("+", [s for s in inside if s >= 0]), ("-", [-s for s in inside if s < 0])):
        out += writer.histogram(item, 0, side, Counter(GEOMETRY.index(s) for s in chosen))
    if samples:
        top = max(samples)
        out.append(writer.record("extreme", item=item, series=0, value=top, index=str(samples.index(top)), at="900"))
        out += writer.values("window", [None, top], item=item, series=0, width="64")
    out.append(writer.record("end", **end(item, samples, overflow=len(samples) - len(inside))))
    return out


def batch(writer: StreamWriter, item: int, totals: Sequence[int], **begin: object) -> list[bytes]:
    """A batch pass from `begin` to `end`."""
    keys = {"item": item, "measurement": "ping-semaphore", "pass": "batch", "load": "none", "clock": 0, "ops": 100}
    out = [
        writer.record("begin", **keys | begin),
        writer.record("series", item=item, index=0, name="ping"),
        writer.record("note", item=item, kind="substituted", service="ping-semaphore", text="two semaphores"),
        *writer.values("batch", totals, item=item),
    ]
    out.append(writer.record("end", **end(item, totals, overflow=0)))
    return out


def end(item: int, values: Sequence[int], *, overflow: int) -> dict[str, object]:
    """The keys of an `end` that agrees with the values."""
    keys: dict[str, object] = {"item": item, "series": 0, "status": "ok", "stop": "count"}
    keys |= {"count": str(len(values)), "overflow": str(overflow), "dropped": "0"}
    if values:
        keys |= {"min": min(values), "max": max(values)}
    return keys | {"sum": str(sum(values)), "sumsq": str(sum(v * v for v in values)), "elapsed": "5000"}


def preamble(writer: StreamWriter, *items: dict[str, object], version: str = "1.0") -> list[bytes]:
    """hello, env, plan, items, clock."""
    return [
        writer.record("hello", v=version, engine="0.1.0", port="test", nonce="0123456789abcdef"),
        *writer.text("env", "value", "a long value " * 60, key="cpu.model"),
        writer.record("plan", v="1.0", seed="7", repetition=2, items=len(items)),
        *(writer.record("item", **keys) for keys in items),
        writer.record(
            "clock", id=0, name="tsc", hz="2500000000", source="calibrated", uncertainty_ppb=100, resolution_ticks=1
        ),
        writer.record("calibration", name="clock-read", clock=0, count=10, total="200", min=18, median=20, max=25),
    ]


def good_stream() -> list[bytes]:
    """A whole session of three items: a single pass with raw samples, a batch pass, a skip."""
    writer = StreamWriter()
    samples = [-7, 0, 3, 31, 32, 33, 1000, 65_535, 1 << 20, (1 << 30) + 1]
    return [
        b"booting ...\n",
        *preamble(
            writer,
            {"item": 0, "measurement": "task-switch", "raw": 1},
            {"item": 1, "measurement": "ping-semaphore", "pass": "batch"},
            {"item": 2, "measurement": "suspend-resume"},
        ),
        *single(writer, 0, samples, raw=True),
        *batch(writer, 1, [2_000, 2_100, 1_999]),
        writer.record(
            "skip", item=2, measurement="suspend-resume", reason="unsupported", service="suspend", text="no such call"
        ),
        writer.bye(2, 1),
    ]


def joined(lines: list[bytes]) -> list[dict[str, Any]]:
    """Records of a stream, those in parts joined; lines that are no records are left out."""
    found: list[dict[str, Any]] = []
    part: dict[str, Any] = {}
    for raw in lines:
        line = framing.strip(raw)
        try:
            payload = json.loads(framing.decode(line)[1]) if line.startswith(b"~") else None
        except (framing.FrameError, ValueError):
            continue
        if payload is None:
            continue
        more = payload.pop("more", 0)
        part = part | payload
        if not more:
            found.append(part)
            part = {}
    return found


def histogram_run(writer: StreamWriter, buckets: list[int], low: int, high: int, overflow: int = 0) -> list[bytes]:
    """A single pass of buckets whose samples are all ``low`` but one that is ``high``; ``overflow`` more lie beyond them."""
    count = sum(buckets[1::2]) + overflow
    keys: dict[str, object] = {"item": 0, "measurement": "task-switch", "pass": "single", "clock": 0}
    ending = end(0, [low, high], overflow=overflow) | {"count": str(count)}
    ending |= {"sum": str(low * (count - 1) + high), "sumsq": str(low * low * (count - 1) + high * high)}
    return [
        writer.record("begin", **keys, sub_bits=5, max_bits=20, negative_bits=0),
        writer.record("series", item=0, index=0, name="switch"),
        writer.record("hist", item=0, series=0, side="+", b=buckets),
        writer.record("end", **ending),
    ]
