# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An ordinary Channel Access and PV Access client, as a program: one JSON request a line in, one JSON answer a line out.

A process of its own, since libca keeps threads and reads its environment once.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import aioca


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    return value.tolist() if hasattr(value, "tolist") else str(value) if isinstance(value, str) else value


async def get(name: str, *, text: bool = False) -> dict[str, Any]:
    datatype = aioca.DBR_STRING if text else None
    value = await aioca.caget(name, datatype=datatype, format=aioca.FORMAT_TIME, timeout=5)
    return {"value": plain(value), "severity": value.severity, "status": value.status}


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


def pva(name: str) -> dict[str, Any]:
    from p4p.client.thread import Context

    with Context("pva", nt=False) as context:
        value = context.get(name, timeout=5)
        return {"value": plain(value["value"]), "severity": value["alarm.severity"], "units": value["display.units"]}


async def answer(request: dict[str, Any]) -> dict[str, Any]:
    what = request.pop("do")
    calls: dict[str, Callable[..., Awaitable[dict[str, Any]]]]
    calls = {"get": get, "describe": describe, "put": put, "collect": collect}
    try:
        return await calls[what](**request) if what in calls else await asyncio.to_thread(pva, **request)
    except Exception as error:  # noqa: BLE001 - it is told, whatever it is
        return {"error": f"{type(error).__name__}: {error}"}


async def main() -> None:
    # In the place of the CA repeater, which libca would start and leave behind, listening on all interfaces.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as repeater:
        repeater.bind(("127.0.0.1", int(os.environ["EPICS_CA_REPEATER_PORT"])))
        for line in iter(sys.stdin.readline, ""):
            print(json.dumps(await answer(json.loads(line))), flush=True)


asyncio.run(main())
