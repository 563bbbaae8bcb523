# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules that a packaged kernel lacks: their source, in the kernel's version, from an archive without a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.cache import cache_root
from rtstone.errors import InfrastructureError
from rtstone.targets import boards
from rtstone.targets.boards.guest import _driver
from rtstone.targets.boards.guest._folder import Packaged
from support.debian_archive import Archive, archive_in_path

DRIVER = boards.Driver(package="linux-source-6.1", folder="drivers/bus", build="vme", modules=("vme",))
FACTS = Packaged(package="linux-image-6.1.1-arm64", version="6.1.1", release="6.1.1-arm64", architecture="arm64")
FILES = {
    "drivers/bus/bus.c": b"the bus",
    "drivers/bus/bus.h": b"its header",
    "drivers/bus/deeper/other.c": b"of another folder",
    "drivers/bus2/bus.c": b"of another still",
    "kernel/drivers/bus/bus.c": b"a folder of the same name elsewhere",
}


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """With the source in the kernel's version."""
    made = archive_in_path(tmp_path / "archive", monkeypatch)
    made.publish_source("6.1.1", more=FILES)
    return made


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")}


def test_keeps_one_folder_of_the_source_and_nothing_else(archive: Archive) -> None:
    """Fetched once; the package itself is gone."""
    folder = _driver.source(DRIVER, FACTS)
    assert _content(folder) == {"bus.c": b"the bus", "bus.h": b"its header"}
    assert _driver.source(DRIVER, FACTS) == folder
    assert archive.said("download") == 1


def test_takes_the_version_of_the_kernel(archive: Archive) -> None:
    """A driver of another version is refused, because it is not this kernel's. The message has the remedy."""
    archive.publish_source("6.1.2", more=FILES)
    assert _content(_driver.source(DRIVER, FACTS))
    newer = Packaged(package="linux", version="6.1.3", release="6.1.3-arm64", architecture="arm64")
    with pytest.raises(InfrastructureError, match=r"'6\.1\.3' for 'linux-source-6\.1' was not found .*--refresh"):
        _driver.source(DRIVER, newer)


@pytest.mark.usefixtures("archive")
def test_tells_of_a_folder_that_is_not_there() -> None:
    """And leaves nothing half done."""
    absent = boards.Driver(package="linux-source-6.1", folder="drivers/none", build="vme", modules=())
    with pytest.raises(InfrastructureError, match=r"linux-source-6\.1\.tar\.xz has no folder drivers/none$"):
        _driver.source(absent, FACTS)
    assert not [path for path in (cache_root() / "linux").iterdir() if path.is_dir()]


def test_tells_of_a_damaged_package(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line."""
    monkeypatch.setattr(_driver, "unpack", _unpack_damaged)
    with pytest.raises(InfrastructureError, match=r"^linux-source-6\.1\.tar\.xz cannot be unpacked: "):
        _driver.source(DRIVER, FACTS)


def _unpack_damaged(file: Path, folder: Path) -> None:
    target = folder / "usr" / "src" / "linux-source-6.1.tar.xz"
    target.parent.mkdir(parents=True)
    target.write_bytes(b"\xfd7zXZ\0" + bytes(40))
