# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The RAM disk of a guest with a UIO device: a first program of the tests, the engine and the kernel's UIO modules."""

from __future__ import annotations

import lzma
from pathlib import Path

from rtstone.targets import boards
from rtstone.targets.boards.guest import _build, _kernel
from rtstone.targets.boards.guest._ramdisk import archive
from support.images import lasting_cache
from support.static_program import static_program

BOARD = "pc-bus"


def ramdisk(root: Path, folder: Path, kernel: str, program: str, flags: tuple[str, ...], driver: str) -> Path:
    """Writes `folder`/initrd with `program` (a file of tests/support, built with `flags`) as first program, and the UIO
    `driver`. Returns the kernel's image."""
    found = boards.load(BOARD).kernel_of(kernel)
    guest = root / "boards" / "guest"
    sources = (root / "tests" / "support" / program, guest / "bind.c")
    static_program(folder / "init", *sources, flags=(*flags, f"-I{guest}"))
    with lasting_cache(root):
        place, _packaged = _kernel.fetch(found)
        engine = _build.programs(found.architecture) / "rtstone-engine"
    files = {"init": (folder / "init").read_bytes(), "rtstone-engine": engine.read_bytes()}
    for name in ("uio", driver):
        (path,) = (place / "modules").rglob(f"{name}.ko*")
        content = path.read_bytes()
        files[f"modules/{name}.ko"] = lzma.decompress(content) if path.suffix == ".xz" else content
    programs = frozenset({"init", "rtstone-engine"})
    (folder / "initrd").write_bytes(archive(files, executable=programs, folders=("dev", "modules", "proc", "sys")))
    return place / "image"
