# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A packaged Linux kernel, downloaded once and kept until it is asked for anew: its image, and what modules are built against."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import msgspec

from rtstone.boards._cache import cache_root, cached
from rtstone.boards._model import Kernel
from rtstone.boards.guest._debian import HOST, Debian, Package, unpack
from rtstone.boards.guest._image import uncompressed
from rtstone.errors import InfrastructureError

FACTS = "facts.json"


class Packaged(msgspec.Struct, frozen=True, kw_only=True):
    """What the folder of a kernel holds; stored in it."""

    package: str
    version: str
    release: str
    """As ``uname -r`` will say."""
    architecture: str


def folder_name(kernel: Kernel) -> str:
    """Name of a kernel's folder in the cache: boards that share a kernel share it."""
    return f"{kernel.package}-{kernel.architecture}"


def is_cached(kernel: Kernel) -> bool:
    """Whether the kernel is there already."""
    return (cache_root() / "linux" / folder_name(kernel) / FACTS).is_file()


def forget(kernel: Kernel) -> None:
    """Let the next use fetch the newest version: a board's identity changes with it."""
    shutil.rmtree(cache_root() / "linux" / folder_name(kernel), ignore_errors=True)


def fetch(kernel: Kernel) -> tuple[Path, Packaged]:
    """Return the kernel's folder (``image``, ``config``, ``debs/``) and its facts; downloads it if it is not there."""

    def make(folder: Path) -> None:
        _download(kernel, folder)

    folder = cached("linux", folder_name(kernel), make)
    try:
        return folder, msgspec.json.decode((folder / FACTS).read_bytes(), type=Packaged)
    except (OSError, msgspec.MsgspecError) as error:
        raise InfrastructureError(f"{folder} is damaged ({error}): delete it, and it is fetched again") from error


def _download(kernel: Kernel, folder: Path) -> None:
    debian = Debian(kernel.architecture)
    debian.update()
    image = _image_of(debian, kernel.package)
    release = image.name.removeprefix("linux-image-")
    with tempfile.TemporaryDirectory(dir=folder) as draft:
        unpacked = Path(draft)
        unpack(debian.download(image, unpacked), unpacked)
        boot = unpacked / "boot"
        (folder / "image").write_bytes(uncompressed((boot / f"vmlinuz-{release}").read_bytes(), kernel.architecture))
        shutil.move(boot / f"config-{release}", folder / "config")
        shutil.move(unpacked / "lib" / "modules" / release / "kernel", folder / "modules")
    _download_headers(debian, release, folder / "debs")
    facts = Packaged(package=image.name, version=image.version, release=release, architecture=kernel.architecture)
    (folder / FACTS).write_bytes(msgspec.json.encode(facts))


def _image_of(debian: Debian, name: str) -> Package:
    """The package with the image: the one named, or the one that a name without a version stands for."""
    package = debian.find(name)
    for dependency in package.depends:
        if dependency.startswith("linux-image-"):
            return debian.find(dependency)
    return package


def _download_headers(debian: Debian, release: str, folder: Path) -> None:
    """What modules are built against: headers of the flavour, headers in common, and the build's programs for this machine."""
    folder.mkdir()
    headers = debian.find(f"linux-headers-{release}")
    debian.download(headers, folder)
    for dependency in headers.depends:
        if dependency.startswith("linux-headers-"):
            debian.download(debian.find(dependency), folder)
        elif dependency.startswith("linux-kbuild-"):
            tools = debian.find(dependency)
            debian.download(msgspec.structs.replace(tools, architecture=HOST), folder)
