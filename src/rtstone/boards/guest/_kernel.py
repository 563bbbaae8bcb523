# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A packaged Linux kernel, downloaded once and kept until it is asked for anew: its image, and what modules are built against."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
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


def refresh(kernel: Kernel) -> Packaged:
    """Fetch the newest version, whatever is there, and return its facts: a board's identity may change with it.

    Raises InfrastructureError when that fails; what was there then stays.
    """
    place = cache_root() / "linux" / folder_name(kernel)
    aside = place.with_name(f"former-{place.name}")
    shutil.rmtree(aside, ignore_errors=True)
    with suppress(FileNotFoundError):
        place.rename(aside)
    try:
        facts = fetch(kernel, newest=True)[1]
    except BaseException:
        if aside.is_dir() and not place.exists():
            aside.rename(place)
        raise
    shutil.rmtree(aside, ignore_errors=True)
    return facts


def fetch(kernel: Kernel, *, newest: bool = False) -> tuple[Path, Packaged]:
    """Return the kernel's folder (``image``, ``config``, ``modules/``, ``debs/``) and its facts; downloads it if it is not there.

    `newest`: looks into the archive's lists anew, however fresh those at hand are.
    """

    def make(folder: Path) -> None:
        debian = Debian(kernel.architecture)
        with debian.held():
            debian.update(always=newest)
            try:
                _download(debian, kernel, folder)
            except InfrastructureError:
                # The archive may have moved on from the lists at hand: what they name is then gone from it.
                for left in folder.iterdir():
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
                if not debian.update(always=True):
                    raise
                _download(debian, kernel, folder)

    folder = cached("linux", folder_name(kernel), make)
    try:
        return folder, msgspec.json.decode((folder / FACTS).read_bytes(), type=Packaged)
    except (OSError, msgspec.MsgspecError) as error:
        raise InfrastructureError(f"{folder} is damaged ({error}): delete it, and it is fetched again") from error


def _download(debian: Debian, kernel: Kernel, folder: Path) -> None:
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
