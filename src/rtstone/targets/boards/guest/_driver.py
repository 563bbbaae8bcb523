# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules that a packaged kernel is built without, built here from Debian's package with that kernel's source."""

from __future__ import annotations

import lzma
import shutil
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from rtstone.cache import cached, key_of
from rtstone.errors import InfrastructureError, this_program
from rtstone.targets.boards._model import Driver
from rtstone.targets.boards.firmware import sources_root
from rtstone.targets.boards.guest._build import build_modules
from rtstone.targets.boards.guest._debian import Debian, Package, unpack
from rtstone.targets.boards.guest._folder import Packaged


def modules(driver: Driver, kernel_folder: Path, facts: Packaged) -> Path:
    """Return the folder with a driver's modules, built for a kernel. InfrastructureError when their source is not
    available or does not compile."""
    root = sources_root()
    ours = sorted(f for f in (root / "boards" / "guest" / driver.build).iterdir() if f.is_file())
    key = key_of([facts.release, facts.version, facts.architecture, *_words(driver)], root, ours)

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory(dir=folder) as draft:
            work = Path(draft) / "driver"
            shutil.copytree(source(driver, facts), work)
            for file in ours:
                shutil.copy(file, work)
            build_modules(kernel_folder, facts, work, f"{driver.package}'s {driver.folder}")
            for name in driver.modules:
                if not (work / f"{name}.ko").is_file():
                    raise InfrastructureError(f"boards/guest/{driver.build} makes no module '{name}'")
                shutil.move(work / f"{name}.ko", folder)

    return cached("guest", f"{driver.build}-{facts.release}-{key}", make)


def _words(driver: Driver) -> list[str]:
    return [driver.package, driver.folder, driver.build, *driver.modules]


def source(driver: Driver, facts: Packaged) -> Path:
    """Return a folder with only the driver's part of the source, in the kernel's own version. InfrastructureError when
    it is not available."""

    def make(folder: Path) -> None:
        debian = Debian(facts.architecture)
        with tempfile.TemporaryDirectory(dir=folder) as draft, debian.held():
            debian.update()
            package = Package(driver.package, facts.version, "all")
            try:
                file = debian.download(package, Path(draft))
            except InfrastructureError as error:
                raise InfrastructureError(
                    f"{error} ({this_program()} boards --refresh fetches the newest kernel)"
                ) from error
            unpack(file, Path(draft))
            file.unlink()
            _extract(Path(draft) / "usr" / "src" / f"{driver.package}.tar.xz", driver.folder, folder)

    name = f"{driver.package}-{facts.version}-{driver.folder.replace('/', '-')}"
    return cached("linux", name, make)


def _extract(packed: Path, wanted: str, folder: Path) -> None:
    """Extract the files of one folder of a source, without its subfolders. The archive is read as a stream up to the
    folder's end, and never unpacked as a whole."""
    found = 0
    try:
        with tarfile.open(packed, "r|xz") as packs:
            for member in packs:
                path = PurePosixPath(member.name)
                below = str(path).partition("/")[2]
                if found and not below.startswith(f"{wanted}/"):
                    break  # a folder is one piece of the archive, since tar walks the tree
                if not member.isfile() or str(path.parent).partition("/")[2] != wanted:
                    continue
                content = packs.extractfile(member)
                if content is not None:
                    (folder / path.name).write_bytes(content.read())
                    found += 1
    except (OSError, tarfile.TarError, lzma.LZMAError) as error:
        raise InfrastructureError(f"{packed.name} cannot be unpacked: {error}") from error
    if found == 0:
        raise InfrastructureError(f"{packed.name} has no folder {wanted}")
