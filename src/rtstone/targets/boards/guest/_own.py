# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A user's own Linux: an image, a build tree or a package. Its folder in the cache has the same form as that of a
packaged kernel."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote

import msgspec

from rtstone.cache import cached, prune
from rtstone.errors import ImageError, InfrastructureError, LimitError, UsageError
from rtstone.targets.boards._model import Kernel
from rtstone.targets.boards.guest import _device_tree
from rtstone.targets.boards.guest._debian import HOST, compares, newest, unpack
from rtstone.targets.boards.guest._folder import Packaged, read, write
from rtstone.targets.boards.guest._image import packed, plain, uncompressed
from rtstone.targets.boards.guest._tools import TOOLS

PROBE = "rtstone_probe"
NO_HEADERS = "no headers to build the probe module against"
OWN_TREE = "the user's own tree"

KEPT = 16
"""How many of the user's own kernels (some 40 MB each) stay in the cache: those used last."""

MODULE_ENDS = (".ko", ".ko.xz", ".ko.gz", ".ko.zst")
"""The endings of a module's file, plain or packed by the kernel's build."""

_VERSION = re.compile(rb"Linux version (\S+) [^\0\n]*")
_NEEDED = ("Makefile", "Module.symvers", "include/config/auto.conf", "include/generated/autoconf.h")
"""The files of a build tree that a build of a module needs."""


