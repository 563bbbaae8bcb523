# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An ordinary Channel Access and PV Access client, as a program: one JSON request a line in, one JSON answer a line out.

A process of its own, since libca keeps threads and reads its environment once.
"""

from __future__ import annotations

import array
import asyncio
import json
import os
import queue
import struct
import sys
from bisect import bisect_right
from collections.abc import Awaitable, Callable
from typing import Any, cast

import aioca


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    return value.tolist() if hasattr(value, "tolist") else str(value) if isinstance(value, str) else value


async def get(name: str, *, text: bool = False) -> dict[str, Any]:
    datatype = aioca.DBR_STRING if text else None
    value = await aioca.caget(name, datatype=datatype, format=aioca.FORMAT_TIME, timeout=5)
    return {"value": plain(value), "severity": value.severity, "status": value.status, "time": value.timestamp}


async def describe(name: str) -> dict[str, Any]:
    value = await aioca.caget(name, format=aioca.FORMAT_CTRL, timeout=5)
    return {"units": getattr(value, "units", ""), "precision": getattr(value, "precision", None)}


async def put(name: str, value: Any) -> dict[str, Any]:
    await aioca.caput(name, value, wait=True, timeout=5)
    return {}


async def collect(names: list[str], start: str, sets: int, seconds: float) -> dict[str, Any]:
    """All updates of `names` while `start` is written once for each set, the next when the first of `names` has come."""
    seen: dict[str, list[Any]] = {name: [] for name in names}
    came = asyncio.Event()

    def note(value: Any, index: int) -> None:
        seen[names[index]].append(plain(value))
        if index == 0:
            came.set()

    monitors = aioca.camonitor(names, note, all_updates=True)
    await asyncio.sleep(0.5)  # the values that they have already
    for updates in seen.values():
        updates.clear()
    for _ in range(sets):
        came.clear()
        await aioca.caput(start, 1, wait=True, timeout=5)
        await asyncio.wait_for(came.wait(), seconds)
    await asyncio.sleep(0.3)
    for monitor in monitors:
        monitor.close()
    return seen


class Following:
    """All values that waveforms are updated with, kept until it is asked what they come to."""

    def __init__(self) -> None:
        self._values: dict[str, array.array[int]] = {}
        self._updates: dict[str, int] = {}
        self._monitors: list[Any] = []

    async def begin(self, names: list[str]) -> dict[str, Any]:
        """Monitor `names`. Their present values do not count, so no set may be under way now."""

        def note(value: Any, index: int) -> None:
            self._values[names[index]].extend(value.tolist())
            self._updates[names[index]] += 1

        def forget() -> None:
            self._values = {name: array.array("q") for name in names}
            self._updates = dict.fromkeys(names, 0)

        forget()
        self._monitors = aioca.camonitor(names, note, all_updates=True)
        await asyncio.sleep(0.5)
        forget()
        return {}

    async def end(self, edges: list[int], limit: int) -> dict[str, Any]:
        """Statistics of each name, computed from all its values; `edges` are the lower edges of a histogram's bins."""
        await asyncio.sleep(1)
        for monitor in self._monitors:
            monitor.close()
        return {name: self._of(name, edges, limit) for name in self._values}

    def _of(self, name: str, edges: list[int], limit: int) -> dict[str, Any]:
        values = sorted(self._values[name])
        counts = [0] * len(edges)
        for value in values:
            counts[max(0, bisect_right(edges, value) - 1)] += 1
        return {
            "updates": self._updates[name],
            "count": len(values),
            "min": values[0] if values else None,
            "median": values[(len(values) - 1) // 2] if values else None,
            "max": values[-1] if values else None,
            "over": len(values) - bisect_right(values, limit),
            "histogram": counts,
        }


following = Following()


async def get_all(names: list[str]) -> dict[str, Any]:
    """For each name the severity, status and time, as `get` returns them, and whether this client may write it."""
    values = await aioca.caget(names, format=aioca.FORMAT_TIME, timeout=10)
    rights = await aioca.cainfo(names, timeout=10)
    return {
        name: {"severity": value.severity, "status": value.status, "time": value.timestamp, "write": info.write}
        for name, value, info in zip(names, values, rights, strict=True)
    }


def pva(name: str) -> dict[str, Any]:
    from p4p.client.thread import Context

    with Context("pva", nt=False) as context:
        value = context.get(name, timeout=5)
        return {"value": plain(value["value"]), "severity": value["alarm.severity"], "units": value["display.units"]}


def pva_get_all(names: list[str]) -> dict[str, Any]:
    from p4p.client.thread import Context

    with Context("pva", nt=False) as context:
        return {
            name: {
                "severity": value["alarm.severity"],
                "time": value["timeStamp.secondsPastEpoch"] + 1e-9 * value["timeStamp.nanoseconds"],
            }
            for name, value in zip(names, context.get(names, timeout=10), strict=True)
        }


def pva_put(name: str, value: Any) -> dict[str, Any]:
    from p4p.client.thread import Context

    with Context("pva", nt=False) as context:
        context.put(name, {"value": value}, timeout=5)
    return {}


def pva_collect(name: str, start: str, sets: int) -> dict[str, Any]:
    """The updates of a table while `start` is written once for each set, the next when one has come."""
    from p4p.client.thread import Context

    came: queue.Queue[Any] = queue.Queue()
    with Context("pva", nt=False) as context:
        monitor = context.monitor(name, came.put)
        # What it has already. Where the server was held up, a second update with the same value may follow the first.
        present = came.get(timeout=10)["timeStamp"].tolist()
        seen = []
        for _ in range(sets):
            context.put(start, {"value.index": 1}, timeout=5)
            while (value := came.get(timeout=10))["timeStamp"].tolist() == present:
                pass
            seen.append(value)
        monitor.close()
    return {
        "updates": [
            {
                "id": value.getID(),
                "labels": list(value["labels"]),
                "columns": {key: column.tolist() for key, column in value["value"].items()},
                "time": value["timeStamp.secondsPastEpoch"] + 1e-9 * value["timeStamp.nanoseconds"],
            }
            for value in seen
        ]
    }


async def answer(request: dict[str, Any]) -> dict[str, Any]:
    what = request.pop("do")
    calls: dict[str, Callable[..., Awaitable[dict[str, Any]]]]
    calls = {"get": get, "get_all": get_all, "describe": describe, "put": put, "collect": collect}
    calls |= {"follow": following.begin, "followed": following.end}
    by_pva: dict[str, Callable[..., dict[str, Any]]]
    by_pva = {"pva": pva, "pva_get_all": pva_get_all, "pva_put": pva_put, "pva_collect": pva_collect}
    try:
        return await calls[what](**request) if what in calls else await asyncio.to_thread(by_pva[what], **request)
    except Exception as error:  # noqa: BLE001 - every error is reported
        return {"error": f"{type(error).__name__}: {error}"}


class Repeater(asyncio.DatagramProtocol):
    """Stands in for the CA repeater, which libca would start and leave behind, listening on all interfaces."""

    CONFIRM = struct.pack(">H10x4s", 17, bytes((127, 0, 0, 1)))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what to answer by."""
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, source: tuple[str | Any, int]) -> None:
        """Confirm whatever comes: it registers."""
        self._transport.sendto(self.CONFIRM, source)


async def main() -> None:
    place = ("127.0.0.1", int(os.environ["EPICS_CA_REPEATER_PORT"]))
    await asyncio.get_running_loop().create_datagram_endpoint(Repeater, local_addr=place)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await answer(json.loads(line))), flush=True)


asyncio.run(main())
