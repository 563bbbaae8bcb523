# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""board.toml: what a virtual board is, as frozen structs that are checked as they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from rtstone import resources
from rtstone.errors import InfrastructureError, UsageError

Positive = Annotated[int, msgspec.Meta(gt=0)]


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counter that measurements read, and how many instructions the emulator does in a second of it."""

    hz: Positive
    instructions_per_second: Positive


class Emulator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The command line: `arguments`, then what the kernel's kind adds."""

    program: str
    package: str
    arguments: tuple[str, ...]
    kinds: dict[str, tuple[str, ...]]


class PlanCarrier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the plan is put: a blob at an address of the board's memory, or beside the RAM disk."""

    carrier: Literal["blob", "initrd"]
    address: int = 0
    room: int = 0


class Interrupt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the source of the measured interrupt cannot do."""

    least_period_ns: Positive


class Watchdog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds of the host after which a guest that says nothing is ended."""

    first_record_s: Positive
    silence_s: Positive


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a Linux kernel is built whose package holds its source: what it has, and what to expect of the build."""

    config: str
    """A file of boards/guest: options beyond ``make tinyconfig``."""
    steps: Positive
    """Lines that the build prints, about: for the progress shown."""
    minutes: Positive
    """How long it takes on one CPU, about."""


class Driver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Modules that a packaged kernel lacks and the package with its source has, in the version of the kernel."""

    package: str
    folder: str
    """Of the source: all that the modules are made of."""
    build: str
    """A folder of boards/guest whose Kbuild names the modules."""
    modules: tuple[str, ...]


class Kernel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kernel that the board carries: a port that is built here, or a Linux: packaged, or built from a package with its source."""

    id: str
    title: str
    kind: Literal["firmware", "linux"]
    port: str = ""
    package: str = ""
    architecture: str = ""
    append: str = ""
    modules: tuple[str, ...] = ()
    on_demand: bool = False
    source: Source | None = None
    driver: Driver | None = None


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A virtual board."""

    schema: Literal["rtstone.board"]
    version: str
    id: str
    title: str
    summary: str
    clock: Clock
    emulator: Emulator
    plan: PlanCarrier
    watchdog: Watchdog
    kernel: tuple[Kernel, ...]
    interrupt: Interrupt | None = None
    """None: it comes at any period."""

    def kernel_of(self, name: str) -> Kernel:
        """Return the kernel `name`; UsageError if the board does not carry it."""
        for kernel in self.kernel:
            if kernel.id == name:
                return kernel
        raise UsageError(f"board '{self.id}' has no kernel '{name}'; it has: {', '.join(k.id for k in self.kernel)}")


def _places() -> dict[str, Path]:
    root = Path(str(resources.data_dir("firmware"))) / "boards"
    return {path.parent.name: path for path in sorted(root.glob("*/board.toml"))}


def names() -> list[str]:
    """The boards that there are, by name."""
    return list(_places())


def load(name: str) -> Board:
    """Return the board `name`. UsageError if there is none, InfrastructureError if its file is not as it must be."""
    places = _places()
    if name not in places:
        raise UsageError(f"no board '{name}'; there are: {', '.join(places)}")
    try:
        board = msgspec.toml.decode(places[name].read_bytes(), type=Board)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"boards/{name}/board.toml is not as it must be: {error}") from error
    if board.id != name or board.version.split(".")[0] != "1":
        raise InfrastructureError(f"boards/{name}/board.toml: id '{board.id}', version {board.version}")
    return board
