# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A build that takes long: yields its output as it comes, and leaves no process behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from rtstone.errors import InfrastructureError

SILENCE_S = 900
"""A build without output for this time (s) counts as hung: its longest step is a link, which takes seconds."""


@contextmanager
def lines_of(
    command: Sequence[str], what: str, environment: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], Iterator[bytes]]]:
    """Runs a command in a process group of its own, and yields its process and the lines of its output and standard
    error. No process of the group outlives the block.

    The iterator of lines raises InfrastructureError, naming `what`, after `SILENCE_S` (s) without output.
    """
    with subprocess.Popen(
        command,
        env={**os.environ, **environment, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as running:
        try:
            yield running, _lines(running, what)
        finally:
            if running.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)


def _lines(process: subprocess.Popen[bytes], what: str) -> Iterator[bytes]:
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    descriptor = process.stdout.fileno()
    rest = b""
    while True:
        if not select.select([descriptor], [], [], SILENCE_S)[0]:
            raise InfrastructureError(f"{what} cannot be built: no output for {SILENCE_S} s")
        got = os.read(descriptor, 1 << 16)
        *lines, rest = (rest + got).split(b"\n")
        yield from (line + b"\n" for line in lines)
        if not got:
            if rest:
                yield rest + b"\n"
            return
