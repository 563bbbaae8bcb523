# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the IOC's tests: programs that are built once, ports that are free, a client next to the IOC."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rtstone.ioc import Ioc, IocSettings, build
from support.images import lasting_cache

PARAMETERS = ("interruptLatency", "topToBottom", "bottomToUserInterrupt", "contextSwitch", "totalResponse")
MEASURED = ("interruptLatency", "contextSwitch", "totalResponse")
"""The delays of the engine's sampler, which has neither bottom half nor user-level interrupt service routine."""


@pytest.fixture(scope="session")
def programs(root: Path) -> Path:
    """The folder of the IOC, its clients, and the sampler that the tests play with."""
    with lasting_cache(root):
        return build(for_tests=True)


def free_port() -> int:
    """A port from which on four are free on the loopback interface, for TCP and UDP, at the moment."""
    for _ in range(50):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            first: int = probe.getsockname()[1]
        if first + 4 > 65000:
            continue
        try:
            with ExitStack() as held:
                for offset in range(4):
                    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                        taken = held.enter_context(socket.socket(socket.AF_INET, kind))
                        taken.bind(("127.0.0.1", first + offset))
            return first
        except OSError:
            continue
    pytest.fail("no four ports in a row are free")


def fell_behind(ioc: Ioc) -> bool:
    """Whether the IOC has said that its sampler could not keep up: the machine stood still for longer than it can be behind."""
    return any("has failed" in line for line in ioc.lines)


def private(**wanted: Any) -> IocSettings:
    """Settings on ports of their own."""
    port = free_port()
    return replace(IocSettings(ca_port=port, pva_port=port + 2, scan="Passive"), **wanted)


def end_of_input(program: subprocess.Popen[str]) -> None:
    """Close what a program reads requests from, and wait until it has ended for that; one that does not is killed."""
    assert program.stdin is not None
    program.stdin.close()
    try:
        program.wait(10)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait(10)
    assert program.stdout is not None
    program.stdout.close()


class Client:
    """An ordinary client of one IOC."""

    def __init__(self, settings: IocSettings) -> None:
        self._prefix = settings.prefix
        # The client's stand-in for the CA repeater must not be in the way of a second one.
        environment = os.environ | settings.client_environment() | {"EPICS_CA_REPEATER_PORT": str(free_port())}
        self._program = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("epics_client.py"))],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request to the client. Returns the answer; fails if the answer has an error."""
        found = self.try_to(**request)
        assert "error" not in found, (request, found)
        return found

    def try_to(self, **request: Any) -> dict[str, Any]:
        """Send a request to the client. Returns the answer, which may be an error."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        for key in ("name", "start"):
            if key in request:
                request[key] = self._prefix + request[key]
        if "names" in request:
            request["names"] = [self._prefix + name for name in request["names"]]
        self._program.stdin.write(json.dumps(request) + "\n")
        self._program.stdin.flush()
        answer: dict[str, Any] = json.loads(self._program.stdout.readline())
        return {key.removeprefix(self._prefix): value for key, value in answer.items()}

    def get(self, name: str) -> Any:
        """A record's value."""
        return self.ask(do="get", name=name)["value"]

    def text(self, name: str) -> str:
        """A record's value as text."""
        return str(self.ask(do="get", name=name, text=True)["value"])

    def message(self) -> str:
        """Why the sampler does not measure, whole: as it comes by Channel Access a text ends after 39 characters."""
        return str(self.ask(do="pva", name="message")["value"])

    def severity(self, name: str) -> int:
        """A record's alarm severity: 0 none, 1 minor, 2 major, 3 invalid."""
        return int(self.ask(do="get", name=name)["severity"])

    def put(self, name: str, value: Any) -> None:
        """Write a record and wait until it has been processed."""
        self.ask(do="put", name=name, value=value)

    def until(self, name: str, wanted: Any, seconds: float = 10) -> None:
        """Wait until a record has a value."""
        end = time.monotonic() + seconds
        while (now := self.get(name)) != wanted:
            assert time.monotonic() < end, f"{name} is {now}, not {wanted}, after {seconds} s"
            time.sleep(0.05)

    def end(self) -> None:
        """The client ends when nobody asks any more."""
        end_of_input(self._program)


@contextmanager
def running(programs: Path, settings: IocSettings) -> Iterator[tuple[Ioc, Client]]:
    """An IOC and a client of it."""
    with Ioc(programs, settings) as ioc:
        client = Client(settings)
        try:
            yield ioc, client
        finally:
            client.end()


def scripted(root: Path, folder: Path, programs: Path, play: str, patience_s: float = 0.5) -> Path:
    """A start-up script whose sampler plays what tests/scripted.c knows."""
    text = (root / "ioc" / "program" / "st.cmd").read_text(encoding="utf-8")
    lines = []
    for line in text.splitlines():
        if "engineSamplerConfigure" in line:
            lines.append(f'loadLibrary("{programs}/librtstone-scripted.so")')
            lines.append(f'scriptedSamplerConfigure("scripted", "{play}")')
        elif line.startswith("samplerPortConfigure"):
            lines.append(f'samplerPortConfigure("S1", "scripted", 10000, {patience_s})')
        else:
            lines.append(line)
    script = folder / "scripted.cmd"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return script
