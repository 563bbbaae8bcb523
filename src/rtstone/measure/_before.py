# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A target with a command of the user's that runs before each repetition: one machine in two states, interleaved."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from rtstone.errors import InfrastructureError
from rtstone.stream.plan import Plan
from rtstone.targets import Around, Target

if TYPE_CHECKING:
    from rtstone.targets.protocol import Lends

_TIMEOUT_S = 600
_SAID_CHARACTERS = 200
_SAID_BYTES = 4096


class Before(Around):
    """The target itself, with the command added. The user must undo the command's changes."""

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
        """Runs the command in a shell,
        in a session of its own: a Ctrl-C for rtstone then does not leave a setting half done."""
        lent = cast("Lends", self._target).environment() if self.capabilities.lends else {}
        environment = {**os.environ, "RTSTONE_TARGET": self.name, **lent}
        # Its output goes to a file:
        # a pipe would stay open for the lifetime of programs that it leaves running on purpose.
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                ("/bin/sh", "-c", self._command),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
            try:
                code = process.wait(_TIMEOUT_S)
            except BaseException as error:
                # Everything that it started is killed too, except programs with a session of their own.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                raise InfrastructureError(f"'{self._command}' did not end within {_TIMEOUT_S} s") from error
            if code:
                said.seek(max(0, said.tell() - _SAID_BYTES))
                last = " ".join(said.read().decode(errors="replace").split())[-_SAID_CHARACTERS:]
                raise InfrastructureError(f"'{self._command}' ended with code {code}{f': {last}' if last else ''}")
