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
from rtstone.serve._model import Bounds, PageAccess

_SHORTEST_TOKEN = 16
_CONNECTIONS = 1_000
_BACKLOG = 256


def serve(
    where: str | None, access: PageAccess, bounds: Bounds, *, theme: str, say: Callable[[str], None] | None
) -> None:
    """Serve until SIGINT or SIGTERM."""
    try:
        import starlette  # noqa: F401 - only whether it is there
        import uvicorn
    except ModuleNotFoundError as error:
        raise InfrastructureError("the page needs a server: pip install 'rtstone[serve]'") from error
    hosts = admitted(access)
    _require_tls(access)
    open_fleet(where, wait_s=10.0).require_reader()
    from rtstone.serve._app import application
    from rtstone.serve._connection import REQUEST_S, Connection, Limited

    _raise_descriptors()
    asyncio.constants.SSL_HANDSHAKE_TIMEOUT = REQUEST_S  # uvicorn has no option for it
    listening = _listen(access)
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        application(where, access, bounds, hosts, theme),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        h11_max_incomplete_event_size=16 << 10,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=2,
        http=Connection if access.proxy or is_loopback(access.host) else Limited,
        ws="none",
        ssl_certfile=access.certificate or None,
        ssl_keyfile=access.key or None,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if say is not None and self.started:
                shown = f"[{access.host}]" if ":" in access.host else access.host
                say(f"{'https' if access.certificate else 'http'}://{shown}:{port}/")

    try:
        asyncio.run(Server(config).serve(sockets=[listening]))
    except KeyboardInterrupt:  # the server gives the signal back once it has ended
        return
    finally:
        listening.close()


def admitted(access: PageAccess) -> frozenset[str]:
    """The host names under which clients may request the page.
    Raises UsageError for a server that others can reach unprotected."""
    loopback = is_loopback(access.host)
    own = {"localhost", "127.0.0.1", "[::1]"}
    host = f"[{access.host}]" if ":" in access.host else access.host
    elsewhere = not loopback or bool(access.names)
    if access.token and len(access.token) < _SHORTEST_TOKEN:
        raise UsageError(f"the token has {len(access.token)} characters: at least {_SHORTEST_TOKEN}, drawn at random")
    if bool(access.certificate) != bool(access.key):
        raise UsageError("--certificate and --key go together")
    if elsewhere and not access.token:
        raise UsageError(
            "whoever reaches this address could read the archive: add --token-file, or stay on 127.0.0.1 without --name"
        )
    if elsewhere and not (access.certificate or access.proxy):
        raise UsageError(
            "a token must not travel unencrypted: add --certificate and --key, or --behind-proxy where one speaks TLS"
        )
    if not loopback and not access.names and ipaddress.ip_address(access.host).is_unspecified:
        raise UsageError(f"{access.host} is every address: say by --name what the page is called")
    return frozenset({*own, host.lower(), *(name.lower() for name in access.names)})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address. Raises UsageError for a text that is not an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError as error:
        raise UsageError(f"--bind: '{host}' is no address: 127.0.0.1:8017, [::1]:8017, 192.0.2.1:443") from error


def _require_tls(access: PageAccess) -> None:
    if not access.certificate:
        return
    for path in (access.certificate, access.key):
        if not Path(path).is_file():
            raise UsageError(f"{path}: there is no such file")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(access.certificate, access.key)
    except (ssl.SSLError, OSError) as error:
        raise UsageError(f"{access.certificate} and {access.key} are no certificate with its key: {error}") from error


def _raise_descriptors() -> None:
    """Raises the limit of open files to the system's maximum: the usual 1,024 are fewer than the connections."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _listen(access: PageAccess) -> socket.socket:
    family = socket.AF_INET6 if ":" in access.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((access.host, access.port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise InfrastructureError(f"{access.host}:{access.port} cannot be listened on: {error.strerror}") from error
    return listening
