# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Repeats a saved session of a board under the emulator's plugin.
Result: the functions' names, and a trace of the functions that ran."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from rtstone import resources
from rtstone.cache import cached, key_of
from rtstone.errors import InfrastructureError, UsageError
from rtstone.explain._btf import Types
from rtstone.stream.plan import Item, Plan
from rtstone.targets import boards
from rtstone.targets._emulator import emulator_version
from rtstone.targets.board import BoardTarget, Images
from rtstone.targets.boards import Board, Kernel, arguments, emulator, firmware
from rtstone.targets.boards.guest import ENGINE
from rtstone.targets.boards.guest._ramdisk import archive
from rtstone.targets.boards.guest._tools import TOOLS

FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror")
FIRMWARE_MARKS = ("rts_port_timer_start", "rts_port_timer_stop")
_MARKED = frozenset({"board_kernel_vectors", "board_kernel_switch"})
"""Names that a board gives to the exception vectors of a kernel with its own start-up code, and to its switch between
tasks."""
LINUX_MARKS = ("start_here[rtstone_probe]", "probe_path_stop[rtstone_probe]")
"""Functions that begin and end the measuring of interrupts."""
FAULTS = {"amd64": ("asm_exc_page_fault", (0,)), "arm64": ("vectors", (0x200, 0x400))}
"""Where Linux continues after an instruction could not reach its memory, by architecture: a function, and how far into
it. arm64 has a vector for the kernel's own exceptions and one for those of 64-bit programs."""

INTERRUPTS_OFF, INTERRUPTS_ON, PREEMPTION_OFF, PREEMPTION_ON, _NOT_FOLLOWED = range(0xFFFFFFFC, 0xFFFFFFF7, -1)
"""Words of changes.c for the interrupt flag and the preemption counter."""
_ENTERED = (
    *("asm_exc_", "asm_sysvec_", "asm_common_interrupt", "asm_spurious_interrupt", "asm_int80"),
    *("irq_entries_start", "spurious_entries_start"),
    *("entry_SYSCALL_", "entry_SYSENTER_", "entry_INT80_"),
)
"""Prefixes of functions that x86 enters with interrupts off."""
_PER_CPU = ".data..percpu"
_LATER = 4
"""Plugin interface version of QEMU 9.2 to 10.1."""


class Functions(msgspec.Struct, frozen=True):
    """A kernel's functions by address, ascending."""

    addresses: tuple[int, ...]
    names: tuple[str, ...]
    image: Path
    """The image that the emulator boots."""

    def options(self, option: str, name: str, offset: int = 0) -> str:
        """The plugin's option for each function of that name, `offset` bytes after its beginning.
        InfrastructureError if the kernel has no such function."""
        at = [address for address, one in zip(self.addresses, self.names, strict=True) if one == name]
        if not at:
            raise InfrastructureError(f"the kernel has no function {name}: it cannot be traced")
        return ",".join(f"{option}={address + offset:x}" for address in at)


class Trace(msgspec.Struct, frozen=True):
    """The functions that ran while interrupts were measured."""

    names: tuple[str, ...]
    """Functions by number."""
    when: NDArray[np.int64]
    """Instructions executed before each step, in whole ticks of the board's clock."""
    what: NDArray[np.int64]
    """Each step: the number of the function that runs from there on, or one of the words of changes.c."""
    begins: NDArray[np.bool_]
    """Whether the function begins there; else the CPU returns to it."""
    stream: bytes
    """The record stream of the traced session."""
    facts: dict[str, str] = {}
    """The board's own facts from the session."""
    slack: int = 0
    """Largest error (ticks) of the distance between two readings in `when`:
    1 where an instruction is not a whole number of ticks."""
    changes: NDArray[np.int64] | None = None
    """When interrupts and preemption went off and on. Each row:
    `when`, the place of the current step, and one of the words above. None: the trace does not follow them."""
    scale_ppm: int = 0
    """Largest deviation of the kernel's clock from the board's, in millionths."""


def require(run_board: str, deterministic: bool) -> tuple[Board, Kernel]:
    """The board and kernel of a target's name. UsageError if the target cannot be traced."""
    scheme, _, rest = run_board.partition(":")
    board_id, _, kernel_id = rest.partition("/")
    if scheme != "board" or not deterministic:
        raise UsageError(
            f"{run_board}: only a run of a virtual board that counts instructions can be run again;"
            " on a live machine, save event trails: -m interrupt-split --trace-over TIME"
        )
    board = boards.load(board_id)
    if not board.clock.readings:
        raise UsageError(
            f"{run_board}: the description of its board does not state how its clock is read, so it cannot be explained"
        )
    return board, board.kernel_of(kernel_id)


