# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""HTTP: access, addresses and the cache of answers. This module neither reads the archive nor draws."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from time import monotonic

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rtstone.serve._answers import HTML, PAGES, PageAnswer, PageRequest, Setup
from rtstone.serve._model import Bounds, PageAccess
from rtstone.serve._pool import BusyError, DrawingPool, FailedError, TooLongError

_LONGEST = 2_000
"""Most characters of an address."""
_FRESH_S = 1.0
"""Time (s) during which an answer is given again without checking whether it is still valid."""
_KEPT_BYTES = 256 << 20
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "content-security-policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "private, no-cache",
    "vary": "authorization",
}


class _CachedAnswer(msgspec.Struct):
    answer: PageAnswer
    at: float


class Lobby:
    """Cached answers, and answers in preparation: clients with the same request share one answer."""

    def __init__(self, light: DrawingPool, heavy: DrawingPool) -> None:
        self._light, self._heavy = light, heavy
        self._held: OrderedDict[tuple[str, ...], _CachedAnswer] = OrderedDict()
        self._size = 0
        self._made: dict[tuple[str, ...], asyncio.Task[PageAnswer]] = {}

    async def answer(self, page: str, form: str, query: dict[str, str]) -> PageAnswer:
        """The answer, from the cache if it is fresh."""
        name = (page, form, *(f"{key}={value}" for key, value in sorted(query.items())))
        held = self._held.get(name)
        if held is not None and monotonic() - held.at < _FRESH_S:
            self._held.move_to_end(name)
            return held.answer
        task = self._made.get(name)
        if task is None:
            task = asyncio.create_task(self._make(name, PageRequest(page, form, query)))
            self._made[name] = task
            task.add_done_callback(lambda _: self._made.pop(name, None))
        return await asyncio.shield(task)

    async def _make(self, name: tuple[str, ...], asked: PageRequest) -> PageAnswer:
        held = self._held.get(name)
        pool = self._heavy if PAGES[asked.page].heavy else self._light
        if held is not None:
            # Checking its validity takes a millisecond and must not wait for pages being drawn.
            # An outdated one is drawn again.
            asked.known = held.answer.key
            pool = self._light
        answer = await pool.ask(asked)
        if answer.status == 304 and held is not None:
            held.at = monotonic()
            return held.answer
        if answer.status == 200:
            self._keep(name, answer)
        return answer

    def _keep(self, name: tuple[str, ...], answer: PageAnswer) -> None:
        old = self._held.pop(name, None)
        self._size += len(answer.body) - (len(old.answer.body) if old is not None else 0)
        self._held[name] = _CachedAnswer(answer, monotonic())
        while self._size > _KEPT_BYTES and len(self._held) > 1:
            _, gone = self._held.popitem(last=False)
            self._size -= len(gone.answer.body)


def _plain(status: int, text: str, **headers: str) -> Response:
    return Response(f"{text}\n", status, headers | _HEADERS, "text/plain; charset=utf-8")


class Guard:
    """Refuses a request first of all for a strange host name, another method than GET, a long address,
    or a missing token."""

    def __init__(self, access: PageAccess, hosts: frozenset[str]) -> None:
        self._token = access.token.encode()
        self._hosts = hosts

    def refusal(self, request: Request) -> Response | None:
        """The refusal of a request; None if the request is allowed."""
        given = request.headers.getlist("host")
        if len(given) != 1 or _name(given[0]) not in self._hosts:
            # A foreign page may let its own name lead to this address. The host name is then a wrong one.
            return _plain(421, "this host name is not one of the page's (--name)")
        if request.method != "GET":
            return _plain(405, "this page can only be read: GET", allow="GET")
        if len(request.url.path) + len(request.url.query) > _LONGEST:
            return _plain(414, f"the address has more than {_LONGEST} characters")
        if self._token and not hmac.compare_digest(_credential(request.headers.get("authorization", "")), self._token):
            return _plain(401, "a token is asked for", **{"www-authenticate": 'Basic realm="rtstone", charset="UTF-8"'})
        return None


def _name(host: str) -> str:
    """The host of `host:port`, in lower case, without a dot at its end."""
    name, _, port = host.rpartition(":")
    bare = name if name and port.isdigit() and (name.endswith("]") or ":" not in name) else host
    return bare.lower().removesuffix(".")


def _credential(authorization: str) -> bytes:
    """The token of `Bearer TOKEN`, or the password of `Basic …`, for which a browser prompts by itself."""
    kind, _, rest = authorization.partition(" ")
    if kind.lower() == "bearer":
        return rest.strip().encode()
    if kind.lower() == "basic":
        try:
            return base64.b64decode(rest.strip(), validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return b""
    return b""


def application(where: str | None, access: PageAccess, bounds: Bounds, hosts: frozenset[str], theme: str) -> Starlette:
    """The ASGI application with its processes, which end with the application."""
    setup = Setup(where, bounds, theme)
    light, heavy = DrawingPool(setup, 1, bounds.seconds), DrawingPool(setup, bounds.workers, bounds.seconds)
    lobby, guard = Lobby(light, heavy), Guard(access, hosts)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await asyncio.gather(light.start(), heavy.start())
        try:
            yield
        finally:
            await asyncio.gather(light.end(), heavy.end())

    async def nowhere(request: Request) -> Response:
        return guard.refusal(request) or _plain(404, "there is no such page")

    async def page(request: Request, *, word: str, form: str) -> Response:
        refused = guard.refusal(request)
        if refused is not None:
            return refused
        query = dict(request.query_params)
        if len(query) != len(request.query_params.multi_items()):
            return _plain(400, "a word of the query is there twice")
        try:
            answer = await lobby.answer(word, form, query)
        except BusyError:
            return _plain(503, "too many ask at once", **{"retry-after": "2"})
        except TooLongError:
            return _plain(503, f"this page takes more than {bounds.seconds:g} s", **{"retry-after": "60"})
        except FailedError:
            return _plain(500, "this page could not be made")
        etag = f'"{answer.key}"'
        headers = _HEADERS | ({"etag": etag} if answer.key else {})
        if answer.key and _known(request.headers.getlist("if-none-match"), etag):
            return Response(status_code=304, headers=headers)
        if answer.kind == HTML:
            del headers["content-security-policy"]
            headers["content-security-policy"] = f"{policy(answer.body)}; frame-ancestors 'none'"
        return Response(answer.body, answer.status, headers, answer.kind)

    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]
    pages = {"/": ("machines", ""), "/metrics": ("machines", "openmetrics")}
    pages |= {f"/{word}.{form}".rstrip("."): (word, form) for word, made in PAGES.items() for form in made.forms}
    routes = [Route(path, partial(page, word=word, form=form), methods=methods) for path, (word, form) in pages.items()]
    return Starlette(routes=[*routes, Route("/{rest:path}", nowhere, methods=methods)], lifespan=lifespan)


def _known(lines: list[str], etag: str) -> bool:
    """Whether a client has the answer: `If-None-Match` is a list of tags, weak ones among them, or `*` (RFC 9110, 13.1.2)."""
    tags = [tag.strip() for line in lines for tag in line.split(",")]
    return any(tag == "*" or tag.removeprefix("W/") == etag for tag in tags)


def policy(page: bytes) -> str:
    """The page's own policy, from its head, as a header too."""
    _, _, rest = page[:2_000].partition(b'<meta http-equiv="Content-Security-Policy" content="')
    text, end, _ = rest.partition(b'">')
    return text.decode().replace("&#39;", "'") if end else "default-src 'none'"
