# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Says on standard error how far a part of the bench is."""

from __future__ import annotations

import sys
import time


class Steps:
    """Counts the steps of a part and prints a line every few seconds."""

    EVERY_S = 5.0

    def __init__(self, what: str, count: int) -> None:
        self._what, self._count, self._done = what, count, 0
        self._begun = self._told = time.monotonic()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        now = time.monotonic()
        if now - self._told < self.EVERY_S:
            return
        self._told = now
        left = (now - self._begun) / self._done * (self._count - self._done)
        sys.stderr.write(f"bench: {self._what} {self._done} of {self._count}, about {left:.0f} s left\n")
        sys.stderr.flush()
