# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Output of `rtstone boards`: each kernel of each board with the commands that make it ready.
`python -m rtstone.cli._boards` prints its schema."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from rtstone.errors import this_program

if TYPE_CHECKING:
    from rtstone.targets.boards import Board, Kernel


class KernelEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel of a board."""

    target: str
    """``board:<board>/<kernel>``: the value for `rtstone run --target`."""
    id: str
    title: str
    kind: Literal["firmware", "linux"]
    on_demand: bool
    """Takes long to build: a pattern of targets leaves it out until it has been built."""
    build_minutes: int
    """Approximate minutes on one CPU; 0: negligible."""
    missing: tuple[str, ...]
    """Debian packages that must be installed first."""
    needs: str = ""
    """Requirement without a package: a kernel that you install, and how to name its place;
    or one that Debian no longer has. Empty: none."""
    cached: bool
    """Nothing is to be fetched or built before the first run."""
    commands: tuple[str, ...]
    """Commands that make it ready to run, in order; empty when a run needs nothing else."""


class BoardEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A board."""

    id: str
    title: str
    summary: str
    clock_hz: int
    """Frequency of the counter that the measurements read."""
    instructions_per_second: int
    """Instructions in a second of its clock: figures are instruction-time.
    0: instructions are not counted, `clock_hz` is the host's."""
    deterministic: bool
    """Two runs of a plan give the same bytes.
    On other boards a figure is the emulator's time, not the speed of any hardware."""
    emulator: str
    kernels: tuple[KernelEntry, ...]


class EmulatorEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The emulator that is built here on demand.
    On deterministic boards a guest that halts is then not affected by a busy host."""

    version: str
    """Version of Debian's source that it was built from;
    empty: it has not been built, and boards run in Debian's own emulator."""
    build_minutes: int
    """Approximate minutes of the build on one CPU."""
    commands: tuple[str, ...]
    """Commands that build it, in order; empty when it is present."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """All boards. Readers must ignore unknown keys."""

    schema: Literal["rtstone.boards"] = "rtstone.boards"
    version: str = "1.1"
    boards: tuple[BoardEntry, ...]
    mended_emulator: EmulatorEntry
    install: str
    """The command that installs everything missing; empty when nothing is missing."""


def document() -> Document:
    """The boards as this machine finds them."""
    from rtstone.targets.boards import load, names

    boards = tuple(_board(load(name)) for name in names())
    packages = sorted({package for board in boards for kernel in board.kernels for package in kernel.missing})
    return Document(boards=boards, mended_emulator=_emulator(), install=_install(packages) if packages else "")


def _emulator() -> EmulatorEntry:
    from rtstone.targets.boards import emulator

    there = emulator.built()
    commands = []
    if there is None:
        lacking = emulator.missing()
        commands = [*([_install(lacking)] if lacking else []), f"{this_program()} boards --build {emulator.NAME}"]
    return EmulatorEntry(
        version=there.version if there is not None else "",
        build_minutes=emulator.recipe().minutes,
        commands=tuple(commands),
    )


def _board(board: Board) -> BoardEntry:
    return BoardEntry(
        id=board.id,
        title=board.title,
        summary=board.summary,
        clock_hz=board.clock.hz,
        instructions_per_second=board.clock.instructions_per_second,
        deterministic=board.deterministic,
        emulator=board.emulator.program,
        kernels=tuple(_kernel(board, kernel) for kernel in board.offered),
    )


def _kernel(board: Board, kernel: Kernel) -> KernelEntry:
    lacking = missing(board, kernel)
    needed = needs(kernel)
    ready = not lacking and not needed and cached(board, kernel)
    commands = [_install(lacking)] if lacking else []
    if kernel.on_demand and not ready and not cached(board, kernel):
        commands.append(f"{this_program()} boards --build {board.id}/{kernel.id}")
    return KernelEntry(
        target=f"board:{board.id}/{kernel.id}",
        id=kernel.id,
        title=kernel.title,
        kind=kernel.kind,
        on_demand=kernel.on_demand,
        build_minutes=kernel.source.minutes if kernel.source is not None else 0,
        missing=tuple(lacking),
        needs=needed,
        cached=ready,
        commands=tuple(commands),
    )


def missing(board: Board, kernel: Kernel) -> list[str]:
    """The Debian packages that must be installed before this kernel can run on this board."""
    from rtstone.targets.boards import firmware, guest

    emulator = [] if shutil.which(board.emulator.program) else [board.emulator.package]
    if kernel.image:
        return emulator
    rest = firmware.missing(board.id, kernel.id) if kernel.kind == "firmware" else guest.missing(kernel)
    others = guest.missing(kernel.peer) if kernel.peer is not None else []
    return list(dict.fromkeys([*emulator, *rest, *others]))


def needs(kernel: Kernel) -> str:
    """Requirement without a package, in a line: a kernel that the user installs, or one that Debian no longer has.
    Empty: none."""
    from rtstone.targets.boards import firmware, guest

    if kernel.port:
        return firmware.needs(kernel.port)
    linux = [one for one in (kernel, kernel.peer) if one is not None and one.package and not guest.is_cached(one)]
    return next(filter(None, (guest.gone(one.package, one.architecture) for one in linux)), "")


def cached(board: Board, kernel: Kernel) -> bool:
    """Whether the image is present, so that the first run need not build or fetch it.
    A compiler must be present too."""
    from rtstone.targets.boards import emulator, firmware, guest

    if not emulator.is_there(board):
        return False
    if kernel.image:
        return Path(kernel.image).is_file()
    if kernel.kind == "firmware":
        return firmware.is_cached(board.id, kernel.id)
    return guest.is_cached(kernel) and (kernel.peer is None or guest.is_cached(kernel.peer))


def _install(packages: list[str]) -> str:
    return f"apt-get install {' '.join(packages)}"
