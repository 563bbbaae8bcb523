# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A target before each of whose repetitions a command of the user's is run: one machine in two states, by turns."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from rtstone.errors import InfrastructureError
from rtstone.plan import Plan
from rtstone.targets import Target

_TIMEOUT_S = 600
_SAID_CHARACTERS = 200


class Before:
    """The target itself, but for the command. What the command changes is the user's to change back."""

    def __init__(self, target: Target, command: str) -> None:
        self._target = target
        self._command = command

    def __getattr__(self, name: str) -> object:
        return getattr(self._target, name)

    @property
    def name(self) -> str:
        """The target as the user names it."""
        return self._target.name

    def describe(self) -> dict[str, str]:
        """The target's facts, and the command."""
        return {**self._target.describe(), "before": self._command}

    def deploy(self) -> None:
        """Makes the target ready."""
        self._target.deploy()

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs the command, then one session of the plan. Raises InfrastructureError where the command fails."""
        self._run()
        lines = self._target.start(plan)
        try:
            yield from lines
        finally:
            close = getattr(lines, "close", None)
            if close is not None:
                close()

    def stop(self) -> None:
        """Ends a session that is under way."""
        self._target.stop()

    def _run(self) -> None:
        """By the shell, in a session of its own, so that a Ctrl-C for us does not cut a setting in two."""
        environment = {**os.environ, "RTSTONE_TARGET": self.name}
        try:
            done = subprocess.run(
                ("/bin/sh", "-c", self._command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_TIMEOUT_S,
                check=False,
                env=environment,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired as error:
            raise InfrastructureError(f"'{self._command}' did not end within {_TIMEOUT_S} s") from error
        if done.returncode:
            said = " ".join(done.stdout.decode(errors="replace").split())[-_SAID_CHARACTERS:]
            raise InfrastructureError(
                f"'{self._command}' ended with code {done.returncode}{f': {said}' if said else ''}"
            )

    def __enter__(self) -> Self:
        self._target.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._target.__exit__(kind, error, trace)
