# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The device tree behind a 32-bit Arm kernel's image, for packaged kernels and a user's own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest

from rtstone.errors import ImageError, InfrastructureError
from rtstone.targets import boards
from rtstone.targets.boards import DeviceTree, guest
from rtstone.targets.boards.guest import _device_tree, _kernel, _own, _tools

KERNEL = boards.load("vexpress-a9").kernel_of("linux-6.1")
ZIMAGE = bytes(0x24) + b"\x18\x28\x6f\x01" + b"Linux version 6.1.1 (me@here)\0"
TREE = """/dts-v1/;
/ {
    #address-cells = <1>;
    #size-cells = <1>;
    model = "made up";
    timer@1e000600 { compatible = "arm,cortex-a9-twd-timer"; };
};
"""


def _wanted() -> DeviceTree:
    assert KERNEL.device_tree is not None
    return KERNEL.device_tree


def _tree(folder: Path) -> Path:
    """A device tree of the wanted name, as a kernel's build leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / _wanted().file
    subprocess.run(["dtc", "-q", "-O", "dtb", "-o", file], input=TREE.encode(), check=True, timeout=60)
    return file


def _read(tree: bytes, node: str, name: str) -> str:
    command = ["fdtget", "-", node, name]
    return subprocess.run(command, input=tree, check=True, capture_output=True, timeout=60).stdout.decode().strip()


def test_the_boards_nodes_are_added_to_the_kernels_tree(tmp_path: Path) -> None:
    _tree(tmp_path)
    made = _device_tree.appended(ZIMAGE, _wanted(), tmp_path.glob)
    assert made.startswith(ZIMAGE)
    tree = made[len(ZIMAGE) :]
    assert _read(tree, "/", "model") == "made up"
    assert _read(tree, "/timer@1e000200", "compatible") == "arm,cortex-a9-global-timer"
    clock = _read(tree, "/a9-clock", "phandle")
    assert {_read(tree, f"/timer@{place}", "clocks") for place in ("1e000200", "1e000600")} == {clock}
    assert _read(tree, "/a9-clock", "clock-frequency") == str(boards.load("vexpress-a9").clock.hz)


def test_no_tree_and_a_broken_one_are_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / _wanted().file).write_text("no tree")
    for place, wrong in (
        (tmp_path, "neither in the kernel's build"),
        (broken, "cannot be added to vexpress-v2p-ca9.dtb"),
    ):
        with pytest.raises(InfrastructureError, match=wrong) as found:
            _device_tree.appended(ZIMAGE, _wanted(), place.glob)
        assert "\n" not in str(found.value)


def test_a_missing_compiler_of_device_trees_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tools, "_PATH", str(tmp_path))
    assert "device-tree-compiler" in guest.missing(KERNEL)
    assert "device-tree-compiler" not in guest.missing(boards.load("arm64").kernel_of("linux-6.1"))


def test_other_nodes_are_another_folder_of_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _kernel.folder_name(KERNEL)
    (tmp_path / "boards" / "guest").mkdir(parents=True)
    (tmp_path / "boards" / "guest" / _wanted().nodes).write_text("other nodes")
    monkeypatch.setattr(_device_tree, "sources_root", lambda: tmp_path)
    assert _kernel.folder_name(KERNEL) != before
    assert _kernel.folder_name(KERNEL).startswith("linux-image-armmp-armhf-vexpress-v2p-ca9-")


def test_a_users_image_has_its_tree_beside_it(tmp_path: Path) -> None:
    image = tmp_path / "zImage"
    image.write_bytes(ZIMAGE)
    kernel = msgspec.structs.replace(KERNEL, image=str(image))
    with pytest.raises(ImageError, match=r"zImage: the device tree vexpress-v2p-ca9.dtb is neither"):
        _own.fetch(kernel)
    _tree(tmp_path)
    place, facts = _own.fetch(kernel)
    assert facts.release == "6.1.1"
    assert _read((place / "image").read_bytes()[len(ZIMAGE) :], "/", "model") == "made up"


@pytest.mark.parametrize("folder", ["dts", "dts/arm"])
def test_a_users_build_tree_has_its_tree_in_it(tmp_path: Path, folder: str) -> None:
    """From 6.5 on, the trees are in a folder for each vendor."""
    boot = tmp_path / "arch" / "arm" / "boot"
    _tree(boot / folder)
    (boot / "zImage").write_bytes(ZIMAGE)
    (tmp_path / "Makefile").touch()
    (tmp_path / ".config").touch()
    place, _ = _own.fetch(msgspec.structs.replace(KERNEL, image=str(tmp_path)))
    assert _read((place / "image").read_bytes()[len(ZIMAGE) :], "/", "model") == "made up"
