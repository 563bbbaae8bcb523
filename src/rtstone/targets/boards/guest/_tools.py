# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The tools that build for an architecture, their packages, and functions that run a build and find its first error."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from rtstone.errors import InfrastructureError

BUILD_TIMEOUT_S = 600


class Tools(msgspec.Struct, frozen=True):
    """The tools that build for an architecture."""

    prefix: str
    """The prefix of the names of the compiler's programs."""
    compiler: str
    """The packages of the compiler, of the kernels' compiler, and of the C library, which is linked statically."""
    kernel_compiler: str
    libc: str
    libc_file: str
    arch: str
    """The kernel's own name of the architecture, and of its image."""
    image: str


TOOLS = {
    "arm64": Tools(
        "aarch64-linux-gnu-",
        "gcc-aarch64-linux-gnu",
        "gcc-12-aarch64-linux-gnu",
        "libc6-dev-arm64-cross",
        "/usr/aarch64-linux-gnu/lib/libc.a",
        "arm64",
        "Image",
    ),
    "armhf": Tools(
        "arm-linux-gnueabihf-",
        "gcc-arm-linux-gnueabihf",
        "gcc-12-arm-linux-gnueabihf",
        "libc6-dev-armhf-cross",
        "/usr/arm-linux-gnueabihf/lib/libc.a",
        "arm",
        "zImage",
    ),
    "amd64": Tools("", "gcc", "gcc-12", "libc6-dev", "/usr/lib/x86_64-linux-gnu/libc.a", "x86", "bzImage"),
}
"""The tools, by Debian's name of the architecture."""

_KERNEL_PROGRAMS = {"flex": "flex", "bison": "bison", "bc": "bc", "xz": "xz-utils"}
"""Further programs that the build of a kernel needs, and their packages."""

_BPF_HEADERS = "/usr/include/bpf/skel_internal.h"
_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
"""The search path for tools: Debian's bpftool is in a folder that only root's PATH has."""


def missing(architecture: str, *, kernel: bool = False, device_tree: bool = False) -> list[str]:
    """Debian packages that must be installed before a guest's programs, and with `kernel` its kernel, and with
    `device_tree` its device tree, can be built; empty when nothing is missing."""
    tools = TOOLS[architecture]
    wanted = {
        f"{tools.prefix}gcc": tools.compiler,
        f"{tools.prefix}gcc-12": tools.kernel_compiler,
        "cmake": "cmake",
        "ninja": "ninja-build",
        "make": "make",
        "clang": "clang",
        "bpftool": "bpftool",
        "zstd": "zstd",
        **(_KERNEL_PROGRAMS if kernel else {}),
        **({"dtc": "device-tree-compiler"} if device_tree else {}),
    }
    lacking = {package for program, package in wanted.items() if shutil.which(program, path=_PATH) is None}
    files = {tools.libc_file: tools.libc, _BPF_HEADERS: "libbpf-dev"}
    return sorted(lacking | {package for file, package in files.items() if not Path(file).is_file()})


def bpf_versions() -> list[str]:
    """Return the versions of the tools that build BPF programs, for a cache key; empty if one of the tools is
    missing."""
    programs = [shutil.which(name, path=_PATH) for name in ("clang", "bpftool")]
    header = Path(_BPF_HEADERS)
    if None in programs or not header.is_file():
        return []
    versions = [first_line([program, "--version"]) for program in programs if program is not None]
    return [*versions, hashlib.sha256(header.read_bytes()).hexdigest()]


_PLACE = re.compile(r"(?P<folder>(?:[^\s:]*/)?)(?P<name>[^\s:/]+):\d")
"""The file and line at which a compiler reports an error."""


def first_line(command: Sequence[str]) -> str:
    """The first line that a command prints, such as a compiler's version; its program's name if it prints nothing."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.splitlines()[0] if done.stdout else command[0]


def first_error(lines: Iterable[str]) -> str:
    """The first error in a build's output: a line with the word error, else the line at which make stopped, else the last line."""
    said = [line.strip() for line in lines if line.strip()]
    wrong = [line for line in said if re.search(r"\berror\b|undefined reference", line, re.IGNORECASE)]
    stopped = [line for line in said if re.search(r"\*\*\*|No such file|Killed|Terminated", line)]
    return [*wrong, *stopped, *said[-1:], "it said nothing"][0]


class BuildError(InfrastructureError):
    """A step of a build ran and did not succeed."""

    def __init__(self, failure: str, said: str) -> None:
        """`said`: the line with the first error of the step."""
        super().__init__(f"{failure}: {said}")
        self._said = said

    def of_sources(self, folder: Path, names: Collection[str]) -> bool:
        """Whether the error is in one of these files of `folder`, or in the link of a module with the kernel (modpost).

        Newer kernels compile a module within its folder, so their errors name its files without the folder.
        """
        if "modpost" in self._said:
            return True
        place = _PLACE.match(self._said)
        return place is not None and place["folder"] in {"", "./", f"{folder}/"} and place["name"] in names


def run(command: Sequence[str], failure: str) -> None:
    """Run one step of a build. InfrastructureError, beginning with `failure`, when it does not succeed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=BUILD_TIMEOUT_S)
    except OSError as error:
        raise InfrastructureError(f"{failure}: {command[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"{failure}: {command[0]} took more than {BUILD_TIMEOUT_S} s") from None
    if done.returncode != 0:
        raise BuildError(failure, first_error((done.stdout + done.stderr).splitlines()))
