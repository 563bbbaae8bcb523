# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The probe module loaded and used on the newest kernel of Debian's backports, with an isolated CPU, and its window beside user space."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rtstone.targets.boards.guest._ramdisk import archive
from rtstone.targets.boards.guest._tools import run
from support.kernel_headers import newest_kernel

DEVICE = "0000:00:09.0"
PATIENCE_S = 200
BOOTS = 4
TROUBLE = ("Oops", "BUG:", "WARNING:", "Call trace", "scheduling while atomic", "Kernel panic")
# The compiler here may be older than the kernel's own: it lacks one option.
OLDER_COMPILER = ("CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=", "CONFIG_DEBUG_INFO_BTF_MODULES=")

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """All lines of one boot of the exerciser."""
    folder = tmp_path_factory.mktemp("newest")
    image, tree = newest_kernel(root, folder / "tree")
    module = folder / "probe"
    module.mkdir()
    for source in (*(root / "probe").glob("*.[ch]"), root / "probe" / "Kbuild"):
        shutil.copy(source, module)
    command = ["make", "-C", str(tree), f"M={module}", "ARCH=x86", "CC=gcc-12", *OLDER_COMPILER, "KCFLAGS=-Werror"]
    run([*command, "-j", "2", "modules"], f"the probe module cannot be built for {tree.name}")
    sources = [str(root / "tests" / "support" / name) for name in ("probe_exercise.c", "probe_newest.c")]
    flags = ["-O1", "-static", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", f'-DWINDOW_DEVICE="{DEVICE}"']
    subprocess.run(["gcc", *flags, "-o", str(folder / "init"), *sources], check=True, timeout=60)
    files = {
        "init": (folder / "init").read_bytes(),
        "modules/rtstone_probe.ko": (module / "rtstone_probe.ko").read_bytes(),
    }
    packed = archive(files, executable=frozenset({"init"}), folders=("dev", "modules", "proc", "sys"))
    (folder / "initrd").write_bytes(packed)
    words = "console=ttyS0 panic=-1 reboot=t rdinit=/init quiet loglevel=4 cryptomgr.notests tsc=reliable nohz_full=1"
    emulator = [
        *("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-M", "pc"),
        *("-cpu", "max", "-accel", "tcg", "-m", "512", "-smp", "2", "-serial", "stdio"),
        *("-object", f"memory-backend-file,id=seen,size=4M,mem-path={folder / 'memory'},share=on"),
        *("-device", "ivshmem-plain,memdev=seen,addr=9"),
        *("-kernel", str(image), "-initrd", str(folder / "initrd"), "-append", words),
    ]
    for _ in range(BOOTS):
        done = subprocess.run(emulator, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=PATIENCE_S)
        lines = [line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines()]
        if not _died_of_its_own_patches(lines):
            break
    return lines


def _died_of_its_own_patches(said: list[str]) -> bool:
    """Whether it died before anything of ours was loaded: a CPU of the emulator may still run an int3 that the kernel has patched away."""
    return (
        not any(line.startswith(("holds ", "FAILS ")) for line in said)
        and any("Oops: int3" in line for line in said)
        and any("Not tainted" in line for line in said)
    )


def test_everything_holds(said: list[str]) -> None:
    assert [line for line in said if line.startswith("FAILS")] == []
    assert "DONE" in said, said[-10:]


@pytest.mark.parametrize(("what", "least"), [("affinity", 9), ("window", 9), ("hrtimer", 40)])
def test_everything_was_tried(said: list[str], what: str, least: int) -> None:
    assert sum(line.startswith(f"holds {what}:") for line in said) >= least


def test_the_kernel_complains_of_nothing(said: list[str]) -> None:
    assert [line for line in said if any(word in line for word in TROUBLE)] == []
