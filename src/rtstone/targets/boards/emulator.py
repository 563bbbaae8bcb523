# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The emulator that counts every instruction before it moves its clock: built on demand from Debian's source, used where it is there."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import msgspec

from rtstone import resources
from rtstone.cache import cache_root, cached
from rtstone.errors import InfrastructureError
from rtstone.targets.boards._model import Board, load, names

OnStep = Callable[[str, int, int], None]
"""Is told what is being done, how many steps are done, and how many there are, about; 0: not known."""

NAME = "emulator"
"""What `rtstone boards --build` takes for it."""

ROOM_BYTES = 2 << 30
"""What source and objects take on the disk while it is built."""

_FACTS = "facts.json"
_ROMS = "roms"
_LACKING = "gic-version=3"
"""A machine's property that the one built here has not: the switch that compiles GICv3 in has another name in each version of QEMU."""

# What shows that it is there -> the Debian package that has it.
_NEEDED = {
    "dpkg-source": "dpkg-dev",
    "gcc": "gcc",
    "meson": "meson",
    "ninja": "ninja-build",
    "pkg-config": "pkgconf",
    "/usr/include/glib-2.0/glib.h": "libglib2.0-dev",
    "/usr/include/pixman-1/pixman.h": "libpixman-1-dev",
    "/usr/include/libfdt.h": "libfdt-dev",
    "/usr/include/zlib.h": "zlib1g-dev",
}


class Insertion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines of ours in a file of QEMU's, next to the one line that holds the words."""

    files: tuple[str, ...]
    """Where it is, by version: the first that there is."""
    lines: tuple[str, ...]
    before: str = ""
    after: str = ""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """boards/emulator/emulator.toml."""

    package: str
    steps: int
    minutes: int
    options: tuple[str, ...]
    roms: dict[str, tuple[str, ...]]
    """By package, what a machine starts from: files below /usr/share."""
    devices: dict[str, tuple[str, ...]]
    insert: tuple[Insertion, ...]


class Facts(msgspec.Struct, frozen=True):
    """What was built; stored beside it."""

    version: str
    """Of Debian's source."""
    compiler: str
    roms: str
    """SHA-256 of the ROM images, by name and content."""


def _file() -> Path:
    return Path(str(resources.data_dir("firmware"))) / "boards" / "emulator" / "emulator.toml"


@cache
def recipe() -> Recipe:
    """What is built and what is ours in it. InfrastructureError if its file is not as it must be."""
    try:
        return msgspec.toml.decode(_file().read_bytes(), type=Recipe)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"boards/emulator/emulator.toml is not as it must be: {error}") from error


def change() -> str:
    """16 hex digits of all that is ours in it: another recipe is another emulator. What only shows progress, and comments, are no part."""
    decides = msgspec.structs.replace(recipe(), steps=0, minutes=0)
    return hashlib.sha256(msgspec.json.encode(decides, order="sorted")).hexdigest()[:16]


def _place() -> Path:
    return cache_root() / NAME / change()


def built() -> Facts | None:
    """What there is, built as the recipe is now; None: nothing yet."""
    try:
        return msgspec.json.decode((_place() / _FACTS).read_bytes(), type=Facts)
    except (OSError, msgspec.MsgspecError):
        return None


def is_built(program: str) -> bool:
    """Whether a board's program is the one built here."""
    return Path(program).parent == _place()


def program(board: Board) -> str:
    """The emulator that a board runs in: the one built here if it has the machine and the board counts instructions; else Debian's own.

    A board whose network leads to the host needs what only Debian's own has; one that counts nothing gains nothing.
    """
    if board.emulator.suite:
        return str(_fetched(board) / "usr" / "bin" / board.emulator.program)
    if not board.deterministic or built() is None:
        return board.emulator.program
    ours = _place() / board.emulator.program
    machine, *properties = _machine(board.emulator.arguments)
    has = machine in _machines(ours) and _LACKING not in properties
    return str(ours) if has else board.emulator.program


def _machine(arguments: Sequence[str]) -> list[str]:
    """The machine that an emulator's arguments name, and its properties. An empty name: none."""
    return next((value for option, value in pairwise(arguments) if option in {"-M", "-machine"}), "").split(",")


