# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels from Debian's archive, with an apt in PATH that does what a folder says: no network."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest

from rtstone.boards import Kernel, guest
from rtstone.boards._cache import cache_root
from rtstone.boards.guest import _kernel
from rtstone.boards.guest._debian import Debian
from rtstone.errors import InfrastructureError

IMAGE = bytes(56) + b"ARM\x64" + b"the kernel"
KERNEL = Kernel(id="linux", title="Linux 6.1", kind="linux", package="linux-image-arm64", architecture="arm64")

# Its archive: lists/ (what `update` fetches), pool/ (what there is to download); `said` is its log.
APT = """\
    #!/bin/sh
    here={here}
    state=; word=
    for argument; do
        case $argument in
        Dir::State=*) state=${{argument#Dir::State=}} ;;
        esac
        last=$argument
    done
    echo "$(basename "$0") $*" >>$here/said
    case " $* " in
    *" update "*)
        mkdir $here/at-work 2>/dev/null || {{ echo "E: Could not get lock" >&2; exit 100; }}
        sleep 0.1
        if [ -e $here/offline ]; then
            echo "W: Failed to fetch the lists: Temporary failure resolving" >&2
            echo "W: Some index files failed to download." >&2
        else
            cp $here/lists/* "$state/lists/"
        fi
        rmdir $here/at-work ;;
    *" show "*)
        cat "$state/lists/$last" 2>/dev/null || {{ echo "E: No packages found" >&2; exit 100; }} ;;
    *" download "*)
        name=${{last%%[:=]*}}; version=${{last##*=}}
        [ -e $here/offline ] && {{ echo "E: Failed to fetch $name: Temporary failure resolving" >&2; exit 100; }}
        cp $here/pool/$name-$version.deb $name.deb 2>/dev/null && exit
        echo "E: Version '$version' for '$name' was not found" >&2
        exit 100 ;;
    esac
    """


class Archive:
    """An archive with one kernel in one version."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("lists", "pool", "bin"):
            (folder / name).mkdir(parents=True)
        for program in ("apt-get", "apt-cache"):
            path = folder / "bin" / program
            path.write_text(dedent(APT).format(here=folder))
            path.chmod(0o755)

    def publish(self, version: str) -> None:
        """Puts a version in the place of the one before."""
        shutil.rmtree(self.folder / "pool")
        (self.folder / "pool").mkdir()
        release = f"{version}-arm64"
        self._package("linux-image-arm64", version, f"linux-image-{release} (= {version}), other | another")
        image = {f"boot/vmlinuz-{release}": IMAGE, f"boot/config-{release}": b"CONFIG_PCI=y\n"}
        self._package(
            f"linux-image-{release}",
            version,
            "kmod",
            {**image, f"lib/modules/{release}/kernel/drivers/uio/uio.ko": b"uio"},
        )
        self._package(f"linux-headers-{release}", version, f"linux-headers-{version}-common, linux-kbuild-6.1, gcc-12")
        self._package(f"linux-headers-{version}-common", version, "", architecture="all")
        self._package("linux-kbuild-6.1", version, "")

    def _package(
        self, name: str, version: str, depends: str, files: dict[str, bytes] | None = None, architecture: str = "arm64"
    ) -> None:
        control = f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n"
        control += f"Depends: {depends}\n" if depends else ""
        (self.folder / "lists" / name).write_text(control)
        tree = self.folder / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN" / "control").write_text(f"{control}Maintainer: nobody\nDescription: none\n")
        for path, content in (files or {}).items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(content)
        target = self.folder / "pool" / f"{name}-{version}.deb"
        subprocess.run(["dpkg-deb", "--build", "-Znone", tree, target], check=True, capture_output=True)

    def said(self, word: str) -> int:
        """How often apt was asked for that."""
        log = self.folder / "said"
        return sum(f" {word}" in line for line in log.read_text().splitlines()) if log.exists() else 0

    def offline(self, *, yes: bool) -> None:
        """Takes the archive from the network, or puts it back."""
        (self.folder / "offline").touch() if yes else (self.folder / "offline").unlink()


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """Before the machine's own apt in PATH."""
    made = Archive(tmp_path / "archive")
    made.publish("6.1.1")
    monkeypatch.setenv("PATH", f"{made.folder / 'bin'}:{os.environ['PATH']}")
    return made


def test_fetches_once(archive: Archive) -> None:
    """The image, its configuration, its modules, and what modules are built against: the build's tools are this machine's."""
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
    assert "no linux-image-arm64 for arm64" in str(caught.value)
    assert "Temporary failure resolving" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not guest.is_cached(KERNEL)
    archive.offline(yes=False)
    assert _kernel.fetch(KERNEL)[1].version == "6.1.1"


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
    """And what to do."""
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
        guest.prepare(KERNEL, b"", tmp_path)
    assert "apt-get install" not in str(caught.value)


def test_says_that_the_cache_cannot_be_written(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file stands where its folder should be."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(archive.folder / "said"))
    (archive.folder / "said").touch()
    with pytest.raises(InfrastructureError, match="cannot be written"):
        _kernel.fetch(KERNEL)
    with pytest.raises(InfrastructureError, match="cannot be written"), Debian("arm64").held():
        pytest.fail("held what cannot be")