def trace(
    board: Board,
    kernel: Kernel,
    plan: Plan,
    folder: Path,
    *,
    on_step: Callable[[str], None],
    only: tuple[int, int] | None = None,
) -> Trace:
    """Repeat the session under the plugin.
    `only`: trace from the first of these instructions to the second, counted from 0 at start-up.

    `folder` receives the built files and the trace, some 20 kB a sample.
    InfrastructureError where the guest or a compiler fails.
    """
    on_step("looking up the kernel's functions")
    is_linux = kernel.kind == "linux"
    functions = guest_functions(board, kernel, folder) if is_linux else _firmware_functions(board, kernel)
    listed = folder / "addresses"
    listed.write_text(
        "".join(
            f"{address:x}{' off' if name.startswith(_ENTERED) else ''}\n"
            for address, name in zip(functions.addresses, functions.names, strict=True)
        )
    )
    begin, end = LINUX_MARKS if is_linux else FIRMWARE_MARKS
    if only is None:
        between = f"{functions.options('from', begin)},{functions.options('until', end)}"
    else:
        between = f"after={only[0]},before={only[1]}"
    file = folder / "trace"
    interface = plugin_interface(board)
    option = ",".join(
        (f"{plugin('changes', folder, interface)},symbols={listed},{between},out={file}", *board.clock.readings)
    )
    if is_linux:
        option += ",kernel=high"
        name, offsets = FAULTS.get(kernel.architecture, ("", ()))
        if name in functions.names:
            option += "".join(f",{functions.options('fault', name, offset)}" for offset in offsets)
    counter = _counter(kernel, functions, on_step)
    memory: tuple[str, ...] = ()
    if counter is not None:
        option += f",preemption={counter:x}"
        memory = _shown_memory(board)
    on_step("running the session again under the plugin")
    again = run_again(board, kernel, plan, option, memory)
    words = np.fromfile(file, dtype="<u8")
    pairs = words[: len(words) // 2 * 2].reshape(-1, 2)
    clock = board.clock
    when = pairs[:, 0].astype(np.int64) * clock.hz // clock.instructions_per_second
    what = (pairs[:, 1] & 0xFFFFFFFF).astype(np.int64)
    is_change = (what <= INTERRUPTS_OFF) & (what >= _NOT_FOLLOWED)
    is_whole = counter is not None and not (what == _NOT_FOLLOWED).any()
    if counter is not None and not is_whole:
        on_step("interrupts and preemption are not reported: the trace missed a change of the flag or of preempt_count")
    places = np.maximum(np.cumsum(~is_change) - 1, 0)
    return Trace(
        names=functions.names,
        when=when[~is_change],
        what=what[~is_change],
        begins=(pairs[:, 1] >> 32 != 0)[~is_change],
        changes=np.stack((when, places, what), axis=1)[is_change] if is_whole else None,
        stream=again.stream,
        facts=again.facts,
        slack=1 if clock.hz % clock.instructions_per_second else 0,
        scale_ppm=clock.scale_ppm,
    )


def _counter(kernel: Kernel, functions: Functions, on_step: Callable[[str], None]) -> int | None:
    """Address of the preemption counter of Linux on x86, relative to gs.
    None: another kernel, whose counter is not followed here."""
    if kernel.kind != "linux" or kernel.architecture != "amd64":
        return None
    try:
        types = Types(functions.image.read_bytes(), kernel.title)
        own = types.variable(_PER_CPU, "__preempt_count")
        hot = types.variable(_PER_CPU, "pcpu_hot")
        if own is None and hot is not None:
            own = hot + types.offset("pcpu_hot", "preempt_count")
    except UsageError as error:
        on_step(f"interrupts and preemption are not followed: {error}")
        return None
    if own is None:
        on_step(f"interrupts and preemption are not followed: the preempt_count of {kernel.title} is not known")
    return own


def _shown_memory(board: Board) -> tuple[str, ...]:
    """Options that make the emulator place the guest's memory, of the same size, where the plugin can read it."""
    words = board.emulator.arguments
    size = words[words.index("-m") + 1].split(",")[0].removeprefix("size=") if "-m" in words else "128"
    size += "M" if size.isdigit() else ""
    return ("-object", f"memory-backend-memfd,id=shown,size={size},share=on", "-machine", "memory-backend=shown")


class Again(msgspec.Struct, frozen=True):
    """The result of a repeated session."""

    stream: bytes
    facts: dict[str, str]


def run_again(board: Board, kernel: Kernel, plan: Plan, option: str, more: Sequence[str] = ()) -> Again:
    """Run a session with a plugin (an argument of ``-plugin``) and `more` options.
    InfrastructureError where the guest fails."""
    emulator = msgspec.structs.replace(board.emulator, arguments=(*board.emulator.arguments, *more, "-plugin", option))
    target = BoardTarget(msgspec.structs.replace(board, emulator=emulator), kernel)
    target.keeps = False  # a plugin sees a session from its reset
    stream = bytearray()
    with target:
        target.deploy()
        for line in target.start(plan):
            stream += line + b"\n"
    return Again(bytes(stream), target.describe())


_Ran = TypeVar("_Ran", Trace, Again)


def repeated(run: Callable[[], _Ran], kept: bytes, on_step: Callable[[str], None]) -> _Ran:
    """The result of `run`. Runs it again if its record differs from the saved one,
    since Debian's emulator can miscount on a busy host."""
    again = run()
    if again.stream != kept:
        on_step("the record differs: running the session once more, since a busy host can disturb the emulator")
        again = run()
    return again


def _sources() -> Path:
    return Path(str(resources.data_dir("firmware"))) / "boards" / "tracing"


def _compile(arguments: Sequence[str], package: str) -> None:
    if shutil.which(arguments[0]) is None:
        raise InfrastructureError(f"explaining needs {arguments[0]}: apt-get install {package}")
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise InfrastructureError(f"{arguments[0]} failed: {(done.stderr.splitlines() or ['no message'])[0]}")


def plugin_interface(board: Board) -> int:
    """The version of the interface that the board's emulator has for plugins: 1 up to QEMU 8, 4 from QEMU 9.2 on."""
    version = re.search(r"version ([0-9]+)\.", emulator_version(emulator.program(board)))
    return _LATER if version is not None and int(version[1]) >= 9 else 1


def plugin(name: str, folder: Path, interface: int = _LATER) -> Path:
    """A plugin of boards/tracing for a version of the emulator's interface, built there. InfrastructureError without a compiler."""
    built = folder / f"{name}.so"
    words = ["gcc", *FLAGS, f"-DPLUGIN_API={interface}", "-shared", "-fPIC", "-o", str(built)]
    _compile([*words, str(_sources() / f"{name}.c")], "gcc")
    return built


def _firmware_functions(board: Board, kernel: Kernel) -> Functions:
    """The functions of the image's symbol table. An image that is built here has one.

    A board's mark wins over the kernel's own name of the same address.
    """
    image = Path(kernel.image) if kernel.image else firmware.build(board.id, kernel.id)
    found = firmware.functions(board.id, kernel.id, image)
    return _ordered(sorted(found, key=lambda one: one[1] not in _MARKED), image)


class _SymbolsTarget(BoardTarget):
    """The board with another program instead of the engine. The program prints the kernel's functions."""

    program = b""
    keeps = False

    def images(self, folder: Path) -> Images:
        """The boot images for any plan, without the plan itself."""
        self.deploy()
        return super()._prepared(_ANY, folder / "initrd", folder / "far")

    def _prepared(self, plan: Plan, initrd: Path, far: Path) -> Images:
        images = super()._prepared(plan, initrd, far)
        assert images.initrd is not None  # noqa: S101 - a Linux guest has one
        # A later file of the RAM disk replaces an earlier one of the same name.
        with images.initrd.open("ab") as disk:
            disk.write(archive({ENGINE: self.program}, executable=frozenset({ENGINE})))
        return images


_ANY = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="interrupt-response"),))
_PARAMETERS = re.compile(r"(rtstone\.module=\w+):\S+")
"""Removes a module's parameters: they do not move its functions."""


