# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Fetches a Linux kernel, packaged or built from a source package, and caches it until a refresh is requested."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from rtstone.cache import cache_root, cached
from rtstone.errors import InfrastructureError
from rtstone.targets.boards._model import Kernel
from rtstone.targets.boards.guest import _device_tree, _own, _source
from rtstone.targets.boards.guest._debian import HOST, Debian, Package, unpack
from rtstone.targets.boards.guest._folder import FACTS, Packaged, read, write
from rtstone.targets.boards.guest._image import uncompressed
from rtstone.targets.boards.guest._source import OnStep


def _download_packaged(debian: Debian, kernel: Kernel, folder: Path) -> None:
    """Fill a kernel's folder from the archive."""
    image = _image_of(debian, kernel.package)
    release = image.name.removeprefix("linux-image-")
    with tempfile.TemporaryDirectory(dir=folder) as draft:
        unpacked = Path(draft)
        unpack(debian.download(image, unpacked), unpacked)
        boot = unpacked / "boot"
        image_alone = uncompressed((boot / f"vmlinuz-{release}").read_bytes(), kernel.architecture)
        whole = _device_tree.appended(image_alone, kernel.device_tree, (unpacked / "usr" / "lib").rglob)
        (folder / "image").write_bytes(whole)
        shutil.move(boot / f"config-{release}", folder / "config")
        # Packages of Debian 13 and later use /usr/lib instead of /lib.
        modules = next((place for place in ("lib", "usr/lib") if (unpacked / place / "modules" / release).is_dir()), "")
        if not modules:
            raise InfrastructureError(f"{image.name} {image.version} has no modules of {release}")
        shutil.move(unpacked / modules / "modules" / release / "kernel", folder / "modules")
    _download_headers(debian, release, folder / "debs")
    write(
        folder,
        Packaged(package=image.name, version=image.version, release=release, architecture=kernel.architecture),
    )


def _image_of(debian: Debian, name: str) -> Package:
    """The package with the image: the named one, or the image that it depends on if its name has no version."""
    package = debian.find(name)
    for dependency in package.depends:
        if dependency.startswith("linux-image-"):
            return debian.find(dependency)
    return package


def _download_headers(debian: Debian, release: str, folder: Path) -> None:
    """Download what a build of modules needs: the flavour's headers, the common headers, and the build's programs for
    this machine."""
    folder.mkdir()
    headers = debian.find(f"linux-headers-{release}")
    debian.download(headers, folder)
    for dependency in headers.depends:
        if dependency.startswith("linux-headers-"):
            debian.download(debian.find(dependency), folder)
        elif dependency.startswith("linux-kbuild-"):
            tools = debian.find(dependency)
            debian.download(msgspec.structs.replace(tools, architecture=HOST), folder)


def folder_name(kernel: Kernel) -> str:
    """Name of a kernel's folder in the cache. Boards with the same kernel share the folder."""
    if kernel.source is not None:
        return _source.folder_name(kernel)
    tree = "" if kernel.device_tree is None else f"-{_device_tree.key(kernel.device_tree)}"
    return f"{kernel.package}-{kernel.architecture}{tree}"


def is_cached(kernel: Kernel) -> bool:
    """Whether the kernel is in the cache, or, for a user's own, whether its file exists."""
    if kernel.image:
        return Path(kernel.image).exists()
    if kernel.source is not None and not _source.has_compiler(kernel):
        return False
    return (cache_root() / "linux" / folder_name(kernel) / FACTS).is_file()


@cache
def gone(package: str, architecture: str) -> str:
    """Why a kernel's package cannot be fetched any more, by the lists in the cache; empty: it can, as far as they
    show."""
    return Debian(architecture).lacking(package)


def refresh(kernel: Kernel, on_step: OnStep | None = None) -> Packaged:
    """Fetch the newest version, even if a version is in the cache, and return its facts. A board's identity may change
    with it.

    A kernel that is built here is built again only if its source has a newer version. Raises InfrastructureError when
    that fails; the cached version then stays.
    """
    if kernel.source is not None and is_cached(kernel):
        place, facts = fetch(kernel)
        debian = Debian(kernel.architecture)
        with debian.held():
            debian.update(always=True)
            if debian.find(kernel.package).version == facts.version:
                return facts
    place = cache_root() / "linux" / folder_name(kernel)
    aside = place.with_name(f"former-{place.name}")
    shutil.rmtree(aside, ignore_errors=True)
    with suppress(FileNotFoundError):
        place.rename(aside)
    try:
        facts = fetch(kernel, newest=True, on_step=on_step)[1]
    except BaseException:
        if aside.is_dir() and not place.exists():
            aside.rename(place)
        raise
    shutil.rmtree(aside, ignore_errors=True)
    return facts


def fetch(kernel: Kernel, *, newest: bool = False, on_step: OnStep | None = None) -> tuple[Path, Packaged]:
    """Return the kernel's folder and its facts. A kernel that is not in the cache is downloaded, and built if it comes
    as source.

    A user's own kernel gets a new folder when its content has changed. `newest`: fetches the archive's lists again,
    even if they are fresh. `on_step` reports the progress of a build.
    """

    if kernel.image:
        return _own.fetch(kernel)

    def fill(debian: Debian, folder: Path) -> None:
        if kernel.source is None:
            _download_packaged(debian, kernel, folder)
        else:
            _source.download(debian, kernel, folder, report)

    def report(what: str, done: int, expected: int) -> None:
        if on_step is not None:
            on_step(what, done, expected)

    def make(folder: Path) -> None:
        debian = Debian(kernel.architecture)
        with debian.held():
            debian.update(always=newest)
            try:
                fill(debian, folder)
            except InfrastructureError:
                # The archive may have deleted packages that the cached lists name, so fetch the lists and try again.
                for left in folder.iterdir():
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
                if not debian.update(always=True):
                    raise
                fill(debian, folder)
        if kernel.source is not None:
            _source.build(kernel, folder, report)

    folder = cached("linux", folder_name(kernel), make)
    return folder, read(folder)
