# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A firmware kernel as a stranger has it: a tree of its own with an exported engine in it, built by make."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from rtstone.targets.boards.export import export

BOARD = "mps2-an385"

MAKEFILE = """\
CC = arm-none-eabi-gcc
AR = arm-none-eabi-ar
CFLAGS = -mcpu=cortex-m3 -mthumb -O2 -g -DNDEBUG -ffreestanding -Wall -Wextra -Wconversion -Werror
LDFLAGS = -nostdlib -T port/board.ld -Wl,--build-id=none,--no-warn-rwx-segments
RTSTONE_PORT = port
STARTUP = port/main.c port/start.S

.PHONY: all
all: build/kernel.elf

include rtstone/rtstone.mk

# A loop that clears or copies must not become a call of the function that it is the body of.
build/rtstone/port/memory.o: CFLAGS += -fno-tree-loop-distribute-patterns

build/kernel.elf: $(STARTUP) port/board.ld $(RTSTONE_LIBRARY)
	$(CC) -std=c11 $(RTSTONE_INCLUDES) $(CFLAGS) $(LDFLAGS) -o $@ $(STARTUP) $(RTSTONE_LIBRARY) -lgcc
"""


def lay_out(root: Path, folder: Path) -> None:
    """Write the tree: ``rtstone/`` as it is exported, ``port/`` with the kernel (bare metal), its board and its start, and a Makefile.

    The kernel is ours, of files that a stranger would have written, so that what comes of it is known.
    """
    export(folder / "rtstone")
    port = folder / "port"
    port.mkdir()
    common, board = root / "boards" / "common", root / "boards" / BOARD
    for place in (root / "ports" / "bare", common, common / "libc", board):
        for file in (*place.glob("*.c"), *place.glob("*.S"), *place.glob("*.ld")):
            shutil.copy(file, port / (file.name if not (port / file.name).exists() else f"{place.name}_{file.name}"))
    for place in (root / "ports" / "bare" / "include", common / "include", common / "libc", board / "include"):
        shutil.copytree(place, port / "include", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.c"))
    shutil.copy(root / "probe" / "rtstone_traffic.h", port / "include")
    (folder / "Makefile").write_text(MAKEFILE)


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Build a folder; flags of an outer make do not come along."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", "-j2", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=280
    )