def guest_functions(board: Board, kernel: Kernel, folder: Path) -> Functions:
    """The functions as the guest itself lists them with its modules loaded.
    Without KASLR their addresses never change, so the list is cached."""
    target = _SymbolsTarget(board, kernel)
    images = target.images(folder)
    source = _sources() / "symbols.c"
    facts = [f"{name}={value}" for name, value in sorted(images.facts.items())]
    words = [*arguments(board, kernel), _PARAMETERS.sub(r"\1", images.append), *facts]

    def make(place: Path) -> None:
        program = place / "symbols"
        tools = TOOLS[kernel.architecture]
        words = [f"{tools.prefix}gcc", "-D_GNU_SOURCE", "-static", *FLAGS, "-o", str(program), str(source)]
        _compile(words, tools.compiler)
        target.program = program.read_bytes()
        program.unlink()
        (place / "functions").write_text("\n".join(_function_lines(target)), encoding="ascii")

    kept = cached("guest", f"functions-{key_of(words, source.parent, [source])}", make)
    found = (line.partition(" ") for line in (kept / "functions").read_text(encoding="ascii").splitlines())
    return _ordered([(int(address, 16), name) for address, _, name in found], images.image)


def _function_lines(target: _SymbolsTarget) -> list[str]:
    """The guest's own lines. InfrastructureError where they are incomplete."""
    with target:
        why = ""
        try:
            lines = list(target.start(_ANY))
        except InfrastructureError as error:  # there is no `bye`, because the program is not an engine
            if not target.record_bytes:
                raise
            why = str(error)
            lines = target.record_bytes.splitlines()
    text = [line.decode("ascii", "replace").strip() for line in lines]
    if "end" not in text:
        raise InfrastructureError(f"{target.name} did not list its functions: {why}")
    return text[: text.index("end")]


def _ordered(found: Sequence[tuple[int, str]], image: Path) -> Functions:
    """The functions in ascending order. Of several names of one address, the first is used."""
    unique: dict[int, str] = {}
    for address, name in sorted(found, key=lambda one: one[0]):
        unique.setdefault(address, name)
    return Functions(tuple(unique), tuple(unique.values()), image)
