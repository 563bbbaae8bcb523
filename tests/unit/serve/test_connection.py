# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections that say nothing shut nobody out."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rtstone.serve import _connection
from rtstone.serve._connection import PER_ADDRESS, Connection, Limited

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


@contextmanager
def _serving(kind: type[Connection]) -> Iterator[int]:
    async def hello(_: Request) -> Response:
        return Response(b"hello")

    listening = socket.create_server(("127.0.0.1", 0))
    application = Starlette(routes=[Route("/", hello)])
    server = uvicorn.Server(uvicorn.Config(application, http=kind, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _connected(port: int, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))


def _answered(port: int, source: str = "127.0.0.1") -> bool:
    with _connected(port, source) as connection:
        try:
            connection.sendall(REQUEST)
            return connection.recv(100).startswith(b"HTTP/1.1 200")
        except ConnectionError:
            return False


@pytest.mark.parametrize("said", [b"", b"GET / HT", REQUEST + b"GET / HT"])
def test_a_request_that_does_not_come_ends_the_connection(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    """None, a part of one, and a part of the next; each byte more gains no time."""
    monkeypatch.setattr(_connection, "REQUEST_S", 1.0)
    with _serving(Connection) as port, _connected(port) as connection:
        connection.sendall(said)
        begun = time.monotonic()
        received = b""
        while chunk := connection.recv(1000):
            received += chunk
        assert 0.5 < time.monotonic() - begun < 20
        assert received.count(b"hello") == said.count(REQUEST)


def test_one_address_does_not_take_the_place_of_all() -> None:
    """Its connections say nothing; two programs ask."""
    with _serving(Limited) as port, ExitStack() as stack:
        for _ in range(PER_ADDRESS * 4):
            stack.enter_context(_connected(port))
        assert not _answered(port), "it has its share"
        assert _answered(port, "127.0.0.2")
        stack.close()
        deadline = time.monotonic() + 30
        while not _answered(port):
            assert time.monotonic() < deadline


@contextmanager
def _files(least: int) -> Iterator[None]:
    """So many open files of this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < least:
        pytest.fail(f"this system allows a process {hard} open files: the trial takes {least}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, least), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_1100_silent_connections_shut_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an adversary did it. Another address is answered at once, and the silent one's when its time is over: they are closed then."""
    monkeypatch.setattr(_connection, "REQUEST_S", 3.0)
    with _files(4096), _serving(Limited) as port, ExitStack() as stack:
        silent = [stack.enter_context(_connected(port)) for _ in range(1100)]
        assert _answered(port, "127.0.0.2")
        for connection in silent:
            assert connection.recv(1) == b""  # closed by the server
        assert _answered(port)
