# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Another machine that the user's own OpenSSH reaches: ``ssh:[user@]host[:port][?sudo]``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.stream import framing
from rtstone.stream.plan import Plan, encode
from rtstone.targets._process import StreamProcess
from rtstone.targets._watchdog import item_limit_s, silence_limit_s
from rtstone.targets.protocol import Capabilities, StopsAtExit
from rtstone.targets.remote import Machine, RemoteSystem, machine, parse

SET_UP_S = 180
"""Time (s) that a remote engine has before its first item: it calibrates its clocks, and tries each load."""
_LATER_S = 20.0
"""How much longer (s) this host waits than the remote engine. So the engine meets its own deadline first, and reports
which one it was."""
_PROTOCOL = "1"


class SshTarget(StopsAtExit):
    """An rtstone engine on another machine. It ends when the connection does."""

    capabilities = Capabilities(silicon=True, looked_at=True)

    def __init__(self, name: str, far: Machine) -> None:
        self._name = name
        self._machine = far
        self._running: StreamProcess | None = None
        self._counters: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})

    @property
    def name(self) -> str:
        """The target as the user named it."""
        return self._name

    def describe(self) -> dict[str, str]:
        """The engine that was copied to the machine. The engine reports all other facts in its records."""
        return self._machine.facts

    def deploy(self) -> None:
        """Copies the engine to the machine if it is not there yet. Raises InfrastructureError naming what is
        missing."""
        self._machine.deploy()

    @property
    def program(self) -> Path | None:
        """The engine's path on the machine; None before `deploy`."""
        return self._machine.engine

    def listed(self) -> bytes:
        """The measurements that the remote engine offers, as JSON."""
        return self._machine.listed()

    def system(self) -> RemoteSystem:
        """The machine's files and settings, for checks. Close it after use."""
        return self._machine.system()

    def counters(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """The kernel's counters before and after the last session, line by line: `stat`, `interrupts`, `loadavg`; `at`
        (ns), `children` (µs of CPU time of the engine and its loads). Empty if the session was cut.
        """
        return self._counters

    def clean(self) -> str:
        """Removes every engine that was copied there. Returns the folder that they were in, or an empty text."""
        return self._machine.clean()

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs one session. Closing the iterator ends it on both hosts."""
        words, mark = self._machine.run("far")
        talk = _Talk(plan, mark)
        self._counters = ({}, {})
        limit_s = max(silence_limit_s(plan), SET_UP_S) + _LATER_S
        process = StreamProcess(self._name, words, silence_s=limit_s, answer=talk.answer, farewell=b"stop\n")
        self._running = process
        try:
            yield from process.run(talk.opening())
        except InfrastructureError as error:
            raise InfrastructureError(self._why(process, talk) or str(error)) from error
        finally:
            self._running = None
        if not talk.ended:
            raise InfrastructureError(self._why(process, talk) or f"{self._name}: the connection ended in mid-run")
        self._counters = talk.counters

    def _why(self, process: StreamProcess, talk: _Talk) -> str:
        """The error's text, if ssh or the remote script knows the cause better than the local process does; else
        empty."""
        if talk.refusal:
            return f"{self._name}: {talk.refusal}"
        if process.code is None:
            return ""
        if not talk.begun:
            return self._machine.why(process.code, list(process.errors), talk.before)
        last = framing.console_text(process.errors[-1], 300) if process.errors else ""
        if process.code == 255:
            return f"{self._name}: the connection went in mid-run" + (f": {last}" if last else "")
        if process.code == 126:
            return f"{self._name}: its engine may not be executed (a file system that is mounted noexec?): {last}"
        return ""

    def stop(self) -> None:
        """Asks the remote engine to end its session; `start` still yields its last records."""
        if self._running is not None:
            self._running.interrupt()


class _Talk:
    """The messages exchanged with the remote engine besides plan and record stream (spec/far-end.md)."""

    def __init__(self, plan: Plan, mark: bytes) -> None:
        self._plan = plan
        self._limits = {item.item: item_limit_s(item) for item in plan.items}
        self._mark = mark
        self.before = b""
        """The last line before the remote engine's own output: a shell's banner."""
        self.begun = False
        self.ended = False
        self.refusal = ""
        self.counters: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})

    def opening(self) -> bytes:
        """The first message to the remote engine: its settings and the plan."""
        words = [f"allow {SET_UP_S * 1000}"]
        words += [f"peer {self._plan.peer}"] if self._plan.peer else []
        words += [f"clock {self._plan.clock}"] if self._plan.clock else []
        words += [f"command {self._plan.load_command}"] if self._plan.load_command else []
        return "".join(f"{word}\n" for word in words).encode() + encode(self._plan)

    def answer(self, line: bytes) -> bytes | None:
        """The reply to a line of the remote engine; None: the line belongs to the record stream."""
        if not self.begun:
            self.begun = line == self._mark
            self.before = line if line.strip() and not self.begun else self.before
            return b""
        if not line.startswith(b"@"):
            return None
        key, _, rest = framing.console_text(line[1:], 1 << 16).partition(" ")
        if key == "item":
            limit_s = self._limits.get(int(rest) if rest.isascii() and rest.isdigit() else -1, 0.0)
            return b"next %d\n" % round(limit_s * 1000) if limit_s else b"stop\n"
        if key in {"before", "after"}:
            name, _, text = rest.partition(" ")
            self.counters[key == "after"].setdefault(name, []).append(text)
        elif key == "far" and rest.partition(" ")[0] != _PROTOCOL:
            self.refusal = f"its engine speaks another protocol ({rest}) than this rtstone ({_PROTOCOL})"
            return b"stop\n"
        elif key == "no":
            self.refusal = rest
        elif key == "end":
            self.ended = True
        return b""


def open_ssh(rest: str) -> SshTarget:
    """``ssh:[user@]host[:port][?sudo]``: another machine, which your own OpenSSH reaches.

    Raises UsageError for a text that names no machine.
    """
    address = parse(rest)
    return SshTarget(f"ssh:{address.text}", machine(address))