class _Found(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a user's kernel."""

    image: bytes
    release: str
    config: bytes = b""
    tree: Path | None = None
    """The build tree, if modules can be built against it."""
    modules: tuple[Path, ...] = ()
    """The files of those modules that the board's kernels load."""
    headers: tuple[Path, ...] = ()
    """The files of the packages with headers."""
    decides: bytes = b""
    """Further content on which the kernel's folder in the cache depends."""


def fetch(kernel: Kernel) -> tuple[Path, Packaged]:
    """Return the folder of a user's kernel and its facts. ImageError, in one line, for a file that is no kernel for the
    board."""
    path, architecture = Path(kernel.image), kernel.architecture
    if path.is_dir():
        return _kept(_in_tree(path, kernel), architecture)
    if path.suffix != ".deb":
        image, release = _image(_content(path), path, architecture)
        image = _with_tree(image, kernel, path, path.parent.glob)
        return _kept(_Found(image=image, release=release), architecture)
    whose = _field(path, "Architecture")
    if whose != architecture:
        raise ImageError(f"{path} is for {whose}, and the board is {architecture}")
    with tempfile.TemporaryDirectory() as draft:
        unpack(path, Path(draft))
        return _kept(_in_package(path, Path(draft), kernel), architecture)


def lacks(tree: Path) -> str:
    """The first file that a build tree lacks for a build of the probe module; empty: it has all."""
    return next((name for name in _NEEDED if not (tree / name).is_file()), "")


def fitted(kernel: Kernel, place: Path) -> Kernel:
    """The kernel with only the modules that exist or can be built. Without the probe module, the words that name its
    device are left out of the command line."""
    lacking = _no_probe(place)
    modules = tuple(
        module
        for module in kernel.modules
        for name in [module.partition(":")[0]]
        if (not lacking if name == PROBE else module_there(place, name))
    )
    words = [word for word in kernel.append.split(" ") if not (lacking and word.startswith("rtstone.probe="))]
    return msgspec.structs.replace(kernel, modules=modules, append=" ".join(words))


def facts(place: Path, packaged: Packaged, kernel: Kernel) -> dict[str, str]:
    """The facts of a user's kernel that belong to the board's identity, besides the image's hash."""
    config = place / "config"
    digest = hashlib.sha256(config.read_bytes()).hexdigest() if config.is_file() else "not known"
    modules = ", ".join(module.partition(":")[0] for module in kernel.modules) or "none"
    return {
        "kernel.release": packaged.release,
        "kernel.config.sha256": digest,
        "kernel.modules": modules,
        "kernel.probe": _no_probe(place) or "built for it",
    }


def _no_probe(place: Path) -> str:
    """Why the probe module cannot be built; empty: it can."""
    config = place / "config"
    if config.is_file() and "CONFIG_MODULES=y" not in config.read_text(encoding="utf-8", errors="replace"):
        return "the kernel takes no modules"
    headers = (place / "tree").exists() or any((place / "debs").iterdir())
    return "" if headers else NO_HEADERS


def module_there(place: Path, name: str) -> bool:
    """Whether the kernel's folder has that module."""
    return any(file.name.removeprefix(name) in MODULE_ENDS for file in (place / "modules").rglob(f"{name}.ko*"))


def _in_tree(tree: Path, kernel: Kernel) -> _Found:
    architecture = kernel.architecture
    tools = TOOLS[architecture]
    boot = tree / "arch" / tools.arch / "boot" / tools.image
    lacking = next((name for name in ("Makefile", ".config") if not (tree / name).is_file()), "")
    if lacking:
        raise ImageError(f"{tree} is no build tree of Linux: it has no {lacking}")
    if not boot.is_file():
        raise ImageError(f"{tree} has no {boot.relative_to(tree)}: build it to its end, for {architecture}")
    image, release = _image(_content(boot), boot, architecture)
    named = tree / "include" / "config" / "kernel.release"
    if named.is_file() and (wanted := named.read_text(errors="replace").strip()) != release:
        raise ImageError(f"{boot} is {release}, and {tree} is {wanted}: build it to its end")
    image = _with_tree(image, kernel, tree, boot.parent.rglob)
    whole = not lacks(tree)
    return _Found(
        image=image,
        release=release,
        config=_content(tree / ".config"),
        tree=tree.absolute() if whole else None,
        modules=_modules_of(tree / "drivers", kernel),
        decides=_content(tree / "Module.symvers") if whole else b"",
    )


def _in_package(package: Path, unpacked: Path, kernel: Kernel) -> _Found:
    images = sorted((unpacked / "boot").glob("vmlinu[xz]-*"))
    if len(images) != 1:
        raise ImageError(f"{package} has {len(images)} kernels in /boot: name a linux-image-*.deb that has one")
    image, release = _image(images[0].read_bytes(), package, kernel.architecture)
    image = _with_tree(image, kernel, package, unpacked.rglob)
    config = unpacked / "boot" / f"config-{release}"
    return _Found(
        image=image,
        release=release,
        config=config.read_bytes() if config.is_file() else b"",
        modules=_modules_of(unpacked, kernel),
        headers=_headers(package, release),
        decides=_content(package),
    )


def _modules_of(folder: Path, kernel: Kernel) -> tuple[Path, ...]:
    names = (module.partition(":")[0] for module in kernel.modules)
    return tuple(file for name in names for end in MODULE_ENDS for file in sorted(folder.rglob(f"{name}{end}"))[:1])


def _headers(package: Path, release: str) -> tuple[Path, ...]:
    """The packages of headers in the folder of a kernel's package, with the further ones that Debian's headers need.

    Their versions may differ: Debian publishes linux-kbuild before the kernel that is built with it. ImageError when
    a package is missing.
    """
    own = sorted(package.parent.glob(f"linux-headers-{release}_*.deb"))
    if not own:
        return ()
    needs = re.finditer(r"(linux-(?:headers|kbuild)-\S+)(?: \((>=|=) (\S+)\))?", _field(own[0], "Depends"))
    return (own[0], *(_needed(own[0], *need.groups()) for need in needs))


def _needed(headers: Path, name: str, relation: str | None, version: str | None) -> Path:
    """The newest of the packages beside `headers` that one of its dependencies allows."""
    there = [file for ends in (HOST, "all") for file in headers.parent.glob(f"{name}_*_{ends}.deb")]
    files = {unquote(file.name.split("_")[1]): file for file in there}
    allowed = [found for found in files if relation is None or compares(found, relation, version or "")]
    if not allowed:
        wanted = f"{name} ({relation} {version})" if relation else name
        raise ImageError(f"{headers} needs {wanted}, of {HOST} or all, beside it")
    return files[newest(allowed)]


def _kept(found: _Found, architecture: str) -> tuple[Path, Packaged]:
    """The kernel's folder in the cache and its facts. A folder is made unless one of the same content exists."""
    digest = hashlib.sha256()
    place = str(found.tree or "").encode()
    for part in (found.image, found.config, found.decides, place, *map(_content, found.headers)):
        digest.update(len(part).to_bytes(8, "big") + part)
    key = digest.hexdigest()[:16]
    built = OWN_TREE if found.tree is not None else ""
    facts = Packaged(package="", version=key, release=found.release, architecture=architecture, built=built)

    def make(folder: Path) -> None:
        (folder / "image").write_bytes(found.image)
        (folder / "modules").mkdir()
        (folder / "debs").mkdir()
        if found.config:
            (folder / "config").write_bytes(found.config)
        if found.tree is not None:
            (folder / "tree").symlink_to(found.tree)
        for module in found.modules:
            shutil.copy(module, folder / "modules")
        for package in found.headers:
            shutil.copy(package, folder / "debs")
        write(folder, facts)

    kept = cached("linux", f"own-{found.release}-{architecture}-{key}", make)
    os.utime(kept)
    prune(kept.parent, "own-*", KEPT)
    return kept, read(kept)


def _image(content: bytes, path: Path, architecture: str) -> tuple[bytes, str]:
    """The image that the emulator boots, and the release that the image names."""
    try:
        content = plain(content)
    except LimitError as error:
        raise UsageError(f"{path}: {error}") from error
    except InfrastructureError as error:
        raise ImageError(f"{path}: {error}") from error
    elf = content.startswith(b"\x7fELF")
    if elf and (architecture != "amd64" or content[18:20] != (62).to_bytes(2, "little")):
        raise ImageError(f"{path} is an ELF file, and the board boots {TOOLS[architecture].image} of {architecture}")
    try:
        image = content if elf else uncompressed(content, architecture)
    except LimitError as error:
        raise UsageError(f"{path}: {error}") from error
    except InfrastructureError as error:
        raise ImageError(f"{path}: {error}") from error
    found = _VERSION.search(image) or (_VERSION.search(packed(image)) if architecture == "armhf" else None)
    if found is None:
        raise ImageError(f"{path} does not say which Linux it is")
    return image, found[1].decode("ascii", "replace")


def _with_tree(image: bytes, kernel: Kernel, path: Path, find: Callable[[str], Iterable[Path]]) -> bytes:
    """The image with the device tree that the board needs, if it needs one; ImageError, naming `path`, without one."""
    try:
        return _device_tree.appended(image, kernel.device_tree, find)
    except InfrastructureError as error:
        raise ImageError(f"{path}: {error}") from error


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path}: {error.strerror}") from None


def _field(package: Path, name: str) -> str:
    done = subprocess.run(
        [shutil.which("dpkg-deb") or "dpkg-deb", "-f", str(package), name],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode != 0:
        raise ImageError(f"{package} is no Debian package")
    return done.stdout.strip()
