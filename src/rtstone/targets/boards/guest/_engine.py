# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the engine alone for an architecture, statically linked, by Debian's cross compilers."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from rtstone.cache import cached, key_of
from rtstone.errors import InfrastructureError
from rtstone.targets.boards.firmware import sources_root
from rtstone.targets.boards.guest._build import program_sources
from rtstone.targets.boards.guest._tools import bpf_versions, first_line, run

ENGINE = "rtstone-engine"


class Cross(msgspec.Struct, frozen=True):
    """The tools that build for an architecture."""

    triple: str
    processor: str
    """The processor's name in the kernel and in CMake."""
    compiler: str
    """The packages of the compiler and of the C library, which is linked statically."""
    libc: str


CROSS = {
    "amd64": Cross("x86_64-linux-gnu", "x86_64", "gcc-x86-64-linux-gnu", "libc6-dev-amd64-cross"),
    "arm64": Cross("aarch64-linux-gnu", "aarch64", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"),
    "armhf": Cross("arm-linux-gnueabihf", "arm", "gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"),
    "riscv64": Cross("riscv64-linux-gnu", "riscv64", "gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"),
}
"""The tools, by Debian's name of the architecture."""


def missing(architecture: str) -> list[str]:
    """Debian packages that must be installed before `engine` can work; empty when nothing is missing."""
    cross = CROSS[architecture]
    wanted = {f"{cross.triple}-gcc": cross.compiler, "cmake": "cmake", "ninja": "ninja-build"}
    lacking = {package for program, package in wanted.items() if shutil.which(program) is None}
    return sorted(lacking | (set() if Path(f"/usr/{cross.triple}/lib/libc.a").is_file() else {cross.libc}))


def _require(architecture: str) -> None:
    lacking = missing(architecture)
    if lacking:
        raise InfrastructureError(
            f"its engine ({architecture}) cannot be built yet: apt-get install {' '.join(lacking)}"
        )


def configuration(architecture: str) -> list[str]:
    """Return CMake's arguments for an architecture. InfrastructureError without a compiler."""
    _require(architecture)
    cross = CROSS[architecture]
    system = ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={cross.processor}"]
    return [*system, f"-DCMAKE_C_COMPILER={cross.triple}-gcc"]


def engine(architecture: str) -> Path:
    """Return the engine for an architecture, with its BPF programs if they can be built. Raises InfrastructureError."""
    _require(architecture)
    cross = CROSS[architecture]
    root = sources_root()
    compiler = f"{cross.triple}-gcc"
    texts = [architecture, first_line([compiler, "--version"]), *bpf_versions()]
    key = key_of(texts, root, program_sources(root))

    def make(folder: Path) -> None:
        work = folder / "work"
        run(
            [
                *("cmake", "-S", str(root), "-B", str(work), "-G", "Ninja"),
                *("--log-level=WARNING", *configuration(architecture), "-DRTSTONE_RELEASE=ON"),
            ],
            f"the engine for {architecture} cannot be configured",
        )
        run(
            ["cmake", "--build", str(work), "--target", ENGINE, "-j", "2"],
            f"the engine for {architecture} cannot be built",
        )
        shutil.move(work / ENGINE, folder / ENGINE)
        run([f"{cross.triple}-strip", str(folder / ENGINE)], "strip failed")
        shutil.rmtree(work)

    return cached("engine", f"{architecture}-{key}", make) / ENGINE
