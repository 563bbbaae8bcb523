# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Exports the engine, a port's template and build fragments as a folder, for use in another source tree."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from rtstone.errors import InfrastructureError, UsageError
from rtstone.targets.boards.firmware import sources_root
from rtstone.version import __version__

_CORE = ("engine/include", "engine/src", "engine/measurements", "engine/loads")


def core_sources(root: Path) -> list[str]:
    """The engine's C files below `root`, sorted, as engine/sources.txt names them and our own CMake compiles them."""
    patterns = [line for line in (root / "engine" / "sources.txt").read_text(encoding="utf-8").splitlines() if line]
    return sorted(
        path.relative_to(root).as_posix()
        for pattern in patterns
        if not pattern.startswith("#")
        for path in root.glob(pattern)
    )


def export(folder: Path) -> int:
    """Write the engine into `folder`, which must be empty or absent, and return the number of files in it.

    Raises UsageError when the folder is not empty, InfrastructureError when it cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            f"--export {folder}: something is there already; name an empty folder, or one that is not there"
        )
    root = sources_root()
    count = 0
    try:
        for source, target in _files(root):
            place = folder / target
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
            count += 1
        (folder / "sources.txt").write_text("".join(f"{name}\n" for name in core_sources(root)), encoding="utf-8")
        (folder / "VERSION").write_text(f"{__version__}\n", encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(f"{error.filename or folder}: {error.strerror}") from error
    return count + 2


def _files(root: Path) -> Iterator[tuple[Path, str]]:
    """Each file and its place in the exported folder."""
    yield root / "LICENSES" / "Apache-2.0.txt", "LICENSES/Apache-2.0.txt"
    yield root / "cmake" / "freestanding" / "string.h", "freestanding/string.h"
    for name in core_sources(root):
        yield root / name, name
    yield root / "engine" / "absent" / "hooks.c", "engine/absent/hooks.c"
    for place in _CORE:
        for path in sorted((root / place).rglob("*")):
            if path.suffix in {".h", ".def"}:
                yield path, path.relative_to(root).as_posix()
    for folder, target in (("engine/export", ""), ("ports/template", "port/")):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and not (target and path.suffix == ".md"):  # its links lead into our tree
                yield path, f"{target}{path.relative_to(root / folder).as_posix()}"
