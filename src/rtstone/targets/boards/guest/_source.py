# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds a small kernel from Debian's package of its source, with the options in a file of boards/guest."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

import msgspec

from rtstone.cache import cache_root
from rtstone.errors import InfrastructureError
from rtstone.targets.boards._model import Kernel, KernelSource
from rtstone.targets.boards.firmware import sources_root
from rtstone.targets.boards.guest._debian import Debian, unpack
from rtstone.targets.boards.guest._folder import Packaged, read, write
from rtstone.targets.boards.guest._image import uncompressed
from rtstone.targets.boards.guest._long import lines_of
from rtstone.targets.boards.guest._tools import TOOLS, first_error, first_line, run

OnStep = Callable[[str, int, int], None]
"""Progress callback: the current step, the number of finished steps, and their approximate total; 0: the total is not
known."""

ROOM_BYTES = 3 << 30
"""Disk space (bytes) that the source and its objects need during the build."""

# No place, time or user goes into the image, so that the same source and compiler give the same bytes.
_ANONYMOUS = {
    "KBUILD_BUILD_TIMESTAMP": "2024-01-01 00:00:00 UTC",
    "KBUILD_BUILD_USER": "rtstone",
    "KBUILD_BUILD_HOST": "rtstone",
    "KBUILD_BUILD_VERSION": "1",
}

_PACKAGE = "source.deb"

# The parts of the built tree that a build of modules needs.
_KEPT = (".config", "Makefile", "Module.symvers", "include", "scripts", "arch/{arch}/Makefile", "arch/{arch}/include")


def made_with(kernel: Kernel) -> str:
    """The kernel's build inputs besides its source: the configuration's name and hash, and the compiler."""
    source = _source_of(kernel)
    content = _config_file(source).read_bytes()
    compiler = first_line([f"{TOOLS[kernel.architecture].prefix}gcc", "--version"])
    return f"{source.config} {hashlib.sha256(content).hexdigest()[:16]}, {compiler}"


def folder_name(kernel: Kernel) -> str:
    """Name of the kernel's folder in the cache. It changes with the configuration and the compiler."""
    digest = hashlib.sha256(made_with(kernel).encode()).hexdigest()[:16]
    return f"{kernel.package}-{kernel.architecture}-{digest}"


def has_compiler(kernel: Kernel) -> bool:
    """Whether the compiler is installed, whose version is a part of the kernel's folder name."""
    return shutil.which(f"{TOOLS[kernel.architecture].prefix}gcc") is not None


def download(debian: Debian, kernel: Kernel, folder: Path, on_step: OnStep) -> None:
    """Put the source package and its facts into the folder where `build` expects them."""
    free = shutil.disk_usage(folder).free
    if free < ROOM_BYTES:
        raise InfrastructureError(
            f"{kernel.package} needs {_gib(ROOM_BYTES)} to be built in {folder.parent}: {_gib(free)} are free"
        )
    on_step("downloading the source", 0, 0)
    package = debian.find(kernel.package)
    debian.download(package, folder).rename(folder / _PACKAGE)
    write(
        folder,
        Packaged(
            package=package.name,
            version=package.version,
            release="",
            architecture=kernel.architecture,
            built=made_with(kernel),
        ),
    )


def build(kernel: Kernel, folder: Path, on_step: OnStep) -> None:
    """Fill a kernel's folder: configure and build the downloaded source, and keep only the files that a guest and its
    modules need.

    Raises InfrastructureError. The output of a failed build is then saved in the cache, and the error names its file.
    """
    log = cache_root() / "logs" / f"{folder_name(kernel)}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    tree = folder / "source"
    on_step("unpacking the source", 0, 0)
    _unpack(kernel, folder, tree)
    with log.open("wb") as said:
        _configure(kernel, tree)
        _make(kernel, tree, said, on_step)
    release = (tree / "include" / "config" / "kernel.release").read_text(encoding="utf-8").strip()
    _collect(kernel, tree, folder)
    write(folder, msgspec.structs.replace(read(folder), release=release))
    on_step("clearing the source away", 0, 0)
    shutil.rmtree(tree)
    log.unlink()


