# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the images of kernels: engine, port and board become an ELF file, which is cached until an input changes.

``python -m rtstone.targets.boards.firmware arm64 freertos`` builds one and prints its path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rtstone import resources
from rtstone.cache import cache_root, cached, key_of
from rtstone.errors import InfrastructureError, RtstoneError, unknown
from rtstone.targets.boards import _cargo, _cmake, _installed, _kernel_source, _model, _rust_kernel

# Compiler -> the Debian package that has it.
_COMPILER_PACKAGES = {
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
    "arm-none-eabi-gcc": "gcc-arm-none-eabi",
    "m68k-linux-gnu-gcc": "gcc-m68k-linux-gnu",
    "riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
}


def sources_root() -> Path:
    """The folder that has engine/, ports/, boards/ and cmake/: the checkout, or a folder of the installed package."""
    return Path(str(resources.data_dir("firmware")))


def boards() -> list[str]:
    """The names of the boards that images are built for: those that name a compiler."""
    return sorted(name for name in _model.names() if _is_built(name))


def _is_built(board: str) -> bool:
    return any((place / "toolchain.cmake").is_file() for place in _model.places_of(board))


def kernels(board: str) -> list[str]:
    """The kernels that are built for a board: ``bare`` if its board.toml has it, and each kernel that has a folder
    there."""
    bare = {"bare"} if any(kernel.port == "bare" for kernel in _model.load(board).kernel) else set()
    return sorted({*bare, *(path.parent.name for path in _model.folder_of(board).glob("*/kernel.cmake"))})


def missing(board: str, kernel: str) -> list[str]:
    """The Debian packages that must be installed before `build` can work; empty when nothing is missing."""
    port = _port(board, kernel)
    compiler = _compiler(board, port)
    # A compiler given by its path comes with the kernel that the user installs; `needs` checks that one.
    wanted = {} if "/" in compiler else {compiler: _COMPILER_PACKAGES.get(compiler, compiler)}
    wanted |= {"cmake": "cmake", "ninja": "ninja-build"}
    lacking = [package for program, package in wanted.items() if shutil.which(program) is None]
    root = sources_root()
    if _rust_kernel.is_rust(root, port):
        return [*lacking, *_rust_kernel.missing(root, board, port)]
    fetched = not _kernel_source.has_source(root, port) or _kernel_source.is_fetched(root, port)
    return lacking if fetched or _cargo.find() else [*lacking, _cargo.PACKAGE]


def needs(port: str) -> str:
    """A line that names what is missing of a port's kernel that the user must install. Empty when nothing is
    missing."""
    return _installed.lacking(sources_root(), port) if _installed.is_installed(sources_root(), port) else ""


def build(board: str, kernel: str, *, for_tests: bool = False, acceptance: bool = False) -> Path:
    """Return the image of a kernel for a board, built if its inputs have changed since it last was.

    The image contains no plan. `for_tests` compiles the kernel's own assertions in, so its figures are not valid, and
    turns warnings into errors. `acceptance` returns the second image of that build, which tests the kernel and its port
    instead of measuring. Raises UsageError for a board or kernel that does not exist, InfrastructureError when a tool
    is missing or the build fails.
    """
    lacking = missing(board, kernel)
    if lacking:
        raise InfrastructureError(f"board:{board}/{kernel} cannot be built yet: apt-get install {' '.join(lacking)}")
    port = _port(board, kernel)
    if needed := needs(port):
        raise InfrastructureError(f"board:{board}/{kernel} cannot be built yet: {needed}")
    root = sources_root()
    source = _fetched(root, board, port)

    def make(place: Path) -> None:
        _configure_and_build(root, board, kernel, source, place, for_tests=for_tests or acceptance)

    name = _cache_name(board, kernel, for_tests=for_tests or acceptance)
    return cached("firmware", name, make) / ("acceptance.elf" if acceptance else "firmware.elf")


def _fetched(root: Path, board: str, port: str) -> Path | None:
    """The folder of the kernel's sources, of its Rust library, or of the user's installation; None if the port is the
    whole kernel."""
    if _installed.is_installed(root, port):
        return _installed.prefix(root, port)
    if _rust_kernel.is_rust(root, port):
        return _rust_kernel.library(root, board, port)
    return _kernel_source.kernel_sources(root, port) if _kernel_source.has_source(root, port) else None


def is_cached(board: str, kernel: str) -> bool:
    """Whether the cache has the image for the current inputs. `missing` must be empty."""
    if needs(_port(board, kernel)):
        return False
    name = _cache_name(board, kernel, for_tests=False)
    return (cache_root() / "firmware" / name / "firmware.elf").is_file()


def _cache_name(board: str, kernel: str, *, for_tests: bool) -> str:
    """The name of an image in the cache. It changes whenever an input changes."""
    root, folder, port = sources_root(), _model.folder_of(board), _port(board, kernel)
    texts = [board, kernel, str(for_tests), _version(_compiler(board, port)), _version("cmake")]
    texts += _defines(board, kernel)
    texts += [_rust_kernel.version()] if _rust_kernel.is_rust(root, port) else []
    if _installed.is_installed(root, port):
        found = list(_installed.inputs(root, port))
        texts += [
            key_of([], place, (path for at, path in found if at == place))
            for place in dict.fromkeys(at for at, _ in found)
        ]
    if folder != root / "boards" / board:
        texts.append(key_of([], folder, (*_sources(folder), *folder.rglob("*.toml"))))
    return f"{board}-{kernel}-{key_of(texts, root, _inputs(root, board, port))}"


