# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A target before each of whose repetitions a command of the user's is run: one machine in two states, by turns."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator

from rtstone.errors import InfrastructureError
from rtstone.plan import Plan
from rtstone.targets import Around, Target

_TIMEOUT_S = 600
_SAID_CHARACTERS = 200


class Before(Around):
    """The target itself, but for the command. What the command changes is the user's to change back."""

    def __init__(self, target: Target, command: str) -> None:
        super().__init__(target)
        self._command = command

    def describe(self) -> dict[str, str]:
        """The target's facts, and the command."""
        return {**super().describe(), "before": self._command}

    def start(self, plan: Plan) -> Generator[bytes, None, None]:
        """Runs the command, then one session of the plan. Raises InfrastructureError where the command fails."""
        self._run()
        yield from super().start(plan)

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
