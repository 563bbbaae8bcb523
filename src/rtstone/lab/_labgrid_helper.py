# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Holds places of a labgrid coordinator. Labgrid's own Python runs this program, so that its `pyserial-labgrid` never
meets our `pyserial`.

usage: _labgrid_helper.py COORDINATOR OWNER. Requests come as lines of JSON on standard input. Each is answered by one
line, or by `{"error": …}` if it fails. When the coordinator is lost, the program prints `{"lost": …}` and ends. At the
end of standard input, as when rtstone was killed, it releases all places. It imports nothing of rtstone, and of labgrid
only the messages of its protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import json
import os
import signal
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_CONNECT_S = 10.0
_ALLOCATED = 1
_KEEPALIVE = [
    ("grpc.keepalive_time_ms", 5000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.max_pings_without_data", 0),
]


def say(**answer: Any) -> None:
    """Prints an answer as one line of JSON."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


class Lab:
    """One session with a coordinator, and its current places and resources."""

    def __init__(self, grpc: Any, pb: Any, stubs: Any, address: str, owner: str) -> None:
        self.grpc, self.pb, self.owner = grpc, pb, owner
        self.stub = stubs.CoordinatorStub(grpc.aio.insecure_channel(address, options=_KEEPALIVE))
        self.out: asyncio.Queue[Any] = asyncio.Queue()
        self.places: dict[str, Any] = {}
        self.resources: dict[tuple[str, str, str], Any] = {}
        self.held: dict[str, str] = {}  # place -> token of its reservation, or an empty text
        self.synced: dict[int, asyncio.Event] = {}
        self.number = 0
        self.gone = asyncio.Event()
        self.why = ""

    def send(self, **message: Any) -> None:
        """Queues a message to the coordinator."""
        self.out.put_nowait(self.pb.ClientInMessage(**message))

    async def sync(self) -> None:
        """Waits until all updates that the coordinator has sent so far are noted."""
        self.number += 1
        done = self.synced[self.number] = asyncio.Event()
        self.send(sync=self.pb.Sync(id=self.number))
        await asyncio.wait_for(done.wait(), _CONNECT_S)

    async def read(self) -> None:
        """Reads the coordinator's messages until the session ends."""

        async def requests() -> Any:
            while True:
                yield await self.out.get()

        try:
            async for message in self.stub.ClientStream(requests()):
                for update in message.updates:
                    self.note(update)
                if message.HasField("sync"):
                    self.synced.pop(message.sync.id).set()
            self.why = "the coordinator ended the session"
        except self.grpc.aio.AioRpcError as error:
            self.why = error.details() or error.code().name
        self.gone.set()

    def note(self, update: Any) -> None:
        """Notes an update: a place or a resource that was added, changed or deleted."""
        kind = update.WhichOneof("kind")
        if kind == "place":
            self.places[update.place.name] = update.place
        elif kind == "del_place":
            self.places.pop(update.del_place, None)
        else:
            path = update.resource.path if kind == "resource" else update.del_resource
            key = (path.exporter_name, path.group_name, path.resource_name)
            self.resources.pop(key, None)
            if kind == "resource":
                self.resources[key] = update.resource

    def described(self, name: str) -> dict[str, Any]:
        """A place with its available resources: those that match its patterns."""
        place, found = self.places[name], []
        for (exporter, group, own), resource in sorted(self.resources.items()):
            path = (exporter, group, resource.cls, own)
            fits = any(
                all(map(fnmatch.fnmatchcase, path, (m.exporter, m.group, m.cls, m.name or "*"))) for m in place.matches
            )
            if fits and resource.avail:
                values = {
                    k: getattr(v, v.WhichOneof("kind")) for k, v in resource.params.items() if v.WhichOneof("kind")
                }
                found.append({"cls": resource.cls, "params": values})
        return {"place": name, "acquired": place.acquired, "resources": found}

    def fitting(self, tags: dict[str, str]) -> list[str]:
        """The places that have all of the tags. Every place has the tag `name`."""
        wanted = set(tags.items())
        return [n for n, p in sorted(self.places.items()) if wanted <= {*p.tags.items(), ("name", n)}]

    async def look(self, tags: dict[str, str]) -> dict[str, Any]:
        """The places that have the tags, without acquiring any."""
        await self.sync()
        return {"places": [self.described(name) for name in self.fitting(tags)]}

    async def acquire(self, tags: dict[str, str], wait_s: float) -> dict[str, Any]:
        """Acquires a place that has the tags. With `wait_s` it waits in labgrid's queue of reservations; without, an
        acquired place is an error."""
        fitting = self.fitting(tags)
        if not fitting:
            return {"error": "there is no such place"}
        token = ""
        if wait_s:
            filters = {"main": self.pb.Reservation.Filter(filter=tags)}
            asked = await self.stub.CreateReservation(self.pb.CreateReservationRequest(filters=filters, prio=0))
            token, state = asked.reservation.token, asked.reservation
            try:
                until = asyncio.get_running_loop().time() + wait_s
                while state.state != _ALLOCATED:
                    if asyncio.get_running_loop().time() > until:
                        raise TimeoutError
                    await asyncio.sleep(0.2)
                    state = (await self.stub.PollReservation(self.pb.PollReservationRequest(token=token))).reservation
                name = state.allocations["main"]
                await self.stub.AcquirePlace(self.pb.AcquirePlaceRequest(placename=name))
            except BaseException:
                with contextlib.suppress(Exception):
                    await self.stub.CancelReservation(self.pb.CancelReservationRequest(token=token))
                raise
        else:
            name = fitting[0]
            if self.places[name].acquired:
                return {"error": f"{self.places[name].acquired} has it"}
            await self.stub.AcquirePlace(self.pb.AcquirePlaceRequest(placename=name))
        self.held[name] = token
        await self.sync()
        return self.described(name)

    async def release(self, place: str) -> dict[str, Any]:
        """Releases a place that this session holds."""
        token = self.held.pop(place, None)
        if token is None:
            return {}
        await self.stub.ReleasePlace(self.pb.ReleasePlaceRequest(placename=place, fromuser=self.owner))
        if token:
            with contextlib.suppress(self.grpc.aio.AioRpcError):  # it ends with the place, or ended before
                await self.stub.CancelReservation(self.pb.CancelReservationRequest(token=token))
        return {}

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carries out a request and returns its answer."""
        try:
            answer: dict[str, Any] = await getattr(self, request.pop("do"))(**request)
            return answer
        except self.grpc.aio.AioRpcError as error:
            return {"error": error.details() or error.code().name}
        except TimeoutError:
            return {"error": "no place became free in time"}


async def serve(lab: Lab, labgrid: str) -> None:
    """Runs the session and answers requests until either side ends."""
    reading = asyncio.create_task(lab.read())
    lab.send(startup=lab.pb.StartupDone(version=labgrid, name=lab.owner))
    lab.send(subscribe=lab.pb.Subscribe(all_places=True))
    lab.send(subscribe=lab.pb.Subscribe(all_resources=True))
    try:
        starting = asyncio.create_task(lab.sync())
        await asyncio.wait({starting, reading}, return_when=asyncio.FIRST_COMPLETED)
        if lab.gone.is_set():
            raise TimeoutError
        await starting
    except TimeoutError:
        say(lost=lab.why or "it does not answer")
        return
    say(labgrid=labgrid)
    loop, lines = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    going = asyncio.create_task(lab.gone.wait())
    busy = None
    while True:
        line = asyncio.create_task(lines.readline())
        await asyncio.wait({line, going}, return_when=asyncio.FIRST_COMPLETED)
        if lab.gone.is_set():
            say(lost=lab.why)
            return
        if not line.result().endswith(b"\n"):  # the end, or a request that was cut off
            break
        busy = asyncio.create_task(lab.answer(json.loads(line.result())))
        ended = asyncio.create_task(end_of(lines))
        await asyncio.wait({busy, going, ended}, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if lab.gone.is_set():
            say(lost=lab.why)
            return
        if not busy.done():  # rtstone has ended and waits for no answer
            busy.cancel()
            await asyncio.wait({busy}, timeout=_CONNECT_S)
            break
        say(**busy.result())
    for place in list(lab.held):
        with contextlib.suppress(Exception):
            await asyncio.wait_for(lab.release(place), _CONNECT_S)


async def end_of(lines: asyncio.StreamReader) -> None:
    """Waits for the end of standard input, after which no request can come."""
    while not lines.at_eof():
        await asyncio.sleep(0.1)


def main() -> None:
    """Runs the program until the coordinator is lost or standard input ends."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # only the end of standard input ends the program
        signal.signal(number, signal.SIG_IGN)
    try:
        import grpc
        from labgrid.remote.generated import labgrid_coordinator_pb2 as pb
        from labgrid.remote.generated import labgrid_coordinator_pb2_grpc as stubs
    except ImportError as error:
        try:
            found = f"labgrid {version('labgrid')} is too old"
        except PackageNotFoundError:
            found = f"there is no labgrid ({error})"
        say(error=f"{found}: 25 or newer is needed, in an environment of its own")
        return

    async def run() -> None:
        await serve(Lab(grpc, pb, stubs, *sys.argv[1:3]), version("labgrid"))

    asyncio.run(run())


if __name__ == "__main__":
    main()
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(0)  # gRPC's threads may take seconds to end
