# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The contract between the host and a target: whatever can take a plan and give back the lines of a record stream."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self, cast, runtime_checkable

import msgspec

from rtstone.machine.system import System
from rtstone.stream.plan import Plan


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What a target is and can. The defaults are those of a machine elsewhere, of which nothing more is known."""

    engine_here: bool = False
    """This machine's engine is what runs there: what it lists (loads, timers, windows) the target knows."""
    shares_host: bool = False
    """It is measured where the tool itself runs: the host's CPUs are its own."""
    silicon: bool = False
    """A machine of silicon whose kernel may be looked into."""
    looked_at: bool = False
    """It is another machine with a system that is looked at like this one's: it has `system` and `counters` (``rtstone.targets.ssh``)."""
    lends: bool = False
    """Commands of the user's reach it as we do by what its `environment` says (``rtstone.targets.labgrid``)."""
    replays: bool = False
    """What it gives back was asked for by another plan."""
    virtual: bool = False
    """Its clock counts instructions: others may run beside it, and repetitions differ by what is drawn, not by chance."""
    emulated: bool = False
    """Its CPU is no silicon, whatever its clock counts."""
    instructions_per_second: int = 0
    """Of the emulator, in a second of the board's clock; 0: none are counted."""
    gives: tuple[str, ...] = ()
    """What variants of studies may require and it has of itself: ``peer``."""
    least_period_ns: int = 0
    """The shortest period at which its measured interrupt comes; 0: any."""
    inside_ioc: bool = False
    """It is an EPICS IOC, or its guest can be one here."""


@runtime_checkable
class Target(Protocol):
    """Something that measures. Context-managed: leaving it always releases it and restores every setting.

    ``start`` yields the stream's lines as bytes, without their line ends, as they come; it returns when the target is done and raises
    :class:`rtstone.errors.InfrastructureError` (with the last console lines) when the target hangs, dies or goes silent.

    """

    @property
    def capabilities(self) -> Capabilities:
        """What it is and can, before anything is started."""

    @property
    def name(self) -> str:
        """The target as the user names it: ``local``, ``board:arm64/freertos`` …"""

    def describe(self) -> dict[str, str]:
        """Facts of the target's envelope: what the engine itself cannot know (emulator's version and flags, image hashes …)."""

    def deploy(self) -> None:
        """Builds or copies what must be there before ``start``; raises InfrastructureError naming what is missing."""

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs one session of the plan."""

    def stop(self) -> None:
        """Ends a session that is under way; harmless when there is none."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class LookedAt(Protocol):
    """What a target has besides where its capabilities say `looked_at`."""

    def system(self) -> AbstractContextManager[System]:
        """That machine's files and settings."""

    def counters(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        """What its kernel had counted before and after the last session: lines of `stat`, `interrupts`, `loadavg`, `at` (ns) and `children`
        (µs of CPU time of the engine and what it started). Empty where the session was cut.
        """


class Lends(Protocol):
    """What a target has besides where its capabilities say `lends`."""

    def environment(self) -> dict[str, str]:
        """Variables of the environment for a command that is run while the target is ours."""


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
