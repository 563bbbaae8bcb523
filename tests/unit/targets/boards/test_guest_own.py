# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The place that kernels of the user's own take in the cache."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from rtstone.cache import cache_root
from rtstone.targets import boards
from rtstone.targets.boards.guest import _own


def _fetch(file: Path, release: str) -> Path:
    file.write_bytes(bytes(56) + b"ARM\x64" + bytes(4) + f"Linux version {release} (me@here)\0".encode())
    kernel = boards.load("arm64").kernel_of("linux-6.1")
    return _own.fetch(msgspec.structs.replace(kernel, image=str(file)))[0]


def test_only_those_used_last_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bisect leaves one for each commit. Other kernels are not counted, and what is used again counts as new."""
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
