# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""One remote machine: finds or copies its engine, asks that engine for its lists, and starts sessions."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.resources import carried_engine, engine_path
from rtstone.targets.boards import guest
from rtstone.targets.remote import _client, _scripts
from rtstone.targets.remote._address import Address
from rtstone.targets.remote._system import RemoteSystem

ARCHITECTURES = {
    "x86_64": "amd64",
    "aarch64": "arm64",
    "armv7l": "armhf",
    "armv8l": "armhf",
    "riscv64": "riscv64",
}
"""The output of `uname -m` -> Debian's name of the architecture."""
_COPY_TIMEOUT_S = 600


def engine_for(name: str, kernel: str, machine: str) -> tuple[str, Path]:
    """Return Debian's name of a machine's architecture, and its engine: one that is installed here, or one that
    Debian's cross compilers build.

    `kernel` and `machine` are the output of `uname`. Raises InfrastructureError when there is no engine, or no compiler
    for it.
    """
    architecture = ARCHITECTURES.get(machine)
    if kernel != "Linux" or architecture is None:
        has = ", ".join(dict.fromkeys(ARCHITECTURES.values()))
        raise InfrastructureError(f"{name}: there is no engine for {kernel} on {machine}; there are, for Linux: {has}")
    if architecture == ARCHITECTURES.get(platform.machine()):
        return architecture, engine_path()
    carried = carried_engine(architecture)
    if carried is not None:
        return architecture, carried
    try:
        return architecture, guest.engine(architecture)
    except InfrastructureError as error:
        raise InfrastructureError(f"{name}: {error}") from error


class Machine:
    """A remote machine with its engine. The engine is copied if none of the same hash is there, and checked before each
    start."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._folder = ""
        self._digest = ""
        self.engine: Path | None = None
        """The engine's path on the machine; None before it is copied."""
        self.facts: dict[str, str] = {}
        """Facts of the connection and of the copied engine."""

    @property
    def name(self) -> str:
        """The machine's name in errors."""
        return _client.name(self._address)

    def deploy(self) -> None:
        """Makes sure that the engine is on the machine. Raises InfrastructureError naming what is missing."""
        if not self._folder:
            self._bring()

    def _bring(self) -> None:
        seen = self._asked(_scripts.LOOK)
        kernel, machine = seen.values("kernel"), seen.values("machine")
        architecture, program = engine_for(self.name, *(kernel or ["?"])[:1], *(machine or ["?"])[:1])
        content = program.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        folder = digest[:16]
        there = dict(line.split(" ", 1)[::-1] for line in seen.values("have") if " " in line)
        if there.get(f"{folder}/{_scripts.ENGINE}") != digest:
            self._asked(_scripts.put(folder, _scripts.ENGINE, digest), content, timeout_s=_COPY_TIMEOUT_S)
        self._folder, self._digest = folder, digest
        self.facts = {"ssh.engine.sha256": digest, "ssh.engine.architecture": architecture}
        self.facts |= {"ssh.sudo": "yes"} if self._address.sudo else {}
        self.engine = Path(f"{(seen.values('place') or ['?'])[0]}/{folder}/{_scripts.ENGINE}")

    def run(self, words: str) -> tuple[list[str], bytes]:
        """The local command that starts a session of the engine with these words, and the line with which its output
        begins.

        The engine is looked for, and copied if need be, before each session: the machine may have been rebooted or got
        a new image, and the command of `--before` may do so even before the first session.
        """
        self._bring()
        return _client.command(self._address, _scripts.engine(self._folder, self._digest, words))

    def listed(self) -> bytes:
        """The measurements that the remote engine offers, as JSON. Raises InfrastructureError."""
        self.deploy()
        answer = self._asked(_scripts.engine(self._folder, self._digest, "list --json"), wanted=b"@go")
        if answer.code:
            raise InfrastructureError(f"{self.name}: {refusal(answer.code, answer.error)}")
        return b"\n".join(answer.lines[1:])

    def system(self) -> RemoteSystem:
        """The machine's files and settings, for checks. Close it after use."""
        words, mark = _client.command(self._address, _scripts.QUESTIONS)
        return RemoteSystem(self.name, words, mark)

    def clean(self) -> str:
        """Removes every engine that was copied there. Returns the folder that they were in; empty if there was no
        engine."""
        return (self._asked(_scripts.CLEAN).values("had") or [""])[0]

    def why(self, code: int, said: list[bytes], output: bytes) -> str:
        """The error in one line for a session that did not begin."""
        return _client.why(self._address, code, said, output)

    def _asked(
        self,
        script: str,
        given: bytes | None = None,
        *,
        timeout_s: float = _client.TIMEOUT_S,
        wanted: bytes = b"@done",
    ) -> _client.ScriptResult:
        answer = _client.ask(self._address, script, given, timeout_s=timeout_s)
        if answer.values("no"):
            raise InfrastructureError(f"{self.name}: {answer.values('no')[0]}")
        if wanted not in answer.lines:
            raise InfrastructureError(f"{self.name}: {refusal(answer.code, answer.error)}")
        return answer


_ERROR_MOST = 200
"""Characters of a remote shell's message that an error quotes."""


def refusal(code: int, error: str) -> str:
    """Why a script ended early, from its exit code and the end of its last error line. Only the end, since a shell may
    quote the whole script before it."""
    error = error if len(error) <= _ERROR_MOST else f"…{error[1 - _ERROR_MOST :]}"
    if code == 126:
        return f"its engine may not be executed (a file system that is mounted noexec?): {error}"
    return error or f"/bin/sh there ended with exit code {code} and said nothing"


@cache
def machine(address: Address) -> Machine:
    """The machine of an address. This program has one object for each address."""
    return Machine(address)
