# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The probe module's VMEbus source in a guest with PREEMPT_RT, whose kernel plays the bridge.

Debian's kernels have no VME interface: it, its emulated bridge and the probe module are built together from the kernel's own source.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rtstone.targets import boards
from rtstone.targets.boards.guest import _build, _driver, _kernel
from rtstone.targets.boards.guest._ramdisk import archive
from support import uncounted_boot
from support.images import lasting_cache

BOARD, KERNEL = "pc-bus", "linux-6.1-rt"
MODULES = ("vme", "vme_fake", "rtstone_probe")
PATIENCE_S = 120
TROUBLE = ("Oops", "BUG:", "WARNING:", "Call trace", "scheduling while atomic", "Kernel panic")

pytestmark = pytest.mark.timeout(600)


def _modules(root: Path, folder: Path) -> Path:
    """Build the modules in `folder`, as where the kernel's configuration has CONFIG_VME_BUS. Returns the kernel's image."""
    kernel = boards.load(BOARD).kernel_of(KERNEL)
    assert kernel.driver is not None
    with lasting_cache(root):
        place, packaged = _kernel.fetch(kernel)
        shutil.copytree(_driver.source(kernel.driver, packaged), folder)
        bridge, probe = root / "boards" / "guest" / "vme", root / "probe"
        for source in (*bridge.glob("*.c"), *probe.glob("*.[ch]")):
            shutil.copy(source, folder)
        ours = (probe / "Kbuild").read_text(encoding="utf-8").replace("obj-m :=", "obj-m +=")
        configured = "CONFIG_VME_BUS := y\nccflags-y += -DCONFIG_VME_BUS=1 -I$(src)\n"
        kbuild = configured + (bridge / "Kbuild").read_text(encoding="utf-8") + ours
        (folder / "Kbuild").write_text(kbuild, encoding="utf-8")
        (folder / "Makefile").unlink(missing_ok=True)
        _build.build_modules(place, packaged, folder, "the probe module with its VMEbus source")
    return place / "image"


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """All lines of one boot."""
    folder = tmp_path_factory.mktemp("vme")
    image = _modules(root, folder / "modules")
    sources = [str(root / "tests" / "support" / name) for name in ("probe_exercise.c", "probe_vme.c")]
    flags = ["-O1", "-static", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", str(folder / "init"), *sources], check=True, timeout=60)
    files = {f"modules/{name}.ko": (folder / "modules" / f"{name}.ko").read_bytes() for name in MODULES}
    files["init"] = (folder / "init").read_bytes()
    (folder / "initrd").write_bytes(archive(files, executable=frozenset({"init"}), folders=("dev", "modules")))
    command = uncounted_boot.command(BOARD, image, folder / "initrd")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=PATIENCE_S)
    return [line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines()]


def test_everything_holds(said: list[str]) -> None:
    assert [line for line in said if line.startswith("FAILS")] == []
    assert "DONE" in said, said[-10:]
    assert sum(line.startswith("holds vme:") for line in said) >= 30


def test_the_kernel_complains_of_nothing(said: list[str]) -> None:
    assert [line for line in said if any(word in line for word in TROUBLE)] == []
