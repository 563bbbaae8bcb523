# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The processes that draw. A free process takes the next request;
a process that takes too long is ended and replaced."""

from __future__ import annotations

import asyncio
import contextlib
import sys

import msgspec

from rtstone.serve._answers import PageAnswer, PageRequest, Setup

_MOST_WAITING = 256
"""Most requests that wait for a process; further clients are asked to try again later."""
_END_S = 5.0
_READY_S = 120.0
"""Time (s) for a process to load its libraries, on a very busy host."""


class BusyError(Exception):
    """Too many requests are waiting."""


class TooLongError(Exception):
    """An answer exceeded the time limit."""


class FailedError(Exception):
    """The process that prepared an answer ended."""


class _Worker:
    """One process, started at its first use."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._process: asyncio.subprocess.Process | None = None
        self._ready = False

    async def start(self) -> asyncio.subprocess.Process:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "rtstone.serve._worker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            self._send(self._process, msgspec.msgpack.encode(self._setup))
        return self._process

    async def ready(self) -> None:
        """Wait until it can draw: loading its libraries does not count as a page's time."""
        process = await self.start()
        assert process.stdout is not None  # noqa: S101 - a pipe, as asked for
        if not self._ready:
            try:
                await asyncio.wait_for(process.stdout.readexactly(4), _READY_S)
            except (EOFError, OSError) as error:  # a TimeoutError is an OSError
                raise FailedError("the process that draws does not start") from error
            self._ready = True

    async def ask(self, asked: PageRequest) -> PageAnswer:
        process = await self.start()
        assert process.stdout is not None  # noqa: S101 - a pipe, as asked for
        try:
            self._send(process, msgspec.msgpack.encode(asked))
            size = int.from_bytes(await process.stdout.readexactly(4), "big")
            return msgspec.msgpack.decode(await process.stdout.readexactly(size), type=PageAnswer)
        except (EOFError, OSError) as error:  # asyncio's IncompleteReadError is an EOFError
            raise FailedError("the process that draws ended") from error

    async def end(self) -> None:
        process, self._process = self._process, None
        self._ready = False
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _END_S)

    @staticmethod
    def _send(process: asyncio.subprocess.Process, body: bytes) -> None:
        assert process.stdin is not None  # noqa: S101 - a pipe, as asked for
        process.stdin.write(len(body).to_bytes(4, "big") + body)


class DrawingPool:
    """A fixed number of drawing processes."""

    def __init__(self, setup: Setup, count: int, limit_s: float) -> None:
        self._all = [_Worker(setup) for _ in range(count)]
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._limit_s = limit_s
        self._waiting = 0

    async def start(self) -> None:
        """Start them, so that the first answer need not wait for that."""
        for worker in self._all:
            await worker.start()
            self._free.put_nowait(worker)

    async def ask(self, asked: PageRequest) -> PageAnswer:
        """The answer. Raises BusyError, TooLongError or FailedError."""
        if self._waiting >= _MOST_WAITING:
            raise BusyError
        self._waiting += 1
        try:
            worker = await self._free.get()
        finally:
            self._waiting -= 1
        whole = False
        try:
            await worker.ready()
            answer = await asyncio.wait_for(worker.ask(asked), self._limit_s)
            whole = True
        except TimeoutError as error:
            raise TooLongError from error
        finally:
            if not whole:  # the rest of its output would be taken for the next answer
                await asyncio.shield(worker.end())
            self._free.put_nowait(worker)
        return answer

    async def end(self) -> None:
        """End all processes."""
        for worker in self._all:
            await worker.end()
