# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The measurements, loads, timers and clocks that the engines of the targets list."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Literal, cast

import msgspec

from rtstone.errors import InfrastructureError

if TYPE_CHECKING:
    from rtstone.targets.ssh import SshTarget

_LIST_TIMEOUT_S = 20


class ListedMeasurement(msgspec.Struct, frozen=True):
    """A measurement as the engine lists it."""

    name: str
    summary: str = ""
    passes: tuple[Literal["single", "batch"], ...] = ("single",)
    series: tuple[str, ...] = ()
    supported: bool = True
    why_not: str = ""
    substitutes: tuple[str, ...] = ()
    traits: tuple[str, ...] | None = None
    """None, also of `paced_by`: the engine is older than list 1.1, which introduced them."""
    paced_by: str | None = None
    whole: str = ""
    """The series that is the sum of other series of the same sample; empty: there is no such series."""
    of: str = ""
    """The measurement of which this is a choice, or its own name; empty: the engine is older than list 1.1."""
    choice: str = ""
    """The chosen variant, as `hpet` of `clock`; empty: the measurement has no variants."""

    @property
    def pace(self) -> str:
        """The event that it waits for. If the engine does not list it, it is derived from the measurement's name."""
        from rtstone.studies import pace_by_name

        return pace_by_name(self.name) if self.paced_by is None else self.paced_by

    @property
    def clock(self) -> str:
        """The clock whose reading it measures; empty: another kind of measurement.
        Derived from its name if the engine lists no choices."""
        if self.of:
            return self.choice if self.of == "clock" else ""
        return self.name.removeprefix("clock-") if self.name.startswith("clock-") else ""


class ListedLoad(msgspec.Struct, frozen=True):
    """A load as the engine lists it."""

    name: str
    summary: str = ""
    unit: str = ""


class ListedClock(msgspec.Struct, frozen=True):
    """A clock that can time a run, as the engine lists it."""

    name: str
    summary: str = ""


class EngineList(msgspec.Struct, frozen=True):
    """Output of `rtstone-engine list --json`."""

    engine: str
    port: str
    measurements: tuple[ListedMeasurement, ...]
    loads: tuple[ListedLoad, ...]
    timers: tuple[str, ...] = ()
    clocks: tuple[ListedClock, ...] | None = None
    """None: the engine is older than list 1.2, which introduced them."""
    capabilities: str = "0"
    """The effective capabilities of the queried engine, in hex."""

    @property
    def capabilities_mask(self) -> int:
        """The effective capabilities of the queried engine as an integer, one bit each."""
        return int(self.capabilities or "0", 16) & (1 << 64) - 1


def from_outside(listed: EngineList) -> bool:
    """Whether an engine has measurements of events from outside the target."""
    return any(one.pace == "outside" for one in listed.measurements)


def clock_names(listed: EngineList) -> tuple[str, ...]:
    """The names of the clocks that an engine lists."""
    return tuple(clock.name for clock in listed.clocks or ())


def engine_list() -> EngineList:
    """Measurements and loads of this machine's engine. Raises InfrastructureError where the engine does not answer."""
    from rtstone.resources import engine_path

    return _list_of_program(str(engine_path()))


@cache
def _list_of_program(program: str) -> EngineList:
    """Measurements and loads of an engine on this machine, asked once a process. Raises InfrastructureError."""
    try:
        said = subprocess.run(
            [program, "list", "--json"],
            capture_output=True,
            timeout=_LIST_TIMEOUT_S,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        return msgspec.json.decode(said.stdout, type=EngineList)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError) as error:
        from rtstone.targets._process import ungranted

        why = ungranted(error, program) if isinstance(error, OSError) else ""
        raise InfrastructureError(f"{program} does not list its measurements: {error}{why}") from error


@cache
def remote_list(target: str) -> EngineList:
    """Measurements and loads of the engine of a machine over ssh.
    Raises InfrastructureError where the engine does not answer."""
    from rtstone.targets import open_target

    far = cast("SshTarget", open_target(target))  # or a place of a lab that is reached alike
    try:
        return msgspec.json.decode(far.listed(), type=EngineList)
    except msgspec.MsgspecError as error:
        raise InfrastructureError(f"{target}: its engine does not list its measurements: {error}") from error


def list_of(target: str) -> EngineList:
    """Measurements and loads of a target's engine: its own engine over ssh, else this machine's."""
    return remote_list(target) if elsewhere(target) else engine_list()


def elsewhere(target: str) -> bool:
    """Whether a target is a machine over ssh, where its own engine is queried."""
    from rtstone.targets import capabilities

    return capabilities(target).looked_at


def on_this_machine(targets: Sequence[str]) -> bool:
    """Whether this machine's engine lists the measurements of all these targets."""
    from rtstone.targets import capabilities

    return all(capabilities(target).engine_here for target in targets)


def here(target: str) -> bool:
    """Whether the target is this machine, measured by this machine's engine."""
    from rtstone.targets import capabilities

    can = capabilities(target)
    return can.engine_here and can.shares_host


def lists(targets: Sequence[str]) -> tuple[EngineList, ...]:
    """Lists of the engines that measure these targets; empty where one engine cannot be queried, as a board's."""
    if not all(on_this_machine([target]) or elsewhere(target) for target in targets):
        return ()
    asked = dict.fromkeys(target if elsewhere(target) else "local" for target in targets)
    return tuple(map(list_of, asked))


def known(asked: Sequence[EngineList], names: Callable[[EngineList], Sequence[str]]) -> tuple[str, ...]:
    """The names that all of the engines know, in the first engine's order."""
    return tuple(name for name in names(asked[0]) if all(name in names(other) for other in asked[1:]))


def traits(targets: Sequence[str]) -> dict[str, frozenset[str]]:
    """Traits of measurements, as the engines of these targets list them. A board's engine is not queried:
    this machine's list is used.

    Omits the measurements of engines that list no traits.
    """
    found: dict[str, frozenset[str]] = {}
    for asked in dict.fromkeys(target if elsewhere(target) else "local" for target in targets):
        with suppress(InfrastructureError):
            found |= {m.name: frozenset(m.traits) for m in list_of(asked).measurements if m.traits is not None}
    return found