def functions(board: str, kernel: str, image: Path) -> list[tuple[int, str]]:
    """The functions of a board's image, by address, from its symbol table. InfrastructureError without the board's
    tools."""
    compiler = _compiler(board, _port_of(board, kernel))
    nm = compiler.removesuffix("gcc") + "nm"
    if shutil.which(nm) is None:
        raise InfrastructureError(f"{nm} is missing: apt-get install {_COMPILER_PACKAGES.get(compiler, compiler)}")
    said = subprocess.run([nm, "-nC", str(image)], capture_output=True, text=True, check=True, timeout=60).stdout
    found = [line.split(None, 2) for line in said.splitlines()]
    return [(int(parts[0], 16), parts[2]) for parts in found if len(parts) == 3 and parts[1] in "tTwW"]


def _port(board: str, kernel: str) -> str:
    """The port of a kernel. UsageError for a board or kernel that images are not built for."""
    if board not in _model.names() or not _is_built(board):
        raise unknown("firmware board", board, boards())
    port, ports = _port_of(board, kernel), kernels(board)
    if port not in ports:
        variants = {one.id for one in _model.load(board).kernel if one.port in ports}
        raise unknown(f"firmware kernel of board {board}", kernel, sorted({*variants, *ports}))
    return port


def _port_of(board: str, kernel: str) -> str:
    """The port that board.toml names for a kernel; else the kernel's name is also its port's."""
    return next((one.port for one in _model.load(board).kernel if one.id == kernel and one.port), kernel)


def _defines(board: str, kernel: str) -> tuple[str, ...]:
    """The macros with which the board builds its port for this kernel."""
    return next((one.defines for one in _model.load(board).kernel if one.id == kernel), ())


def _toolchain(board: str, port: str) -> Path:
    """The port's own toolchain file on this board, if it brings its compiler; else the board's."""
    places = _model.places_of(board)
    found = (place / name for name in (f"{port}/toolchain.cmake", "toolchain.cmake") for place in places)
    return next(path for path in found if path.is_file())


def _compiler(board: str, port: str) -> str:
    toolchain = _toolchain(board, port)
    found = re.search(r"set\(CMAKE_C_COMPILER (\S+)\)", toolchain.read_text(encoding="utf-8"))
    if found is None:
        raise InfrastructureError(f"{toolchain.parent.name}/{toolchain.name} names no compiler")
    return re.sub(r"\$ENV\{(\w+)\}", lambda name: os.environ.get(name[1], ""), found[1])


def _version(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.splitlines()[0] if done.stdout else program


def _inputs(root: Path, board: str, port: str) -> Iterator[Path]:
    """Every file that can affect the image."""
    places = [
        *("engine/include", "engine/src", "engine/absent", "engine/measurements", "engine/loads", f"ports/{port}"),
        *("boards/common", "boards/firmware", f"boards/{board}"),
        *(f"boards/{place.name}" for place in _model.places_of(board)[1:]),
    ]
    yield root / "cmake" / "engine.cmake"
    yield root / "engine" / "sources.txt"
    yield root / "probe" / "rtstone_traffic.h"
    yield from _kernel_source.inputs(root, port)
    if _rust_kernel.is_rust(root, port):
        yield from _rust_kernel.inputs(root, board, port)
    for said in (root / "ports" / port).glob("port.cmake"):  # may name other ports whose files it shares
        places += sorted(set(re.findall(r"\{rtstone_root\}/(ports/[\w-]+|ioc)\b", said.read_text(encoding="utf-8"))))
    for place in places:
        yield from _sources(root / place)


def _sources(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        if file.suffix in {".c", ".h", ".def", ".S", ".ld", ".cmake", ".txt", ".db", ".dbd"}:
            yield file


def _configure_and_build(
    root: Path, board: str, kernel: str, source: Path | None, place: Path, *, for_tests: bool
) -> None:
    """Build firmware.elf, with `for_tests` acceptance.elf too, and leave nothing else in `place`."""
    work, port = place / "work", _port(board, kernel)
    options = [
        f"--toolchain={_toolchain(board, port)}",
        f"-DRTSTONE_BOARD={board}",
        f"-DRTSTONE_BOARD_DIR={_model.folder_of(board)}",
        *(f"-DRTSTONE_BOARD_BASE={place.name}" for place in _model.places_of(board)[1:]),
        f"-DRTSTONE_PORT={port}",
        f"-DRTSTONE_DEFINES={';'.join(_defines(board, kernel))}",
        f"-DRTSTONE_KERNEL_ASSERTS={for_tests}",
        f"-DRTSTONE_BUILD_TESTS={for_tests}",
        *([f"-DRTSTONE_KERNEL_SOURCE={source}"] if source else []),
    ]
    _cmake.build(f"board:{board}/{kernel}", root / "boards" / "firmware", work, options)
    for made in work.glob("*.elf"):
        made.rename(place / made.name)
    shutil.rmtree(work)


def main(arguments: list[str]) -> int:
    """Build one image and print its path. Returns an exit code."""
    if len(arguments) != 2:
        print("usage: python -m rtstone.targets.boards.firmware BOARD KERNEL", file=sys.stderr)
        return 2
    try:
        print(build(arguments[0], arguments[1]))
    except RtstoneError as error:
        print(f"rtstone: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
