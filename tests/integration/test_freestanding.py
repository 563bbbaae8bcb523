# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine's core needs nothing but its port: compiled for a 32-bit target without a C library, it asks for no more."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

# What GCC may call from any freestanding code (GCC manual, "Standards"), its own 64-bit division, and the one function
# more that cmake/freestanding/string.h declares.
COMPILERS_OWN = {
    *("memcpy", "memmove", "memset", "memcmp", "strlen"),
    *("__divdi3", "__moddi3", "__udivdi3", "__umoddi3", "__udivmoddi4", "__divmoddi4"),
    "_GLOBAL_OFFSET_TABLE_",
}


def _symbols(library: Path, kind: str) -> set[str]:
    """Return the symbols of a static library that are "defined" or "undefined"."""
    option = {"defined": "--defined-only", "undefined": "--undefined-only"}[kind]
    command = ["nm", "--format=posix", "--extern-only", option, str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {fields[0] for line in done.stdout.splitlines() if len(fields := line.split()) >= 2}


@pytest.fixture(scope="module")
def core(root: Path) -> Path:
    """The core, compiled with the template's port for a 32-bit target without floating point."""
    library = root / "build" / "test" / "librtstone_portable_core.a"
    if not library.is_file():
        pytest.fail("the portable core is not built: run `cmake --preset test && cmake --build --preset test`")
    return library


def test_core_asks_only_for_its_port(core: Path) -> None:
    defined = _symbols(core, "defined")
    assert defined
    outside = _symbols(core, "undefined") - defined - COMPILERS_OWN
    assert outside, "a core that calls no port measures nothing"
    foreign = {name for name in outside if not name.startswith(("rts_port_", "__x86.get_pc_thunk"))}
    assert foreign == set()


def test_core_names_do_not_collide(core: Path) -> None:
    """All that a target's own code could clash with begins with rts_."""
    names = {name for name in _symbols(core, "defined") if not name.startswith("__x86.get_pc_thunk")}
    assert {name for name in names if not name.startswith("rts_")} == set()
