# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Network name spaces that processes hold, for tests with two ends. Both ends are on one machine."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path


@cache
def _user() -> tuple[str, ...]:
    """Without the right to a network name space one has it in a user name space of one's own, as the engine's links do."""
    plain = subprocess.run(["unshare", "--net", "true"], check=False, capture_output=True, timeout=20)
    return () if plain.returncode == 0 else ("--map-root-user",)


class Space:
    """A network name space that a sleeping process holds: nothing is mounted, and nothing is left once that process has ended."""

    def __init__(self, stack: ExitStack, *within: str) -> None:
        words = [*within, "unshare", *_user(), "--net", "sh", "-c", "echo ready && exec sleep 300"]
        self._holder = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        stack.callback(self._holder.kill)
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == "ready\n"
        self.pid = str(self._holder.pid)
        own = ("--user", "--preserve-credentials") if _user() else ()
        self.enter = ("nsenter", *own, "--net", "--target", self.pid)

    def ip(self, *words: str) -> None:
        subprocess.run([*self.enter, "ip", *words], check=True, capture_output=True, timeout=20)

    def start(self, root: Path, *words: str) -> subprocess.Popen[str]:
        """The command of this package, inside."""
        return subprocess.Popen(
            [*self.enter, sys.executable, "-m", "rtstone", *words],
            env=os.environ | {"PYTHONPATH": str(root / "src")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
