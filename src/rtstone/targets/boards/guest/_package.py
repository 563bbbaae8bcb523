# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A kernel as Debian packs it: the packages of its image and its headers, downloaded and taken apart."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import msgspec

from rtstone.targets.boards._model import Kernel
from rtstone.targets.boards.guest._debian import HOST, Debian, Package, unpack
from rtstone.targets.boards.guest._folder import Packaged, write
from rtstone.targets.boards.guest._image import uncompressed


def download(debian: Debian, kernel: Kernel, folder: Path) -> None:
    """Fill a kernel's folder from the archive."""
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
    write(
        folder,
        Packaged(package=image.name, version=image.version, release=release, architecture=kernel.architecture),
    )


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
