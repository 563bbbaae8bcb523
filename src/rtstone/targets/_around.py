# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A target around another one: all that it does not do itself is the inner one's, what the inner one says of itself included."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self, cast

from rtstone.machine.system import System
from rtstone.stream.plan import Plan
from rtstone.targets.protocol import Capabilities, LookedAt, Target


class Around:
    """Made to be derived from: override what is to be otherwise."""

    def __init__(self, target: Target) -> None:
        self._target = target

    @property
    def capabilities(self) -> Capabilities:
        """What the inner one is and can."""
        return self._target.capabilities

    @property
    def name(self) -> str:
        """The target as the user names it."""
        return self._target.name

    def describe(self) -> dict[str, str]:
        """Facts of the target's envelope."""
        return self._target.describe()

    def system(self) -> AbstractContextManager[System]:
        """The inner one's machine, where that is looked at."""
        return cast("LookedAt", self._target).system()

    def counters(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        """What the inner one's kernel counted, where that is looked at."""
        return cast("LookedAt", self._target).counters()

    def deploy(self) -> None:
        """Makes the target ready."""
        self._target.deploy()

    def start(self, plan: Plan) -> Generator[bytes, None, None]:
        """Runs one session of the plan; whoever closes this ends the session."""
        lines = self._target.start(plan)
        try:
            yield from lines
        finally:
            if isinstance(lines, Generator):
                lines.close()

    def stop(self) -> None:
        """Ends a session that is under way."""
        self._target.stop()

    def __enter__(self) -> Self:
        self._target.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._target.__exit__(kind, error, trace)
