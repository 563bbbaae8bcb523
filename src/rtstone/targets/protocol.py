# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The contract between the host and a target. A target takes a plan and gives back the lines of a record stream."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self, cast, runtime_checkable

import msgspec

from rtstone.machine.system import System
from rtstone.stream.plan import Plan


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """Properties of a target. The defaults describe a remote machine of which nothing more is known."""

    engine_here: bool = False
    """The target runs this machine's engine, so it has the loads, timers and windows that this engine lists."""
    shares_host: bool = False
    """The target runs on the tool's own host and shares its CPUs."""
    silicon: bool = False
    """The target is real hardware whose kernel may be inspected."""
    looked_at: bool = False
    """The target is another machine whose system is inspected like this one's: it has `system` and `counters`
    (``rtstone.targets.ssh``)."""
    lends: bool = False
    """A user's commands reach the target with the variables of its `environment` (``rtstone.lab.labgrid``)."""
    replays: bool = False
    """The target's records were made for another plan."""
    virtual: bool = False
    """The target's clock counts instructions. Other targets may run at the same time, and repetitions differ only by
    their seeds."""
    emulated: bool = False
    """The target's CPU is emulated, whatever its clock counts."""
    instructions_per_second: int = 0
    """Instructions that the emulator executes in a second of the board's clock; 0: it counts none."""
    gives: tuple[str, ...] = ()
    """Requirements of a study's variants that the target meets by itself: ``peer``."""
    least_period_ns: int = 0
    """The shortest period (ns) of the target's measured interrupt; 0: any period."""
    inside_ioc: bool = False
    """The target is an EPICS IOC, or its guest can be one here."""
    loads: tuple[str, ...] = ()
    """The loads of a board's engine, which is built here; empty: not known before the engine runs."""
    loads_in_vain: frozenset[str] = frozenset()
    """Those of `loads` that never start: the kernel lacks a service that they need."""


@runtime_checkable
class Target(Protocol):
    """Something that measures. It is a context manager: leaving it always releases it and restores every setting.

    ``start`` yields the stream's lines as bytes, without their line ends, as they come. It returns when the target is
    done. It raises :class:`rtstone.errors.InfrastructureError` (with the last console lines) when the target hangs,
    dies or goes silent.

    """

    @property
    def capabilities(self) -> Capabilities:
        """The target's properties, known before anything is started."""

    @property
    def name(self) -> str:
        """The target as the user names it: ``local``, ``board:arm64/freertos`` …"""

    def describe(self) -> dict[str, str]:
        """Facts for the record's envelope that the engine itself cannot know (emulator's version and flags, image
        hashes …)."""

    def deploy(self) -> None:
        """Builds or copies everything that ``start`` needs. Raises InfrastructureError naming what is missing."""

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs one session of the plan."""

    def stop(self) -> None:
        """Ends the running session; harmless without one."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class StopsAtExit(ABC):
    """Base class for a target whose context ends with `stop`."""

    @abstractmethod
    def stop(self) -> None:
        """Ends the running session; harmless without one."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class LookedAt(Protocol):
    """Further methods of a target with the capability `looked_at`."""

    def system(self) -> AbstractContextManager[System]:
        """The target machine's files and settings."""

    def counters(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        """The kernel's counters before and after the last session: lines of `stat`, `interrupts`, `loadavg`, `at` (ns)
        and `children` (µs of CPU time of the engine and the processes that it started). Empty if the session was cut.
        """


class Lends(Protocol):
    """A further method of a target with the capability `lends`."""

    def environment(self) -> dict[str, str]:
        """Environment variables for a command that runs while this process holds the target."""


class Around:
    """Base class for a target that wraps another: every method calls the inner target. Override those that should
    differ."""

    def __init__(self, target: Target) -> None:
        self._target = target

    @property
    def capabilities(self) -> Capabilities:
        """The inner target's properties."""
        return self._target.capabilities

    @property
    def name(self) -> str:
        """The target as the user names it."""
        return self._target.name

    def describe(self) -> dict[str, str]:
        """The inner target's facts for the envelope."""
        return self._target.describe()

    def system(self) -> AbstractContextManager[System]:
        """The inner target's machine; only if its capabilities have `looked_at`."""
        return cast("LookedAt", self._target).system()

    def counters(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        """The counters of the inner target's kernel; only if its capabilities have `looked_at`."""
        return cast("LookedAt", self._target).counters()

    def deploy(self) -> None:
        """Makes the target ready."""
        self._target.deploy()

    def start(self, plan: Plan) -> Generator[bytes, None, None]:
        """Runs one session of the plan. Closing the generator ends the session."""
        lines = self._target.start(plan)
        try:
            yield from lines
        finally:
            if isinstance(lines, Generator):
                lines.close()

    def stop(self) -> None:
        """Ends the running session."""
        self._target.stop()

    def __enter__(self) -> Self:
        self._target.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._target.__exit__(kind, error, trace)
