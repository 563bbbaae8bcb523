# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The libraries that load BPF programs, for a guest's static engine: out of Debian's packages, which are not installed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from rtstone.cache import cached
from rtstone.errors import InfrastructureError
from rtstone.targets.boards.guest._debian import Debian, unpack

OBJECT = "rtstone_split.bpf.o"
"""The programs' file, beside the engine that loads it."""

_LIBRARIES = {"libbpf-dev": "libbpf.a", "libelf-dev": "libelf.a", "zlib1g-dev": "libz.a"}
_HEADERS = {"libbpf-dev": "bpf", "libelf-dev": "*elf*.h", "zlib1g-dev": "z*.h"}


def libraries(architecture: str) -> Path:
    """Return a folder with libbpf, libelf and zlib: ``lib/``, ``include/``, ``versions``. InfrastructureError when they cannot be had."""

    def make(folder: Path) -> None:
        debian = Debian(architecture)
        (folder / "lib").mkdir()
        (folder / "include").mkdir()
        with tempfile.TemporaryDirectory(dir=folder) as draft, debian.held():
            debian.update()
            packages = [debian.find(name) for name in _LIBRARIES]
            for package in packages:
                unpacked = Path(draft) / package.name
                unpacked.mkdir()
                unpack(debian.download(package, unpacked), unpacked)
                _take(package.name, unpacked / "usr", folder)
        versions = "".join(f"{package.name} {package.version}\n" for package in packages)
        (folder / "versions").write_text(versions, encoding="utf-8")

    return cached("guest", f"bpf-libraries-{architecture}", make)


def _take(name: str, unpacked: Path, folder: Path) -> None:
    """One package's library and headers."""
    found = sorted((unpacked / "lib").glob(f"*/{_LIBRARIES[name]}"))
    if not found:
        raise InfrastructureError(f"Debian's {name} has no {_LIBRARIES[name]}")
    shutil.copy(found[0], folder / "lib")
    for place in (unpacked / "include").glob(_HEADERS[name]):
        if place.is_dir():
            shutil.copytree(place, folder / "include" / place.name)
        else:
            shutil.copy(place, folder / "include")
