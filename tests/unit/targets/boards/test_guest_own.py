# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The place that kernels of the user's own take in the cache."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from rtstone.cache import cache_root
from rtstone.errors import ImageError, InfrastructureError, LimitError, UsageError
from rtstone.targets import boards
from rtstone.targets.boards.guest import _module, _own
from rtstone.targets.boards.guest._folder import Packaged


def _fetch(file: Path, release: str) -> Path:
    file.write_bytes(bytes(56) + b"ARM\x64" + bytes(4) + f"Linux version {release} (me@here)\0".encode())
    kernel = boards.load("arm64").kernel_of("linux-6.1")
    return _own.fetch(msgspec.structs.replace(kernel, image=str(file)))[0]


def test_only_those_used_last_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bisect leaves one for each commit.

    Other kernels are not counted, and a kernel that is used again counts as new.
    """
    monkeypatch.setattr(_own, "KEPT", 2)
    packaged = cache_root() / "linux" / "linux-image-arm64-arm64"
    packaged.mkdir(parents=True)
    file = tmp_path / "Image"
    made = []
    for at, release in enumerate(("6.1.1", "6.1.2", "6.1.1", "6.1.3", "6.1.1")):
        made.append(_fetch(file, release))
        os.utime(made[-1], (at, at))
    assert [place.is_dir() for place in (*made[:4], packaged)] == [True, False, True, True, True]
    assert made[0] == made[2] == made[4]


HEADERS = "linux-headers-6.1.0-9-arm64_6.1.9-2_arm64.deb"
COMMON = "linux-headers-6.1.0-9-common_6.1.9-2_all.deb"
KBUILD = "linux-kbuild-6.1_{}_amd64.deb"
DEBIANS = "linux-headers-6.1.0-9-common (= 6.1.9-2), linux-kbuild-6.1 (>= 6.1.9-2), gcc-12"


def _beside(folder: Path, depends: str, names: Iterable[str]) -> list[str]:
    """The names of the headers that are found beside a kernel's package, of the files in its folder."""
    made = folder / "made"
    (made / "DEBIAN").mkdir(parents=True)
    control = f"Package: linux-headers-6.1.0-9-arm64\nVersion: 6.1.9-2\nArchitecture: arm64\nDepends: {depends}\n"
    (made / "DEBIAN" / "control").write_text(f"{control}Maintainer: nobody\nDescription: none\n")
    subprocess.run(["dpkg-deb", "-b", made, folder / HEADERS], check=True, capture_output=True, timeout=60)
    for name in names:
        (folder / name).touch()
    return [file.name for file in _own._headers(folder / "linux-image.deb", "6.1.0-9-arm64")]


@pytest.mark.parametrize(
    ("versions", "taken"),
    [
        (("6.1.9-2",), "6.1.9-2"),
        (("6.1.9-3",), "6.1.9-3"),  # Debian publishes linux-kbuild before the kernel of the same version
        (("6.1.9-2", "6.1.10-1", "6.1.9-10"), "6.1.10-1"),
    ],
)
def test_debians_headers_need_packages_of_their_own_version_or_later(
    tmp_path: Path, versions: tuple[str, ...], taken: str
) -> None:
    others = ("linux-kbuild-6.5_6.5.1-1_amd64.deb", "linux-headers-6.1.0-8-common_6.1.8-1_all.deb")
    names = _beside(tmp_path, DEBIANS, (COMMON, *map(KBUILD.format, versions), *others))
    assert names == [HEADERS, COMMON, KBUILD.format(taken)]


@pytest.mark.parametrize(
    ("there", "lacks"),
    [
        ((COMMON,), "linux-kbuild-6.1 (>= 6.1.9-2)"),
        ((COMMON, KBUILD.format("6.1.9-1")), "linux-kbuild-6.1 (>= 6.1.9-2)"),
        ((COMMON, "linux-kbuild-6.1_6.1.9-2_arm64.deb"), "linux-kbuild-6.1 (>= 6.1.9-2)"),
        (("linux-headers-6.1.0-9-common_6.1.9-3_all.deb", KBUILD.format("6.1.9-2")), "-common (= 6.1.9-2)"),
    ],
)
def test_a_package_of_headers_that_is_missing_is_named(tmp_path: Path, there: tuple[str, ...], lacks: str) -> None:
    with pytest.raises(
        ImageError, match=re.escape(f"{HEADERS} needs ") + ".*" + re.escape(f"{lacks}, of amd64 or all")
    ):
        _beside(tmp_path, DEBIANS, there)


def test_headers_of_bindeb_pkg_need_nothing_else(tmp_path: Path) -> None:
    assert _beside(tmp_path, "libc6 (>= 2.36)", (COMMON, KBUILD.format("6.1.9-2"))) == [HEADERS]


def test_a_packing_that_is_not_known_here_is_no_verdict_on_the_kernel(tmp_path: Path) -> None:
    """`git bisect run` takes 125 for a commit that cannot be judged: of a limit of ours it must not."""
    payload = bytes(8)
    head = bytearray(0x1000)
    head[0x202:0x206] = b"HdrS"
    head[0x248:0x250] = (0).to_bytes(4, "little") + len(payload).to_bytes(4, "little")
    unknown, broken = tmp_path / "unknown", tmp_path / "broken"
    unknown.write_bytes(bytes(head))
    broken.write_bytes(bytes(0x1000))
    for file, of_the_measured in ((unknown, False), (broken, True)):
        with pytest.raises(UsageError) as found:
            _own._image(file.read_bytes(), file, "amd64")
        assert found.value.of_the_measured == of_the_measured, found.value


OURS = "$(M)/device.c:30:5: error: too few arguments to function 'class_create'"
OURS_NEWER = (
    "device.c:30:5: error: too few arguments to function 'class_create'"  # 6.13 and later compile in the folder
)
NOT_EXPORTED = 'ERROR: modpost: "smp_call_function_single" [$(M)/rtstone_probe.ko] undefined!'
THEIRS = "./include/linux/device.h:30:5: error: expected ';' before 'struct'"
THEIRS_OF_OUR_NAME = "$(M)x/device.c:30:5: error: expected ';' before 'struct'"


@pytest.mark.parametrize(
    ("said", "ours"),
    [(OURS, True), (OURS_NEWER, True), (NOT_EXPORTED, True), (THEIRS, False), (THEIRS_OF_OUR_NAME, False)],
)
def test_a_module_that_does_not_fit_a_newer_kernel_is_no_verdict_on_the_kernel(
    tmp_path: Path, said: str, ours: bool
) -> None:
    """An error in the user's tree concerns the commit (125), an error in our module is a limit of ours (128)."""
    (tmp_path / "tree").mkdir()
    makefile = f"modules:\n\t@echo 'make: something else'; cat said\n\t@false\n.PHONY: modules\n$(file >said,{said})\n"
    (tmp_path / "tree" / "Makefile").write_text(makefile)
    kernel = msgspec.structs.replace(boards.load("arm64").kernel_of("linux-6.1"), image=str(tmp_path))
    facts = Packaged(package="", version="", release=f"9.9-{ours}", architecture="arm64", built="here")
    with pytest.raises(InfrastructureError) as found:
        _module(kernel, "rtstone_probe", tmp_path, facts)
    assert isinstance(found.value, LimitError) == ours
    assert found.value.of_the_measured == (not ours)
    assert "error: " in str(found.value) or "modpost" in str(found.value)
