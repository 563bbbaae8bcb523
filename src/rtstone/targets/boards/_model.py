# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""board.toml, the definition of a virtual board, as frozen structs that are checked as they are read."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import parse_qsl

import msgspec

from rtstone import resources
from rtstone.config import base_folder
from rtstone.errors import InfrastructureError, UsageError, unknown
from rtstone.targets.boards import _own

FOLDER_VARIABLE = "RTSTONE_BOARDS"
"""Environment variable that names a further folder of boards, besides the built-in ones and those in
``$XDG_CONFIG_HOME/rtstone/boards``; ``--boards`` sets it."""

Positive = Annotated[int, msgspec.Meta(gt=0)]
Natural = Annotated[int, msgspec.Meta(ge=0)]


class BoardClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counter that measurements read, and how many instructions the emulator executes in a second of it.

    Both 0: no instructions are counted. The board then runs in the host's time, so two runs differ, and its figures
    describe the emulator.
    """

    hz: Natural
    instructions_per_second: Natural
    readings: tuple[str, ...] = ()
    """How the plugin of ``rtstone explain`` recognizes a reading of the counter (boards/tracing/changes.c). Empty: runs
    cannot be explained."""
    scale_ppm: Natural = 0
    """Largest error (ppm) of a kernel's clock against the counter, if the kernel calibrates the scale at its start."""


class Emulator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The command line: `arguments`, then those in `kinds` for the kernel's kind."""

    program: str
    package: str
    arguments: tuple[str, ...]
    kinds: dict[str, tuple[str, ...]]
    suite: str = ""
    """A suite of Debian's archive that has another version of the program. On its Debian release it is fetched, not
    installed. Empty: the installed one, as on every other release."""


class PlanCarrier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the plan reaches the board: as a blob at an address of its memory, or with the RAM disk."""

    carrier: Literal["blob", "initrd"]
    address: int = 0
    room: int = 0


class InterruptLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of the measured interrupt's source."""

    least_period_ns: Positive


