# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone serve`: the archive as read-only web pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from rtstone.cli._options import Theme, Where
from rtstone.errors import UsageError, quoted


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("serve")(serve)


def serve(
    bind: Annotated[
        str, typer.Option(help="Address and port to listen on. Port 0: any free port.", metavar="ADDRESS[:PORT]")
    ] = "127.0.0.1:8017",
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="Also accept requests to this host name; repeat it.", metavar="HOST"),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="A file whose first line is the token (16 characters or more).", metavar="FILE")
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="TLS: the certificate, PEM.", metavar="FILE")] = None,
    key: Annotated[Path | None, typer.Option(help="TLS: its key, PEM.", metavar="FILE")] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy", help="A proxy in front of rtstone terminates TLS. It must forward Host and Authorization."
        ),
    ] = False,
    workers: Annotated[int, typer.Option(help="Processes that render pages.", min=1, max=64)] = 2,
    page_time: Annotated[
        str, typer.Option(help="A page that takes longer is answered by error 503.", metavar="TIME")
    ] = "30s",
    theme: Theme = None,
    where: Where = None,
) -> None:
    """Serve the archive as pages: machines, runs, studies across machines, comparisons, histories. Nothing can be changed there.

    Clients on the loopback address need no token. Any other address or name requires a token, and TLS or a proxy.

    Exit codes: 0 ended by Ctrl-C or SIGTERM; 2 usage; 3 no archive, a port in use, or a PostgreSQL
    role that may write: serve needs one that can only read.
    """
    from rtstone.cli._output import say
    from rtstone.config import load
    from rtstone.model.units import duration_ns
    from rtstone.serve import serve as serve_archive
    from rtstone.serve._model import Bounds, PageAccess

    settings = load({"archive": where, "report.theme": theme}).values
    host, port = address(bind)
    access = PageAccess(
        host=host,
        port=port,
        names=tuple(name or ()),
        token=_token(token_file),
        certificate=str(certificate or ""),
        key=str(key or ""),
        proxy=behind_proxy,
    )
    seconds = (duration_ns(page_time) or 0.0) / 1e9
    if not 0.01 <= seconds <= 600:
        raise UsageError("--page-time lies between 10ms and 600s")
    serve_archive(
        settings.archive,
        access,
        Bounds(workers=workers, seconds=seconds),
        theme=settings.report_theme,
        say=lambda url: say(f"the archive is at {url} until Ctrl-C"),
    )


def address(text: str) -> tuple[str, int]:
    """Host and port of `127.0.0.1:8017`, `[::1]:8017` or an address alone. Raises UsageError."""
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:\[\]]+))(?::([0-9]{1,5}))?", text, re.ASCII)
    port = int(match[3]) if match and match[3] else 8017
    if match is None or port > 65535:
        raise UsageError(f"--bind takes 127.0.0.1:8017 or [::1]:8017, not '{quoted(text)}'")
    return match[1] or match[2], port


def _token(file: Path | None) -> str:
    """The first line of a token file. A token on a command line could be read by every user of this machine."""
    if file is None:
        return ""
    try:
        if file.stat().st_mode & 0o077:
            raise UsageError(f"{file} may be read by others: chmod 600 {file}")
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "no text"
        raise UsageError(f"--token-file {file}: {why}") from error
    if not lines or not lines[0].strip():
        raise UsageError(f"{file}: its first line is empty")
    return lines[0].strip()
