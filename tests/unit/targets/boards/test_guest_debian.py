# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels from Debian's archive, with an apt in PATH that does what a folder says: no network."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rtstone.cache import cache_root
from rtstone.cli._boards import document
from rtstone.cli.boards import _state
from rtstone.errors import InfrastructureError
from rtstone.targets.boards import Kernel, guest
from rtstone.targets.boards.guest import _debian, _kernel
from rtstone.targets.boards.guest._debian import Debian
from support.debian_archive import IMAGE, Archive, archive_in_path

KERNEL = Kernel(id="linux", title="Linux 6.1", kind="linux", package="linux-image-arm64", architecture="arm64")


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """Before the machine's own apt in PATH."""
    made = archive_in_path(tmp_path / "archive", monkeypatch)
    made.publish("6.1.1")
    return made


def test_fetches_once(archive: Archive) -> None:
    """Fetches the image, its configuration, its modules, and the files to build modules against.

    The build's tools are this machine's.
    """
    folder, facts = _kernel.fetch(KERNEL)
    assert (folder / "image").read_bytes() == IMAGE
    assert (folder / "config").read_text() == "CONFIG_PCI=y\n"
    assert (folder / "modules" / "drivers" / "uio" / "uio.ko").read_bytes() == b"uio"
    assert len(list((folder / "debs").iterdir())) == 3
    assert (facts.package, facts.version, facts.release) == ("linux-image-6.1.1-arm64", "6.1.1", "6.1.1-arm64")
    assert "linux-kbuild-6.1:amd64=6.1.1" in (archive.folder / "said").read_text()
    assert "linux-headers-6.1.1-common=6.1.1" in (archive.folder / "said").read_text()
    asked = archive.said("")
    assert _kernel.fetch(KERNEL) == (folder, facts)
    assert archive.said("") == asked
    assert guest.is_cached(KERNEL)


def test_takes_modules_from_a_merged_usr(archive: Archive) -> None:
    """Debian 13 packs its kernels so. A kernel without modules is reported as such, and not as a fault of the cache."""
    archive.publish("6.12.1", "usr/lib")
    folder, _ = _kernel.fetch(KERNEL)
    assert (folder / "modules" / "drivers" / "uio" / "uio.ko").read_bytes() == b"uio"
    shutil.rmtree(cache_root() / "linux")
    archive.publish("6.12.2", "opt")
    with pytest.raises(
        InfrastructureError, match=r"^linux-image-6\.12\.2-arm64 6\.12\.2 has no modules of 6\.12\.2-arm64$"
    ):
        guest.refresh(KERNEL)


def test_goes_on_when_the_archive_has_moved_on(archive: Archive) -> None:
    """Lists that are fresh enough may still name what was replaced since."""
    _kernel.fetch(KERNEL)
    archive.publish("6.1.2")
    shutil.rmtree(cache_root() / "linux")
    folder, facts = _kernel.fetch(KERNEL)
    assert facts.version == "6.1.2"
    assert sorted(path.name for path in folder.iterdir()) == ["config", "debs", "facts.json", "image", "modules"]
    assert archive.said("update") == 2


def test_refreshes(archive: Archive) -> None:
    """With the lists of now, however fresh those at hand are."""
    _kernel.fetch(KERNEL)
    archive.publish("6.1.2")
    assert _kernel.fetch(KERNEL)[1].version == "6.1.1"
    assert guest.refresh(KERNEL).version == "6.1.2"
    assert _kernel.fetch(KERNEL)[1].version == "6.1.2"


def test_keeps_what_it_has_when_a_refresh_fails(archive: Archive) -> None:
    """A machine without a network goes on with the kernel that it has."""
    _kernel.fetch(KERNEL)
    archive.offline(yes=True)
    with pytest.raises(InfrastructureError, match="Temporary failure resolving"):
        guest.refresh(KERNEL)
    assert guest.is_cached(KERNEL)
    assert _kernel.fetch(KERNEL)[1].version == "6.1.1"


def test_says_that_there_is_no_network(archive: Archive) -> None:
    """In one line, and leaves nothing; with the network back it goes on."""
    archive.offline(yes=True)
    with pytest.raises(InfrastructureError) as caught:
        _kernel.fetch(KERNEL)
    assert "index of Debian bookworm cannot be read, so linux-image-arm64" in str(caught.value)
    assert "Temporary failure resolving" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not guest.is_cached(KERNEL)
    archive.offline(yes=False)
    assert _kernel.fetch(KERNEL)[1].version == "6.1.1"


def test_says_what_took_the_place_of_a_kernel(archive: Archive) -> None:
    """The error names a kernel of the same flavour whose name outlasts versions.

    Files fetched of the former kernel stay in use.
    """
    gone = Kernel(id="x", title="", kind="linux", package="linux-image-6.12-arm64", architecture="arm64")
    with pytest.raises(InfrastructureError) as caught:
        _kernel.fetch(gone)
    assert str(caught.value) == ("Debian bookworm has no linux-image-6.12-arm64 for arm64; it has linux-image-arm64")
    folder, facts = _kernel.fetch(KERNEL)
    for path in (*(archive.folder / "lists").iterdir(), *(archive.folder / "pool").iterdir()):
        path.unlink()
    assert _kernel.fetch(KERNEL) == (folder, facts)


