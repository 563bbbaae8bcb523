# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Base of the targets whose engine is a program on this machine: one engine process a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from rtstone.resources import engine_path
from rtstone.stream.plan import Plan, encode
from rtstone.targets import _memory
from rtstone.targets._process import StreamProcess
from rtstone.targets._watchdog import silence_limit_s
from rtstone.targets.protocol import Capabilities, StopsAtExit


class EngineTarget(StopsAtExit):
    """A target whose engine is a program: spawns it, writes the plan to it, and reads its records."""

    capabilities = Capabilities(engine_here=True)

    def __init__(self, name: str, program: str, arguments: Sequence[str], *, starves: bool = False) -> None:
        """`starves`: the engine does not run in the host's time, so waiting for a CPU does not count as silence."""
        self._name = name
        self._starves = starves
        self._program = program
        self._arguments = tuple(arguments)
        self._running: StreamProcess | None = None
        self._asked = False
        """`stop` was called, perhaps before the program was started: a signal may come at any moment."""

    @property
    def name(self) -> str:
        """The target as the user named it."""
        return self._name

    def describe(self) -> dict[str, str]:
        """Empty: the engine reports all facts in its own records."""
        return {}

    def deploy(self) -> None:
        """Finds the engine. Raises InfrastructureError naming what is missing, or a memory limit that is too low."""
        self._engine()
        _memory.require(self._name)

    def _engine(self) -> Path:
        return engine_path(self._program)

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs one session; ends it when the iterator is closed."""
        lines = encode(plan)
        command = (str(self._engine()), *self._arguments)
        own = {"RTSTONE_PEER": plan.peer, "RTSTONE_LOAD_COMMAND": plan.load_command, "RTSTONE_CLOCK": plan.clock}
        environment = {name: value for name, value in own.items() if value}
        process = StreamProcess(
            self._name,
            command,
            silence_s=silence_limit_s(plan),
            environment=environment,
            starves=self._starves,
            beside=lambda: process.interrupt() if self._asked else None,
        )
        self._running = process
        try:
            yield from process.run(lines)
        finally:
            self._running = None
            self._asked = False

    def stop(self) -> None:
        """Asks the engine to end its session; `start` still yields its last records."""
        self._asked = True
        if self._running is not None:
            self._running.interrupt()

    def __enter__(self) -> Self:
        self._asked = False
        return self
