# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of Debian's kernels for the probe module, the newest of the backports among them, and the tools that build with them."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from rtstone.cache import cached
from rtstone.errors import InfrastructureError
from rtstone.targets.boards.guest._build import _unpacked_headers
from rtstone.targets.boards.guest._debian import HOST, Debian, Package, unpack
from rtstone.targets.boards.guest._kernel import _download_headers
from support.images import lasting_cache

BACKPORTS = "trixie-backports"
NEWEST = "7.3.4+deb13"
"""The newest kernel of the backports when this was last checked: raise it, and fix the failures."""

_LIBRARIES = ("libc6", "libelf1t64", "libzstd1", "zlib1g")
_CHOSEN = {"objtool": "objtool.real-x86", "modpost": "modpost.real-lsb-64"}
"""Programs that only start another one, beside them: that one."""


class Headers(msgspec.Struct, frozen=True):
    """A kernel's headers, unpacked."""

    tree: Path
    architecture: str


def newest(debian: Debian, flavour: str) -> str:
    """The pinned release of a flavour ("amd64", "rt-amd64") while the archive has it, else the newest that it has.

    The archive must be held and up to date.
    """
    try:
        debian.find(f"linux-headers-{NEWEST}-{flavour}")
    except InfrastructureError:
        names = debian._run("apt-cache", "pkgnames", "linux-headers-", timeout=60).stdout.split()
        found = [match for name in names if (match := re.fullmatch(rf"linux-headers-(\d[\d.]*)\S*-{flavour}", name))]
        return max(found, key=lambda match: [int(n) for n in match[1].split(".")])[0].removeprefix("linux-headers-")
    return f"{NEWEST}-{flavour}"


def _release(debian: Debian, name: str) -> str:
    """The release whose headers a package is, or stands for."""
    package = debian.find(name)
    real: Package = next((debian.find(d) for d in package.depends if re.match(r"linux-headers-\d", d)), package)
    if "-common" in real.name:
        real = package
    return real.name.removeprefix("linux-headers-")


def fetched(root: Path, architecture: str, series: str, folder: Path) -> Headers:
    """The headers of a series, kept from one run of the tests to the next. Of the newest: the pinned ones while the archive has them."""

    def fill(place: Path) -> None:
        debian = Debian(architecture, (BACKPORTS, "trixie")) if series == NEWEST else Debian(architecture)
        with debian.held():
            debian.update()
            if series != NEWEST:
                release = _release(debian, f"linux-headers-{series}{architecture}")
            else:
                release = newest(debian, architecture)
            _download_headers(debian, release, place / "debs")
        (place / "release").write_text(release, encoding="ascii")

    with lasting_cache(root):
        place = cached("headers", f"{architecture}-{series or 'stable'}", fill)
    release = (place / "release").read_text(encoding="ascii")
    print(f"{architecture}: {release}")
    return Headers(_unpacked_headers(place / "debs", release, folder), architecture)


def newest_kernel(root: Path, folder: Path) -> tuple[Path, Path]:
    """The newest PREEMPT_RT kernel of the backports for x86-64: its image, and a tree in `folder` that builds modules on this machine."""

    def fill(place: Path) -> None:
        debian = Debian(HOST, (BACKPORTS, "trixie"))
        with debian.held():
            debian.update()
            release = newest(debian, f"rt-{HOST}")
            _download_headers(debian, release, place / "debs")
            unpack(debian.download(debian.find(f"linux-binary-{release}"), place), place / "kernel")
            for name in _LIBRARIES:
                unpack(debian.download(debian.find(name), place), place / "libraries")
        (place / "release").write_text(release, encoding="ascii")

    with lasting_cache(root):
        place = cached("headers", f"rt-{HOST}-{NEWEST}-kernel", fill)
    release = (place / "release").read_text(encoding="ascii")
    tree = _unpacked_headers(place / "debs", release, folder)
    _make_runnable(folder / "usr" / "lib", place / "libraries")
    return next((place / "kernel").rglob("vmlinuz*")), tree


def _make_runnable(programs: Path, libraries: Path) -> None:
    """The build's programs ask for a newer C library than this machine may have: each is started with the one that it was made for."""
    loader = next(libraries.rglob("ld-linux-x86-64.so.2"))
    found = [
        file
        for file in sorted(programs.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"
    ]
    assert {file.name for file in found} >= {"fixdep", *_CHOSEN.values()}
    for file in found:
        file.rename(file.with_name(f"{file.name}.elf"))
    for file in found:
        real = file.with_name(f"{_CHOSEN.get(file.name, file.name)}.elf")
        file.write_text(f'#!/bin/sh\nexec {loader} --library-path {loader.parent} {real} "$@"\n', encoding="utf-8")
        file.chmod(0o755)
