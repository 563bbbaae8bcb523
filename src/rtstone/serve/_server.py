# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens the server: address, TLS, token. Then serves until a signal ends it."""

from __future__ import annotations

import asyncio
import asyncio.constants
import ipaddress
import resource
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from rtstone.archive import open_fleet
from rtstone.errors import InfrastructureError, UsageError
from rtstone.serve._model import Bounds, Door

_SHORTEST_TOKEN = 16
_CONNECTIONS = 1_000
_BACKLOG = 256


def serve(where: str | None, door: Door, bounds: Bounds, *, theme: str, say: Callable[[str], None] | None) -> None:
    """Serve until SIGINT or SIGTERM."""
    try:
        import starlette  # noqa: F401 - only whether it is there
        import uvicorn
    except ModuleNotFoundError as error:
        raise InfrastructureError("the page needs a server: pip install 'rtstone[serve]'") from error
    hosts = admitted(door)
    _require_tls(door)
    open_fleet(where, wait_s=10.0).require_reader()
    from rtstone.serve._app import application
    from rtstone.serve._connection import REQUEST_S, Connection, Limited

    _raise_descriptors()
    asyncio.constants.SSL_HANDSHAKE_TIMEOUT = REQUEST_S  # uvicorn has no option for it
    listening = _listen(door)
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        application(where, door, bounds, hosts, theme),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        h11_max_incomplete_event_size=16 << 10,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=2,
        http=Connection if door.proxy or is_loopback(door.host) else Limited,
        ws="none",
        ssl_certfile=door.certificate or None,
        ssl_keyfile=door.key or None,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if say is not None and self.started:
                shown = f"[{door.host}]" if ":" in door.host else door.host
                say(f"{'https' if door.certificate else 'http'}://{shown}:{port}/")

    try:
        asyncio.run(Server(config).serve(sockets=[listening]))
    except KeyboardInterrupt:  # the server gives the signal back once it has ended
        return
    finally:
        listening.close()


def admitted(door: Door) -> frozenset[str]:
    """The host names under which clients may request the page.
    Raises UsageError for a server that others can reach unprotected."""
    loopback = is_loopback(door.host)
    own = {"localhost", "127.0.0.1", "[::1]"}
    host = f"[{door.host}]" if ":" in door.host else door.host
    elsewhere = not loopback or bool(door.names)
    if door.token and len(door.token) < _SHORTEST_TOKEN:
        raise UsageError(f"the token has {len(door.token)} characters: at least {_SHORTEST_TOKEN}, drawn at random")
    if bool(door.certificate) != bool(door.key):
        raise UsageError("--certificate and --key go together")
    if elsewhere and not door.token:
        raise UsageError(
            "whoever reaches this address could read the archive: add --token-file, or stay on 127.0.0.1 without --name"
        )
    if elsewhere and not (door.certificate or door.proxy):
        raise UsageError(
            "a token must not travel unencrypted: add --certificate and --key, or --behind-proxy where one speaks TLS"
        )
    if not loopback and not door.names and ipaddress.ip_address(door.host).is_unspecified:
        raise UsageError(f"{door.host} is every address: say by --name what the page is called")
    return frozenset({*own, host.lower(), *(name.lower() for name in door.names)})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address. Raises UsageError for a text that is not an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError as error:
        raise UsageError(f"--bind: '{host}' is no address: 127.0.0.1:8017, [::1]:8017, 192.0.2.1:443") from error


def _require_tls(door: Door) -> None:
    if not door.certificate:
        return
    for path in (door.certificate, door.key):
        if not Path(path).is_file():
            raise UsageError(f"{path}: there is no such file")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(door.certificate, door.key)
    except (ssl.SSLError, OSError) as error:
        raise UsageError(f"{door.certificate} and {door.key} are no certificate with its key: {error}") from error


def _raise_descriptors() -> None:
    """Raises the limit of open files to the system's maximum: the usual 1,024 are fewer than the connections."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _listen(door: Door) -> socket.socket:
    family = socket.AF_INET6 if ":" in door.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((door.host, door.port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise InfrastructureError(f"{door.host}:{door.port} cannot be listened on: {error.strerror}") from error
    return listening
