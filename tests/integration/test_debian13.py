# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""One emulator, one answer: built on this Debian and on a bare Debian 13, it runs the same images to the same records, byte by byte.

It builds the emulator twice (about 25 min on one CPU each) and needs root and debootstrap (docs/decisions/0011).
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from rtstone.targets import boards
from rtstone.targets.boards import emulator
from support import carried
from support.images import lasting_cache

pytestmark = [pytest.mark.long, pytest.mark.timeout(6 * 3600)]

CARRIED = (
    *("arm64/freertos", "mps2-an385/freertos", "mcf5208evb/bare", "mcf5208evb/freertos", "riscv32/freertos"),
    *("pc/linux-6.12-rt", "arm64/linux-6.1"),
)
ITEMS = (("interrupt-response", 200), ("semaphore-ping", 200))


def test_the_emulator_built_on_debian_13_gives_the_same_bytes(root: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.fail("this test needs root and debootstrap: apt-get install debootstrap")
    images, elsewhere = tmp_path / "images", tmp_path / "elsewhere"
    with lasting_cache(root):
        emulator.build()
        programs = Path(emulator.program(boards.load("pc"))).parent
        carried.pack(images, CARRIED, ITEMS)
    here = carried.run(images, programs)
    assert len(here) == len(CARRIED)
    assert all(size > 5_000 for _, size in here.values()), here
    shutil.copytree(images, elsewhere)
    shutil.copy(carried.__file__, elsewhere / "carried.py")
    there = "export XDG_CACHE_HOME=/cache; tools/setup run boards && .venv/bin/rtstone boards --build emulator >&2"
    there += " && python3 /carried/carried.py /carried /cache/rtstone/emulator/*/"
    done = subprocess.run(
        [root / "tools" / "bare-debian", "trixie", there],
        env=os.environ | {"CARRIED": str(elsewhere)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = [line.split() for line in done.stdout.splitlines() if line.count(" ") == 2]
    assert {name: (digest, int(size)) for name, digest, size in found} == here, shlex.quote(done.stdout)