def _source_of(kernel: Kernel) -> KernelSource:
    if kernel.source is None:
        raise InfrastructureError(f"{kernel.title} is not built from its source")
    return kernel.source


def _config_file(source: KernelSource) -> Path:
    return sources_root() / "boards" / "guest" / source.config


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB"


def _unpack(kernel: Kernel, folder: Path, tree: Path) -> None:
    """Unpack the package, and then the source in it."""
    unpacked = folder / "package"
    unpack(folder / _PACKAGE, unpacked)
    (folder / _PACKAGE).unlink()
    packed = unpacked / "usr" / "src" / f"{read(folder).package}.tar.xz"
    if not packed.is_file():
        raise InfrastructureError(f"{kernel.package} holds no {packed.name}: it is no package of a kernel's source")
    tree.mkdir()
    run(
        ["tar", "-xJf", str(packed), "-C", str(tree), "--strip-components=1", "--no-same-owner"],
        f"{packed.name} cannot be unpacked",
    )
    shutil.rmtree(unpacked)


def _configure(kernel: Kernel, tree: Path) -> None:
    """Configure the smallest kernel, with the options of the configuration file. An option that the kernel does not
    accept is an error."""
    source, tools = _source_of(kernel), TOOLS[kernel.architecture]
    wanted = _config_file(source).read_text(encoding="utf-8")
    (tree / "arch" / tools.arch / "configs" / "rtstone.config").write_text(wanted, encoding="utf-8")
    command = ["env", *_settings(_ANONYMOUS), "make", "-s", "-C", str(tree), *_settings(_variables(kernel))]
    run([*command, "tinyconfig", "rtstone.config"], f"{kernel.package} cannot be configured")
    taken = set((tree / ".config").read_text(encoding="utf-8").splitlines())
    options = [line for line in wanted.splitlines() if line.startswith("CONFIG_")]
    refused = [line for line in options if line not in taken]
    if refused:
        raise InfrastructureError(
            f"{kernel.package} does not take an option of boards/guest/{source.config}: {refused[0]}"
        )


def _make(kernel: Kernel, tree: Path, log: IO[bytes], on_step: OnStep) -> None:
    jobs = len(os.sched_getaffinity(0))
    expected = _source_of(kernel).steps
    image = TOOLS[kernel.architecture].image
    command = [
        "nice",
        "-n",
        "10",
        "make",
        "-C",
        str(tree),
        f"-j{jobs}",
        *_settings(_variables(kernel)),
        image,
        "modules",
    ]
    said: list[str] = []
    done = 0
    with lines_of(command, kernel.package, _ANONYMOUS) as (process, lines):
        for line in lines:
            log.write(line)
            text = line.decode("utf-8", "replace").rstrip()
            if text.startswith("  "):
                done += 1
                on_step(text.split()[-1], done, max(expected, done))
            else:
                said.append(text)
    log.flush()
    if process.wait() != 0:
        raise InfrastructureError(
            f"{kernel.package} cannot be built: {first_error(said)} (all that was said: {log.name})"
        )


def _variables(kernel: Kernel) -> dict[str, str]:
    tools = TOOLS[kernel.architecture]
    return {"ARCH": tools.arch, "CROSS_COMPILE": tools.prefix}


def _settings(values: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in values.items()]


def _collect(kernel: Kernel, tree: Path, folder: Path) -> None:
    """Move image, configuration, modules, and the part of the tree that a build of modules needs into the kernel's
    folder."""
    tools = TOOLS[kernel.architecture]
    image = tree / "arch" / tools.arch / "boot" / tools.image
    (folder / "image").write_bytes(uncompressed(image.read_bytes(), kernel.architecture))
    shutil.copy(tree / ".config", folder / "config")
    for module in tree.rglob("*.ko"):
        place = folder / "modules" / module.relative_to(tree)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(module, place)
    for name in _KEPT:
        path = tree / name.format(arch=tools.arch)
        place = folder / "tree" / path.relative_to(tree)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, place)
