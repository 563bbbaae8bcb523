# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiles a guest's engine, its first program, and the probe module for its kernel."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rtstone.cache import cached, key_of
from rtstone.errors import LimitError
from rtstone.targets.boards.firmware import sources_root
from rtstone.targets.boards.guest._debian import unpack
from rtstone.targets.boards.guest._folder import Packaged
from rtstone.targets.boards.guest._tools import TOOLS, BuildError, bpf_versions, first_line, run

MODULES = {"rtstone_probe": "probe", "rtstone_hold": "probe/hold"}
"""Our own modules -> the folder of each module's source."""


def programs(architecture: str) -> Path:
    """Return the folder with ``rtstone-engine`` and ``init``, static, for a guest of that architecture."""
    root = sources_root()
    prefix = TOOLS[architecture].prefix
    compiler = f"{prefix}gcc"
    versions = [first_line([compiler, "--version"]), *bpf_versions()]
    key = key_of([architecture, *versions], root, program_sources(root))

    def make(folder: Path) -> None:
        work = folder / "work"
        toolchain = root / "boards" / "guest" / f"{architecture}.cmake"
        run(
            [
                *("cmake", "-S", str(root), "-B", str(work), "-G", "Ninja", "--toolchain", str(toolchain)),
                *("--log-level=WARNING", "-DRTSTONE_BPF=ON"),
            ],
            "the guest's engine cannot be configured",
        )
        run(
            ["cmake", "--build", str(work), "--target", "rtstone-engine", "-j", "2"],
            "the guest's engine cannot be built",
        )
        run(
            [
                *(compiler, "-std=c11", "-D_GNU_SOURCE", "-O2", "-static", "-Wall", "-Wextra", "-Wconversion"),
                *(
                    str(root / "boards" / "guest" / name)
                    for name in (
                        "init.c",
                        "bind.c",
                        "command_line.c",
                        "enter_ioc.c",
                        "kept.c",
                        "vme_slaves.c",
                        "wire.c",
                    )
                ),
                *("-o", str(folder / "init")),
            ],
            "the guest's first program cannot be built",
        )
        shutil.move(work / "rtstone-engine", folder / "rtstone-engine")
        run([f"{prefix}strip", str(folder / "rtstone-engine"), str(folder / "init")], "strip failed")
        shutil.rmtree(work)

    return cached("guest", f"programs-{architecture}-{key}", make)


def program_sources(root: Path) -> Iterator[Path]:
    """All source files of an engine and of a guest's first program."""
    places = (
        "engine/include",
        "engine/src",
        "engine/measurements",
        "engine/loads",
        "ports/posix",
        "linux",
        "ioc/include",
        "ioc/load",
        "boards/guest",
        "cmake",
    )
    for place in places:
        yield from (
            f
            for f in (root / place).rglob("*")
            if f.suffix in {".c", ".h", ".def", ".cmake"} and "tests" not in f.parts
        )
    yield from (root / "probe" / "bpf").glob("*.[ch]")
    yield root / "CMakeLists.txt"
    yield root / "engine" / "sources.txt"
    yield root / "probe" / "rtstone_probe.h"


def own_module(name: str, kernel_folder: Path, facts: Packaged) -> Path:
    """Return one of our modules, built for a kernel. InfrastructureError when it cannot be.

    LimitError when the module itself does not fit the kernel, which may be newer than any that the module supports.
    """
    root = sources_root()
    sources = [f for f in (root / MODULES[name]).iterdir() if f.suffix in {".c", ".h"} or f.name == "Kbuild"]
    texts = [facts.release, facts.version, facts.architecture, *filter(None, [facts.built])]
    key = key_of(texts, root, sources)

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory(dir=folder) as draft:
            module = Path(draft) / "probe"
            module.mkdir()
            for source in sources:
                shutil.copy(source, module)
            try:
                build_modules(kernel_folder, facts, module, f"the module {name}")
            except BuildError as error:
                if not error.of_sources(module, {source.name for source in sources}):
                    raise
                raise LimitError(f"{error}; the module does not fit this kernel, which may be sound") from error
            shutil.move(module / f"{name}.ko", folder / f"{name}.ko")

    return cached("guest", f"{name}-{facts.release}-{key}", make) / f"{name}.ko"


def build_modules(kernel_folder: Path, facts: Packaged, module: Path, what: str) -> None:
    """Build a folder with a Kbuild file, in place, for a kernel. InfrastructureError, naming `what`, when it cannot be."""
    with tempfile.TemporaryDirectory(dir=module.parent) as headers:
        tree = kernel_folder / "tree"
        if not facts.built:
            tree = _unpacked_headers(kernel_folder / "debs", facts.release, Path(headers))
        _compile(tree, facts, module, what)


def _compile(tree: Path, facts: Packaged, module: Path, what: str) -> None:
    tools = TOOLS[facts.architecture]
    # Leave out the module's BTF type information: it is not used here, and making it needs the kernel's own image.
    run(
        [
            *("make", "-C", str(tree), f"M={module}", f"ARCH={tools.arch}", f"CROSS_COMPILE={tools.prefix}"),
            *("CONFIG_DEBUG_INFO_BTF_MODULES=", "-j", "2", "modules"),
        ],
        f"{what} cannot be built for {facts.release}",
    )
    run([f"{tools.prefix}strip", "--strip-debug", *map(str, sorted(module.glob("*.ko")))], "strip failed")


def _unpacked_headers(packages: Path, release: str, headers: Path) -> Path:
    """Unpack Debian's packages of headers, and return the tree that modules are built against."""
    for package in sorted(packages.glob("*.deb")):
        unpack(package, headers)
    tree = headers / "usr" / "src" / f"linux-headers-{release}"
    # The makefiles include each other by their installed paths, so change those.
    makefile = tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{headers}/usr/src/"))
    return tree
