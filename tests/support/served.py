# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone serve` as a process of its own, asked as any program asks over HTTP."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SRC = Path(__file__).resolve().parents[2] / "src"
PATIENCE_S = 120


@dataclass(frozen=True)
class Reply:
    """The reply of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


class Served:
    """A running page."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process, self.url = process, url
        self.port = int(url.rstrip("/").rpartition(":")[2])

    def get(self, path: str, *, method: str = "GET", **headers: str) -> Reply:
        """One request. A word of `headers` has _ for -."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=given)
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, told, answer.read())
        finally:
            connection.close()


def command(*words: str) -> list[str]:
    """The command line of the live sources."""
    return [sys.executable, "-m", "rtstone", "serve", *words]


@contextmanager
def serving(*words: str) -> Iterator[Served]:
    """Starts it on a free port of the loopback, waits until it answers, and ends it."""
    env = os.environ | {"PYTHONPATH": str(SRC)}
    bind = () if "--bind" in words else ("--bind", "127.0.0.1:0")
    process = subprocess.Popen(command(*bind, *words), stderr=subprocess.PIPE, text=True, env=env)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        match = re.search(r"https?://\S+", said)
        assert match, said + process.stderr.read()
        yield Served(process, match[0])
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
        if process.stderr is not None:
            process.stderr.close()
