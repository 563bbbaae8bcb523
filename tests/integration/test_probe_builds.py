# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The probe module compiles for old and new kernels, with PCI and without, and uses nothing that they do not offer to modules.

Only headers are fetched. The programs of a newer Debian's kernel build do not run on an older one's C library. So the
module's parts are compiled and linked into one object, and its undefined symbols are looked up in the kernel's list of
symbols here.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from rtstone.targets.boards.guest._tools import TOOLS, run
from support.kernel_headers import NEWEST, Headers, fetched

pytestmark = pytest.mark.timeout(900)

NEEDED_BY_EVERY_MODULE = {"__this_module", "_GLOBAL_OFFSET_TABLE_"}


def _without_pci(tree: Path) -> None:
    """Changes the options and symbols of a kernel to those of one that was configured without PCI."""
    for name, line in (
        ("include/generated/autoconf.h", r"^#define CONFIG_PCI\b.*\n"),
        ("include/config/auto.conf", r"^CONFIG_PCI=.*\n"),
        ("Module.symvers", r"^\S+\tpcim?_.*\n"),
    ):
        file = tree / name
        text, gone = re.subn(line, "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert gone, name
        file.unlink()  # it may be a link to where all packages' files are
        file.write_text(text, encoding="utf-8")


def _open_symbols(root: Path, headers: Headers, folder: Path) -> set[str]:
    """Compile the module, and return what it uses and neither has nor is offered."""
    module = folder / "probe"
    module.mkdir()
    for source in (*(root / "probe").glob("*.[ch]"), root / "probe" / "Kbuild"):
        (module / source.name).write_bytes(source.read_bytes())
    tools = TOOLS[headers.architecture]
    # The compiler here is the one that Debian's 6.1 was built with: newer kernels ask a newer one for more.
    newer = ("CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=", "CONFIG_OBJTOOL=", "CONFIG_DEBUG_INFO_BTF_MODULES=")
    command = [
        *("make", "-C", str(headers.tree), f"M={module}", f"ARCH={tools.arch}", f"CROSS_COMPILE={tools.prefix}"),
        *(f"CC={tools.prefix}gcc-12", *newer, "KCFLAGS=-Werror", "-j", "2", "rtstone_probe.o"),
    ]
    run(command, f"the probe module cannot be compiled for {headers.tree.name}")
    program = f"{tools.prefix}nm"
    said = subprocess.run(
        [program, "-u", str(module / "rtstone_probe.o")], capture_output=True, text=True, check=True, timeout=60
    )
    used = {line.split()[-1] for line in said.stdout.splitlines()}
    assert "misc_register" in used, "nothing was compiled"
    lines = (headers.tree / "Module.symvers").read_text(encoding="utf-8").splitlines()
    return used - {line.split("\t")[1] for line in lines} - NEEDED_BY_EVERY_MODULE


@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
@pytest.mark.parametrize("series", ["", "6.12-", NEWEST], ids=["6.1", "6.12", "newest"])
def test_it_compiles_and_links(root: Path, tmp_path: Path, architecture: str, series: str) -> None:
    headers = fetched(root, architecture, series, tmp_path)
    assert _open_symbols(root, headers, tmp_path) == set()


def test_it_needs_no_pci(root: Path, tmp_path: Path) -> None:
    headers = fetched(root, "amd64", "6.12-", tmp_path)
    _without_pci(headers.tree)
    assert _open_symbols(root, headers, tmp_path) == set()