@pytest.mark.parametrize(
    ("host", "main", "security"),
    [
        (("Debian|http://m/debian/|trixie",), "http://m/debian/", ""),
        (
            ("Debian|http://m/x/|sid", "Debian|http://m/y/|trixie-security", "Debian|http://n/x/|trixie"),
            "http://m/x/",
            "http://m/y/",
        ),
        # Its lists were never fetched.
        (
            ("$(ORIGIN)|http://e/apt/|stable", "$(ORIGIN)|http://m/debian|trixie"),
            "http://m/debian",
            "",
        ),
    ],
)
def test_a_board_s_release_comes_from_the_host_s_mirror(
    archive: Archive, host: tuple[str, ...], main: str, security: str
) -> None:
    """The host may run any release. A suite without a mirror is left out. Debian's keys check all packages."""
    archive.host(*host)
    _kernel.fetch(KERNEL)
    lists = next((cache_root() / "apt").glob("arm64-deb-*/sources.list")).read_text().splitlines()
    signed = f"deb [signed-by={_debian.KEYS}]"
    assert lists == [
        f"{signed} {main} bookworm main",
        f"{signed} {main} bookworm-updates main",
        *([f"{signed} {security} bookworm-security main"] if security else []),
    ]


def test_a_host_without_a_mirror_of_debian_gets_one_line(archive: Archive) -> None:
    archive.host("Ubuntu|http://u/ubuntu/|noble")
    with pytest.raises(InfrastructureError, match="apt here names no mirror of Debian"):
        _kernel.fetch(KERNEL)


def test_wants_debian_s_keys(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is taken unchecked."""
    monkeypatch.setattr(_debian, "KEYS", str(archive.folder / "none"))
    with pytest.raises(InfrastructureError, match="apt-get install debian-archive-keyring"):
        _kernel.fetch(KERNEL)
    assert archive.said("update") == 0


def test_asks_apt_for_one_thing_at_a_time(archive: Archive) -> None:
    """apt gives up at once when another has its lists."""
    other = Kernel(id="other", title="", kind="linux", package="linux-image-6.1.1-arm64", architecture="arm64")
    with ThreadPoolExecutor(2) as pool:
        versions = list(pool.map(lambda kernel: _kernel.fetch(kernel)[1].version, (KERNEL, other)))
    assert versions == ["6.1.1", "6.1.1"]
    assert archive.said("update") == 1


def test_sweeps_what_a_killed_fetch_left(archive: Archive) -> None:
    """Some hundred megabytes, otherwise, for ever."""
    left = cache_root() / "linux" / f".{_kernel.folder_name(KERNEL)}.abcdefgh"
    (left / "debs").mkdir(parents=True)
    _kernel.fetch(KERNEL)
    assert not left.exists()
    assert archive.said("update") == 1


def test_says_that_a_folder_is_damaged(archive: Archive) -> None:
    """The message also has the remedy."""
    folder, _ = _kernel.fetch(KERNEL)
    (folder / "facts.json").write_text("{")
    with pytest.raises(InfrastructureError, match=r"damaged .* delete it"):
        _kernel.fetch(KERNEL)
    assert archive.said("update") == 1


@pytest.mark.parametrize(
    ("programs", "wrong"),
    [
        ({}, "a package of Debian"),
        ({"apt-get": "", "apt-cache": "", "dpkg-deb": ""}, "a package of Debian"),
        ({"apt-get": "", "apt-cache": "", "dpkg-deb": "", "dpkg": "echo riscv64"}, "this machine is riscv64"),
    ],
)
def test_says_what_no_installing_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, programs: dict[str, str], wrong: str
) -> None:
    """Another system, or Debian on another architecture: no command is named that cannot help."""
    for name, does in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InfrastructureError, match=wrong) as caught:
        guest.prepare(KERNEL, b"", tmp_path / "initrd")
    assert "apt-get install" not in str(caught.value)


def test_says_that_the_cache_cannot_be_written(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file stands where its folder should be."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(archive.folder / "said"))
    (archive.folder / "said").touch()
    with pytest.raises(InfrastructureError, match="cannot be written"):
        _kernel.fetch(KERNEL)
    with pytest.raises(InfrastructureError, match="cannot be written"), Debian("arm64").held():
        pytest.fail("held what cannot be")


def test_a_kernel_that_the_archive_has_no_more_is_not_called_ready(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`rtstone boards` reads the lists at hand; nothing is fetched for it, and without lists it promises nothing but a try."""
    monkeypatch.setattr(guest, "missing", lambda kernel: [])
    target = "board:arm64/linux-6.12-rt"

    def state(of: str) -> str:
        _kernel.gone.cache_clear()
        entries = {entry.target: entry for board in document().boards for entry in board.kernels}
        return _state(entries[of])

    assert state(target) == "fetched by the first run"
    assert archive.said("update") == 0
    _kernel.fetch(KERNEL)
    said = "Debian bookworm has no linux-image-6.12-rt-arm64 for arm64"
    assert state(target) == f"missing: {said}"
    assert state("board:arm64/linux-6.1") == "ready"
    (archive.folder / "lists" / "linux-image-6.18-rt-arm64").write_text("")
    guest.refresh(KERNEL)
    assert state(target) == f"missing: {said}; it has linux-image-6.18-rt-arm64"
    assert archive.said("update") == 2
    _kernel.gone.cache_clear()
