# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What the targets that are a program on this machine have in common: one engine process a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from rtstone.resources import engine_path
from rtstone.stream.plan import Plan, encode
from rtstone.targets._process import StreamProcess
from rtstone.targets._watchdog import silence_limit_s
from rtstone.targets.protocol import Capabilities


class EngineTarget:
    """A target whose engine is a program that is spawned, given its plan, and read."""

    capabilities = Capabilities(engine_here=True)

    def __init__(self, name: str, program: str, arguments: Sequence[str]) -> None:
        self._name = name
        self._program = program
        self._arguments = tuple(arguments)
        self._running: StreamProcess | None = None

    @property
    def name(self) -> str:
        """The target as the user named it."""
        return self._name

    def describe(self) -> dict[str, str]:
        """The engine tells everything itself."""
        return {}

    def deploy(self) -> None:
        """Finds the engine. Raises InfrastructureError naming what is missing."""
        self._engine()

    def _engine(self) -> Path:
        return engine_path(self._program)

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs one session; ends it when the iterator is closed."""
        lines = encode(plan)
        command = (str(self._engine()), *self._arguments)
        own = {"RTSTONE_PEER": plan.peer, "RTSTONE_LOAD_COMMAND": plan.load_command, "RTSTONE_CLOCK": plan.clock}
        environment = {name: value for name, value in own.items() if value}
        process = StreamProcess(self._name, command, silence_s=silence_limit_s(plan), environment=environment)
        self._running = process
        try:
            yield from process.run(lines)
        finally:
            self._running = None

    def stop(self) -> None:
        """Asks the engine to end its session; its last records still come."""
        if self._running is not None:
            self._running.interrupt()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