@cache
def _machines(program: Path) -> frozenset[str]:
    """The machines that an emulator says it has; none where it is not there."""
    try:
        told = subprocess.run([program, "-machine", "help"], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(line.split()[0] for line in told.stdout.splitlines()[1:] if line.strip())


def _fetched(board: Board) -> Path:
    return cache_root() / NAME / f"{board.emulator.suite}-{board.emulator.package}"


def is_there(board: Board) -> bool:
    """Whether nothing has to be fetched before the board's emulator can start; an installed one is the machine's affair."""
    return not board.emulator.suite or _fetched(board).is_dir()


def fetch(board: Board) -> None:
    """Fetch the emulator of a board that names a suite, if it is not there. InfrastructureError where the archive has none."""
    from rtstone.targets.boards.guest._debian import HOST, Debian, unpack

    if is_there(board):
        return
    obstacle = Debian.obstacle()
    if obstacle is not None:
        raise InfrastructureError(f"board:{board.id} cannot have its emulator here: {obstacle}")

    def make(folder: Path) -> None:
        debian = Debian(HOST, [board.emulator.suite])
        with debian.held():
            debian.update()
            file = debian.download(debian.find(board.emulator.package), folder)
        unpack(file, folder)
        file.unlink()
        if not (folder / "usr" / "bin" / board.emulator.program).is_file():
            raise InfrastructureError(
                f"{board.emulator.suite}'s {board.emulator.package} has no {board.emulator.program}"
            )

    cached(NAME, _fetched(board).name, make)


def missing() -> list[str]:
    """Debian packages that must be installed before it can be built; empty when nothing is missing."""
    lacking = {
        package
        for proof, package in _NEEDED.items()
        if not (Path(proof).is_file() if proof.startswith("/") else shutil.which(proof))
    }
    return sorted(lacking)


def mend(tree: Path) -> None:
    """Put our lines into QEMU's source. InfrastructureError when a place for them is not there, or more than once: it is another QEMU."""
    for insertion in recipe().insert:
        words = insertion.before or insertion.after
        file = next((tree / name for name in insertion.files if (tree / name).is_file()), None)
        if file is None:
            raise InfrastructureError(f"this QEMU cannot be fixed: it has no {' or '.join(insertion.files)}")
        lines = file.read_text(encoding="utf-8").split("\n")
        there = [number for number, line in enumerate(lines) if words in line]
        if len(there) != 1:
            raise InfrastructureError(
                f"this QEMU cannot be fixed: '{words}' is in {len(there)} lines of {file.relative_to(tree)}, not in one"
            )
        at = there[0] + (0 if insertion.before else 1)
        lines[at:at] = insertion.lines
        file.write_text("\n".join(lines), encoding="utf-8")


def build(on_step: OnStep | None = None, *, newest: bool = False) -> Facts:
    """Return what was built, built now if it is not there; `newest`: again, if Debian has another version of the source.

    Takes long, and needs the network for the source alone. Raises InfrastructureError naming what is missing; what a build said that
    failed is kept, and the error tells where.
    """
    from rtstone.targets.boards.guest._debian import HOST, Debian

    obstacle = Debian.obstacle()
    if obstacle is not None:
        raise InfrastructureError(f"the emulator cannot be built here: {obstacle}")
    there = built()
    if there is not None and not newest:
        return there
    lacking = missing()
    if lacking:
        raise InfrastructureError(f"the emulator cannot be built yet: apt-get install {' '.join(lacking)}")
    debian = Debian(HOST, sources=True)

    def told(what: str, done: int, expected: int) -> None:
        if on_step is not None:
            on_step(what, done, expected)

    if there is not None:
        with debian.held():
            debian.update(always=True)
            if debian.source_version(recipe().package) == there.version:
                return there
        shutil.rmtree(_place())

    def make(folder: Path) -> None:
        free = shutil.disk_usage(folder).free
        if free < ROOM_BYTES:
            raise InfrastructureError(
                f"the emulator needs 2 GiB to be built in {folder.parent}: {free >> 20} MiB are free"
            )
        told("downloading the source", 0, 0)
        with debian.held():
            debian.update(always=newest)
            version = debian.source_version(recipe().package)
            described = debian.download_source(recipe().package, version, folder)
        (folder / _ROMS).mkdir()
        _build(described, version, _fetch_roms(folder / _ROMS, always=newest), folder, told)

    cached(NAME, _place().name, make)
    made = built()
    if made is None:
        raise InfrastructureError(f"the emulator in {_place()} is not whole: remove that folder")
    return made


def _fetch_roms(roms: Path, *, always: bool) -> str:
    """Put the ROM images into a folder, and return the hash of all of them."""
    from rtstone.targets.boards.guest._debian import HOST, Debian, unpack

    debian = Debian(HOST)
    with debian.held(), tempfile.TemporaryDirectory(dir=roms.parent) as draft:
        debian.update(always=always)
        for package, files in recipe().roms.items():
            place = Path(draft) / package
            place.mkdir()
            unpack(debian.download(debian.find(package), place), place)
            for name in files:
                try:
                    shutil.copyfile(place / "usr" / "share" / name, roms / Path(name).name)
                except OSError as error:
                    raise InfrastructureError(f"Debian's {package} has no {name}: {error.strerror}") from error
    digest = hashlib.sha256()
    for path in sorted(roms.iterdir()):
        digest.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _build(described: Path, version: str, roms: str, folder: Path, on_step: OnStep) -> None:
    """From the source's files to the programs, and nothing else left in the folder."""
    from rtstone.targets.boards.guest._tools import first_line, run

    log = cache_root() / "logs" / f"{NAME}-{_place().name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    tree, work = folder / "source", folder / "work"
    on_step("unpacking the source", 0, 0)
    run(["dpkg-source", "--no-check", "-x", str(described), str(tree)], f"{described.name} cannot be unpacked")
    mend(tree)
    for name, devices in recipe().devices.items():
        chosen = tree / "configs" / "devices" / f"{name}-softmmu" / "rtstone.mak"
        chosen.parent.mkdir(parents=True, exist_ok=True)
        chosen.write_text("".join(f"CONFIG_{device}=y\n" for device in devices), encoding="utf-8")
    work.mkdir()
    programs = [f"qemu-system-{name}" for name in recipe().devices]
    on_step("configuring", 0, 0)
    _say(_configure(tree, work, version), work, log, lambda line: None)
    _say(
        ["nice", "-n", "10", "ninja", "-C", str(work), f"-j{len(os.sched_getaffinity(0))}", *programs],
        work,
        log,
        lambda line: _step(line, on_step),
    )
    run(["strip", *(str(work / name) for name in programs)], "strip failed")
    for name in programs:
        (work / name).rename(folder / name)
        _require_devices(folder / name)
    facts = Facts(version, first_line(["gcc", "--version"]), roms)
    (folder / _FACTS).write_bytes(msgspec.json.encode(facts))
    on_step("clearing the source away", 0, 0)
    for left in _others(folder, {*programs, _FACTS, _ROMS}):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    log.unlink()


def _require_devices(program: Path) -> None:
    """InfrastructureError when the program lacks a device that one of its boards has: the recipe is wrong then."""
    done = subprocess.run(
        [str(program), "-machine", "none", "-device", "help"], capture_output=True, text=True, check=False, timeout=60
    )
    there = set(re.findall(r'name "([^"]+)"', done.stdout))
    for board in (
        board for board in map(load, names()) if board.deterministic and board.emulator.program == program.name
    ):
        lists = [board.emulator.arguments, *board.emulator.kinds.values()]
        words = {after.partition(",")[0] for one in lists for word, after in pairwise(one) if word == "-device"} | (
            {"loader"} if board.plan.carrier == "blob" else set()
        )
        if lacking := sorted(words - there):
            raise InfrastructureError(f"the emulator built for {board.id} has no {', '.join(lacking)}")


def _configure(tree: Path, work: Path, version: str) -> list[str]:
    # The distribution's own Python has the distribution's meson.
    return [
        *("env", "-C", str(work), "PATH=/usr/bin:/bin", str(tree / "configure"), *recipe().options),
        f"--target-list={','.join(f'{name}-softmmu' for name in recipe().devices)}",
        *(f"--with-devices-{name}=rtstone" for name in recipe().devices),
        f"--with-pkgversion=Debian {version}, mended by rtstone {change()}",
    ]


def _say(command: list[str], work: Path, log: Path, on_line: Callable[[str], None]) -> None:
    """Run a long step, and keep what it says. InfrastructureError with its first error when it fails."""
    from rtstone.targets.boards.guest._long import lines_of
    from rtstone.targets.boards.guest._tools import first_error

    said: list[str] = []
    with log.open("ab") as kept, lines_of(command, "the emulator", {}) as (process, lines):
        for line in lines:
            kept.write(line)
            said.append(line.decode("utf-8", "replace").rstrip())
            on_line(said[-1])
    if process.wait() != 0:
        raise InfrastructureError(f"the emulator cannot be built: {first_error(said)} (all that was said: {log})")


def _step(line: str, on_step: OnStep) -> None:
    """Ninja's ``[12/1600] Compiling C object …``."""
    count, _, what = line.removeprefix("[").partition("] ")
    done, _, all_of_them = count.partition("/")
    if done.isdigit() and all_of_them.isdigit():
        on_step(what.split()[-1] if what else "", int(done), int(all_of_them))


def _others(folder: Path, kept: set[str]) -> Iterator[Path]:
    return (path for path in list(folder.iterdir()) if path.name not in kept)
