# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Many processes that save runs into one archive, some of them killed: the runs that each one saved or failed to save.

As a program: ``python -m support.writers ARCHIVE WRITERS SAVES KILLS``; it prints the outcome as
JSON. Each run has three sessions and is saved after each. KILLS writers go on saving until they are killed, at any
moment.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import signal
import sys
import time
from collections.abc import Iterable
from itertools import count

import msgspec

from rtstone.archive import open_archive
from rtstone.errors import RtstoneError
from rtstone.model import Run
from support.command import support_program
from support.runs import make_result, make_run, make_session

LOG = b"~0 log\n"


class Told(msgspec.Struct):
    """The outcomes that the archive reported to the writers."""

    saved: list[str]
    failed: list[str]
    killed: int


def whole(run_id: str) -> Run:
    """The run that a writer saves under this id."""
    results = (make_result(count=20),)
    sessions = tuple(
        msgspec.structs.replace(make_session(results, repetition=n), nonce=f"{run_id[-12:]}{n:04x}") for n in range(3)
    )
    return make_run(run_id, results=results, sessions=sessions, planned=3)


def write_all(where: str, writers: int, saves: int, kills: int = 0, *, timeout_s: float = 240) -> Told:
    """Runs the program above."""
    said = support_program("writers", where, str(writers), str(saves), str(kills), timeout_s=timeout_s)
    return msgspec.json.decode(said.encode(), type=Told)


def _write(where: str, name: str, numbers: Iterable[int], tell: int) -> None:
    for number in numbers:
        run_id = f"20261122T120000-{name}{number:04x}{secrets.token_hex(6)}"
        run, owner = whole(run_id), secrets.token_hex(16)
        said = {"saved": run_id}
        try:
            for n in (1, 2):
                part = msgspec.structs.replace(run, sessions=run.sessions[:n], status="incomplete")
                open_archive(where).checkpoint(part, [LOG] * n, owner=owner)
            open_archive(where).save(run, [LOG] * 3, owner=owner)
        except RtstoneError as error:
            said = {"failed": str(error)}
        os.write(tell, json.dumps(said).encode() + b"\n")  # whole: a pipe takes this much at once


def main(where: str, writers: int, saves: int, kills: int) -> None:
    """Starts the writers, kills some, waits for all."""
    open_archive(where)  # imports before it divides, so that all begin at once
    read, tell = os.pipe()
    children = []
    draw = random.Random(1)
    doomed = draw.sample(range(writers), kills)
    for number in range(writers):
        child = os.fork()
        if not child:
            os.close(read)
            code = 1
            try:
                _write(where, f"{number:04x}", count() if number in doomed else range(saves), tell)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    os.close(tell)
    for number in doomed:
        time.sleep(draw.uniform(0.05, 0.4))
        os.kill(children[number], signal.SIGKILL)
    with os.fdopen(read, "rb") as pipe:
        told = [json.loads(line) for line in pipe]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert set(codes) <= {0, -signal.SIGKILL}, codes
    saved = [one["saved"] for one in told if "saved" in one]
    failed = [one["failed"] for one in told if "failed" in one]
    print(json.dumps({"saved": saved, "failed": failed, "killed": codes.count(-signal.SIGKILL)}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