class Hub(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Makes the board two machines with a wire between them, each with a kernel of its own. The near one measures, the
    far one is its peer."""

    device: str
    """The guests' network device at either end of the wire."""
    near: str
    far: str
    """The two addresses (IPv4, in one /24 network)."""
    pairs: tuple[str, ...]
    """The kernels ``near+far`` that lists and patterns show for the board. A target may name any other two of its
    kernels."""


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Connects a port of the host's loopback interface to the board (``{port}``), so that clients on the host load what
    is measured.

    The clients' timing depends on the host, so no two runs are the same, whatever the clock counts.
    """

    clients: Literal["ioc"]
    """The server that the clients use: an IOC, if the plan asks for the load of one."""


class Watchdog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """CPU time (s) of the emulator after which a silent guest is ended: before its first record, and later."""

    first_record_s: Positive
    silence_s: Positive


class KernelSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to build a Linux kernel whose package holds its source: its configuration, and the size of the build."""

    config: str
    """A file of boards/guest: options beyond ``make tinyconfig``."""
    steps: Positive
    """Approximate number of lines that the build prints, for the progress display."""
    minutes: Positive
    """Approximate time (minutes) of the build on one CPU."""


class Driver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Modules that a packaged kernel lacks. The package with the source of the same version has them."""

    package: str
    folder: str
    """The folder of the source that has all files of the modules."""
    build: str
    """A folder of boards/guest whose Kbuild names the modules."""
    modules: tuple[str, ...]


class DeviceTree(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The device tree of a 32-bit Arm kernel: a file of the kernel's build, and the nodes that the board adds."""

    file: str
    nodes: str
    """A file of boards/guest: an overlay in the source form of the device-tree compiler."""


class Kernel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kernel that the board carries: a port that is built here, or a Linux, either packaged or built from a source
    package."""

    id: str
    title: str
    kind: Literal["firmware", "linux"]
    port: str = ""
    defines: tuple[str, ...] = ()
    """Macros with which the port is built, for one kernel of several that a port has."""
    image: str = ""
    """A ready ELF file, instead of a port. A relative path starts at the folder of board.toml."""
    package: str = ""
    architecture: str = ""
    append: str = ""
    modules: tuple[str, ...] = ()
    on_demand: bool = False
    source: KernelSource | None = None
    driver: Driver | None = None
    device_tree: DeviceTree | None = None
    peer: Kernel | None = None
    """The far machine's kernel, on a board with a hub; not in board.toml."""


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A virtual board."""

    schema: Literal["rtstone.board"]
    version: str
    id: str
    title: str
    summary: str
    clock: BoardClock
    emulator: Emulator
    plan: PlanCarrier
    watchdog: Watchdog
    kernel: tuple[Kernel, ...]
    base: str = ""
    """A built-in board that provides the build files that this board's folder lacks. Empty: the folder has all
    files."""
    interrupt: InterruptLimits | None = None
    """None: the measured interrupt can have any period."""

    hub: Hub | None = None
    """None: the board is one machine."""
    link: Link | None = None
    """None: nothing outside can reach the board."""
    stop: str = ""
    """PCI address of the device by which a Linux stops the machine once it is ready, so that its state can be saved.
    Empty: no state is saved."""

    @property
    def counted(self) -> bool:
        """Whether the board's clock counts instructions. Its figures then do not depend on how busy the host is."""
        return self.clock.instructions_per_second > 0

    @property
    def deterministic(self) -> bool:
        """Whether two runs of a plan are the same to the byte."""
        return self.counted and self.link is None

    @property
    def offered(self) -> tuple[Kernel, ...]:
        """The kernels that lists and patterns show for the board, or the pairs of its hub."""
        return self.kernel if self.hub is None else tuple(self.kernel_of(pair) for pair in self.hub.pairs)

    def kernel_of(self, name: str) -> Kernel:
        """Return the kernel `name`, or the pair ``near+far`` of a hub. UsageError if the board does not carry it."""
        if name.startswith(_own.PREFIX) and "firmware" in self.emulator.kinds:
            path = name.removeprefix(_own.PREFIX)
            if not path:
                raise UsageError(f"board:{self.id}/{_own.PREFIX} names no file")
            return Kernel(id=name, title=f"firmware {Path(path).name}", kind="firmware", image=path)
        if name.startswith(_own.KERNEL) and "linux" in self.emulator.kinds and self.hub is None:
            return self._own_linux(name)
        if self.hub is None:
            return self._single(name)
        near, plus, far = name.partition("+")
        if not plus:
            self._single(near)
            raise UsageError(
                f"board '{self.id}' is two machines, each with its kernel: {self.id}/{self.hub.pairs[0]}, for one"
            )
        first, second = self._single(near), self._single(far)
        return msgspec.structs.replace(first, id=name, title=f"{first.title}, peer {second.title}", peer=second)

    def _own_linux(self, name: str) -> Kernel:
        """A user's kernel, with the modules of the board's own Linux and those of its command-line words that name
        devices."""
        path, _, query = name.removeprefix(_own.KERNEL).partition("?")
        given = dict(parse_qsl(query))
        if not path or given.keys() - {"append", "name"}:
            raise UsageError(f"board:{self.id}/{name} is not kernel:PATH?append=WORDS&name=ID")
        ours = next(kernel for kernel in self.kernel if kernel.kind == "linux")
        words = [word for word in ours.append.split() if word.startswith("rtstone.")]
        return Kernel(
            id=name,
            title=given.get("name") or f"kernel {Path(path).name}",
            kind="linux",
            image=path,
            architecture=ours.architecture,
            append=" ".join([*words, *([given["append"]] if "append" in given else [])]),
            modules=ours.modules,
            device_tree=ours.device_tree,
        )

    def _single(self, name: str) -> Kernel:
        plain, mark, query = name.partition("?")
        for kernel in self.kernel:
            if kernel.id == plain and not mark:
                return kernel
            if kernel.id == plain:
                given = dict(parse_qsl(query))
                if kernel.kind != "linux" or given.keys() != {"append"}:
                    raise UsageError(
                        f"board:{self.id}/{name}: words for its command line are ?append=WORDS, of a Linux"
                    )
                return msgspec.structs.replace(kernel, id=name, append=f"{kernel.append} {given['append']}".strip())
        raise unknown(f"kernel of board {self.id}", name, (kernel.id for kernel in self.kernel))


def ours() -> Path:
    """The folder of the boards that come with rtstone."""
    return _sources() / "boards"


def loads(kernel: Kernel) -> tuple[str, ...]:
    """The loads of a kernel's engine, as its sources register them; empty for a user's own image of an engine."""
    if kernel.kind == "firmware" and kernel.image:
        return ()
    own = (
        ("linux/loads/linux_loads.def", "ioc/load/ioc_loads.def") if kernel.kind == "linux" else _loads_of(kernel.port)
    )
    return tuple(name for file in ("engine/loads/registry.def", *own) for name in _registered(file))


def _loads_of(port: str) -> tuple[str, ...]:
    """The list of the loads that only this port's engine has, if it has such loads."""
    file = f"ports/{port}/{port.replace('-', '_')}_loads.def"
    return (file,) if (_sources() / file).is_file() else ()


def loads_in_vain(kernel: Kernel) -> frozenset[str]:
    """The loads of a kernel's engine that never start, because its port lacks a service that they need."""
    return frozenset(name for name in loads(kernel) if _needs(name) & _lacks(kernel.port))


@cache
def _lacks(port: str) -> frozenset[str]:
    """The services that a port refuses in every build."""
    source = _sources() / "ports" / port / "services.c"
    text = source.read_text(encoding="utf-8") if port and source.is_file() else ""
    return frozenset(re.findall(r"\[(RTS_SERVICE_\w+)\]\s*=\s*KERNEL_LACKS", text))


@cache
def _needs(load: str) -> frozenset[str]:
    """The services that a load of the portable engine needs."""
    source = _sources() / "engine" / "loads" / f"{load.replace('-', '_')}.c"
    text = source.read_text(encoding="utf-8") if source.is_file() else ""
    return frozenset(re.findall(r"RTS_SERVICE_\w+", "".join(re.findall(r"\.services = ([^,]+),", text))))


@cache
def _registered(file: str) -> tuple[str, ...]:
    text = (_sources() / file).read_text(encoding="utf-8")
    return tuple(name.replace("_", "-") for name in re.findall(r"^RTS_LOAD\((\w+)\)", text, re.MULTILINE))


def _sources() -> Path:
    return Path(str(resources.data_dir("firmware")))


def _places() -> dict[str, Path]:
    found = {path.parent.name: path for path in sorted(ours().glob("*/board.toml"))}
    folders = [base_folder("XDG_CONFIG_HOME", ".config") / "rtstone" / "boards"]
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        if not Path(chosen).is_dir():
            raise UsageError(f"--boards {chosen}: no such folder")
        folders.append(Path(chosen))
    for folder in folders:
        for path in sorted(folder.glob("*/board.toml")):
            if path.parent.name in found and not path.samefile(found[path.parent.name]):
                raise UsageError(f"{path}: there is a board '{path.parent.name}' already; give yours another name")
            found[path.parent.name] = path
    return found


def folder_of(name: str) -> Path:
    """The folder of the board `name`. UsageError for an unknown board."""
    places = _places()
    if name not in places:
        raise unknown("board", name, places)
    return places[name].parent


def places_of(name: str) -> tuple[Path, ...]:
    """The folders of the files for images of the board `name`: its own, then that of its base. Raises as `load`
    does."""
    base = load(name).base
    return (folder_of(name), *([ours() / base] if base else []))


def names() -> list[str]:
    """The names of all boards."""
    return list(_places())


def load(name: str) -> Board:
    """Return the board `name`. UsageError for an unknown board, InfrastructureError if its file is not valid."""
    places = _places()
    if name not in places:
        raise unknown("board", name, places)
    builtin = places[name].parent.parent == ours()
    file = f"boards/{name}/board.toml" if builtin else str(places[name])
    try:
        board = msgspec.toml.decode(places[name].read_bytes(), type=Board)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file} is not as it must be: {error}") from error
    if board.id != name or board.version.split(".")[0] != "1":
        raise InfrastructureError(f"{file}: id '{board.id}', version {board.version}")
    if board.base and not (ours() / board.base / "toolchain.cmake").is_file():
        raise InfrastructureError(f"{file}: base '{board.base}' is no board of rtstone's that images are built for")
    if any(kernel.peer is not None for kernel in board.kernel):
        raise InfrastructureError(f"{file}: a kernel's peer is named by the target, not here")
    for kernel in board.kernel:
        if kernel.kind == "firmware" and bool(kernel.port) == bool(kernel.image):
            raise InfrastructureError(f"{file}: kernel '{kernel.id}' must have a port or an image")
        if kernel.defines and not kernel.port:
            raise InfrastructureError(f"{file}: kernel '{kernel.id}' has defines, but no port that is built with them")
    kernels = (
        msgspec.structs.replace(kernel, image=str(places[name].parent / kernel.image)) if kernel.image else kernel
        for kernel in board.kernel
    )
    return msgspec.structs.replace(board, kernel=tuple(kernels))
