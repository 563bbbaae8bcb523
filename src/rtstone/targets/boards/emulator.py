# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The emulator that counts every instruction before it moves its clock. It is built on demand from Debian's source;
boards use it once it is built."""

from __future__ import annotations

import hashlib
import os
import platform
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
"""Progress callback: the current step, the number of finished steps, and their approximate total; 0: the total is not
known."""

NAME = "emulator"
"""The emulator's name for `rtstone boards --build`."""

ROOM_BYTES = 2 << 30
"""Disk space (bytes) that source and objects need during the build."""

_FACTS = "facts.json"
_ROMS = "roms"
_LACKING = "gic-version=3"
"""A machine's property that the emulator built here lacks: the switch that compiles GICv3 in has a different name in
each version of QEMU."""

# A program or file that the build needs -> the Debian package that has it.
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
    """Lines to insert into a file of QEMU, before or after the one line that contains the words of `before` or
    `after`."""

    files: tuple[str, ...]
    """The file's path in each version of QEMU; the first that exists is used."""
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
    """By package, the ROM images that machines start from: files below /usr/share."""
    devices: dict[str, tuple[str, ...]]
    insert: tuple[Insertion, ...]


class Facts(msgspec.Struct, frozen=True):
    """Facts about a built emulator, stored in its folder."""

    version: str
    """The version of Debian's source."""
    compiler: str
    roms: str
    """SHA-256 of the ROM images, by name and content."""


def _file() -> Path:
    return Path(str(resources.data_dir("firmware"))) / "boards" / "emulator" / "emulator.toml"


@cache
def recipe() -> Recipe:
    """How to build the emulator, and the changes to make to its source. InfrastructureError if the file is not
    valid."""
    try:
        return msgspec.toml.decode(_file().read_bytes(), type=Recipe)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"boards/emulator/emulator.toml is not as it must be: {error}") from error


def change() -> str:
    """16 hex digits that identify the recipe: another recipe makes another emulator. Comments and the fields for
    progress are left out."""
    decides = msgspec.structs.replace(recipe(), steps=0, minutes=0)
    return hashlib.sha256(msgspec.json.encode(decides, order="sorted")).hexdigest()[:16]


def _place() -> Path:
    return cache_root() / NAME / change()


def built() -> Facts | None:
    """The facts of the emulator that was built by the current recipe; None: it has not been built."""
    try:
        return msgspec.json.decode((_place() / _FACTS).read_bytes(), type=Facts)
    except (OSError, msgspec.MsgspecError):
        return None


def is_built(program: str) -> bool:
    """Whether a board's program is the one built here."""
    return Path(program).parent == _place()


def program(board: Board) -> str:
    """The emulator that a board runs in: the one built here if it has the machine and the board is deterministic; else
    Debian's own.

    A board whose network leads to the host needs features that only Debian's emulator has. A board that counts no
    instructions gains nothing from the one built here.
    """
    if _suite(board):
        return str(_fetched(board) / "usr" / "bin" / board.emulator.program)
    if not board.deterministic or built() is None:
        return board.emulator.program
    ours = _place() / board.emulator.program
    machine, *properties = _machine(board.emulator.arguments)
    has = machine in _machines(ours) and _LACKING not in properties
    return str(ours) if has else board.emulator.program


def _machine(arguments: Sequence[str]) -> list[str]:
    """The machine that an emulator's arguments name, and its properties. The name is empty if they name no machine."""
    return next((value for option, value in pairwise(arguments) if option in {"-M", "-machine"}), "").split(",")


@cache
def _machines(program: Path) -> frozenset[str]:
    """The machines that an emulator lists; empty if the emulator cannot be run."""
    try:
        listing = subprocess.run([program, "-machine", "help"], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(line.split()[0] for line in listing.stdout.splitlines()[1:] if line.strip())


def _suite(board: Board) -> str:
    """The suite that the board's emulator is fetched from; empty: the installed one is used. Another Debian release
    than the suite's uses the installed one: the suite's program does not run there, and Debian 13 has its version."""
    try:
        here = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        here = ""
    return board.emulator.suite if board.emulator.suite.partition("-")[0] == here else ""


def _fetched(board: Board) -> Path:
    return cache_root() / NAME / f"{board.emulator.suite}-{board.emulator.package}"


def is_there(board: Board) -> bool:
    """Whether the board's emulator needs no fetching. An emulator that the user installs is not checked here."""
    return not _suite(board) or _fetched(board).is_dir()


def fetch(board: Board) -> None:
    """Fetch the emulator of a board that names a suite, if it is not in the cache. InfrastructureError if the archive
    lacks it."""
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
    """Debian packages that must be installed before the emulator can be built; empty when nothing is missing."""
    lacking = {
        package
        for proof, package in _NEEDED.items()
        if not (Path(proof).is_file() if proof.startswith("/") else shutil.which(proof))
    }
    return sorted(lacking)


def mend(tree: Path) -> None:
    """Insert our lines into QEMU's source. InfrastructureError when QEMU's version differs, so that a place for them
    does not exist or is not unique."""
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
    """Build the emulator if it is not in the cache, and return its facts. `newest`: rebuild it if Debian has another
    version of the source.

    The build takes long, and needs the network only for the source. Raises InfrastructureError naming what is missing.
    The output of a failed build is saved, and the error names its file.
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

    def report(what: str, done: int, expected: int) -> None:
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
        report("downloading the source", 0, 0)
        with debian.held():
            debian.update(always=newest)
            version = debian.source_version(recipe().package)
            described = debian.download_source(recipe().package, version, folder)
        (folder / _ROMS).mkdir()
        _build(described, version, _fetch_roms(folder / _ROMS, always=newest), folder, report)

    cached(NAME, _place().name, make)
    made = built()
    if made is None:
        raise InfrastructureError(f"the emulator in {_place()} is not whole: remove that folder")
    return made


def _fetch_roms(roms: Path, *, always: bool) -> str:
    """Put the ROM images into a folder, and return one hash of all of them."""
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
    """Build the programs from the source's files. Nothing but programs, ROM images and facts stays in the folder."""
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
    """InfrastructureError when the program lacks a device of one of its boards, which means that the recipe is
    wrong."""
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
    """Run a long step, and write its output to the log. InfrastructureError with its first error when it fails."""
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
    """Report progress for Ninja's line ``[12/1600] Compiling C object …``."""
    count, _, what = line.removeprefix("[").partition("] ")
    done, _, all_of_them = count.partition("/")
    if done.isdigit() and all_of_them.isdigit():
        on_step(what.split()[-1] if what else "", int(done), int(all_of_them))


def _others(folder: Path, kept: set[str]) -> Iterator[Path]:
    return (path for path in list(folder.iterdir()) if path.name not in kept)
