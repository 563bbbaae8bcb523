# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An archive of Debian's without a network: an apt for PATH that does what a folder says, with a kernel, packaged and as source."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

from rtstone.targets.boards import emulator

IMAGE = bytes(56) + b"ARM\x64" + b"the kernel"
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
    *" indextargets "*)
        cat $here/targets ;;
    *" pkgnames "*)
        cd "$state/lists" && ls | grep "^$last" ;;
    *" showsrc "*)
        cat "$state/lists/source-$last" 2>/dev/null || {{ echo "E: No packages found" >&2; exit 100; }} ;;
    *" source "*)
        [ -e $here/offline ] && {{ echo "E: Failed to fetch $last: Temporary failure resolving" >&2; exit 100; }}
        cp $here/sources/${{last%%=*}}_${{last##*=}}.* . ;;
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


# A kernel's source as far as a build sees it.
MAKEFILE = """\
    tinyconfig:
    \t@true
    rtstone.config:
    \t@grep -v REFUSED arch/arm64/configs/rtstone.config >.config
    Image:
    \t@echo "  CC      init/main.o"
    \t@{build}
    \t@mkdir arch/arm64/boot && cp raw arch/arm64/boot/Image
    \t@echo {version}-rtstone >include/config/kernel.release
    \t@echo "  LD      vmlinux"
    modules:
    \t@mkdir -p drivers/net && printf e1000 >drivers/net/e1000.ko
    """


class Archive:
    """An archive with one kernel in one version, and, if asked for, its source."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("lists", "pool", "bin", "sources"):
            (folder / name).mkdir(parents=True)
        # Of a host that runs another release.
        self.host("Elsewhere|http://elsewhere.invalid/apt/|stable", "Debian|http://archive.invalid/debian/|trixie")
        for program in ("apt-get", "apt-cache"):
            path = folder / "bin" / program
            path.write_text(dedent(APT).format(here=folder))
            path.chmod(0o755)

    def host(self, *lines: str) -> None:
        """Sets the lists that the machine's own apt reports: origin, address and suite of each."""
        (self.folder / "targets").write_text("".join(f"{line}\n" for line in lines))

    def publish(self, version: str, modules: str = "lib") -> None:
        """Puts a version in the place of the one before; `modules`: the folder that has them."""
        shutil.rmtree(self.folder / "pool")
        (self.folder / "pool").mkdir()
        release = f"{version}-arm64"
        self._package("linux-image-arm64", version, f"linux-image-{release} (= {version}), other | another")
        image = {f"boot/vmlinuz-{release}": IMAGE, f"boot/config-{release}": b"CONFIG_PCI=y\n"}
        self._package(
            f"linux-image-{release}",
            version,
            "kmod",
            {**image, f"{modules}/modules/{release}/kernel/drivers/uio/uio.ko": b"uio"},
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

    def publish_roms(self, content: bytes = b"rom") -> None:
        """Puts the packages with a PC's ROM images into the archive."""
        for package, files in emulator.recipe().roms.items():
            self._package(package, "1", "", {f"usr/share/{name}": content for name in files}, "all")

    def publish_emulator(self, version: str, files: dict[str, str]) -> None:
        """Puts a version of the emulator's source beside those before; the newest is first in no list."""
        tree = self.folder / "work" / f"qemu-{version}"
        for name, content in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(content)
            (tree / name).chmod(0o755)
        for name, content in {
            "control": "Source: qemu\nMaintainer: nobody <nobody@example.org>\n\nPackage: qemu\nArchitecture: any\n",
            "changelog": f"qemu ({version}) stable; urgency=low\n\n  * x\n\n"
            " -- nobody <nobody@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n",
            "source/format": "3.0 (native)\n",
        }.items():
            (tree / "debian" / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / "debian" / name).write_text(content)
        subprocess.run(["dpkg-source", "-b", tree], check=True, capture_output=True, cwd=self.folder / "sources")
        with (self.folder / "lists" / "source-qemu").open("a") as lists:
            lists.write(f"Package: qemu\nVersion: {version}\n\n")

    def said(self, word: str) -> int:
        """How often apt was asked for that."""
        log = self.folder / "said"
        return sum(f" {word}" in line for line in log.read_text().splitlines()) if log.exists() else 0

    def offline(self, *, yes: bool) -> None:
        """Takes the archive from the network, or puts it back."""
        (self.folder / "offline").touch() if yes else (self.folder / "offline").unlink()

    def publish_source(self, version: str, *, build: str = "", more: dict[str, bytes] | None = None) -> None:
        """Replaces the kernel's source. `build`: further steps of the image's build; `more`: files."""
        tree = self.folder / "source" / "linux-source-6.1"
        shutil.rmtree(tree.parent, ignore_errors=True)
        for name in ("arch/arm64/configs", "arch/arm64/include", "include/config", "scripts", "drivers"):
            (tree / name).mkdir(parents=True)
        (tree / "Makefile").write_text(dedent(MAKEFILE).format(version=version, build=build or "true"))
        for name in ("arch/arm64/Makefile", "scripts/Makefile.build", "Module.symvers"):
            (tree / name).touch()
        (tree / "raw").write_bytes(IMAGE)
        for name, content in (more or {}).items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes(content)
        packed = tree.with_suffix(".tar.xz")
        subprocess.run(["tar", "-cJf", packed, "-C", tree.parent, tree.name], check=True)
        files = {f"usr/src/{tree.name}.tar.xz": packed.read_bytes()}
        self._package("linux-source-6.1", version, "", files, architecture="all")


def archive_in_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """An archive, empty, whose apt stands before the machine's own in PATH."""
    made = Archive(folder)
    monkeypatch.setenv("PATH", f"{made.folder / 'bin'}:{os.environ['PATH']}")
    return made
