# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What is compiled for a guest: its engine, its first program, and the probe module for its kernel."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from rtstone.boards._cache import cached, key_of
from rtstone.boards.firmware import sources_root
from rtstone.boards.guest._debian import unpack
from rtstone.boards.guest._kernel import Packaged
from rtstone.errors import InfrastructureError


class Tools(msgspec.Struct, frozen=True):
    """What builds for an architecture."""

    prefix: str
    """Of the compiler's programs."""
    compiler: str
    """The packages of the compiler, of the kernels' compiler, and of the C library, which is linked statically."""
    kernel_compiler: str
    libc: str
    libc_file: str
    arch: str
    """The kernel's own name of the architecture."""


TOOLS = {
    "arm64": Tools(
        "aarch64-linux-gnu-",
        "gcc-aarch64-linux-gnu",
        "gcc-12-aarch64-linux-gnu",
        "libc6-dev-arm64-cross",
        "/usr/aarch64-linux-gnu/lib/libc.a",
        "arm64",
    ),
    "amd64": Tools("", "gcc", "gcc-12", "libc6-dev", "/usr/lib/x86_64-linux-gnu/libc.a", "x86"),
}
"""By Debian's name of the architecture."""

BUILD_TIMEOUT_S = 600
MODULE = "rtstone_probe"


def missing(architecture: str) -> list[str]:
    """Debian packages that must be installed before a guest's programs can be built; empty when nothing is missing."""
    tools = TOOLS[architecture]
    wanted = {
        f"{tools.prefix}gcc": tools.compiler,
        f"{tools.prefix}gcc-12": tools.kernel_compiler,
        "cmake": "cmake",
        "ninja": "ninja-build",
        "make": "make",
        "zstd": "zstd",
    }
    lacking = {package for program, package in wanted.items() if shutil.which(program) is None}
    return sorted(lacking | (set() if Path(tools.libc_file).is_file() else {tools.libc}))


def programs(architecture: str) -> Path:
    """Return the folder with ``rtstone-engine`` and ``init``, static, for a guest of that architecture."""
    root = sources_root()
    prefix = TOOLS[architecture].prefix
    compiler = f"{prefix}gcc"
    key = key_of([architecture, _first_line([compiler, "--version"])], root, _program_sources(root))

    def make(folder: Path) -> None:
        work = folder / "work"
        toolchain = root / "boards" / "guest" / f"{architecture}.cmake"
        _run(
            [
                *("cmake", "-S", str(root), "-B", str(work), "-G", "Ninja", "--toolchain", str(toolchain)),
                *("-DCMAKE_BUILD_TYPE=Release", "--log-level=WARNING"),
            ],
            "the guest's engine cannot be configured",
        )
        _run(
            ["cmake", "--build", str(work), "--target", "rtstone-engine", "-j", "2"],
            "the guest's engine cannot be built",
        )
        _run(
            [
                *(compiler, "-std=c11", "-D_GNU_SOURCE", "-O2", "-static", "-Wall", "-Wextra", "-Wconversion"),
                *(str(root / "boards" / "guest" / name) for name in ("init.c", "command_line.c")),
                *("-o", str(folder / "init")),
            ],
            "the guest's first program cannot be built",
        )
        shutil.move(work / "rtstone-engine", folder / "rtstone-engine")
        _run([f"{prefix}strip", str(folder / "rtstone-engine"), str(folder / "init")], "strip failed")
        shutil.rmtree(work)

    return cached("guest", f"programs-{architecture}-{key}", make)


def _program_sources(root: Path) -> Iterator[Path]:
    places = (
        "engine/include",
        "engine/src",
        "engine/measurements",
        "engine/loads",
        "ports/posix",
        "boards/guest",
        "cmake",
    )
    for place in places:
        yield from (
            f
            for f in (root / place).rglob("*")
            if f.suffix in {".c", ".h", ".def", ".cmake"} and "tests" not in f.parts
        )
    yield root / "CMakeLists.txt"
    yield root / "probe" / "rtstone_probe.h"


def probe_module(kernel_folder: Path, facts: Packaged) -> Path:
    """Return the probe module built for a kernel. InfrastructureError when it cannot be."""
    root = sources_root()
    sources = [f for f in (root / "probe").iterdir() if f.suffix in {".c", ".h"} or f.name == "Kbuild"]
    key = key_of([facts.release, facts.version, facts.architecture], root, sources)

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory(dir=folder) as draft:
            _build_module(kernel_folder, facts, sources, Path(draft))
            shutil.move(Path(draft) / "probe" / f"{MODULE}.ko", folder / f"{MODULE}.ko")

    return cached("guest", f"{MODULE}-{facts.release}-{key}", make) / f"{MODULE}.ko"


def _build_module(kernel_folder: Path, facts: Packaged, sources: Sequence[Path], draft: Path) -> None:
    headers = draft / "headers"
    for package in sorted((kernel_folder / "debs").glob("*.deb")):
        unpack(package, headers)
    tree = headers / "usr" / "src" / f"linux-headers-{facts.release}"
    # Debian's headers include each other by the place where they would be installed.
    makefile = tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{headers}/usr/src/"))
    module = draft / "probe"
    module.mkdir()
    for source in sources:
        shutil.copy(source, module)
    tools = TOOLS[facts.architecture]
    # Type information of the module itself is of no use here, and making it wants the kernel's own image.
    _run(
        [
            *("make", "-C", str(tree), f"M={module}", f"ARCH={tools.arch}", f"CROSS_COMPILE={tools.prefix}"),
            *("CONFIG_DEBUG_INFO_BTF_MODULES=", "-j", "2", "modules"),
        ],
        f"the probe module cannot be built for {facts.release}",
    )
    _run([f"{tools.prefix}strip", "--strip-debug", str(module / f"{MODULE}.ko")], "strip failed")


def _first_line(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.splitlines()[0] if done.stdout else command[0]


def _run(command: Sequence[str], failure: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=BUILD_TIMEOUT_S)
    except OSError as error:
        raise InfrastructureError(f"{failure}: {command[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"{failure}: {command[0]} took more than {BUILD_TIMEOUT_S} s") from None
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        wrong = [line for line in lines if re.search(r"\berror\b|undefined reference", line, re.IGNORECASE)]
        raise InfrastructureError(f"{failure}: {(wrong or lines or ['it said nothing'])[0]}")
