# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The place that kernels of the user's own take in the cache."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from rtstone.cache import cache_root
from rtstone.errors import InfrastructureError, LimitError, UsageError
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
