# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The contract between the host and a target: whatever can take a plan and give back the lines of a record stream."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from rtstone.stream.plan import Plan


@runtime_checkable
class Target(Protocol):
    """Something that measures. Context-managed: leaving it always releases it and restores every setting.

    ``start`` yields the stream's lines as bytes, without their line ends, as they come; it returns when the target is done and raises
    :class:`rtstone.errors.InfrastructureError` (with the last console lines) when the target hangs, dies or goes silent.

    A target may also say of itself, by attributes: ``shares_host`` (it is the machine that the tool runs on), ``replays`` (what it
    gives back was asked by another plan), ``virtual`` (its clock counts instructions, so others may run beside it) with
    ``instructions_per_second``, ``emulated`` (its CPU is no silicon, whatever its clock counts), ``gives`` (what variants of studies
    may require and it has of itself: ``peer``). All are False, 0 or empty where they are not there.
    """

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
