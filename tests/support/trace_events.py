# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads a trace as its viewers do, and holds each event to the rules of the trace event format."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Slice(NamedTuple):
    """A slice as a viewer draws it. Nanoseconds, cut as Perfetto cuts them."""

    track: str
    name: str
    begin: int
    end: int
    depth: int


def slices(document: str) -> list[Slice]:
    """Each slice of a trace, in the order in which they begin; AssertionError where an event breaks a rule."""
    trace = json.loads(document, parse_constant=_no_number)
    assert set(trace) == {"displayTimeUnit", "traceEvents"}
    assert trace["displayTimeUnit"] == "ns"
    names: dict[tuple[int, int], str] = {}
    open_: dict[tuple[int, int], list[int]] = {}
    last: dict[tuple[int, int], int] = {}
    found: list[Slice] = []
    for event in trace["traceEvents"]:
        assert type(event["pid"]) is int
        if event["ph"] == "M":
            _take_name(event, names)
            continue
        track, name = (event["pid"], event["tid"]), event["name"]
        assert isinstance(name, str)
        assert name
        assert track in names, "an event stands on a track without a name"
        assert type(event["ts"]) in {int, float}
        at = int(event["ts"] * 1000)
        assert 0 <= last.get(track, 0) <= at, f"{name} goes back in time"
        last[track] = at
        inside = open_.setdefault(track, [])
        if event["ph"] == "B":
            found.append(Slice(names[track], name, at, at, len(inside)))
            inside.append(len(found) - 1)
        else:
            assert event["ph"] == "E"
            assert inside, f"{name} ends and has not begun"
            began = inside.pop()
            assert found[began].name == name, f"{name} ends inside of {found[began].name}"
            found[began] = found[began]._replace(end=at)
    assert not any(open_.values()), "what began has not ended"
    return found


def _take_name(event: dict[str, Any], names: dict[tuple[int, int], str]) -> None:
    assert event["name"] in {"process_name", "thread_name"}
    assert event["args"]["name"]
    if event["name"] == "thread_name":
        track = event["pid"], event["tid"]
        assert track not in names
        assert event["args"]["name"] not in names.values()
        names[track] = event["args"]["name"]


def _no_number(text: str) -> None:
    raise AssertionError(f"{text} is no number of JSON")
